# SPDX-License-Identifier: BSD-2-Clause
from . import rules, tools
from .row import CLIENT, PATH, Group, Row


def about(how, value, share):
    return rules.Range(how, value * (1 - share), value * (1 + share))


def delay_ms(link):
    return rules.Range("2 x %g ms" % (link.delay_s * 1e3), 2e3 * link.delay_s - 0.1,
                       2e3 * link.delay_s + 0.4)


FAST, SLOW = PATH.links
PIPE = PATH.bottleneck().rate_bps * PATH.rtt_s(28, 56) / 8

GROUP = Group(
    "hops", "The smallest round trip of each packet size makes a line for each hop: its "
    "slope is the bandwidth, its start the latency.", [
        Row("pchar", "pchar",
            lambda b: tools.pchar(b, b.seconds(16, 6), b.seconds(64, 128), CLIENT), {
            "hop1_bps": about("100 Mbit/s, 10 %", FAST.rate_bps, 0.1),
            "hop1_ms": delay_ms(FAST),
            "hop2_bps": about("20 Mbit/s, 5 %", SLOW.rate_bps, 0.05),
            "hop2_ms": delay_ms(SLOW),
            "bottleneck_bps": about("the slower, 5 %", SLOW.rate_bps, 0.05),
            "pipe_bytes": about("20 Mbit/s x 44 ms, 7 %", PIPE, 0.07)},
            short=True),
    ])
