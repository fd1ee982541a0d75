# SPDX-License-Identifier: BSD-2-Clause
"""Comparing printed results when the numbers in them differ."""

import re

_RULES = [
    # Dates as ctime(3), RFC 1123 and ISO 8601 write them.
    (r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +(?:\d+ )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|"
     r"Sep|Oct|Nov|Dec)\b[ \d:]*(?:GMT|UTC)?(?: +\d{4})?", "DATE"),
    (r"\b\d{4}-\d\d-\d\d[T ][\d:.]+Z?", "DATE"),
    # Addresses stay: whom a program talked to is no measurement.
    (r"(?<![\w.])(\d{1,3}(?:\.\d{1,3}){3})(?![\w.])", None),
    # Scale letters follow the numbers: 941 Mbits/sec and 1.02 Gbits/sec are one shape.
    (r"(?<=[\d\s])[KMGT]i?(?=(?:B|b|bps|Bytes?|bits?)\b)", ""),
    (r"(?<![\w.])[-+]?(?:\d+\.\d*|\.?\d+)(?:[eE][-+]?\d+)?", "N"),
    (r"(?<![\w.])[-+]?(?:nan|inf)\b", "N"),
]


def shape(text):
    """The text with every number as N, scale letters (K M G) and the widths of blanks
    gone. Two runs of the same test have the same shape."""
    kept = []

    def keep(match):
        kept.append(match.group(0))
        return "\x01" + "k" * len(kept) + "\x02"

    for pattern, replacement in _RULES:
        text = re.sub(pattern, keep if replacement is None else replacement, text)
    text = re.sub("\x01(k+)\x02", lambda m: kept[len(m.group(1)) - 1], text)
    text = re.sub(r"[ \t]+", " ", text)
    return "\n".join(line.strip() for line in text.splitlines())
