# SPDX-License-Identifier: BSD-2-Clause
from . import rules, tools
from .row import PATH, Group, Row

SIZE = 1448
# The queue's share of what passes depends on the time, far less than the tolerance.
SECONDS, SHORT_S = 10, 4
# Senders wake up to every millisecond and send what is due.
JITTER = rules.Range("below a sender's tick", 0, 1)


def iperf3(mbps, short):
    return Row("iperf3 -u -b %dM" % mbps, "iperf3",
               lambda b: tools.iperf3_udp(b, mbps * 1e6, SIZE, b.seconds(SECONDS, SHORT_S)),
               {"lost_share": rules.udp_lost(PATH, mbps * 1e6, SIZE, SECONDS),
                "jitter_ms": JITTER}, short=short)


def nuttcp(mbps):
    return Row("nuttcp -u -R%dM" % mbps, "nuttcp",
               lambda b: tools.nuttcp(b, "-u", "-R%dM" % mbps, "-l%d" % SIZE, seconds=SECONDS),
               {"lost_share": rules.udp_lost(PATH, mbps * 1e6, SIZE, SECONDS)})


GROUP = Group(
    "udp", "UDP is sent at the rate asked for; what does not fit through the bottleneck is "
    "dropped at its queue.",
    [iperf3(15, True), iperf3(30, True), nuttcp(15), nuttcp(30)])
