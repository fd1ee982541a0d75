# SPDX-License-Identifier: BSD-2-Clause
"""Pictures of a tour, from the JSON that it wrote. The drawings are plots/*.gp; here are
their data: one file of columns for each curve, and the numbers of the labels."""

import json
import os
import re
import shutil
import subprocess
import tempfile

from labkit.errors import LabError

from . import load, loss, window
from .row import PATH

HERE = os.path.dirname(os.path.abspath(__file__))
WINDOW_ROW = re.compile(r"iperf3 -w (\d+)K")
LOSS_ROW = re.compile(r"iperf3 -C (\w+), ([\d.]+) % lost")
ALGORITHMS = (("reno", "Reno"), ("cubic", "CUBIC"), ("bbr", "BBR"))


class Drawing:
    """name of the picture; files: {name: rows of columns}; values: {variable: number}."""

    def __init__(self, name, files, values):
        self.name, self.files, self.values = name, files, values


def rows_of(tour, group):
    """Rows of a group that were measured."""
    return [r for r in tour["rows"] if r["group"] == group and r["measured"]]


def load_drawing(tour):
    found = [r["extra"]["timeline"] for r in rows_of(tour, load.GROUP.name)
             if "timeline" in r["extra"]]
    if not found:
        return None
    line = found[-1]
    slow = load.SLOW.bottleneck()
    idle_ms = load.SLOW.rtt_s(84, 84) * 1e3
    return Drawing("load", {
        "rtt": line["rtt_ms"],
        "queue": [[at, size / 1e3, carried / 1e6, sent / 1e6]
                  for at, size, carried, sent in line["queue"]],
    }, {
        "from_s": line["load_s"][0], "to_s": line["load_s"][1],
        "end_s": max(at for at, _ in line["rtt_ms"]),
        "idle_ms": idle_ms, "rate_mbps": slow.rate_bps / 1e6,
        "queue_kb": slow.queue_bytes / 1e3,
        "full_ms": idle_ms + 8e3 * slow.queue_bytes / slow.rate_bps,
    })


def window_drawing(tour):
    points = []
    for row in rows_of(tour, window.GROUP.name):
        found = WINDOW_ROW.match(row["row"])
        if found and "received_bps" in row["measured"]:
            points.append([int(found.group(1)), row["measured"]["received_bps"] / 1e6])
    if not points:
        return None
    return Drawing("window", {"measured": sorted(points)}, {
        "rtt_ms": PATH.rtt_s() * 1e3, "link_mbps": PATH.goodput_bps() / 1e6})


def loss_drawing(tour):
    """Groups of bars, one for each loss; a gap where an algorithm was not measured."""
    seen = {}
    for row in rows_of(tour, loss.GROUP.name):
        found = LOSS_ROW.match(row["row"])
        if found and "received_bps" in row["measured"]:
            seen[float(found.group(2)) / 100, found.group(1)] = \
                row["measured"]["received_bps"] / 1e6
    losses = sorted({p for p, _ in seen})
    if not losses:
        return None
    most = PATH.goodput_bps()
    columns = [(a, title) for a, title in ALGORITHMS if any(a == b for _, b in seen)]
    return Drawing("loss", {
        "bars": [["loss"] + [title for _, title in columns]] +
                [['"%g %% lost"' % (100 * p) if p else '"no loss"'] +
                 [seen.get((p, a), "NaN") for a, _ in columns] for p in losses],
        "mathis": [[i, min(most, PATH.mathis_bps(p) if p else most) / 1e6]
                   for i, p in enumerate(losses)],
    }, {"link_mbps": most / 1e6, "count": len(columns),
        "losses": len(losses)})


def render(drawing, out):
    """Draw one picture; returns its path."""
    path = os.path.join(out, drawing.name + ".svg")
    with tempfile.TemporaryDirectory() as folder:
        settings = ["out = '%s'" % path, "dir = '%s/'" % folder]
        settings += ["%s = %r" % (k, float(v)) for k, v in drawing.values.items()]
        for name, columns in drawing.files.items():
            with open(os.path.join(folder, name + ".dat"), "w") as f:
                f.writelines(" ".join(map(str, c)) + "\n" for c in columns)
        done = subprocess.run(
            ["gnuplot", "-e", "; ".join(settings),
             os.path.join(HERE, "plots", "style.gp"),
             os.path.join(HERE, "plots", drawing.name + ".gp")],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            universal_newlines=True, timeout=60)
    if done.returncode:
        raise LabError("gnuplot, %s: %s" % (
            drawing.name, (done.stdout.strip().splitlines() or ["failed"])[-1]))
    return path


def draw(path, out):
    """All pictures that the file at path has numbers for; returns their paths, and the
    groups that it has none for."""
    try:
        with open(path) as f:
            tour = json.load(f)
        found = {load.GROUP.name: load_drawing(tour), window.GROUP.name: window_drawing(tour),
                 loss.GROUP.name: loss_drawing(tour)}
        os.makedirs(out, exist_ok=True)
    except OSError as e:
        raise LabError("%s: %s" % (path, e.strerror)) from None
    except (ValueError, KeyError, TypeError, IndexError):
        raise LabError("%s: not what lab tour --write writes" % path) from None
    missing = [name for name, drawing in found.items() if not drawing]
    if len(missing) == len(found):
        raise LabError("%s: no row of %s was measured" % (path, ", ".join(missing)))
    if not shutil.which("gnuplot"):
        raise LabError("the command gnuplot is missing (package gnuplot-nox)")
    return [render(drawing, out) for drawing in found.values() if drawing], missing
