# SPDX-License-Identifier: BSD-2-Clause
"""supervise.py BOUND_S COMMAND...: run a command within a bound, and afterwards end every
process it left behind, daemons too. Exits with the command's code, 124 when it was too
slow. A program of its own, because the kernel hands orphans to one process only."""

import ctypes
import os
import signal
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
TOO_SLOW = 124
POLITE_S = 5  # between SIGTERM and SIGKILL: time to delete namespaces


def descendants():
    """Process ids of everything below this process."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name) as f:
                    words = f.read().rpartition(")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(words[1]), []).append(int(name))
    found, todo = [], [os.getpid()]
    while todo:
        children = parents.get(todo.pop(), [])
        found += children
        todo += children
    return found


def kill_all_below():
    """Returns the command lines of what was left."""
    left = []
    for _ in range(20):  # a dying process may just have forked
        reap()
        pids = descendants()
        if not pids:
            break
        for pid in pids:
            try:
                with open("/proc/%d/cmdline" % pid, "rb") as f:
                    line = f.read().replace(b"\0", b" ").decode("utf-8", "replace")
                if line.strip():
                    left.append(line.strip())
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.05)
    return left


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def wait_for(child, timeout):
    """The exit code of the child, None when it takes too long. Orphans that end in the
    meantime are reaped, so that they do not look alive to the tests."""
    end = time.monotonic() + timeout
    while True:
        left = end - time.monotonic()
        if left <= 0:
            return None
        # Returns early when any child ends; the signal stays pending until it is asked for.
        signal.sigtimedwait({signal.SIGCHLD}, min(left, 1))
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == child:
                    code = os.waitstatus_to_exitcode(status)
                    return code if code >= 0 else 128 - code
                if pid == 0:
                    break
        except ChildProcessError:
            return None


def end(child):
    """Politely at first, so that it can delete its namespaces."""
    for number, patience_s in ((signal.SIGTERM, POLITE_S), (signal.SIGKILL, POLITE_S)):
        os.kill(child, number)
        if wait_for(child, patience_s) is not None:
            return


def main():
    bound, argv = float(sys.argv[1]), sys.argv[2:]
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    child = os.posix_spawnp(argv[0], argv, os.environ, setsigmask=[])
    code = None
    try:
        code = wait_for(child, bound)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if code is None:
            end(child)
        left = kill_all_below()
    for line in left:
        print("left running, killed: %s" % line, file=sys.stderr)
    return TOO_SLOW if code is None else code


if __name__ == "__main__":
    sys.exit(main())
