# SPDX-License-Identifier: BSD-2-Clause
"""The tour of the known answers: what the tools say about a path, against what arithmetic
says. "lab tour" runs it, "lab plot" draws it.

A group is a file here with a GROUP; a row of it is one run of one tool:

    Row("iperf3 -w 16K", "iperf3",
        lambda bench: tools.iperf3(bench, "-w", "16K"),       # -> {"received_bps": 3.3e6}
        {"received_bps": Range("16 KiB / 44.7 ms", 2.93e6, 3.51e6)})

The keys of what is measured and of what is expected are the same; the end of a key is its
unit (rules.UNITS). Ours is used when it is built, else the original when it is installed,
and the table says which. A row for a new tool: a function in tools.py that runs it and
returns such a dict, and the Row. A new group: its file, and its name in catalogue.py."""
