# SPDX-License-Identifier: BSD-2-Clause
"""Everything that must not outlive a test is registered here and closed in reverse order:
at the end of the test, at the end of the module, or when the module is told to stop."""

import atexit
import os
import signal
import sys
import threading
import traceback

_open = []
_owner = os.getpid()


def opened(thing):
    """Register an object with close(); close() may be called more than once."""
    _open.append(thing)
    return thing


def mark():
    """The place in the list, for close_since()."""
    return len(_open)


def close_since(place):
    """Close what was opened since mark(); raises the first error after closing all."""
    first = None
    while len(_open) > place:
        try:
            _open.pop().close()
        except Exception as e:  # the rest must be closed whatever this was
            first = first or e
    if first:
        raise first


def _at_end():
    if os.getpid() == _owner:
        close_since(0)


def _stop(signum, frame):
    # No exception: unittest would count it and go on with the next test.
    if os.getpid() == _owner:
        traceback.print_stack(frame)
        try:
            close_since(0)
        except Exception:
            traceback.print_exc()
        sys.stderr.flush()
    os._exit(128 + signum)


atexit.register(_at_end)
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGTERM, _stop)
