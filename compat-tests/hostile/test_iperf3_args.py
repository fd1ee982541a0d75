# SPDX-License-Identifier: BSD-2-Clause
"""What iperf3 says to a command line that it refuses: words, stream, exit code. The words
are those of 3.21; where Debian's 3.12 has the same ones, it is asked too."""

import concurrent.futures
import json
import os
import socket
import tempfile
import unittest

from harness import TestCase, free_port, run, start, tool, upstream

BOUND_S = 200

USAGE = ("\nUsage: iperf3 [-s|-c host] [options]\n"
         "Try `iperf3 --help' for more information.\n")
PARAMETER = "iperf3: parameter error - "
ROLE_CLIENT = "some option you are trying to set is client only"
ROLE_SERVER = "some option you are trying to set is server only"
DURATION = "test duration valid values are 0 to 86400 seconds"
ENDS = "only one test end condition (-t, -n, -k) may be specified"
PORT = "port number must be between 1 and 65535 inclusive"
FORMAT = "bad format specifier (valid formats are in the set [kmgtKMGT])"
INTERVAL = "invalid report interval (min = 0.1, max = 60 seconds)"
PARALLEL = "invalid number of parallel streams (min = 1, max = 128)"
BLOCK = "block size too large (maximum = 1048576 bytes)"
UDP_BLOCK = "block size invalid (minimum = 16 bytes, maximum = 65507 bytes)"
WINDOW = "socket buffer size too large (maximum = 536870912 bytes)"
UNIT = "invalid unit value or suffix: '%s'"
BURST = "invalid burst count (maximum = 1000)"
MSS = "TCP MSS too large (maximum = 32767 bytes)"
OMIT = "bogus value for --omit (maximum = 600 seconds)"
TOS = "bad TOS value (must be between 0 and 255 inclusive)"
DSCP = ("bad DSCP value (numeric: 0-63 inclusive, symbolic: one of [af11-13, af21-23, "
        "af31-33, af41-43, cs1-7, ef, va, lowdelay, throughput, reliability])")
BOTH_WAYS = "cannot be both reverse and bidirectional"
RCV_TIMEOUT = "receive timeout value is incorrect or not in range: "
RCV_MODE = "client receive timeout is valid only in receiving mode: "
SND_TIMEOUT = "send timeout value is incorrect or not in range: "
KEEPALIVE = ("control connection Keepalive period should be larger than the full retry "
             "period (interval * count): ")
CLIENT_AUTH = "you must specify a username, password, and path to a valid RSA public key"
SERVER_AUTH = ("you must specify a path to a valid RSA private key and a user credential "
               "file")
SKEW = "skew threshold must be a positive number"
IDLE = "idle timeout parameter is not positive or larger than allowed limit"
AVERAGE = "invalid time interval for calculating average data rate"
FLOW = "unable to set IPv6 flow label"
AFFINITY = "unable to set CPU affinity: "
NO_CONNECTION = ("unable to connect to server - server may have stopped running or use a "
                 "different port, firewall issue, etc.: ")

# Command line, words, and whether 3.12 says the same.
PARAMETER_ERRORS = [
    ("", "must either be a client (-c) or server (-s)", True),
    ("-D", "must either be a client (-c) or server (-s)", True),
    ("-1", "must either be a client (-c) or server (-s)", True),
    ("-t 5", "must either be a client (-c) or server (-s)", True),
    ("-s -c h", "cannot be both server and client", True),
    ("-c h -s", "cannot be both server and client", True),
    ("-s -u", ROLE_CLIENT, True),
    ("-s -t 5", ROLE_CLIENT, True),
    ("-s -P 2", ROLE_CLIENT, True),
    ("-s -b 1M", ROLE_CLIENT, True),
    ("-s -n 5", ROLE_CLIENT, True),
    ("-s -R", ROLE_CLIENT, True),
    ("-s --bidir", ROLE_CLIENT, True),
    ("-s -Z", ROLE_CLIENT, True),
    ("-s -O 1", ROLE_CLIENT, True),
    ("-s -N", ROLE_CLIENT, True),
    ("-s -C reno", ROLE_CLIENT, True),
    ("-s -M 1000", ROLE_CLIENT, True),
    ("-s -w 64K", ROLE_CLIENT, True),
    ("-s -l 1000", ROLE_CLIENT, True),
    ("-s --cport 9999", ROLE_CLIENT, False),
    ("-s --get-server-output", ROLE_CLIENT, True),
    ("-s --udp-counters-64bit", ROLE_CLIENT, False),
    ("-s --username x", ROLE_CLIENT, True),
    ("-s -T title", ROLE_CLIENT, True),
    ("--gsro -s", ROLE_CLIENT, False),
    ("-c h -1", ROLE_SERVER, True),
    ("-c h -D", ROLE_SERVER, True),
    ("-c h --idle-timeout 5", ROLE_SERVER, True),
    ("-c h --server-bitrate-limit 1M", ROLE_SERVER, True),
    ("-c h --server-max-duration 5", ROLE_SERVER, False),
    ("-c h --rsa-private-key-path x", ROLE_SERVER, True),
    ("-c h --authorized-users-path x", ROLE_SERVER, True),
    ("-c h --time-skew-threshold 5", ROLE_SERVER, True),
    ("-c h -p 0", PORT, True),
    ("-c h -p 65536", PORT, True),
    ("-c h -p -1", PORT, True),
    ("-c h -p abc", PORT, True),
    ("-s -p 99999999999999999999", PORT, False),
    ("-c h --cport 0", PORT, False),
    ("-c h --cport 65536", PORT, False),
    ("-c h -f x", FORMAT, True),
    ("-c h -f ''", FORMAT, False),
    ("-c h -i 0.05", INTERVAL, True),
    ("-c h -i 61", INTERVAL, True),
    ("-c h -i -1", INTERVAL, True),
    ("-c h -i nan", INTERVAL, False),
    ("-c h -i inf", INTERVAL, True),
    ("-s -i 61", INTERVAL, True),
    ("-c h -t 86401", DURATION, False),
    ("-c h -t -1", DURATION, False),
    ("-c h -t 99999999999999999999", DURATION, False),
    ("-c h -t 1 -n 5", ENDS, True),
    ("-c h -t 1 -k 5", ENDS, True),
    ("-c h -n 5 -k 5", ENDS, True),
    ("-c h -P 129", PARALLEL, False),
    ("-c h -P 0", PARALLEL, False),
    ("-c h -P -1", PARALLEL, False),
    ("-c h -P x", PARALLEL, False),
    ("-c h -l 2M", BLOCK, True),
    ("-c h -l 1048577", BLOCK, True),
    ("-c h -l 1000T", BLOCK, False),
    ("-c h -u -l 65508", UDP_BLOCK, True),
    ("-c h -l 65508 -u", UDP_BLOCK, True),
    ("-c h -u -l 15", UDP_BLOCK, True),
    ("-c h -w 600M", WINDOW, True),
    ("-c h -w 5X", UNIT % "5X", False),
    ("-c h -n 5X", UNIT % "5X", False),
    ("-c h -n x", UNIT % "x", False),
    ("-c h -n ''", UNIT % "", False),
    ("-c h -n -5", UNIT % "-5", False),
    ("-c h -n 99999999T", UNIT % "99999999T", False),
    ("-c h -b 5Q", UNIT % "5Q", False),
    ("-c h -b -1M", UNIT % "-1M", False),
    ("-c h --fq-rate x", UNIT % "x", False),
    ("-c h --connect-timeout x", UNIT % "x", False),
    ("-s --server-bitrate-limit x", UNIT % "x", False),
    ("-c h -b 1M/1001", BURST, True),
    ("-c h -b 1M/0", BURST, True),
    ("-c h -b 1M/-1", BURST, True),
    ("-c h -M 32768", MSS, False),
    ("-c h -M -1", MSS, False),
    ("-c h -O 601", OMIT, False),
    ("-c h -O -1", OMIT, False),
    ("-c h -S 256", TOS, True),
    ("-c h -S -1", TOS, True),
    ("-c h -S 0x100", TOS, True),
    ("-c h -S 8x", TOS, False),
    ("-c h --dscp 64", DSCP, False),
    ("-c h --dscp foo", DSCP, False),
    ("-c h --dscp ''", DSCP, False),
    ("-c h -R --bidir", BOTH_WAYS, True),
    ("-c h --bidir -R", BOTH_WAYS, True),
    ("-c h --rcv-timeout 500", RCV_MODE, True),
    ("-c h -R --rcv-timeout 99", RCV_TIMEOUT, True),
    ("-c h -R --rcv-timeout 86400001", RCV_TIMEOUT, True),
    ("-s --rcv-timeout x", RCV_TIMEOUT, True),
    ("-c h --snd-timeout -1", SND_TIMEOUT, True),
    ("-c h --snd-timeout 86400001", SND_TIMEOUT, True),
    ("-c h --cntl-ka=5/3/3", KEEPALIVE, False),
    ("-c h --cntl-ka=9/3/3", KEEPALIVE, False),
    ("-c h --username bob", CLIENT_AUTH, True),
    ("-c h --rsa-public-key-path x", CLIENT_AUTH, True),
    ("-s --rsa-private-key-path x", SERVER_AUTH, True),
    ("-s --authorized-users-path x", SERVER_AUTH, True),
    ("-s --time-skew-threshold 0", SKEW, True),
    ("-s --time-skew-threshold -3", SKEW, True),
    ("-s --idle-timeout 0", IDLE, True),
    ("-s --idle-timeout 86401", IDLE, True),
    ("-s --server-bitrate-limit 1M/0.01", AVERAGE, False),
    ("-s --server-bitrate-limit 1M/61", AVERAGE, False),
    ("-s --server-max-duration -5", DURATION, False),
    ("-s --server-max-duration 86401", DURATION, False),
    ("-c h -L 0", FLOW, True),
    ("-c h -L 0x100000", FLOW, True),
    ("-c h -L x", FLOW, True),
    ("-c h -A 5000", AFFINITY, True),
    ("-c h -A -1", AFFINITY, True),
    ("-c h -A 0,5000", AFFINITY, True),
    ("-c h -u -F x", "cannot transfer file using UDP", False),
]

# What getopt itself says. 3.12 says it with the path of the program.
WORD_ERRORS = [
    ("-c h --no-such-option", "unrecognized option '--no-such-option'"),
    ("-c h -T", "option requires an argument -- 'T'"),
    ("-c h -q", "invalid option -- 'q'"),
    ("-c h --port", "option '--port' requires an argument"),
    ("-c h --json=1", "option '--json' doesn't allow an argument"),
    ("-c h -d=1", "invalid option -- '='"),
]


def words(line):
    """A little shell: blanks separate, '' is an empty word."""
    return ["" if w == "''" else w for w in line.split()]


class Refused(TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def ask(self, program, argv, **options):
        return run([program] + argv, cwd=self.folder, timeout=15, **options)

    def test_parameters(self):
        for line, text, _ in PARAMETER_ERRORS:
            with self.subTest(line=line):
                done = self.ask(tool("iperf3"), words(line))
                self.assertEqual(done.stderr, PARAMETER + text + "\n" + USAGE)
                self.assertEqual(done.stdout, "")
                self.assertEqual(done.code, 1)

    def test_parameters_like_upstream(self):
        theirs = upstream("iperf3")
        for line, text, same in PARAMETER_ERRORS:
            if not same:
                continue
            with self.subTest(line=line):
                done = self.ask(theirs, words(line))
                self.assertEqual(done.stderr.split("\n\n")[0].rstrip("\n"),
                                 PARAMETER + text)
                self.assertEqual(done.code, 1)

    def test_json_does_not_matter(self):
        """Parameter errors are never JSON."""
        done = self.ask(tool("iperf3"), ["-J", "-c", "h", "-P", "129"])
        self.assertEqual((done.code, done.stdout), (1, ""), done)
        self.assertEqual(done.stderr, PARAMETER + PARALLEL + "\n" + USAGE)

    def test_words(self):
        for line, text in WORD_ERRORS:
            with self.subTest(line=line):
                done = self.ask(tool("iperf3"), words(line))
                self.assertEqual(done.stderr, "iperf3: " + text + "\n" + USAGE)
                self.assertEqual((done.code, done.stdout), (1, ""))

    def test_words_like_upstream(self):
        theirs = upstream("iperf3")
        for line, text in WORD_ERRORS:
            with self.subTest(line=line):
                done = self.ask(theirs, words(line))
                self.assertEqual(done.stderr.split("\n")[0], theirs + ": " + text)
                self.assertEqual(done.code, 1)

    def test_keys(self):
        """A key that cannot be read is named before the parameter error."""
        mine = tool("iperf3")
        bad = os.path.join(self.folder, "bad.pem")
        with open(bad, "w") as f:
            f.write("no key\n")
        for path, reason in (("nosuch.pem", "No such file or directory"),
                             (self.folder, "Is a directory"), (bad, ".+")):
            for argv, text in (
                    (["-c", "h", "--username", "x", "--rsa-public-key-path", path],
                     CLIENT_AUTH),
                    (["-s", "--rsa-private-key-path", path, "--authorized-users-path", bad],
                     SERVER_AUTH)):
                with self.subTest(argv=argv):
                    done = self.ask(mine, argv, env={"IPERF3_PASSWORD": "p"})
                    first, rest = done.stderr.split("\n", 1)
                    self.assertRegex(first, "^iperf3: %s: %s$" % (path, reason))
                    self.assertEqual(rest, PARAMETER + text + "\n" + USAGE)
                    self.assertEqual((done.code, done.stdout), (1, ""))

    def test_version_and_help(self):
        for option in ("-v", "--version", "-h", "--help"):
            done = self.ask(tool("iperf3"), [option])
            self.assertEqual((done.code, done.stderr), (0, ""), done)
        self.assertRegex(self.ask(tool("iperf3"), ["-v"]).stdout,
                         r"^iperf 3\.\d+.*\nLinux .*\nOptional features available: .+\n$")


class Start(TestCase):
    """Errors after the command line was read: "iperf3: error - ...", exit 1."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.port = free_port()  # nobody listens

    def failed(self, argv, text, **options):
        done = run([tool("iperf3")] + argv, cwd=self.folder, timeout=15, **options)
        self.assertEqual(done.stderr, "iperf3: error - " + text + "\n", done)
        self.assertEqual((done.code, done.stdout), (1, ""), done)

    def test_nobody_there(self):
        self.failed(["-c", "127.0.0.1", "-p", self.port],
                    NO_CONNECTION + "Connection refused")
        self.failed(["-c", "::1", "-p", self.port, "-u"],
                    NO_CONNECTION + "Connection refused")

    def test_no_such_host(self):
        self.failed(["-c", "no.such.host.invalid"],
                    NO_CONNECTION + "Name or service not known")

    def test_wrong_family(self):
        self.failed(["-4", "-c", "::1"],
                    NO_CONNECTION + "is IPv6, but IPv4 was asked for")
        self.failed(["-6", "-c", "127.0.0.1"],
                    NO_CONNECTION + "is IPv4, but IPv6 was asked for")

    def test_local_address(self):
        self.failed(["-c", "127.0.0.1", "-p", self.port, "-B", "203.0.113.9"],
                    NO_CONNECTION + "Cannot assign requested address")

    def test_no_such_device(self):
        done = run([tool("iperf3"), "-c", "127.0.0.1", "-p", self.port, "--bind-dev",
                    "nodev0"])
        self.assertEqual((done.code, done.stdout), (1, ""), done)
        self.assertRegex(done.stderr, "^iperf3: error - .+\n$")

    def test_files(self):
        self.failed(["-c", "127.0.0.1", "--logfile", "nodir/x"],
                    "unable to open log file: No such file or directory")
        self.failed(["-s", "-p", self.port, "--pidfile", "nodir/x"],
                    "unable to write PID file: No such file or directory")
        self.failed(["-c", "127.0.0.1", "-p", self.port, "-F", "nosuch"],
                    "unable to open -F file: No such file or directory")

    def test_port_taken(self):
        with socket.socket() as s:
            s.bind(("", self.port))
            s.listen(1)
            done = run([tool("iperf3"), "-s", "-p", self.port])
        self.assertEqual((done.code, done.stdout), (1, ""), done)
        self.assertEqual(done.stderr, "iperf3: error - unable to start listener for "
                         "connections: Address already in use\niperf3: exiting\n")

    def test_pidfile_of_a_living_process(self):
        path = os.path.join(self.folder, "pid")
        with open(path, "w") as f:
            f.write("%d" % os.getpid())
        done = run([tool("iperf3"), "-s", "-p", self.port, "-I", path])
        self.assertEqual((done.code, done.stdout), (1, ""), done)
        self.assertEqual(done.stderr, "Another instance of iperf3 appears to be running\n")
        with open(path) as f:
            self.assertEqual(f.read(), "%d" % os.getpid())

    def test_congestion_unknown(self):
        served = start([tool("iperf3"), "-s", "-p", self.port])
        served.wait_listening(self.port)
        done = run([tool("iperf3"), "-c", "127.0.0.1", "-p", self.port, "-n", "1K", "-C",
                    "nosuchcc"])
        self.assertEqual(done.code, 1, done)
        self.assertIn("iperf3: error - unable to set TCP_CONGESTION: Supplied congestion "
                      "control algorithm not supported on this host\n", done.stderr)

    def test_window_not_granted(self):
        served = start([tool("iperf3"), "-s", "-p", self.port])
        served.wait_listening(self.port)
        done = run([tool("iperf3"), "-c", "127.0.0.1", "-p", self.port, "-n", "1K", "-w",
                    "512M"])
        self.assertEqual(done.code, 1, done)
        self.assertIn("iperf3: error - socket buffer size not set correctly\n",
                      done.stderr)

    def test_json(self):
        """With -J the same words are in the document, and nothing is on stderr."""
        for more in ([], ["-u"], ["-R"], ["--get-server-output"]):
            done = run([tool("iperf3"), "-c", "127.0.0.1", "-p", self.port, "-J"] + more)
            self.assertEqual((done.code, done.stderr), (1, ""), done)
            document = json.loads(done.stdout)
            self.assertEqual(document["error"], NO_CONNECTION + "Connection refused")
            self.assertEqual(document["intervals"], [])
            self.assertEqual(document["end"], {})

    def test_json_stream(self):
        done = run([tool("iperf3"), "-c", "127.0.0.1", "-p", self.port, "--json-stream"])
        self.assertEqual((done.code, done.stderr), (1, ""), done)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([e["event"] for e in events][-2:], ["error", "end"], done)
        self.assertEqual(events[-2]["data"], NO_CONNECTION + "Connection refused")

    def test_output_that_cannot_be_written(self):
        for json_option in ([], ["-J"], ["--json-stream"]):
            port = free_port()
            server = start([tool("iperf3"), "-s", "-1", "-p", port])
            server.wait_listening(port)
            with open("/dev/full", "wb") as full:
                client = start([tool("iperf3"), "-c", "127.0.0.1", "-p", port, "-n", "1K"] +
                               json_option, stdout=full)
                self.assertEqual(client.wait(), 1, client)
            self.assertIn("unable to write the output", client.stderr)
            server.wait()

    def test_warnings_with_json(self):
        done = run([tool("iperf3"), "-c", "127.0.0.1", "-p", self.port, "-J", "-f", "m",
                    "-V", "-d"])
        self.assertEqual(done.stderr, (
            "warning: Report format (-f) flag ignored with JSON output (-J)\n"
            "warning: Verbose output (-v) may interfere with JSON output (-J)\n"
            "warning: Debug output (-d) may interfere with JSON output (-J)\n"))
        self.assertEqual(done.code, 1)


class AnyValue(TestCase):
    """Whatever an option is given: an end within seconds, an exit code of 1, and one of
    the two shapes of error. 0 with an error printed would mislead scripts."""

    VALUES = ["", "x", "-1", "0", "1", "1.5", "99999999999999999999", "-9999999999999999999",
              "1e400", "nan", "0x10", "10M/", "10M/x", "/5", "%n%s%s", "\xff\xfe",
              "9" * 5000, "a,b", ",", "K", "1KK"]
    # These read names (of hosts), or leave the process.
    NOT = {"client", "bind", "xbind", "daemon", "help", "version", "server", "port"}

    def words(self):
        """Each option with each value, as far as it takes one."""
        done = run([tool("iperf3"), "--dump-options"])
        for line in done.stdout.splitlines():
            short, name, argument = line.split("\t")[:3]
            if name in self.NOT or name == "-":
                continue
            if argument == "-":
                yield "--" + name
            else:
                for value in self.VALUES:
                    yield "--%s=%s" % (name, value)

    def test_every_option(self):
        with tempfile.TemporaryDirectory() as folder:
            taken, free = free_port(), free_port()
            jobs = [(role, word) for word in self.words() for role in (
                ["-c", "127.0.0.1", "-p", free], ["-s", "-p", taken])]
            self.assertGreater(len(jobs), 500)

            def one(job):
                return run([tool("iperf3")] + job[0] + [job[1]], cwd=folder, timeout=20,
                           env={"IPERF3_PASSWORD": "p"})

            # So that a server ends at once.
            with socket.create_server(("", taken), family=socket.AF_INET6,
                                      dualstack_ipv6=True), \
                    concurrent.futures.ThreadPoolExecutor(4) as pool:
                for job, done in zip(jobs, pool.map(one, jobs)):
                    with self.subTest(role=job[0][0], word=job[1][:60]):
                        self.judge(done)

    def judge(self, done):
        self.assertEqual(done.code, 1, done)
        text = done.stderr
        if '"error"' in done.stdout:
            self.assertIn("error", json.dumps(self.parse(done)))
        elif "iperf3: parameter error - " in text or "iperf3: option" in text or \
                "iperf3: unrecognized" in text:
            self.assertTrue(text.endswith(USAGE), done)
            self.assertEqual(done.stdout, "", done)
        elif "--pidfile" in done.argv[-1] and "Another instance" in text:
            pass  # client and server run at the same time
        elif "--logfile" not in done.argv[-1]:
            self.assertIn("iperf3: error - ", text, done)

    def parse(self, done):
        """Any number of JSON documents."""
        documents, rest = [], done.stdout
        while rest.strip():
            document, end = json.JSONDecoder().raw_decode(rest.lstrip())
            documents.append(document)
            rest = rest.lstrip()[end:]
        return documents


if __name__ == "__main__":
    unittest.main()
