# SPDX-License-Identifier: BSD-2-Clause
"""Programs that read iperf3's JSON get what they look for, out of our documents."""

import glob
import os
import signal
import subprocess
import unittest

from harness.case import TestCase
from harness.ports import free_port
from harness.process import run, start
from harness.programs import ROOT, need_program, tool
from parsers import iperf3_consumers as consumers

MADE = os.path.join(ROOT, "compat-tests", "golden", "iperf3", "json")


def made():
    """Documents that the reporter's unit tests compare, by name."""
    for path in sorted(glob.glob(MADE + "/*.json")):
        name = os.path.basename(path)[:-5]
        with open(path) as f:
            text = f.read()
        if text.startswith("{\n") and not name.startswith("failure"):
            yield name, text


def real(*options, server=(), cwd=None):
    """A client's and a server's document of one short test."""
    port = free_port()
    there = start([tool("iperf3"), "-s", "-1", "-J", "-p", port] + list(server))
    there.wait_listening(port)
    here = run([tool("iperf3"), "-J", "-t", "1", "-c", "127.0.0.1", "-p", port] +
               list(options))
    there.wait()
    return here, there


class Documents(TestCase):
    """Every consumer on every document: keys and types."""

    def everyone(self, text, code=0):
        document = consumers.parse(text)
        interrupted = "error" in document
        found = consumers.prometheus(text)
        self.assertEqual(found["up"], 0 if interrupted else 1)
        found = consumers.pscheduler(text, code)
        self.assertEqual(found["succeeded"], not interrupted)
        found = consumers.python_module(text)
        self.assertEqual(found["error"], document.get("error"))
        protocol = document["start"]["test_start"]["protocol"]
        for path in consumers.PATHS[protocol]:
            self.assertIsInstance(consumers.at(document, path), (int, float), path)
        if protocol == "TCP" and document["end"]["streams"][0]["sender"]["sender"]:
            for path in consumers.SENDER_PATHS:
                self.assertIsInstance(consumers.at(document, path), int, path)
        return document

    def test_of_unit_tests(self):
        names = []
        for name, text in made():
            with self.subTest(name):
                self.everyone(text)
                names.append(name)
        self.assertGreater(len(names), 10)

    def test_of_real_runs(self):
        for options in ([], ["-R"], ["-P", "2"], ["--bidir"], ["-O", "1"], ["-n", "1M"],
                        ["-u", "-b", "10M"], ["-u", "-R", "-b", "10M", "-P", "2"],
                        ["-u", "--bidir", "-b", "5M"]):
            if "-n" not in options and "-u" not in options:
                options = options + ["-b", "50M"]
            with self.subTest(" ".join(options)):
                if "-n" in options:  # no time beside it
                    here, there = self.amount(options)
                else:
                    here, there = real(*options)
                for end in (here, there):
                    self.assertEqual(end.code, 0, end)
                    self.assertEqual(end.stderr, "", end)
                    self.everyone(end.stdout)

    def amount(self, options):
        port = free_port()
        there = start([tool("iperf3"), "-s", "-1", "-J", "-p", port])
        there.wait_listening(port)
        here = run([tool("iperf3"), "-J", "-c", "127.0.0.1", "-p", port] + options)
        there.wait()
        return here, there


class Figures(TestCase):
    """What the consumers take out is right, too."""

    def near(self, value, want, part=0.05):
        self.assertLess(abs(value - want), part * want, "%s, not %s" % (value, want))

    def test_tcp(self):
        here, there = real("-b", "80M", "-P", "2", "-l", "10000")
        metrics = consumers.prometheus(here.stdout)
        self.near(metrics["sent_bits_per_second"], 160e6)
        self.near(metrics["received_bits_per_second"], 160e6)
        self.near(metrics["sent_seconds"], 1)
        module = consumers.python_module(here.stdout)
        self.near(module["sent_bytes"], 20e6)
        self.assertEqual(module["num_streams"], 2)
        self.assertEqual(module["type"], "client")
        self.assertEqual(consumers.python_module(there.stdout)["type"], "server")
        found = consumers.pscheduler(here.stdout, here.code)
        self.assertEqual(sum(s["throughput-bytes"] for s in found["summary"]["streams"]),
                         found["summary"]["summary"]["throughput-bytes"])
        self.assertEqual(sum(i["summary"]["throughput-bytes"] for i in found["intervals"]),
                         found["summary"]["summary"]["throughput-bytes"])
        self.assertIn("tcp-window-size", found["intervals"][0]["streams"][0])
        # The server's receiver and the client's report of it are one figure.
        self.assertEqual(
            consumers.at(consumers.parse(there.stdout), ".end.sum_received.bytes"),
            consumers.at(consumers.parse(here.stdout), ".end.sum_received.bytes"))

    def test_udp(self):
        here, there = real("-u", "-b", "8M", "-l", "1000")
        metrics = consumers.prometheus(here.stdout)
        self.near(metrics["packets"], 1000)
        self.assertEqual(metrics["lost_packets"], 0)
        self.near(metrics["sent_bits_per_second"], 8e6)
        module = consumers.python_module(here.stdout)
        self.near(module["sum_bytes"], 1e6)
        self.near(module["sum_seconds"], 1)
        received = consumers.at(consumers.parse(there.stdout), ".end.sum_received")
        self.assertEqual((received["reordered"], received["duplicates"]), (0, 0))

    def test_reverse(self):
        here, _ = real("-R", "-b", "80M")
        module = consumers.python_module(here.stdout)
        self.assertEqual(module["reverse"], 1)
        self.near(module["received_bits_per_second"], 80e6)
        self.assertIsInstance(module["retransmits"], int)


class Failures(TestCase):
    """One JSON object with "error" and a code, nothing else anywhere."""

    def check(self, result, code, error):
        self.assertEqual(result.code, code, result)
        self.assertEqual(result.stderr, "", result)
        self.assertEqual(consumers.prometheus(result.stdout), {"up": 0})
        found = consumers.pscheduler(result.stdout, result.code)
        self.assertFalse(found["succeeded"])
        self.assertIn(error, found["error"])
        self.assertIn(error, consumers.python_module(result.stdout)["error"])

    def test_nobody_listens(self):
        self.check(run([tool("iperf3"), "-J", "-c", "127.0.0.1", "-p", free_port()]), 1,
                   "unable to connect to server")

    def test_refused_by_the_server(self):
        here, there = real("-b", "20M", server=["--server-bitrate-limit", "10M"])
        self.check(here, 1, "total required bandwidth is larger than server limit")
        self.assertIn("bandwidth", consumers.parse(there.stdout)["error"])

    def test_interrupted(self):
        port = free_port()
        there = start([tool("iperf3"), "-s", "-1", "-J", "-p", port])
        there.wait_listening(port)
        here = start([tool("iperf3"), "-c", "127.0.0.1", "-p", port, "-t", "20", "-b", "8M",
                      "--json-stream", "--json-stream-full-output"])
        here.wait_line('"event":"interval"')
        self.assertEqual(here.stop(signal.SIGINT), 1, here)
        there.wait()
        lines, _, document = here.stdout.partition("\n{\n")
        for line in lines.splitlines():
            consumers.parse(line)
        found = consumers.pscheduler("{\n" + document, here.code)
        self.assertIn("interrupt - the client has terminated", found["error"])
        self.assertIn("the client has terminated", consumers.parse(there.stdout)["error"])
        # What was measured is there.
        self.assertGreater(consumers.at(consumers.parse(there.stdout),
                                        ".end.sum_received.bytes"), 0)

    def test_server_told_to_stop_while_it_waits(self):
        port = free_port()
        server = start([tool("iperf3"), "-s", "-J", "-p", port])
        server.wait_listening(port)
        server.stop()
        self.assertIn("interrupt - the server has terminated",
                      consumers.parse(server.stdout)["error"])


class WithJq(TestCase):
    def test_paths(self):
        jq = need_program("jq")
        here, _ = real("-b", "10M")
        for path in consumers.PATHS["TCP"] + consumers.SENDER_PATHS:
            done = subprocess.run([jq, "-e", path + " | numbers"], input=here.out_bytes,
                                  stdout=subprocess.PIPE, timeout=20)
            self.assertEqual(done.returncode, 0, path)


if __name__ == "__main__":
    unittest.main()
