# SPDX-License-Identifier: BSD-2-Clause
"""nuttcp with Debian's 6.1.2, each as client and as server. The same options at two pairs,
ours with upstream and upstream with itself, must print lines of one shape."""

import re
import unittest

from harness import TestCase, shape, upstream
from harness.nuttcp import Pair, intervals, result

BOUND_S = 300

PAIRS = (("ours", "upstream"), ("upstream", "ours"))


class Interop(TestCase):
    def both(self, *options, check=None, host="127.0.0.1", server=()):
        """Run the options in both roles; returns the clients' results."""
        upstream("nuttcp")
        done = []
        for s, c in PAIRS:
            with self.subTest("server %s, client %s: %s" % (s, c, " ".join(options))):
                pair = Pair(s, options=server)
                got = pair.client(c, *options, host=host)
                self.assertEqual(got.code, 0, got)
                if check:
                    check(got, c)
                done.append(got)
        return done

    def test_tcp(self):
        def check(got, client):
            r = result(got.stdout)
            self.assertGreater(r["mbps"], 30, got)
            self.assertLess(r["mbps"], 60, got)
            self.assertIn("retrans", r, got)
            self.assertIn("msRTT", r, got)
            # 6.1.2 knows no congestion window.
            self.assertEqual("KB-cwnd" in r, client == "ours", got)
        self.both("-T1", "-R50m", check=check)

    def test_tcp_receive(self):
        def check(got, client):
            r = result(got.stdout)
            self.assertAlmostEqual(r["mbps"], 50, delta=5, msg=got)
            self.assertIn("retrans", r, got)
            self.assertNotIn("KB-cwnd", r, got)
        self.both("-r", "-T1", "-R50m", check=check)

    def test_unlimited(self):
        for way in ((), ("-r",), ("-F",), ("-F", "-r")):
            self.both("-T0.4", *way, check=lambda got, c: self.assertGreater(
                result(got.stdout)["mbps"], 500, got))

    def test_buffers(self):
        """-n: every byte arrives and is counted."""
        for options in (("-n16",), ("-n16", "-r"), ("-n3", "-l1000"), ("-n64", "-N4"),
                        ("-n64", "-N4", "-r"), ("-n1",)):
            size = 65536 if "-l1000" not in options else 1000
            want = int(options[0][2:]) * size / 2**20
            self.both(*options, check=lambda got, c: self.assertAlmostEqual(
                result(got.stdout)["mb"], want, delta=0.0001, msg=got))

    def test_intervals(self):
        """Sum and number of the lines, and the columns of each pair of versions."""
        for way in ((), ("-r",)):
            def check(got, client):
                lines = intervals(got.stdout)
                self.assertIn(len(lines), (3, 4), got)
                for line in lines:
                    self.assertAlmostEqual(line["sec"], 0.5, delta=0.15, msg=got)
                    self.assertRegex(line["rest"], r"^ +\d+ retrans", got)
                self.assertLessEqual(sum(line["mb"] for line in lines),
                                     result(got.stdout)["mb"] + 0.001, got)
                self.assertIn("\n\n", got.stdout)
            self.both("-T2", "-i0.5", "-R20m", *way, check=check)

    def test_streams(self):
        for way in ((), ("-r",), ("-F",), ("-r", "-F")):
            self.both("-N4", "-T0.5", *way, check=lambda got, c: self.assertGreater(
                result(got.stdout)["mb"], 1, got))

    def test_verbose(self):
        """Both halves are there: ours says what 8.2.2 says, theirs what 6.1.2 says."""
        for way in ((), ("-r",)):
            def check(got, client):
                self.assertEqual(len(re.findall(r"real seconds", got.stdout)), 2, got)
                self.assertEqual(len(re.findall(r"maxrss", got.stdout)), 2, got)
                self.assertIn("nuttcp-t: v", got.stdout)
                self.assertIn("nuttcp-r: v", got.stdout)
                self.assertNotIn("KB/cpu", got.stdout)
            self.both("-v", "-T0.5", *way, check=check)

    def test_parse(self):
        def check(got, client):
            self.assertRegex(got.stdout, r"(?m)^megabytes=[\d.]+ real_seconds=[\d.]+ "
                             r"rate_Mbps=[\d.]+ tx_cpu=\d+ rx_cpu=\d+ retrans=\d+", got)
            self.assertRegex(got.stdout, r"(?m)^megabytes=[\d.]+ real_sec=[\d.]+ ", got)
        self.both("-fparse", "-T1", "-i0.4", check=check)

    def test_udp(self):
        for way in ((), ("-r",)):
            def check(got, client):
                r = result(got.stdout)
                self.assertAlmostEqual(r["mbps"], 4, delta=0.2, msg=got)
                self.assertEqual(r["drop"], 0, got)
                self.assertAlmostEqual(r["pkt"], 357, delta=5, msg=got)
            self.both("-u", "-R4m", "-l1400", "-T1", *way, check=check)

    def test_udp_intervals(self):
        def check(got, client):
            lines = intervals(got.stdout)
            self.assertTrue(lines, got)
            for line in lines:
                self.assertRegex(line["rest"],
                                 r"^ +\d+ / +\d+ ~drop/pkt +0.00 ~%loss$", got)
        self.both("-u", "-R4m", "-l1400", "-T2", "-i0.6", check=check)

    def test_udp_receive_intervals(self):
        """Only ours: 6.1.2 as client gives up when an interval ends between two marks."""
        upstream("nuttcp")
        got = Pair("upstream").client("ours", "-u", "-r", "-R4m", "-T1", "-i0.4")
        self.assertEqual(got.code, 0, got)
        self.assertTrue(intervals(got.stdout), got)

    def test_udp_small_and_many(self):
        for options in (("-l20", "-R100k"), ("-N2", "-R2m"), ("-l8192", "-Ri20m")):
            self.both("-u", "-T0.5", *options, check=lambda got, c: self.assertEqual(
                result(got.stdout)["drop"], 0, got))

    def test_udp_unlimited(self):
        self.both("-u", "-R0", "-T0.5", "-l1024", "-w4m", check=lambda got, c:
                  self.assertGreater(result(got.stdout)["mb"], 1, got))

    def test_ipv6(self):
        """6.1.2 knows IPv4 only; ours with itself."""
        pair = Pair("ours", options=["-6"])
        for options in ((), ("-r",), ("-u",), ("-u", "-r")):
            got = pair.client("ours", "-6", "-T0.3", *options, host="::1")
            self.assertEqual(got.code, 0, got)
            self.assertGreater(result(got.stdout)["mb"], 0, got)

    def test_window(self):
        for way in ((), ("-r",)):
            self.both("-w64", "-T0.3", "-v", *way, check=lambda got, c: self.assertIn(
                "window size = 131072", got.stdout))

    def test_windows_tos_mss(self):
        self.both("-w128k", "-ws64k", "-c46", "-M1000", "-D", "-wb", "-T0.3", "-v")

    def test_jitter_refused(self):
        """By a server that does not know it, in upstream's words."""
        upstream("nuttcp")
        got = Pair("upstream").client("ours", "-j", "-Ri1m", "-T1")
        self.assertEqual(got.code, 1, got)
        self.assertEqual(got.stdout, "nuttcp-t: jitter not supported by server version "
                         "6.1.2, need >= 7.0.1\n")

    def test_third_party(self):
        """Ours asks theirs to test with ours, and the reverse."""
        upstream("nuttcp")
        for first, second in (("upstream", "ours"), ("ours", "upstream")):
            # 6.1.2 has no second control port: both servers on one, at two addresses.
            one = Pair(first)
            two = Pair(second)
            if first == "ours":
                got = one.client("ours", "-P%d/%d" % (one.port, two.port), "-T0.5",
                                 "127.0.0.1", host="127.0.0.1")
                self.assertEqual(got.code, 0, got)
                self.assertGreater(result(got.stdout)["mb"], 1, got)
            else:
                got = one.client("ours", "-P%d/%d" % (one.port, two.port), "-T0.5",
                                 "127.0.0.1", host="127.0.0.1")
                self.assertEqual(got.code, 1, got)
                self.assertIn("ctlport3 option not supported", got.stdout)

    def test_same_shape(self):
        """What upstream prints with itself, ours prints with upstream, but for the columns
        and words of newer versions."""
        upstream("nuttcp")

        def old(text):
            text = re.sub(r" with af=inet6?$", "", text, flags=re.M)
            text = re.sub(r" af=inet6?( ip=\S+)?$", "", text, flags=re.M)
            text = re.sub(r"^nuttcp-t(-name)?: initial.congestion.window.*\n", "", text, flags=re.M)
            text = re.sub(r" +\d+ KB-cwnd| cwnd=\d+", "", text)
            text = re.sub(r"(retrans = \d+) cwnd = \d+ KB", r"\1", text)
            text = re.sub(r"v8\.2\.2", "v6.1.2", text)
            return [line for line in shape(text).splitlines()
                    if not re.match(r"N MB / N sec = N Mbps(?! N %)", line)]
        for options in (["-T0.5", "-v"], ["-T0.5", "-vv", "-r", "-D", "-c8"],
                        ["-u", "-T0.5", "-vv", "-i0.3"], ["-n4", "-b-1"],
                        ["-T0.5", "-Iname", "-v", "-i0.3"], ["-fparse", "-T0.3", "-vv"],
                        ["-frunningtotal", "-fxmitstats", "-u", "-T0.5", "-i0.2"]):
            with self.subTest(" ".join(options)):
                theirs = Pair("upstream").client("upstream", *options)
                for s, c in PAIRS:
                    ours = Pair(s).client(c, *options)
                    self.assertEqual(ours.code, 0, ours)
                    self.assertEqual(old(ours.stdout), old(theirs.stdout), "%s %s" % (s, c))


if __name__ == "__main__":
    unittest.main()
