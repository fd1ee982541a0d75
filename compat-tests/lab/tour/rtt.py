# SPDX-License-Identifier: BSD-2-Clause
from . import rules, tools
from .row import PATH, Group, Row

ECHO = rules.IP4 + rules.ICMP + 56

GROUP = Group(
    "round trip", "Twice the delay of both links, and the time to put the bits on them.", [
        Row("ping", "ping", tools.ping,
            {"avg_ms": rules.round_trip(PATH, ECHO, ECHO),
             "lost_share": rules.Exactly("no loss", 0)}, short=True),
    ])
