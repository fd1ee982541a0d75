# SPDX-License-Identifier: BSD-2-Clause
"""Is the machine busy with something else? The emulator's counters speak for the emulator
alone; the programs that measure may be held up just as well."""

import threading
import time

PRESSURE = "/proc/pressure/cpu"

# Share of the time in which some process waited for a processor, and share of short sleeps
# that took a millisecond too long; and how much longer one of them may take: a sender that
# was held up for as long makes up for it with a burst, which a queue may not hold.
WAITED_MAX = 0.10
OVERSLEPT_MAX = 0.05
STALL_MAX_S = 0.05
SLEEP_S, OVERSLEPT_S = 0.02, 0.001


def waited_us():
    """Time in which some process waited for a processor; None on older kernels."""
    try:
        with open(PRESSURE) as f:
            return int(f.readline().rpartition("total=")[2])
    except (OSError, ValueError):
        return None


class Watch:
    """with Watch() as watch: ...; then watch.noise() is a reason, or None."""

    def __enter__(self):
        self._end = threading.Event()
        self._sleeps = self._overslept = 0
        self._longest_s = 0.0
        self._began, self._waited_us = time.monotonic(), waited_us()
        self._thread = threading.Thread(target=self._sleep, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *unused):
        self._end.set()
        self._thread.join()
        self.seconds = time.monotonic() - self._began
        now = waited_us()
        self.waited = 0.0
        if now is not None and self._waited_us is not None:
            self.waited = (now - self._waited_us) / 1e6 / max(1e-3, self.seconds)

    def _sleep(self):
        while not self._end.is_set():
            before = time.monotonic()
            time.sleep(SLEEP_S)
            late_s = time.monotonic() - before - SLEEP_S
            self._sleeps += 1
            self._overslept += late_s > OVERSLEPT_S
            self._longest_s = max(self._longest_s, late_s)

    def noise(self):
        overslept = self._overslept / max(1, self._sleeps)
        if overslept > OVERSLEPT_MAX:
            return "%.0f %% of short sleeps took a millisecond too long" % (100 * overslept)
        if self._longest_s > STALL_MAX_S:
            return "the machine stood still for %.0f ms" % (1e3 * self._longest_s)
        if self.waited > WAITED_MAX:
            return "processes waited for a processor %.0f %% of the time" % (
                100 * self.waited)
        return None
