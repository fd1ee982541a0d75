# SPDX-License-Identifier: BSD-2-Clause
"""Rows and groups as data, and what became of a row."""

from labkit.topology import default_topology

from .rules import Path, show

PATH = Path.of(default_topology())
SERVER = default_topology().address("server")
CLIENT = default_topology().address("client")
ROUTER = default_topology().address("router")

OK, OFF, NOISY, SKIPPED = "ok", "off", "machine too noisy", "skipped"


class Group:
    """Rows that teach one thing. text: one or two sentences."""

    def __init__(self, name, text, rows):
        self.name, self.text, self.rows = name, text, rows
        for row in rows:
            row.group = name


class Row:
    """One run of one tool.

    name      what the table calls it; the tool's name comes first
    tool      the program, looked up by tools.find
    measure   called with the bench; returns {key: value}, or raises Skip
    expect    {key: Range or Exactly} with the same keys
    change    {link: words} for labkit, of the path before the run
    seed      of the path's random choices
    short     part of the short form too"""

    def __init__(self, name, tool, measure, expect, change=None, seed=1, short=False):
        self.name, self.tool, self.measure, self.expect = name, tool, measure, expect
        self.change, self.seed, self.short = change or {}, seed, short
        self.group = None


class Outcome:
    """What was seen of a row. extra is for plots: lists, not judged."""

    def __init__(self, row, program=None):
        self.row, self.program = row, program
        self.verdict, self.reason = None, None
        self.measured, self.extra, self.notes = {}, {}, []
        self.attempts, self.seconds, self.lateness = 0, 0.0, (0, 0, 0)

    def right(self, key):
        return self.row.expect[key].holds(self.measured.get(key))

    def wrong_keys(self):
        return [k for k in self.row.expect if not self.right(k)]

    def shown(self, key):
        value = self.measured.get(key)
        return "nothing" if value is None else show(key, value)

    def as_dict(self):
        mean_us, share, count = self.lateness
        return {
            "group": self.row.group, "row": self.row.name, "verdict": self.verdict,
            "reason": self.reason, "tool": self.row.tool,
            "program": self.program.as_dict() if self.program else None,
            "expected": {k: e.as_dict() for k, e in self.row.expect.items()},
            "measured": self.measured, "extra": self.extra, "notes": self.notes,
            "attempts": self.attempts, "seconds": round(self.seconds, 2),
            "late_mean_us": round(mean_us, 2), "late_share": round(share, 6),
            "deliveries": count}


class Skip(Exception):
    """The row cannot be measured here, and why."""
