# SPDX-License-Identifier: BSD-2-Clause
from . import rules, tools
from .row import PATH, Group, Row

LOSSES = (0, 0.001, 0.01)
# Enough losses for the mean to settle; the seed makes them the same each time.
SECONDS, SHORT_S = 30, 8


def expected(algorithm, loss):
    # BBR does not take loss for congestion. It empties the queue now and then, and what
    # was lost is sent twice.
    if loss == 0 or algorithm == "bbr":
        return rules.link_rate(PATH, low=0.93)
    return rules.loss_rate(PATH, loss)


def one(algorithm, loss, short=False):
    return Row("iperf3 -C %s, %g %% lost" % (algorithm, loss * 100), "iperf3",
               lambda b: tools.iperf3(b, "-C", algorithm,
                                      seconds=b.seconds(SECONDS if loss else 10, SHORT_S)),
               {"received_bps": expected(algorithm, loss)},
               change={"router:server": "loss=%g" % loss}, short=short)


GROUP = Group(
    "loss", "What a loss means is for the sender's algorithm to say: Reno and CUBIC slow "
    "down, BBR does not. Mathis: MSS / RTT x sqrt(1.5 / loss).",
    [one(algorithm, loss, short=loss == 0.01 and algorithm != "cubic")
     for loss in LOSSES for algorithm in ("cubic", "reno", "bbr")])
