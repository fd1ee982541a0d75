# SPDX-License-Identifier: BSD-2-Clause
"""The emulator's counters as plain dictionaries, and whether it kept its times."""

import collections

# Sums that only grow, so that since() may subtract; everything else is a state.
SUMS = ("in", "in_bytes", "out", "out_bytes", "drop_queue", "drop_loss", "too_big", "answers",
        "cut", "twice", "reordered", "drop_memory", "other_in", "other_out", "late_count",
        "kernel_drops", "unfinished", "send_errors")

# How late deliveries may be: on average, and the share of those that are later than some
# bin's edge. For accuracy: what a quiet machine keeps, and what a tool that looks at
# microseconds needs. For use: a rate or a round trip of milliseconds is still right.
Limits = collections.namedtuple("Limits", "mean_us late_us late_share")
FOR_ACCURACY = Limits(30, 100, 0.005)
FOR_USE = Limits(200, 1000, 0.005)


def _value(text):
    if "," in text:
        return [int(x) for x in text.split(",")]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


class Counters:
    """counters["client>router"]["drop_loss"]; ports: by name; run: of the emulator."""

    def __init__(self, ways, ports, run):
        self.ways, self.ports, self.run = ways, ports, run

    def __getitem__(self, way):
        return self.ways[way.replace(":", ">")]

    @classmethod
    def parse(cls, text):
        """From what impair prints for "show"."""
        parts = {"way": {}, "port": {}, "run": {}}
        for line in text.splitlines():
            kind, name, *words = line.split()
            values = {}
            for word in words:
                key, _, value = word.partition("=")
                values[key] = _value(value)
            parts[kind][name] = values
        for way in parts["way"].values():
            way["late_sum_us"] = way["late_mean_us"] * way["late_count"]
        return cls(parts["way"], parts["port"], parts["run"]["impair"])

    def since(self, before):
        """What happened between two readings. The largest lateness and queue are those of
        the whole time."""
        ways = {n: _difference(before.ways[n], w) for n, w in self.ways.items()}
        ports = {n: _difference(before.ports[n], p) for n, p in self.ports.items()}
        for name, way in ways.items():
            old = before.ways[name]
            way["late_bins"] = [a - b for a, b in zip(way["late_bins"], old["late_bins"])]
            way["late_sum_us"] -= old["late_sum_us"]
            way["late_mean_us"] = way["late_sum_us"] / max(1, way["late_count"])
        return Counters(ways, ports, dict(self.run))

    def lateness(self, late_us=FOR_ACCURACY.late_us):
        """(mean in us, share later than late_us, packets) over all ways."""
        first_late = self.run["late_edges_us"].index(late_us) + 1
        count = sum(w["late_count"] for w in self.ways.values())
        late = sum(sum(w["late_bins"][first_late:]) for w in self.ways.values())
        total_us = sum(w["late_sum_us"] for w in self.ways.values())
        return total_us / max(1, count), late / max(1, count), count

    def noise(self, limits=FOR_ACCURACY):
        """Why these counters are no basis for a measurement, or None: the machine held the
        emulator up."""
        mean_us, share, _ = self.lateness(limits.late_us)
        if mean_us > limits.mean_us:
            return "packets were %.0f us late on average" % mean_us
        if share > limits.late_share:
            return "%.1f %% of packets were later than %d us" % (100 * share, limits.late_us)
        return None

    def wrong(self):
        """What no machine's noise explains, or None: the lab is not set up right."""
        for name, port in self.ports.items():
            if port["unfinished"]:
                return "%s: %d frames without checksum; offloads are on" % (
                    name, port["unfinished"])
            if port["send_errors"]:
                return "%s: %d frames were refused by the kernel (errno %d)" % (
                    name, port["send_errors"], port["send_errno"])
        return None

    def overrun(self):
        """How packets were lost outside the model, or None: too much came, or the machine
        held the emulator up for long."""
        for name, port in self.ports.items():
            if port["kernel_drops"]:
                return "%s: %d frames came faster than they were read" % (
                    name, port["kernel_drops"])
        for name, way in self.ways.items():
            if way["drop_memory"]:
                return "%s: %d packets did not fit into the emulator" % (
                    name, way["drop_memory"])
        if self.run["gave_up"]:
            return "the emulator could not keep up and lost its real-time priority"
        return None

    def faults(self):
        """What makes every result void, or None."""
        return self.wrong() or self.overrun()

    def as_dict(self):
        return {"ways": self.ways, "ports": self.ports, "run": self.run}


def _difference(before, after):
    return {k: v - before[k] if k in SUMS else v for k, v in after.items()}
