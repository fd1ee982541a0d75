# SPDX-License-Identifier: BSD-2-Clause
"""lab tour and lab plot: options, and the loop over the rows."""

import argparse
import io
import os
import sys

from labkit.errors import LabError
from labkit.network import need_root

from . import catalogue, judge, plot, report
from .bench import Bench

# One row with its path, about.
FULL_S, SHORT_S = 14, 8


def positive(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError("not a number from 1 up: %s" % text)
    return int(text)


def add_tour(parser):
    add = parser.add_argument
    add("--short", action="store_true", help="fewer rows and shorter runs, 3 minutes")
    add("--only", metavar="WORD", action="append", default=[],
        help="this group, or rows with this in their name; may be given several times")
    add("--list", action="store_true", help="name the rows and what they expect")
    add("--upstream", action="store_true",
        help="the original programs, to compare: is it the tool or the path?")
    add("--json", action="store_true", help="JSON instead of the table")
    add("--markdown", action="store_true", help="a table in Markdown")
    add("--write", metavar="FILE", help="write JSON there too")
    add("--attempts", metavar="N", type=positive, default=5,
        help="how often a row is tried on a noisy machine (5)")
    parser.epilog = ("Exits 0 when all is as expected, 1 when a row is off, 3 when the "
                     "machine was too noisy to tell, 2 when the lab itself failed.")


def add_plot(parser):
    parser.add_argument("tour", metavar="FILE", help="what lab tour --write wrote")
    parser.add_argument("--out", metavar="FOLDER", default=".", help="where the SVG go (.)")


def list_rows(rows):
    for row in rows:
        for i, (key, expect) in enumerate(row.expect.items()):
            print("%-13s %-28s %-40s %s" % (
                row.group if i == 0 else "", row.name if i == 0 else "", expect.how,
                expect.show(key)))
    return 0


def tour(args):
    rows = catalogue.rows(args.short, args.only)
    if not rows:
        raise LabError("no row %s; there are %s" % (" ".join(args.only), ", ".join(
            g.name for g in catalogue.GROUPS)))
    if args.list:
        return list_rows(rows)
    need_root()
    quiet = args.json or args.markdown
    minutes = -(-len(rows) * (SHORT_S if args.short else FULL_S) // 60)
    text = report.Text(io.StringIO() if quiet else sys.stdout, catalogue.GROUPS, rows,
                       minutes)
    outcomes, bench = [], Bench(args.short, args.upstream)
    try:
        for row in rows:
            outcomes.append(judge.take(row, bench, args.attempts))
            text.row(outcomes[-1])
    finally:
        if args.write and outcomes:
            write(args.write, outcomes, args.short)
    text.end(outcomes)
    if args.json:
        report.write_json(sys.stdout, outcomes, args.short)
    elif args.markdown:
        print(report.markdown(outcomes))
    return report.exit_code(outcomes)


def write(path, outcomes, short):
    """All or nothing, so that a plot never reads half a file."""
    try:
        with open(path + ".new", "w") as f:
            report.write_json(f, outcomes, short)
        os.replace(path + ".new", path)
    except OSError as e:
        raise LabError("%s: %s" % (path, e.strerror)) from None


def draw(args):
    made, missing = plot.draw(args.tour, args.out)
    for path in made:
        print(path)
    if missing:
        print("not in %s: %s" % (args.tour, ", ".join(missing)))
    return 0
