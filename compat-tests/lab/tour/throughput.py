# SPDX-License-Identifier: BSD-2-Clause
from . import rules, tools
from .row import PATH, Group, Row

LINK = {"received_bps": rules.link_rate(PATH)}

GROUP = Group(
    "throughput", "Bandwidth less headers, less the start of the test. The receiver's "
    "figure, for the sender's clock stops while data are on their way.", [
        Row("nuttcp", "nuttcp", lambda b: tools.nuttcp(b, seconds=b.seconds(10, 5)), LINK,
            short=True),
        Row("nuttcp -r", "nuttcp", lambda b: tools.nuttcp(b, "-r"), LINK),
        Row("ttcp", "ttcp", lambda b: tools.ttcp(b, b.seconds(10, 5), PATH.goodput_bps()),
            LINK, short=True),
        Row("iperf3 -O 2", "iperf3", lambda b: tools.iperf3(b, seconds=b.seconds(10, 4)),
            LINK, short=True),
        Row("iperf3 -O 2 -R", "iperf3", lambda b: tools.iperf3(b, "-R", seconds=10), LINK),
    ])
