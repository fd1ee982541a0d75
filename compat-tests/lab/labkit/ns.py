# SPDX-License-Identifier: BSD-2-Clause
"""Network namespaces: make them, work inside them, find who is in them."""

import ctypes
import errno
import fcntl
import os
import signal
import socket
import struct
import subprocess
import sys
import time
import traceback

from .errors import LabError

RUN = "/run/netns"
CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1

SIOCETHTOOL = 0x8946
# Transmit checksums, and segmentation and its reverse (linux/ethtool.h).
ETHTOOL_OFF = (("STXCSUM", 0x17), ("STSO", 0x1f), ("SGSO", 0x24), ("SGRO", 0x2c))

_libc = ctypes.CDLL(None, use_errno=True)


def path_of(name):
    return os.path.join(RUN, name)


def ip(*words, batch=None):
    """ip(8); batch: lines for its standard input. LabError with its first line."""
    argv = ["ip"] + [str(w) for w in words]
    if batch is not None:
        argv += ["-batch", "-"]
    try:
        done = subprocess.run(
            argv, input="\n".join(batch or []) + "\n", stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, universal_newlines=True, timeout=60)
    except FileNotFoundError:
        raise LabError("the command ip is missing (package iproute2)") from None
    except subprocess.TimeoutExpired:
        raise LabError("%s: no end within a minute" % " ".join(argv)) from None
    if done.returncode:
        lines = done.stdout.strip().splitlines() or ["exit code %d" % done.returncode]
        raise LabError("%s: %s" % (" ".join(argv), lines[0]))
    return done.stdout


def exists(name):
    return os.path.lexists(path_of(name))


def add(name):
    try:
        ip("netns", "add", name)
    except LabError as e:
        raise LabError("cannot make network namespaces here: %s" % e) from None


def delete(name):
    """Whatever state it is in; no error when it is gone already."""
    try:
        ip("netns", "del", name)
    except LabError:
        if exists(name):
            raise


def enter(name):
    """Put the calling process into a namespace."""
    fd = os.open(path_of(name), os.O_RDONLY | os.O_CLOEXEC)
    try:
        if _libc.setns(fd, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
    finally:
        os.close(fd)


def inside(name, work):
    """Call work() in a child process that is in the namespace; it prints nothing. LabError
    with what it raised; a LabError comes through as it is."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(read_end)
            enter(name)
            work()
            code = 0
        except LabError as e:
            os.write(write_end, str(e).encode())
        except OSError as e:
            text = "%s: %s%s" % (name, "%s: " % e.filename if e.filename else "",
                                 e.strerror or e)
            os.write(write_end, text.encode())
        except BaseException:
            os.write(write_end, traceback.format_exc().encode()[-4000:])
        finally:
            os._exit(code)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        text = pipe.read().decode("utf-8", "replace")
    _, status = os.waitpid(pid, 0)
    if status != 0:
        raise LabError(text or "%s: set-up failed" % name)


def die_with_parent():
    """For preexec_fn: no orphan when the lab is killed."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def argv(name, words):
    """The words that run a command inside; the process id is that of the command."""
    return ["ip", "netns", "exec", name] + [str(w) for w in words]


def write_sysctl(name, value, must=True):
    """In the namespace of the calling process. must: fail when there is no such one."""
    try:
        with open("/proc/sys/" + name.replace(".", "/"), "w") as f:
            f.write(str(value))
    except FileNotFoundError:
        if must:
            raise


def offloads_off(device):
    """Frames leave with their checksum made and no longer than the MTU, because nothing on
    a packet socket's side would finish them."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for _, command in ETHTOOL_OFF:
            value = ctypes.create_string_buffer(struct.pack("II", command, 0))
            ifreq = struct.pack("16sP", device.encode(), ctypes.addressof(value))
            try:
                fcntl.ioctl(s, SIOCETHTOOL, ifreq + bytes(24 - struct.calcsize("P")))
            except OSError as e:
                if e.errno != errno.EOPNOTSUPP:
                    raise


def members(names):
    """Process ids in these namespaces."""
    wanted = set()
    for name in names:
        try:
            wanted.add((os.stat(path_of(name)).st_dev, os.stat(path_of(name)).st_ino))
        except OSError:
            pass
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")) if wanted else ():
        try:
            there = os.stat("/proc/%s/ns/net" % pid)
        except OSError:
            continue
        if (there.st_dev, there.st_ino) in wanted:
            found.append(int(pid))
    return found


def end_members(names, patience_s=1.0):
    """End every process in these namespaces: first politely, then not."""
    deadline = time.monotonic() + patience_s
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in members(names):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        while members(names) and time.monotonic() < deadline:
            time.sleep(0.02)
        deadline = time.monotonic() + 2
    left = members(names)
    if left:
        print("lab: processes that will not end: %s" % " ".join(map(str, left)),
              file=sys.stderr)
