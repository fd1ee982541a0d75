# SPDX-License-Identifier: BSD-2-Clause
"""lab selfcheck: the lab measured against what it promises, on the default path.

Each row is measured until it is right on a quiet machine; what is wrong on a quiet machine
three times has failed. Where the machine is not quiet often enough for either, the verdict
is "noisy"."""

import json
import os
import re
import shutil
import subprocess
import sys
import time

from . import topology
from .counters import FOR_ACCURACY, FOR_USE
from .errors import LabError
from .network import Lab
from .noise import Watch

EXIT_FAILED, EXIT_NOISY = 1, 3
ATTEMPTS, FAILURES = 6, 3
PAUSE_S = 1

SERVER4, SERVER6 = "192.0.2.66", "2001:db8:2::2"
PORT = 5201
TRAFFIC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "traffic.py")
SEED = 1

# The path: both ways of a 100 Mbit/s, 2 ms and of a 20 Mbit/s, 20 ms link.
DELAY_MS = 2 * (2 + 20)
MS_PER_BYTE = 2 * 8e3 * (1 / 100e6 + 1 / 20e6)


class Skip(Exception):
    """The row cannot be measured here, and why."""


class Row:
    """One promise. measure(bench) returns (text, dict of numbers, right or not); with
    "excess_us" among the numbers, that is by how much one single packet was too late."""

    def __init__(self, name, expected, measure, limits=FOR_USE):
        self.name, self.expected, self.limits = name, expected, limits
        self.measure = measure
        self.verdict, self.measured, self.numbers = None, "", {}
        self.notes, self.lateness, self.attempts = [], (0, 0, 0), 0

    def as_dict(self):
        mean_us, share, count = self.lateness
        return {"row": self.name, "expected": self.expected, "measured": self.measured,
                "numbers": self.numbers, "verdict": self.verdict,
                "attempts": self.attempts, "notes": self.notes,
                "late_mean_us": round(mean_us, 2), "late_share": round(share, 6),
                "deliveries": count}


class Bench:
    """The lab and the ways to put load on it."""

    def __init__(self, lab, quick, iperf3):
        self.lab, self.quick, self.iperf3 = lab, quick, iperf3
        if iperf3:
            lab.serve("server", [iperf3, "-s"], stderr=subprocess.DEVNULL)

    def traffic(self, node, *words, timeout=60):
        done = self.lab.run(node, [sys.executable, TRAFFIC] + list(words), timeout)
        if done.returncode:
            raise LabError("traffic %s: %s" % (
                words[0], (done.stderr.strip().splitlines() or ["failed"])[-1]))
        return json.loads(done.stdout)

    def receiver(self, *words):
        """A traffic receiver in the server, ready."""
        process = self.lab.start("server", [sys.executable, TRAFFIC] + list(words),
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 universal_newlines=True)
        if process.stdout.readline() != "ready\n":
            process.kill()
            process.wait()
            raise LabError("traffic %s: not ready" % words[0])
        return process

    def tcp(self, congestion):
        """Received bit/s in steady state."""
        omit, seconds = (1, 3) if self.quick else (2, 8)
        if self.iperf3:
            end = self._iperf3("-C", congestion, "-t", seconds, "-O", omit)
            return end["sum_received"]["bits_per_second"]
        receiver = self.receiver("tcp-recv", str(PORT), str(omit), str(seconds))
        try:
            sent = self.traffic("client", "tcp-send", SERVER4, str(PORT), congestion,
                                str(omit + seconds + 1))
            if "refused" in sent:
                raise Skip(sent["refused"])
            return json.loads(receiver.communicate(timeout=20)[0])["bps"]
        finally:
            receiver.kill()
            receiver.wait()

    def udp(self, size, per_second, count):
        """Packets received of those sent."""
        receiver = self.receiver("udp-recv", str(PORT))
        try:
            self.traffic("client", "udp-send", SERVER4, str(PORT), str(size),
                         str(per_second), str(count))
            time.sleep(0.3)  # a full queue and the way
            return json.loads(receiver.communicate("", timeout=20)[0])["packets"]
        finally:
            receiver.kill()
            receiver.wait()

    def udp_loss(self, bps):
        """Share of 1448-byte packets lost at a rate of payload."""
        seconds = 4 if self.quick else 10
        if self.iperf3:
            end = self._iperf3("-u", "-b", int(bps), "-t", seconds, "-l", 1448)
            return end["sum"]["lost_percent"] / 100
        per_second = bps / 8 / 1448
        count = int(per_second * seconds)
        return 1 - self.udp(1448, per_second, count) / count

    def _iperf3(self, *words):
        done = self.lab.run("client", [self.iperf3, "-J", "-c", SERVER4] +
                            [str(w) for w in words])
        try:
            result = json.loads(done.stdout)
        except ValueError:
            raise LabError("%s: %s" % (self.iperf3, done.stderr.strip() or "no JSON")) \
                from None
        if "error" in result:
            raise LabError("%s: %s" % (self.iperf3, result["error"]))
        return result["end"]


# ---- the rows ----


def ping(bench, host, header):
    if not shutil.which("ping"):
        raise Skip("ping is not installed")
    count = 50 if bench.quick else 100
    ideal = DELAY_MS + MS_PER_BYTE * (header + 8 + 56)
    done = bench.lab.run("client", ["ping", "-n", "-q", "-c", str(count), "-i", "0.02", host],
                         preexec_fn=_first_in_line)
    found = re.search(r"= ([\d.]+)/([\d.]+)/([\d.]+)/([\d.]+) ms", done.stdout)
    if not found or " 0% packet loss" not in done.stdout:
        lines = (done.stdout + done.stderr).strip().splitlines() or ["no answer"]
        return "ping: %s" % lines[-1], {}, False
    low, mean, high, mdev = map(float, found.groups())
    # Nothing is faster than physics but for the steps of a clock.
    right = ideal - 0.01 <= low and high <= ideal + 0.15 and mdev < 0.05
    return ("%.3f/%.3f/%.3f/%.3f ms" % (low, mean, high, mdev),
            {"ideal_ms": round(ideal, 4), "min_ms": low, "avg_ms": mean, "max_ms": high,
             "mdev_ms": mdev,
             # As long as the bulk is right, a late one may be the machine's fault.
             "excess_us": round(1000 * (high - ideal)) if mean <= ideal + 0.15 else 0},
            right)


def _first_in_line():
    # The answer's time of arrival is the kernel's, but that of sending is the program's.
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(40))
    except OSError:
        pass


def tcp(bench, congestion):
    bps = bench.tcp(congestion)
    return "%.2f Mbit/s" % (bps / 1e6), {"bps": round(bps)}, 18.5e6 <= bps <= 19.4e6


def udp(bench, bps, low, high):
    share = bench.udp_loss(bps)
    return "%.2f %% lost" % (100 * share), {"lost_share": share}, low <= share <= high


def loss(bench, word, count, low, high):
    """Random or regular loss on the way to the server. What the server got, and what the
    emulator says it dropped, must be the same."""
    bench.lab.set("router>server", [word])
    bench.lab.reseed(SEED)
    before = bench.lab.counters()
    try:
        got = bench.udp(100, 5000, count)
    finally:
        bench.lab.set("router>server", ["loss=0", "every=0"])
    way = bench.lab.counters().since(before)["router>server"]
    lost = count - got
    numbers = {"sent": count, "received": got, "drop_loss": way["drop_loss"],
               "drop_queue": way["drop_queue"]}
    if lost != way["drop_loss"]:
        return "%d lost, but %d dropped" % (lost, way["drop_loss"]), numbers, False
    return ("%d of %d lost (%.2f %%)" % (lost, count, 100 * lost / count), numbers,
            low <= lost <= high)


def too_big(bench, host):
    bench.lab.set("router-server", ["hidden-mtu=1400"])
    try:
        seen = bench.traffic("client", "mtu", host, "1500")
    finally:
        bench.lab.set("router-server", ["hidden-mtu=0"])
    return "path MTU %d" % seen["after"], seen, seen["after"] == 1400


def rows(quick):
    count = 5000 if quick else 20000
    return [
        Row("ping", "44.081 to 44.231, mdev < 0.05 ms", lambda b: ping(b, SERVER4, 20),
            FOR_ACCURACY),
        Row("ping6", "44.100 to 44.250, mdev < 0.05 ms", lambda b: ping(b, SERVER6, 40),
            FOR_ACCURACY),
        Row("tcp-bbr", "18.5 to 19.4 Mbit/s", lambda b: tcp(b, "bbr")),
        Row("tcp-cubic", "18.5 to 19.4 Mbit/s", lambda b: tcp(b, "cubic")),
        Row("udp-15M", "0 % lost", lambda b: udp(b, 15e6, 0, 0)),
        Row("udp-30M", "32 to 36 % lost", lambda b: udp(b, 30e6, 0.32, 0.36)),
        Row("loss-1%", "0.9 to 1.1 %% of %d lost" % 20000,
            lambda b: loss(b, "loss=1%", 20000, 180, 220)),
        Row("every-100th", "%d of %d lost" % (count // 100, count),
            lambda b: loss(b, "every=100", count, count // 100, count // 100)),
        Row("too-big", "path MTU 1400", lambda b: too_big(b, SERVER4)),
        Row("too-big6", "path MTU 1400", lambda b: too_big(b, SERVER6)),
    ]


# ---- judging ----


def attempt(bench, row):
    """Measure once. Returns (right, reason why it means nothing or None)."""
    bench.lab.ask("reset")
    with Watch() as watch:
        row.measured, row.numbers, right = row.measure(bench)
    counted = bench.lab.counters()
    row.lateness = counted.lateness()
    row.attempts += 1
    if counted.wrong():
        row.measured += "; " + counted.wrong()
        return False, None
    if counted.overrun():
        return False, counted.overrun()
    if right:
        # It is right because of the machine only if the emulator was held up.
        return True, counted.noise(row.limits)
    return False, (counted.noise(FOR_ACCURACY) or watch.noise() or
                   late_one(row.numbers.get("excess_us", 0), counted))


def late_one(excess_us, counted):
    """A packet that was late on each way as the emulator knows of its latest; the hosts'
    kernels and programs may take as long as one way."""
    ways = [way["late_max_us"] for way in counted.ways.values()]
    if 0 < excess_us <= sum(ways) + max(ways):
        return "packets were up to %.0f us late on a way" % max(ways)
    return None


def judge(bench, row):
    failures = 0
    for i in range(ATTEMPTS):
        if i:
            time.sleep(PAUSE_S)
        right, noise = attempt(bench, row)
        if right and not noise:
            row.verdict = "ok"
            return
        row.notes.append("%s: %s" % (row.measured, noise or "wrong on a quiet machine"))
        failures += not noise
        if failures == FAILURES:
            row.verdict = "FAILED"
            return
    row.verdict = "noisy"


def check_rows(args, tell):
    found = []
    wanted = [r for r in rows(args.quick) if not args.only or r.name in args.only]
    if not wanted:
        raise LabError("no row %s; there are %s" % (
            " ".join(args.only), " ".join(r.name for r in rows(args.quick))))
    with Lab(topology.default_topology(), seed=SEED, tun=args.tun) as lab:
        bench = Bench(lab, args.quick, args.iperf3)
        lab.run("client", ["ping", "-q", "-c", "3", "-i", "0.1", SERVER4])  # warm caches
        for row in wanted:
            try:
                judge(bench, row)
            except Skip as e:
                row.verdict, row.measured = "skipped", str(e)
            if not lab.emulator.alive():
                raise LabError("the emulator died: %s" % lab.emulator.said())
            found.append(row)
            tell(row)
    return found


def tell_text(row):
    mean_us, share, _ = row.lateness
    print("%-12s %-32s %-31s %-8s %5.1f us late, %.2f %% > %d us%s" % (
        row.name, row.expected, row.measured, row.verdict, mean_us, 100 * share,
        FOR_ACCURACY.late_us,
        ", try %d" % row.attempts if row.attempts > 1 else ""), flush=True)
    if row.verdict in ("FAILED", "noisy"):
        for note in row.notes:
            print("%-12s %s" % ("", note), flush=True)


def overall_verdict(found):
    verdicts = [r.verdict for r in found]
    if "FAILED" in verdicts:
        return "failed"
    return "machine too noisy" if "noisy" in verdicts else "ok"


def main(args):
    tell = (lambda row: None) if args.json else tell_text
    found = check_rows(args, tell)
    overall = overall_verdict(found)
    if args.json:
        json.dump({"verdict": overall, "rows": [r.as_dict() for r in found]}, sys.stdout,
                  indent=1)
        print()
    else:
        skipped = sum(r.verdict == "skipped" for r in found)
        print("lab selfcheck: %s%s" % (
            overall, ", %d rows skipped" % skipped if skipped else ""))
    return {"failed": EXIT_FAILED, "machine too noisy": EXIT_NOISY, "ok": 0}[overall]
