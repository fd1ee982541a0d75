# SPDX-License-Identifier: BSD-2-Clause
"""All groups, in the order of the tour."""

from . import hops, load, loss, parallel, probes, rtt, throughput, transactions, udp, window

GROUPS = [m.GROUP for m in (rtt, throughput, window, loss, parallel, udp, transactions, load,
                            probes, hops)]


def rows(short=False, only=()):
    """Rows of the tour, or of its short form; only: names of groups, or parts of names of
    rows."""
    names = {group.name for group in GROUPS}
    return [row for group in GROUPS for row in group.rows
            if (row.short or not short) and
            (not only or any(word == group.name if word in names else word in row.name
                             for word in only))]
