# SPDX-License-Identifier: BSD-2-Clause
from . import rules, tools
from .row import PATH, Group, Row


def window(kib, short=False):
    return Row("iperf3 -w %dK" % kib, "iperf3",
               lambda b: tools.iperf3(b, "-w", "%dK" % kib, seconds=b.seconds(8, 4)),
               {"received_bps": rules.window_rate(PATH, kib * 1024)}, short=short)


GROUP = Group(
    "window", "A connection carries one window in each round trip, however wide the link.",
    [window(16), window(32), window(64, short=True), window(128)])
