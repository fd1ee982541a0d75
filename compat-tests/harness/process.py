# SPDX-License-Identifier: BSD-2-Clause
"""Running programs: run() to the end, start() in the background. Each has a bound, and
each is killed by its own process id when the test ends."""

import os
import re
import signal
import subprocess
import threading
import time

from . import cleanup
from .programs import environment

CAPTURE_MAX = 64 << 20  # a program that prints without end is stopped here


class _Reader(threading.Thread):
    """Collects what comes out of a pipe."""

    def __init__(self, pipe, changed):
        super().__init__(daemon=True)
        self.pipe, self.changed = pipe, changed
        self.data = bytearray()
        self.start()

    def run(self):
        while True:
            try:
                piece = os.read(self.pipe.fileno(), 65536)
            except (OSError, ValueError):
                piece = b""
            with self.changed:
                if len(self.data) < CAPTURE_MAX:
                    self.data += piece
                self.changed.notify_all()
            if not piece:
                self.pipe.close()
                return


class Process:
    """A program in the background. Attributes: pid, argv, stdin (a pipe, when asked for).

    stdout, stderr: text so far. out_bytes, err_bytes: the same as bytes.
    code: exit code, negative signal number, or None while it runs."""

    def __init__(self, argv, stdin=None, stdout=None, stderr=None, env=None, bound=60,
                 netns=None, cwd=None, stop_signal=signal.SIGTERM):
        self.argv = [str(a) for a in argv]
        if netns is not None:
            self.argv = netns.argv(self.argv)
        self.bound, self.timed_out, self.stop_signal = bound, False, stop_signal
        self._changed = threading.Condition()
        self._began = time.monotonic()
        self._popen = subprocess.Popen(
            self.argv, env=environment(env), cwd=cwd,
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=subprocess.PIPE if stdout is None else stdout,
            stderr=subprocess.PIPE if stderr is None else stderr)
        self.pid, self.stdin = self._popen.pid, self._popen.stdin
        self._readers = [_Reader(p, self._changed) if p else None
                         for p in (self._popen.stdout, self._popen.stderr)]
        self._timer = threading.Timer(bound, self._over)
        self._timer.daemon = True
        self._timer.start()
        cleanup.opened(self)

    def _over(self):
        self.timed_out = True
        self._popen.kill()

    def _bytes(self, which):
        reader = self._readers[which]
        if reader is None:
            return b""
        with self._changed:
            return bytes(reader.data)

    @property
    def out_bytes(self):
        return self._bytes(0)

    @property
    def err_bytes(self):
        return self._bytes(1)

    @property
    def stdout(self):
        return self.out_bytes.decode("utf-8", "replace")

    @property
    def stderr(self):
        return self.err_bytes.decode("utf-8", "replace")

    @property
    def code(self):
        return self._popen.poll()

    def __str__(self):
        code = self.code
        return "%s\n-- %s%s\n-- stdout:\n%s\n-- stderr:\n%s" % (
            " ".join(self.argv),
            "still runs" if code is None else "exit code %d" % code,
            ", killed after its bound of %g s" % self.bound if self.timed_out else "",
            self.stdout, self.stderr)

    def send_signal(self, number):
        """Send a signal to this process alone."""
        self._popen.send_signal(number)

    def wait(self, timeout=30):
        """Wait for the end; returns the exit code. Too late is a failure."""
        try:
            self._popen.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError("did not end within %g s: %s" % (timeout, self))
        for reader in self._readers:
            if reader is not None:
                # A grandchild may hold the pipe; what it writes later is not awaited.
                reader.join(2)
        if self.timed_out:
            raise AssertionError("did not end by itself: %s" % self)
        return self.code

    def wait_line(self, pattern, timeout=10, count=1):
        """Wait until the pattern (a regular expression, ^ and $ match at lines) was seen
        count times in stdout or in stderr; returns the last match."""
        regex = re.compile(pattern, re.M)
        end = time.monotonic() + timeout
        while True:
            ended = self.code is not None
            if ended:
                for reader in self._readers:
                    if reader is not None:
                        reader.join(1)
            for text in (self.stdout, self.stderr):
                found = list(regex.finditer(text))
                if len(found) >= count:
                    return found[count - 1]
            if ended or time.monotonic() > end:
                raise AssertionError("no line %r: %s" % (pattern, self))
            with self._changed:
                self._changed.wait(0.05)

    def wait_listening(self, port, proto="tcp", timeout=10):
        """Wait until the port is bound in the process's network namespace."""
        def bound():
            if self.code not in (None, 0):
                raise AssertionError("ended before it listened: %s" % self)
            return is_listening(port, proto, self.pid)
        wait_until(bound, timeout, "port %s %s of: %s" % (proto, port, self))

    def stop(self, number=signal.SIGTERM, timeout=10):
        """Signal it and wait for the end; returns the exit code."""
        if self.code is None:
            self.send_signal(number)
        return self.wait(timeout)

    def close(self):
        """The end of the test: whatever still runs is ended, politely at first, so that
        sanitizers and coverage can write. A bound that was hit is an error, a server
        that was still there is not."""
        self._timer.cancel()
        if self.code is None:
            self.send_signal(self.stop_signal)
            try:
                self._popen.wait(3)
            except subprocess.TimeoutExpired:
                self._popen.kill()
                self._popen.wait()
        for reader in self._readers:
            if reader is not None:
                reader.join(1)  # closes its pipe; a daemon may hold the other end
        if self.stdin is not None:
            try:
                self.stdin.close()
            except OSError:
                pass
        if self.timed_out:
            raise AssertionError("ran over its bound: %s" % self)


class Result:
    """What run() returns: code, stdout, stderr, out_bytes, err_bytes, seconds. As text
    it shows all of it, so pass it as the message of an assertion."""

    def __init__(self, process, seconds):
        self.argv, self.code, self.seconds = process.argv, process.code, seconds
        self.out_bytes, self.err_bytes = process.out_bytes, process.err_bytes
        self.stdout, self.stderr = process.stdout, process.stderr
        self._text = str(process)

    def __str__(self):
        return self._text


def start(argv, **options):
    """Start a program in the background; see Process for the options:
    stdin="pipe" gives .stdin, stdin/stdout/stderr also take files, env adds variables,
    bound is the longest it may run, netns a Netns to run in."""
    if options.get("stdin") == "pipe":
        options["stdin"] = subprocess.PIPE
    return Process(argv, **options)


def run(argv, stdin=None, timeout=30, **options):
    """Run a program to its end and return its Result. stdin: bytes, text or a file.
    Not ending within timeout is a failure."""
    feed = None
    if isinstance(stdin, (bytes, bytearray, str)):
        feed = stdin.encode() if isinstance(stdin, str) else bytes(stdin)
        stdin = subprocess.PIPE
    began = time.monotonic()
    process = Process(argv, stdin=stdin, bound=timeout + 5, **options)
    try:
        if feed is not None:
            threading.Thread(target=_feed, args=(process.stdin, feed),
                             daemon=True).start()
        process.wait(timeout)
        return Result(process, time.monotonic() - began)
    finally:
        process.close()


def _feed(pipe, data):
    try:
        pipe.write(data)
        pipe.close()
    except (OSError, ValueError):
        pass  # it did not read all; whether that is right is the test's business


def wait_until(condition, timeout=10, what="condition"):
    """Wait until condition() is true; returns its value, fails after timeout seconds.
    what: text, or a function that makes it when needed."""
    end = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError("waited %g s in vain: %s" % (
                timeout, what() if callable(what) else what))
        time.sleep(0.01)


def is_listening(port, proto="tcp", pid="self"):
    """Is a TCP port listened on, or a UDP port bound and unconnected, in the network
    namespace of this process?"""
    want = ":%04X" % int(port)
    state = {"tcp": "0A", "udp": "07"}[proto]
    for family in ("", "6"):
        try:
            with open("/proc/%s/net/%s%s" % (pid, proto, family)) as f:
                for line in f:
                    words = line.split()
                    if words[1].endswith(want) and words[3] == state:
                        return True
        except (FileNotFoundError, ProcessLookupError):
            pass
        except OSError:  # the process has just ended
            pass
    return False


def rss_kib(pid):
    """Resident memory of a process in KiB."""
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(r"^VmRSS:\s+(\d+)", f.read(), re.M).group(1))


def fd_count(pid):
    """Number of open file descriptors of a process."""
    return len(os.listdir("/proc/%d/fd" % pid))
