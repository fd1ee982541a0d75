# SPDX-License-Identifier: BSD-2-Clause
"""nuttcp on paths with known rate, queue and loss."""

import re
import unittest

from harness import Netns, TestCase, free_port, need_root, tool
from harness.nuttcp import intervals, result

ALONE = True
BOUND_S = 200


class Lab(TestCase):
    def setUp(self):
        need_root()

    def hosts(self, mtu=1500):
        self.left, self.right = Netns("left"), Netns("right")
        self.left.link(self.right, "a", "b", mtu=mtu)
        self.left.address("a", "192.0.2.1/24")
        self.right.address("b", "192.0.2.2/24")
        for ns in (self.left, self.right):
            ns.sysctl("net.ipv4.tcp_congestion_control", "reno")
        self.port = free_port(8)
        server = self.right.start([tool("nuttcp"), "-S", "--nofork", "-P", self.port])
        server.wait_listening(self.port)

    def client(self, *options, timeout=60):
        done = self.left.run([tool("nuttcp"), "-P%d" % self.port, "-p%d" % (self.port + 1)] +
                             list(options) + ["192.0.2.2"], timeout=timeout)
        self.assertEqual(done.code, 0, done)
        return done

    def dropped(self, ns, device):
        return int(re.search(r"dropped (\d+)", ns.tool("tc", "-s", "qdisc", "show", "dev",
                                                       device)).group(1))

    def test_bursts(self):
        """15 Mbps through 20: bursts of 20 fit the queue, those of 200 do not, and the
        queue's own count of drops is what is told."""
        self.hosts()
        self.left.rate("a", "20mbit", burst="4kb", latency="20ms")
        done = self.client("-u", "-Ri15m/20", "-l1024", "-T2")
        self.assertEqual(result(done.stdout)["drop"], 0, done)
        before = self.dropped(self.left, "a")
        done = self.client("-u", "-Ri15m/200", "-l1024", "-T2", "-i0.5")
        got = result(done.stdout)
        self.assertGreater(got["loss"], 30, done)
        self.assertAlmostEqual(got["drop"], self.dropped(self.left, "a") - before, delta=5)
        self.assertAlmostEqual(got["pkt"], 15e6 * 2 / 8 / 1024, delta=210)
        for line in intervals(done.stdout):
            self.assertRegex(line["rest"], r"^ +\d+ / +\d+ ~drop/pkt +\d\d.\d\d ~%loss$")

    def test_bursts_to_us(self):
        """The same in the other direction: the server transmits."""
        self.hosts()
        self.right.rate("b", "20mbit", burst="4kb", latency="20ms")
        done = self.client("-r", "-u", "-Ri15m/20", "-l1024", "-T2")
        self.assertEqual(result(done.stdout)["drop"], 0, done)
        before = self.dropped(self.right, "b")
        done = self.client("-r", "-u", "-Ri15m/200", "-l1024", "-T2")
        got = result(done.stdout)
        self.assertGreater(got["loss"], 30, done)
        self.assertAlmostEqual(got["drop"], self.dropped(self.right, "b") - before, delta=5)

    def test_jumbo(self):
        """As people test paths of 10 Gbps: accepted without a warning, as fast as it goes."""
        self.hosts(mtu=9000)
        done = self.client("-u", "-l8972", "-w4m", "-R9.9G", "-T1", "-i0.3")
        self.assertEqual(done.stderr.replace(
            "nuttcp-t: Warning: send window size", ""), done.stderr)
        self.assertGreater(result(done.stdout)["mb"], 20, done)

    def test_fragments(self):
        self.hosts()
        done = self.client("-u", "-l8972", "-R5m", "-T0.5")
        self.assertIn("Warning: IP frags or no data reception since buflen=8972 > "
                      "ctlconnmss=1448", done.stderr)
        self.assertEqual(self.client("-u", "-l1472", "-R5m", "-T0.5").stderr, "")
        # By itself it takes what fits.
        self.assertIn("buflen=1024,", self.client("-u", "-T0.5", "-v").stdout)

    def test_bottleneck(self):
        """20 Mbps of link are 19.1 of payload; the receiver's time is the longer one."""
        self.hosts()
        for ns, device, options in ((self.left, "a", ()), (self.right, "b", ("-r",)),
                                    (self.left, "a", ("-N3",))):
            ns.rate(device, "20mbit", burst="8kb", latency="30ms")
            got = result(self.client("-T2", *options).stdout)
            self.assertAlmostEqual(got["mbps"], 19, delta=1.5)
            self.assertGreater(got["retrans"] + 1, 0)

    def test_rates(self):
        """The average is what was asked for."""
        self.hosts()
        for options, mbps in ((("-R3m",), 3), (("-u", "-R30m", "-l1448"), 30),
                              (("-u", "-Ri8m", "-l1000"), 8),
                              (("-u", "-R1000p", "-l1000"), 8), (("-r", "-R5m"), 5)):
            got = result(self.client("-T2", *options).stdout)
            self.assertAlmostEqual(got["mbps"] / mbps, 1, delta=0.1, msg=str(options))
        got = result(self.client("-u", "-R30m", "-l1448", "-T2").stdout)
        self.assertAlmostEqual(got["mbps"], 30, delta=0.15)

    def test_firewall(self):
        """Nobody may connect to the client: -r fails with a hint, -r -F works."""
        self.hosts()
        self.left.tool("nft", "add table ip t; add chain ip t c { type filter hook input "
                       "priority 0; }; add rule ip t c tcp flags & (syn|ack) == syn drop")
        done = self.left.run([tool("nuttcp"), "-P%d" % self.port, "-r", "-T1", "192.0.2.2"])
        self.assertEqual(done.code, 1, done)
        self.assertIn("Error: accept() timeout", done.stdout)
        self.assertIn("try -F", done.stderr)
        self.assertGreater(result(self.client("-r", "-F", "-T0.5").stdout)["mb"], 1)

    def test_loss(self):
        """Every tenth dropped by a filter, markers apart; -N and -i too."""
        self.hosts()
        self.right.tool("nft", "add table ip t; add chain ip t c { type filter hook input "
                        "priority 0; }; add rule ip t c meta length > 200 udp dport 1024-65535 "
                        "numgen inc mod 10 0 drop")
        for options in (("-l1000",), ("-l1000", "-i0.3"), ("-l1000", "-N3", "-i0.3")):
            got = result(self.client("-u", "-R8m", "-T1", *options).stdout)
            self.assertAlmostEqual(got["loss"], 10, delta=0.5)

    def test_dead_path(self):
        """All datagrams lost, marks too: the server says so and the client ends early."""
        self.hosts()
        self.right.tool("nft", "add table ip t; add chain ip t c { type filter hook input "
                        "priority 0; }; add rule ip t c ip protocol udp drop")
        done = self.client("-u", "-R1m", "-T3")
        got = result(done.stdout)
        self.assertEqual((got["mb"], got["loss"]), (0, 100), done)

    def test_multicast(self):
        self.hosts()
        for ns, device in ((self.left, "a"), (self.right, "b")):
            ns.ip("route", "add", "224.0.0.0/4", "dev", device)
        for options in (("-m2",), ("-m2", "-r"), ("-ms2",), ("-m1", "-g231.1.2.3")):
            done = self.client("-T0.5", "-R1m", "-v", "-b-1", *options)
            got = result(done.stdout)
            self.assertEqual(got["drop"], 0, done)
            self.assertGreater(got["pkt"], 50, done)
            self.assertRegex(done.stdout, r"using [as]sm on multicast group 23[12]\.")


if __name__ == "__main__":
    unittest.main()
