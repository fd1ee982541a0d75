# SPDX-License-Identifier: BSD-2-Clause
from . import rules, tools
from .row import PATH, Group, Row

LOSS = 0.01


def streams(count, short=False):
    return Row("iperf3 -C cubic -P %d" % count, "iperf3",
               lambda b: tools.iperf3(b, "-C", "cubic", "-P", count,
                                      seconds=b.seconds(20, 8)),
               {"received_bps": rules.loss_rate(PATH, LOSS, streams=count)},
               change={"router:server": "loss=%g" % LOSS}, short=short)


GROUP = Group(
    "parallel", "Many connections fill a link that loses 1 %; the one of an application "
    "does not.", [streams(1), streams(4), streams(8, short=True)])
