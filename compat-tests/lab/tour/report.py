# SPDX-License-Identifier: BSD-2-Clause
"""The tour as a table, as Markdown and as JSON."""

import json
import textwrap
import time

from .row import NOISY, OFF, OK, SKIPPED
from .rules import name_of

COLUMNS = (("row", 27), ("program", 8), ("why", 37), ("expected", 21), ("measured", 13))
WIDTH = 110

INTRODUCTION = """\
A path with a known answer, and what the tools say about it:

    client --100 Mbit/s, 2 ms-- router --20 Mbit/s, 20 ms-- server     queues of 150 KB

%d rows, about %d minutes. A number is right when it is as arithmetic says; a row is judged
only when the emulated links kept their times. "ours" is a program of this project,
"upstream" the original, for a tool that is not built.
"""


def lines_of(outcome):
    """One list of cells for each expectation of the row, verdict last."""
    row, found = outcome.row, []
    program = outcome.program.kind if outcome.program else "-"
    for i, (key, expect) in enumerate(row.expect.items()):
        what = name_of(key)
        name = row.name if i == 0 else ""
        if outcome.verdict == SKIPPED:
            return [[row.name, "-", outcome.reason, "", "", SKIPPED]]
        verdict = outcome.verdict
        if verdict == OFF and outcome.right(key):
            verdict = OK
        how = "%s: %s" % (what, expect.how) if len(row.expect) > 1 else expect.how
        found.append([name, program if i == 0 else "", how, expect.show(key),
                      outcome.shown(key), verdict])
    return found


def text_line(cells):
    line = " ".join("%-*s" % (width, cell) for (_, width), cell in zip(COLUMNS, cells))
    return "  " + line + " " + cells[-1]


def header():
    return text_line([name for name, _ in COLUMNS] + ["verdict"])


class Text:
    """Prints as it goes. wanted: the rows to come; groups: all groups."""

    def __init__(self, out, groups, wanted, minutes):
        self.out, self.groups, self.group = out, {g.name: g for g in groups}, None
        self._print(INTRODUCTION % (len(wanted), minutes))
        self._print(header())

    def _print(self, line):
        print(line, file=self.out, flush=True)

    def row(self, outcome):
        if outcome.row.group != self.group:
            self.group = outcome.row.group
            self._print("\n" + textwrap.fill(self.groups[self.group].text, WIDTH))
        for cells in lines_of(outcome):
            self._print(text_line(cells))
        if outcome.verdict in (OFF, NOISY):
            for note in outcome.notes:
                self._print("      " + note)

    def end(self, outcomes):
        self._print("\nlab tour: " + summary(outcomes))


def summary(outcomes):
    counts = [(v, sum(o.verdict == v for o in outcomes)) for v in (OK, OFF, NOISY, SKIPPED)]
    return ", ".join("%d %s" % (n, v) for v, n in counts if n or v == OK)


def exit_code(outcomes):
    verdicts = [o.verdict for o in outcomes]
    if OFF in verdicts:
        return 1
    return 3 if NOISY in verdicts else 0


def as_dict(outcomes, short):
    return {"tool": "lab tour", "form": "short" if short else "full",
            "time_unix_s": round(time.time()), "summary": summary(outcomes),
            "rows": [o.as_dict() for o in outcomes]}


def write_json(out, outcomes, short):
    json.dump(as_dict(outcomes, short), out, indent=1)
    out.write("\n")


def markdown(outcomes):
    """For a README: one line a row."""
    lines = ["| row | program | why | expected | measured | verdict |",
             "|---|---|---|---|---|---|"]
    for outcome in outcomes:
        columns = list(zip(*lines_of(outcome)))
        cells = [columns[0][0], columns[1][0]] + ["; ".join(c) for c in columns[2:5]]
        lines.append("| %s | %s |" % (" | ".join(cells), outcome.verdict))
    return "\n".join(lines)
