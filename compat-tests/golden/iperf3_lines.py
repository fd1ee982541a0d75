# SPDX-License-Identifier: BSD-2-Clause
"""iperf3's text taken apart: each line becomes a word that says what it is. Rows of numbers
must have exactly iperf3's columns; then two runs of one test give the same words."""

import re

# Three digits in at least four places: "4.82", "41.3", " 128", "1000", "12568".
NUMBER = r"(?:\d\.\d\d|\d\d\.\d| \d{3}|\d{4,})"
BYTES = NUMBER + r" [KMGT]?Bytes"
ROW = (r"\[(?P<id> *\d+|SUM)\](?:\[(?P<role>[TR]X-[CS])\])?"
       r" (?P<start> {0,2}\d+\.\d\d)-(?P<end>\d+\.\d\d {0,2}) sec  " + BYTES +
       r"  " + NUMBER + r" [KMGT]?(?:bits|Bytes)/sec")
TRAILER = r"(?P<trailer>|\(omitted\)|sender|receiver)"
LOSS = r"\d+/\d+ \((?:\d+|\d\.\d+|\d(?:\.\d)?e[+-]\d\d|0\.0+\d+)%\)"

ROWS = [
    ("tcp", ROW + r" {18}" + TRAILER),
    ("tcp-retr-cwnd", ROW + r"  [ \d]{2}\d+   " + BYTES + r" {7}" + TRAILER),
    ("tcp-retr", ROW + r"  [ \d]{2}\d+(?P<gap> +)" + TRAILER),
    ("udp-sent", ROW + r" (?: {10})? \d+  " + TRAILER),
    ("udp-received", ROW + r"  \d+\.\d{3} ms  (?:" + LOSS + r"|Unknown/\d+)  " + TRAILER),
]
ROWS = [(name, re.compile(pattern)) for name, pattern in ROWS]
CANDIDATE = re.compile(r"\[[ \dSUM]+\](?:\[..-.\])? +\d+\.\d\d-")

# Other lines: what differs from run to run, by name.
RULES = [(re.compile(pattern), word) for pattern, word in [
    (r"^iperf 3\.\d+.*$", "VERSION"),
    (r"^Linux \S+ .*$", "SYSTEM"),
    (r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", "DATE"),
    (r"^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4} ", "STAMP "),
    (r"^\d\d:\d\d:\d\d ", "STAMP "),
    (r"(?<=Cookie: )[a-z2-7]{36}$", "COOKIE"),
    (r"(?<=_tcp_congestion )\w+$", "ALGORITHM"),
    (r"(?<=port )\d+|(?<=listening on )\d+", "PORT"),
    (r"^\[ *\d+\](?= local )", "[ID]"),
    (r"^\[ *\d+\](?= \()", "[ID]"),
    (r"\d+\.\d%", "PERCENT"),
    (r"\d+(?= second test)", "N"),
    (r"(?<=throughput of )\d+", "RATE"),
    (r"(?<=Sent )" + NUMBER + " [KMGT]?Byte / " + NUMBER + " [KMGT]?Byte", "SIZES"),
]]


# A line that iperf3 does not have.
OURS = re.compile(r" {6}UDP offload: GSO (on|off), GRO (on|off)")


class Row:
    """One row: word names its kind without the numbers."""

    def __init__(self, kind, match):
        self.id = (match["id"], match["role"])
        self.start, self.end = float(match["start"]), float(match["end"])
        self.omitted = match["trailer"] == "(omitted)"
        self.summary = match["trailer"] in ("sender", "receiver")
        name = "SUM" if match["id"] == "SUM" else "ID"
        self.word = " ".join(filter(None, [kind, name, match["role"], match["trailer"]]))


def row_of(line):
    """The Row that a line is, or None. One that only looks like a row is an error."""
    for kind, pattern in ROWS:
        match = pattern.fullmatch(line)
        if match and (kind != "tcp-retr" or
                      len(match["gap"]) == (13 if match["id"] == "SUM" else 12)):
            return Row(kind, match)
    if CANDIDATE.match(line):
        raise AssertionError("not iperf3's columns: %r" % line)
    return None


def word_of(line):
    for pattern, word in RULES:
        line = pattern.sub(word, line)
    return line


def _split_prefix(line, title):
    """Stamp and title before a line."""
    prefix = ""
    for pattern in (r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4} ",
                    r"\d\d:\d\d:\d\d "):
        match = re.match(pattern, line)
        if match:
            prefix, line = "STAMP ", line[match.end():]
    if title and line.startswith(title + ":  "):
        prefix, line = prefix + "TITLE ", line[len(title) + 3:]
    return prefix, line


def parse(text, title=None):
    """Returns (words, intervals). Blocks of interval rows that follow each other and are
    alike become one word, as their number is a matter of time; intervals are the lengths
    of all blocks, omitted ones left out."""
    blocks = Blocks()
    for line in text.split("\n"):
        prefix, line = _split_prefix(line, title)
        if OURS.fullmatch(line):
            continue
        row = row_of(line)
        if row and not row.summary:
            blocks.row(row, prefix)
        else:
            blocks.other(prefix + (row.word if row else word_of(line)))
    return blocks.done()


class Blocks:
    """Collects words, joining like blocks of rows."""

    def __init__(self):
        self.items, self.lengths = [], []
        self.block, self.seen = [], set()

    def row(self, row, prefix):
        if row.id in self.seen:
            self.close()
        if not self.seen and not row.omitted:
            self.lengths.append(row.end - row.start)
        self.seen.add(row.id)
        self.block.append(prefix + row.word)

    def other(self, word):
        self.close()
        self.items.append(word)

    def close(self):
        if self.block:
            self.items.append(tuple(self.block))
        self.block, self.seen = [], set()

    def done(self):
        """Joins "block block" and "block separator block"."""
        self.close()
        words = []
        for item in self.items:
            words.append(item)
            if not isinstance(item, tuple):
                continue
            if words[-2:-1] == [item]:
                del words[-1:]
            elif words[-3:-2] == [item] and "- - -" in words[-2]:
                del words[-2:]
        return words, self.lengths
