# SPDX-License-Identifier: BSD-2-Clause
"""The process that emulates the links, and talking to it."""

import os
import select
import shutil
import socket
import subprocess
import tempfile
import time

from .counters import Counters
from .errors import LabError

START_S = 10
ANSWER_S = 5


def program():
    """Path of impair: $NETCLASSICS_BUILD as make sets it, else the release build."""
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(os.path.dirname(os.path.dirname(here)))
    build = os.environ.get("NETCLASSICS_BUILD") or os.path.join(root, "build", "release")
    path = os.path.join(build, "bin", "impair")
    found = path if os.access(path, os.X_OK) else shutil.which("impair")
    if not found:
        raise LabError("the emulator is not built: make everything (no %s)" % path)
    return found


def ask(path, line):
    """One command to the control socket at path; returns what it prints."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            s.settimeout(ANSWER_S)
            s.connect(path)
            s.send(line.encode())
            text = s.recv(1 << 18).decode()
    except OSError as e:
        raise LabError("the emulator does not answer (%s)" % (e.strerror or e)) from None
    word, _, rest = text.partition("\n")
    if word != "ok":
        raise LabError(text.strip().partition("error: ")[2] or "the emulator is gone")
    return rest


def counters(path):
    return Counters.parse(ask(path, "show"))


class Emulator:
    """A running impair. It ends when this process does, even by SIGKILL, because its
    standard input is a pipe from here."""

    def __init__(self, commands, control, seed=1, priority=50):
        argv = [program(), "--until-eof", "--control", control, "--seed", str(seed),
                "--priority", str(priority)] + commands
        self.control = control
        self._said = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said,
            start_new_session=True)
        try:
            self._wait_ready()
        except BaseException:
            self.close()
            raise

    def said(self):
        """Its standard error."""
        self._said.seek(0)
        return self._said.read().decode("utf-8", "replace").strip()

    def _wait_ready(self):
        deadline = time.monotonic() + START_S
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [],
                                        max(0, deadline - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 1) if ready else b""
            if not piece:
                raise LabError(self._why_not())
            line += piece

    def _why_not(self):
        try:
            code = self.process.wait(1)
        except subprocess.TimeoutExpired:
            return "the emulator was not ready within %d s" % START_S
        lines = self.said().splitlines()
        return lines[-1] if lines else "the emulator ended with %d" % code

    def alive(self):
        return self.process.poll() is None

    def close(self):
        """End it; returns its last counters, or None when it had none to tell."""
        text = ""
        if self.process.stdin:
            self.process.stdin.close()
            self.process.stdin = None  # communicate() would flush it
        try:
            text = self.process.communicate(timeout=5)[0].decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        except ValueError:  # closed already
            return None
        try:
            return Counters.parse(text)
        except (KeyError, ValueError):
            return None
