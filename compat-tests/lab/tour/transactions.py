# SPDX-License-Identifier: BSD-2-Clause
from . import rules, tools
from .row import PATH, Group, Row

SECONDS = 10
FORGET = "net.ipv4.tcp_slow_start_after_idle"


def bounceback(name, size, short_s=None, forget=None):
    """forget: whether windows are forgotten in a pause; None for small requests."""
    def measure(bench):
        if forget is not None:
            bench.sysctl(FORGET, int(forget))
        return tools.bounceback(bench, size, bench.seconds(SECONDS, short_s))

    return Row(name, "iperf", measure, {
        "transactions_per_s": rules.transactions(PATH, size, SECONDS, bool(forget))},
        short=short_s is not None)


GROUP = Group(
    "transactions", "One request at a time: one over the round trip, on any circuit. "
    "Large requests also wait for their own bits, there and back, and for the windows to "
    "grow: once, or after each pause when the system forgets them.", [
        bounceback("iperf --bounceback -l 100", 100, 4),
        bounceback("iperf --bounceback -l 64K", 65536, forget=False),
        bounceback("the same, started cold", 65536, forget=True),
    ])
