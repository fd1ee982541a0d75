# SPDX-License-Identifier: BSD-2-Clause
"""The tour's own logic: what it expects, what it reads from the tools, how it judges, which
program it takes and how it tells. No network."""

import io
import json
import os
import re
import sys
import tempfile
import unittest
from unittest import mock

from harness import TestCase, need_program

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from labkit import LabError, default_topology, noise  # noqa: E402
from labkit.counters import Counters  # noqa: E402
from tour import bench, catalogue, command, judge, load, plot, report, rules, tools  # noqa: E402
from tour.row import NOISY, OFF, OK, PATH, SKIPPED, Outcome, Row, Skip  # noqa: E402


class Arithmetic(TestCase):
    def test_default_path(self):
        self.assertEqual([tuple(k) for k in PATH.links],
                         [(100e6, 0.002, 150e3), (20e6, 0.02, 150e3)])

    def test_round_trip(self):
        for there, back, ms in ((84, 84, 44.08064), (1500, 52, 44.74496), (0, 0, 44)):
            self.assertAlmostEqual(PATH.rtt_s(there, back) * 1e3, ms)
        found = rules.round_trip(PATH, 84, 84)
        self.assertTrue(found.holds(44.1))
        self.assertFalse(found.holds(44.0))  # faster than physics
        self.assertFalse(found.holds(45.1))

    def test_goodput(self):
        self.assertAlmostEqual(PATH.goodput_bps(), 20e6 * 1448 / 1500)
        self.assertAlmostEqual(PATH.goodput_bps(1448, 28), 20e6 * 1448 / 1476)
        found = rules.link_rate(PATH)
        for bps, right in ((18.56e6, True), (19.31e6, True), (20e6, False), (18.2e6, False)):
            self.assertEqual(found.holds(bps), right, bps)

    def test_window(self):
        # Published: measured on such a path of 45 ms.
        for kib, measured in ((16, 3.26e6), (32, 6.51e6), (64, 12.6e6), (128, 19.3e6)):
            found = rules.window_rate(PATH, kib * 1024)
            self.assertTrue(found.holds(measured), (kib, found.as_dict()))
            self.assertFalse(found.holds(measured * 0.85), kib)
        self.assertAlmostEqual(rules.window_rate(PATH, 16384).low, 16384 * 8 / 0.04474496)
        # Near the link a range must not be empty.
        for kib in range(90, 130):
            rules.window_rate(PATH, kib * 1024)

    def test_mathis(self):
        self.assertAlmostEqual(PATH.mathis_bps(0.01) / 1e6, 3.17, 2)
        self.assertAlmostEqual(PATH.mathis_bps(0.001) / 1e6, 10.03, 2)
        for loss, streams, measured in ((0.001, 1, 9.83e6), (0.01, 1, 2.77e6),
                                        (0.01, 1, 2.51e6), (0.01, 4, 9.99e6),
                                        (0.01, 8, 18.9e6)):
            found = rules.loss_rate(PATH, loss, streams)
            self.assertTrue(found.holds(measured), (loss, streams, found.as_dict()))
            self.assertFalse(found.holds(measured / 2), (loss, streams))
        self.assertLessEqual(rules.loss_rate(PATH, 0.01, 8).high, 19.5e6)

    def test_udp(self):
        self.assertEqual(rules.udp_lost(PATH, 15e6, 1448, 10).as_dict()["value"], 0)
        found = rules.udp_lost(PATH, 30e6, 1448, 10)
        self.assertTrue(found.holds(8858 / 25893))
        self.assertFalse(found.holds(0.30))
        # Just above the rate, the queue takes the rest.
        self.assertEqual(rules.udp_lost(PATH, 19.7e6, 1448, 10).as_dict()["value"], 0)

    def test_transactions(self):
        for size, forgotten, right, wrong in (
                (100, False, (22, 23), (21, 24)),
                (65536, False, (9.8, 9.9, 10), (9.5, 10.4)),
                (65536, True, (8.7, 8.9), (8.3, 9.8))):
            found = rules.transactions(PATH, size, 10, forgotten)
            for value in right:
                self.assertTrue(found.holds(value), (size, value, found.as_dict()))
            for value in wrong:
                self.assertFalse(found.holds(value), (size, value, found.as_dict()))

    def test_growth(self):
        self.assertEqual(rules.growth_s(PATH, 10), 0)
        # 46 segments: 10 and 20 are on their way before the last 16 may be.
        self.assertAlmostEqual(rules.growth_s(PATH, 46), 2 * PATH.rtt_s() - 30 * 0.0006)

    def test_full_queue(self):
        found = rules.full_queue(load.SLOW)
        self.assertTrue(found.low < 444.1 < found.high, found.as_dict())
        self.assertFalse(found.holds(350))
        self.assertFalse(found.holds(460))

    def test_ranges(self):
        with self.assertRaises(ValueError):
            rules.Range("upside down", 2, 1)
        self.assertFalse(rules.Range("x", 0, 1).holds(None))
        self.assertFalse(rules.Exactly("x", 0).holds(None))
        self.assertEqual(rules.Range("x", 1e6, 2e6).show("received_bps"),
                         "1.00 to 2.00 Mbit/s")
        self.assertEqual(rules.show("lost_share", 0.342), "34.20 %")
        self.assertEqual(rules.name_of("too_big"), "too big")
        self.assertEqual(rules.name_of("hop1_bps"), "hop1")


class FakeBench:
    """Answers every client with the same text."""

    def __init__(self, text, served=""):
        self.text, self.served = text, served

    def client(self, *words, **options):
        return self.text

    def serve(self, *words):
        return mock.Mock(report=lambda: self.served)

    @staticmethod
    def seconds(full, short):
        return short


class Reading(TestCase):
    """What tools print, ours and the originals."""

    def test_ping(self):
        text = ("5 packets transmitted, 4 received, 20% packet loss, time 400ms\n"
                "rtt min/avg/max/mdev = 44.100/44.200/44.300/0.010 ms\n")
        self.assertEqual(tools.ping(FakeBench(text)), {"avg_ms": 44.2, "lost_share": 0.2})
        self.assertEqual(tools.ping(FakeBench("5 received, 100% packet loss, time")),
                         {"lost_share": 1})

    def test_ttcp(self):
        served = "ttcp-r: 12288000 bytes in 5.186 real seconds = 2314.085 KB/sec +++\n"
        found = tools.ttcp(FakeBench("", served), 5, 19e6)
        self.assertAlmostEqual(found["received_bps"], 2314.085 * 8192)
        self.assertEqual(tools.ttcp(FakeBench("", "refused"), 5, 19e6), {})

    def test_nuttcp(self):
        found = tools.nuttcp(FakeBench("megabytes=12.1 real_seconds=5.39 rate_Mbps=18.97 "
                                       "tx_cpu=0 rtt_ms=44.28\n"))
        self.assertEqual(found, {"received_bps": 18.97e6, "rtt_ms": 44.28})
        found = tools.nuttcp(FakeBench("rate_Mbps=19.7 tx_cpu=9 drop=10 pkt=100 "
                                       "data_loss=34.2\n"))
        self.assertAlmostEqual(found["lost_share"], 0.342)

    def test_iperf3(self):
        text = json.dumps({"end": {"sum_received": {"bits_per_second": 5e6},
                                   "sum": {"lost_percent": 34, "jitter_ms": 0.2}}})
        self.assertEqual(tools.iperf3(FakeBench(text)), {"received_bps": 5e6})
        self.assertEqual(tools.iperf3_udp(FakeBench(text), 3e7, 1448, 4),
                         {"lost_share": 0.34, "jitter_ms": 0.2})
        self.assertEqual(tools.iperf3(FakeBench("no route")), {"error": "no route"})
        with self.assertRaises(Skip):
            tools.iperf3(FakeBench('{"error": "unable to set TCP_CONGESTION"}'))

    def test_bounceback(self):
        found = tools.bounceback(FakeBench("... 23 rps\n[ 1] 0-4 sec ... 22 rps\n"), 100, 4)
        self.assertEqual(found, {"transactions_per_s": 22})
        self.assertEqual(tools.bounceback(FakeBench("connect failed"), 100, 4), {})

    def test_hping3(self):
        text = ("HPING 192.0.2.66 (eth0 192.0.2.66): S set, 40 headers + 0 data bytes\n"
                "hop=1 TTL 0 during transit from ip=192.0.2.2\n"
                "hop=1 hoprtt=6.4 ms\n"
                "len=44 ip=192.0.2.66 ttl=63 DF id=0 sport=81 flags=SA seq=1 win=0 "
                "rtt=45.2 ms\n"
                "len=44 ip=192.0.2.66 ttl=63 DF id=0 sport=81 flags=SA seq=2 win=0 "
                "rtt=44.2 ms\n")
        found = tools.hping3(FakeBench(text))
        self.assertEqual(found["hops"], "192.0.2.2")
        self.assertEqual((found["flags"], found["answers_count"], found["min_ms"]),
                         ("SA", 2, 44.2))
        text = ("ICMP Fragmentation Needed/DF set from ip=192.0.2.2\n" * 2 +
                "2 packets transmitted, 2 packets received, 0% packet loss\n")
        self.assertEqual(tools.hping3(FakeBench(text)),
                         {"answers_count": 0, "too_big": "192.0.2.2"})

    def test_pchar(self):
        text = ("    Hop char:          rtt = 4.069 ms, bw = 102076.4 Kbps\n"
                "    Hop char:          rtt = 40.07 ms, bw = 20312.8 Kbps\n"
                "    Path bottleneck:   20312.8 Kbps\n    Path pipe:         112074 bytes\n")
        found = tools.pchar(FakeBench(text), 4, 64, "192.0.2.1")
        self.assertEqual((found["hop1_ms"], found["hop2_ms"]), (4.069, 40.07))
        self.assertAlmostEqual(found["hop2_bps"], 20312.8e3)
        self.assertAlmostEqual(found["bottleneck_bps"], 20312.8e3)
        self.assertEqual(found["pipe_bytes"], 112074)

    def test_timeline(self):
        text = "[100.5] 64 bytes from h: icmp_seq=1 ttl=63 time=500 ms\nrubbish\n"
        self.assertEqual(load.pings_of(text, 90), [[10.0, 500.0]])


WAY = ("way a>b in=1000 out=1000 drop_queue=0 drop_loss=0 drop_memory=0 late_count=1000 "
       "late_mean_us=%g late_max_us=90.0 late_bins=%s\n"
       "port x kernel_drops=%d unfinished=0 send_errors=0 send_errno=0\n"
       "run impair gave_up=0 late_edges_us=5,10,20,50,100,200,500,1000,5000,20000,0\n")


def counted(mean_us=10, later_than_100us=0, later_than_1ms=0, kernel_drops=0):
    bins = [1000 - later_than_100us - later_than_1ms, 0, 0, 0, 0, later_than_100us, 0, 0,
            later_than_1ms, 0, 0]
    return Counters.parse(WAY % (mean_us, ",".join(map(str, bins)), kernel_drops))


def quiet(reason=None):
    return mock.Mock(noise=lambda: reason)


def outcome_of(value, expect=None):
    row = Row("x", "ping", None, {"avg_ms": expect or rules.Range("why", 40, 50)})
    row.group = "round trip"
    made = Outcome(row, bench.Program("/bin/ping", "system"))
    made.measured = {} if value is None else {"avg_ms": value}
    return made


class Judging(TestCase):
    def test_what_excuses_a_number(self):
        busy = quiet("busy")
        for counters, watch, right, excused in (
                (counted(), quiet(), True, False),
                (counted(), quiet(), False, False),
                # The path was right, so a right number is.
                (counted(), busy, True, False),
                (counted(later_than_100us=20), busy, True, False),
                # A wrong one is not the tool's fault when anything was held up.
                (counted(), busy, False, True),
                (counted(later_than_100us=20), quiet(), False, True),
                # Nobody passes on a path that was not as it should be.
                (counted(mean_us=300), quiet(), True, True),
                (counted(later_than_1ms=20), quiet(), True, True),
                (counted(kernel_drops=1), quiet(), True, True)):
            with self.subTest(right=right):
                self.assertEqual(bool(judge.why_not(counters, watch, right)), excused)

    def test_stall(self):
        for late_s, noisy in ((0.0, False), (0.06, True)):
            clock = iter([0, 0, noise.SLEEP_S + late_s, 10])
            watch = noise.Watch()
            with mock.patch.object(noise.time, "monotonic", lambda: next(clock)), \
                    mock.patch.object(noise.time, "sleep", lambda s: watch._end.set()), \
                    mock.patch.object(noise, "waited_us", lambda: 0):
                with watch:
                    watch._thread.join()
            watch._sleeps = 1000  # one among many
            self.assertEqual(bool(watch.noise()), noisy, watch.noise())

    def verdict(self, *tries, attempts=5, deadline=None):
        """tries: (measured, noise) one after the other."""
        outcome, left = outcome_of(None), iter(tries)

        def once(outcome, unused):
            outcome.measured["avg_ms"], noise = next(left)
            return noise

        judge.judge(outcome, None, attempts, deadline, once, lambda seconds: None)
        self.assertEqual(list(left), [])
        return outcome.verdict

    def test_verdicts(self):
        right, wrong, noisy = (45, None), (60, None), (60, "stalled")
        self.assertEqual(self.verdict(right), OK)
        self.assertEqual(self.verdict(wrong, right), OK)
        self.assertEqual(self.verdict(wrong, wrong), OFF)
        self.assertEqual(self.verdict(wrong, noisy, wrong), OFF)
        self.assertEqual(self.verdict(noisy, noisy, right), OK)
        self.assertEqual(self.verdict(*[noisy] * 5), NOISY)
        self.assertEqual(self.verdict(*[(45, "stalled")] * 5), NOISY)
        self.assertEqual(self.verdict(noisy, noisy, attempts=2), NOISY)
        self.assertEqual(self.verdict((None, None), (None, None)), OFF)
        # Too late for a second try: one wrong number is no proof.
        self.assertEqual(self.verdict(wrong, deadline=0), NOISY)

    def test_missing_tool(self):
        taker = mock.Mock(find=mock.Mock(side_effect=Skip("x is not installed")))
        outcome = judge.take(outcome_of(1).row, taker)
        self.assertEqual((outcome.verdict, outcome.reason), (SKIPPED, "x is not installed"))

    def test_which_program(self):
        with tempfile.TemporaryDirectory() as build:
            os.mkdir(os.path.join(build, "bin"))
            ours = os.path.join(build, "bin", "iperf3")
            with open(ours, "w") as f:
                f.write("#!/bin/sh\n")
            with mock.patch.object(bench, "SYSTEM", os.path.join(build, "system")), \
                    mock.patch.object(bench.os, "get_exec_path", lambda: []):
                self.check_finding(build, ours)

    def check_finding(self, build, ours):
        with self.assertRaisesRegex(Skip, "iperf3 is neither built nor installed"):
            bench.find("iperf3", build=build)
        os.chmod(ours, 0o755)
        self.assertEqual(bench.find("iperf3", build=build).as_dict(),
                         {"path": ours, "kind": "ours"})
        with self.assertRaisesRegex(Skip, "the original iperf3 is not installed"):
            bench.find("iperf3", True, build)
        os.mkdir(bench.SYSTEM)
        for name, text in (("iperf3", "an original"), ("iperf", "netclassics"), ("ping", "")):
            with open(os.path.join(bench.SYSTEM, name), "w") as f:
                f.write(text)
            os.chmod(f.name, 0o755)
        self.assertEqual(bench.find("iperf3", build=build).kind, "ours")
        self.assertEqual(bench.find("iperf3", True, build).kind, "upstream")
        self.assertEqual(bench.find("ping", build=build).kind, "system")
        with self.assertRaises(Skip):  # ours, installed: not the original
            bench.find("iperf", build=build)


class Telling(TestCase):
    def outcomes(self):
        found = []
        for value, verdict in ((45, OK), (60, OFF), (60, NOISY), (None, SKIPPED)):
            outcome = outcome_of(value)
            outcome.verdict, outcome.reason = verdict, "because"
            outcome.notes = ["note of it"] if verdict in (OFF, NOISY) else []
            found.append(outcome)
        return found

    def test_table(self):
        out, found = io.StringIO(), self.outcomes()
        text = report.Text(out, catalogue.GROUPS, [o.row for o in found], 3)
        for outcome in found:
            text.row(outcome)
        text.end(found)
        lines = out.getvalue().splitlines()
        self.assertEqual(sum(line.strip() == "note of it" for line in lines), 2)
        self.assertRegex(out.getvalue(), r"(?m)^  x +system +why +40.00 to 50.00 ms +45.00 ms "
                         "+ok$")
        self.assertRegex(out.getvalue(), r"60.00 ms +off\n")
        self.assertRegex(out.getvalue(), r"(?m)^  x +- +because +skipped$")
        self.assertEqual(lines[-1], "lab tour: 1 ok, 1 off, 1 machine too noisy, 1 skipped")

    def test_rest_of_a_row_that_is_off(self):
        outcome = outcome_of(45)
        outcome.row.expect["lost_share"] = rules.Exactly("none", 0)
        outcome.measured["lost_share"], outcome.verdict = 0.5, OFF
        cells = report.lines_of(outcome)
        self.assertEqual([c[-1] for c in cells], [OK, OFF])
        self.assertEqual(cells[1][:3], ["", "", "lost: none"])

    def test_exit_codes(self):
        ok, off, noisy, skipped = self.outcomes()
        for found, code in (([ok], 0), ([ok, skipped], 0), ([ok, off, noisy], 1),
                            ([ok, noisy], 3), ([], 0)):
            self.assertEqual(report.exit_code(found), code)

    def test_json(self):
        out = io.StringIO()
        report.write_json(out, self.outcomes(), True)
        found = json.loads(out.getvalue())
        self.assertEqual(found["form"], "short")
        row = found["rows"][0]
        self.assertEqual((row["row"], row["verdict"], row["measured"]["avg_ms"]),
                         ("x", "ok", 45))
        self.assertEqual(row["expected"]["avg_ms"], {"how": "why", "low": 40, "high": 50})
        self.assertEqual(row["program"], {"path": "/bin/ping", "kind": "system"})

    def test_markdown(self):
        lines = report.markdown(self.outcomes()).splitlines()
        self.assertEqual(len(lines), 6)
        self.assertEqual({line.count("|") for line in lines}, {7})


class Catalogue(TestCase):
    def test_rows(self):
        names = [row.name for row in catalogue.rows()]
        self.assertEqual(len(names), len(set(names)))
        self.assertTrue(set(r.name for r in catalogue.rows(True)) < set(names))
        for row in catalogue.rows():
            self.assertTrue(row.expect, row.name)
            for link in row.change:
                default_topology().find(link)
        self.assertEqual({r.group for r in catalogue.rows(only=["window"])}, {"window"})
        self.assertEqual(len(catalogue.rows(only=["-w 16K"])), 1)

    def test_every_group_is_in_the_short_form(self):
        self.assertEqual({g.name for g in catalogue.GROUPS},
                         {r.group for r in catalogue.rows(True)})

    def test_nothing_by_that_name(self):
        with self.assertRaisesRegex(LabError, "no row bogus; there are round trip, "):
            command.tour(mock.Mock(short=False, only=["bogus"]))


def tour_file(folder):
    """What a tour of three rows wrote."""
    def row(group, name, measured, extra=None):
        return {"group": group, "row": name, "measured": measured, "extra": extra or {}}

    path = os.path.join(folder, "tour.json")
    line = {"rtt_ms": [[i / 10, 44 + i] for i in range(100)],
            "queue": [[i / 10, 1000 * i, 1e6, 2e6] for i in range(100)], "load_s": [3, 7]}
    with open(path, "w") as f:
        json.dump({"rows": [
            row("load", "ping beside iperf3", {"idle_ms": 44}, {"timeline": line}),
            row("window", "iperf3 -w 16K", {"received_bps": 3.3e6}),
            row("loss", "iperf3 -C reno, 0 % lost", {"received_bps": 19e6}),
            row("loss", "iperf3 -C bbr, 0.1 % lost", {"received_bps": 19e6}),
            row("loss", "iperf3 -C cubic, 1 % lost", {})]}, f)
    return path


class Plot(TestCase):
    def test_drawings(self):
        need_program("gnuplot")
        with tempfile.TemporaryDirectory() as folder:
            made, missing = plot.draw(tour_file(folder), folder)
            self.assertEqual(missing, [])
            self.assertEqual([os.path.basename(p) for p in made],
                             ["load.svg", "window.svg", "loss.svg"])
            for path in made:
                with open(path) as f:
                    text = f.read()
                self.assertTrue(text.rstrip().endswith("</svg>"), path)
                self.assertGreater(len(re.findall("<path", text)), 5, path)

    def test_not_a_tour(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text, why in (("a", "not json", "not what lab tour"),
                                    ("b", '{"rows": [{}]}', "not what lab tour"),
                                    ("c", '{"rows": []}', "no row of load, window, loss was")):
                path = os.path.join(folder, name)
                with open(path, "w") as f:
                    f.write(text)
                with self.assertRaisesRegex(LabError, why):
                    plot.draw(path, folder)
            with self.assertRaisesRegex(LabError, "No such file"):
                plot.draw(os.path.join(folder, "none"), folder)


if __name__ == "__main__":
    unittest.main()
