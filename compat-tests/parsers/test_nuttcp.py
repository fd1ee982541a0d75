# SPDX-License-Identifier: BSD-2-Clause
"""Scripts read nuttcp's lines by these four patterns, as perfSONAR and others have them;
and the key=value form by its names."""

import json
import re
import unittest

from harness import TestCase, tool, run, free_port
from harness.nuttcp import Pair

TCP_INTERVAL = re.compile(
    r"^\s*([\d.]+) MB /\s+([\d.]+) sec =\s+([\d.]+) Mbps\s+(\d+) retrans(?:\s+(\d+) "
    r"(\w+)-cwnd)?$")
UDP_INTERVAL = re.compile(
    r"^\s*([\d.]+) MB /\s+([\d.]+) sec =\s+([\d.]+) Mbps\s+(-?\d+) /\s+(\d+) ~drop/pkt\s+"
    r"(-?[\d.]+) ~%loss(?: ([\d.]+) msMaxJitter)?$")
TCP_RESULT = re.compile(
    r"^\s*([\d.]+) MB /\s+([\d.]+) sec =\s+([\d.]+) Mbps (\d+) %TX (\d+) %RX (\d+) retrans"
    r"(?: (\d+) (\w+)-cwnd)? ([\d.]+) msRTT$")
UDP_RESULT = re.compile(
    r"^\s*([\d.]+) MB /\s+([\d.]+) sec =\s+([\d.]+) Mbps (\d+) %TX (\d+) %RX (-?\d+) / (\d+) "
    r"drop/pkt (-?[\d.]+) %loss(?: ([\d.]+) msMaxJitter)?$")

# Lines of nuttcp 8.2.2 in the field: the patterns themselves must be right.
KNOWN = (
    (TCP_INTERVAL, " 216.8125 MB /   1.00 sec = 1817.8571 Mbps    45 retrans    206 KB-cwnd"),
    (UDP_INTERVAL, "  25.1572 MB /   1.00 sec =  211.0065 Mbps    62 / 25823 ~drop/pkt  0.24 "
                   "~%loss 4.8672 msMaxJitter"),
    (TCP_RESULT, "2197.0657 MB /  10.00 sec = 1842.3790 Mbps 8 %TX 90 %RX 90 retrans 237 "
                 "KB-cwnd 0.50 msRTT"),
    (UDP_RESULT, " 252.0586 MB /  10.00 sec =  211.4462 Mbps 99 %TX 50 %RX 1485 / 259593 "
                 "drop/pkt 0.57 %loss 37.2012 msMaxJitter"),
)


class Patterns(TestCase):
    def lines(self, *options):
        done = Pair().client("ours", *options)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def ck(self, interval, result, *options):
        *intervals, last = [line for line in self.lines(*options) if line]
        self.assertTrue(intervals)
        for line in intervals:
            self.assertRegex(line, interval)
        self.assertRegex(last, result)

    def test_known(self):
        for pattern, line in KNOWN:
            self.assertRegex(line, pattern)

    def test_tcp(self):
        self.ck(TCP_INTERVAL, TCP_RESULT, "-T1", "-i0.3")

    def test_tcp_receive(self):
        self.ck(TCP_INTERVAL, TCP_RESULT, "-T1", "-i0.3", "-r")

    def test_udp(self):
        self.ck(UDP_INTERVAL, UDP_RESULT, "-u", "-T1", "-i0.3", "-R5m", "-l1000")

    def test_udp_jitter(self):
        self.ck(UDP_INTERVAL, UDP_RESULT, "-j", "-T1", "-i0.3", "-Ri5m", "-l1000")
        self.ck(UDP_INTERVAL, UDP_RESULT, "-j", "-T1", "-i0.3", "-Ri5m", "-l1000", "-r")

    def test_word_positions(self):
        """A well-known parser splits the result line at blanks and equal signs; its last
        word tells UDP from TCP."""
        for options, last in ((("-T0.3",), "msRTT"), (("-u", "-T0.3", "-R5m"), "%loss")):
            words = re.split(r"[ =]+", self.lines(*options)[-1].strip())
            self.assertEqual((words[1], words[4], words[6]), ("MB", "sec", "Mbps"))
            self.assertEqual((words[8], words[10]), ("%TX", "%RX"))
            self.assertEqual(words[-1], last)

    def test_key_values(self):
        want = {
            ("-T0.5", "-i0.2"): "megabytes real_seconds rate_Mbps tx_cpu rx_cpu retrans "
                                "cwnd rtt_ms",
            ("-u", "-T0.5", "-R5m"): "megabytes real_seconds rate_Mbps tx_cpu rx_cpu drop pkt "
                                     "data_loss",
            ("-jmax", "-omax", "-T0.5", "-Ri5m"):
                "megabytes real_seconds rate_Mbps tx_cpu rx_cpu drop pkt data_loss "
                "msminjitter msavgjitter msmaxjitter msminOWD msavgOWD msmaxOWD",
        }
        for options, keys in want.items():
            *_, last = self.lines("-fparse", *options)
            pairs = [word.split("=") for word in last.split(" ")]
            self.assertEqual([key for key, _ in pairs], keys.split())
            for _, value in pairs:
                float(value)


class Json(TestCase):
    SHARED = {"tool", "version", "role", "start_time", "start_time_unix_s", "host", "port",
              "protocol", "bytes", "seconds", "bits_per_second", "cpu_user_seconds",
              "cpu_system_seconds", "exit_reason"}

    def json(self, *options, code=0):
        done = Pair().client("ours", "--json", *options)
        self.assertEqual(done.code, code, done)
        self.assertEqual(done.stdout.count("\n"), 1, done)
        return json.loads(done.stdout)

    def test_tcp(self):
        for way, role in (((), "sender"), (("-r",), "receiver")):
            got = self.json("-T1", "-i0.3", "-R50m", *way)
            self.assertLessEqual(self.SHARED, set(got))
            self.assertEqual((got["tool"], got["role"], got["protocol"]),
                             ("nuttcp", role, "tcp"))
            self.assertAlmostEqual(got["bits_per_second"], 50e6, delta=5e6)
            # Two decimals of the peer's seconds do not blur the rate.
            self.assertAlmostEqual(got["bits_per_second"] /
                                   got["receiver"]["bits_per_second"], 1, delta=0.0005)
            self.assertEqual(got["bytes"] % 65536, 0)
            self.assertEqual(got["exit_reason"], "done")
            self.assertEqual(len(got["intervals"]), 3)
            for i in got["intervals"]:
                self.assertLessEqual({"seconds", "bytes", "bits_per_second", "retransmits"},
                                     set(i))
            self.assertIn("retransmits", got["sender"])
            self.assertIn("bits_per_second", got["receiver"])
            self.assertGreater(got["connect_rtt_us"], 0)
            self.assertLessEqual(sum(i["bytes"] for i in got["intervals"]),
                                 got["bytes"] + 200)

    def test_udp(self):
        got = self.json("-u", "-T1", "-i0.3", "-Ri5m", "-l1000", "-jmax", "-omax")
        self.assertEqual((got["lost"], got["protocol"]), (0, "udp"))
        self.assertAlmostEqual(got["datagrams"], 625, delta=100)
        self.assertLessEqual({"jitter_avg_ms", "owd_min_ms"}, set(got))
        for i in got["intervals"]:
            self.assertEqual(i["lost"], 0)

    def test_streams(self):
        got = self.json("-N3", "-n30")
        self.assertEqual(len(got["sender"]["streams"]), 3)
        self.assertEqual(got["bytes"], 30 * 65536)

    def test_errors(self):
        for argv in (["-P%d" % free_port(), "-T1", "127.0.0.1"], ["no.such.host.invalid"]):
            done = run([tool("nuttcp"), "--json"] + argv)
            self.assertEqual(done.code, 1, done)
            got = json.loads(done.stdout)
            self.assertEqual(got["exit_reason"], "error")
            self.assertTrue(got["error"])
            self.assertEqual(done.stderr, "", done)
        self.assertIn("nstream", self.refused()["error"])

    def refused(self):
        done = Pair(options=["--max-streams", "2"]).client("ours", "--json", "-N3", "-n3")
        self.assertEqual(done.code, 1, done)
        got = json.loads(done.stdout)
        got["error"] += " nstream" * ("streams" in got["error"])
        return got


if __name__ == "__main__":
    unittest.main()
