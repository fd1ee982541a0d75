# SPDX-License-Identifier: BSD-2-Clause
"""nuttcp prints what nuttcp 8.2.2 prints, but for differences that are named here.

compat-tests/golden/nuttcp/NN-*.txt are transcripts of 8.2.2, as captured. Each is run again
with ours at both ends. All lines must have the same shape, numbers apart; how many interval
lines there are may differ, since a tick may coincide with the end."""

import glob
import os
import re
import signal
import socket
import subprocess
import time
import unittest

from harness import (Netns, SANITIZED, TestCase, connect_tcp, free_port, need_root, run,
                     shape, start, tool)

BOUND_S = 300
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nuttcp")
INTERVAL = re.compile(r"^(\S+: )*(N B / N sec|megabytes=N real_sec=N)")


def transcript(number):
    """Headers and the sections of a transcript, as lists of lines."""
    path, = glob.glob(os.path.join(FOLDER, number + "-*.txt"))
    head, sections, lines = {}, {}, None
    with open(path) as f:
        for line in f.read().splitlines():
            found = re.match(r"# ([\w ]+):(?: (.*))?$", line)
            if found and found.group(1).endswith(("stdout", "stderr")):
                lines = sections.setdefault(found.group(1), [])
            elif found:
                head.setdefault(found.group(1), found.group(2))
            elif lines is not None:
                lines.append(line)
    return head, {k: "\n".join(v).rstrip("\n") for k, v in sections.items()}


def words(command, ports):
    """The words behind the program's name, with free ports in place of the captured ones."""
    command = re.sub(r"\s+\(version [\d.]+\)", "", command)
    return re.sub(r"(?<!\d)22\d\d\d(?!\d)", lambda m: str(ports[m.group(0)]), command).split()[1:]


def shaped(text):
    """Shapes of all lines, a row of interval lines as one."""
    lines = []
    for line in shape(text).splitlines():
        # What depends on there being a retransmission.
        line = re.sub(r"retrans = N \( N(\+N)+ \)", "retrans = N", line)
        line = re.sub(r"retrans=N retrans_by_stream=N(\+N)+", "retrans=N", line)
        line = re.sub(r"N = N(\+N)+ retrans", "N retrans", line)
        line = re.sub(r"\bhost-retrans", "retrans", line)
        # Grammar goes by the number.
        line = re.sub(r"\bseconds?\b", "seconds", line)
        if lines and line == lines[-1] and INTERVAL.match(line) and "TX" not in line:
            continue
        lines.append(line)
    return lines


class Ports(dict):
    """22000 and its like, each with a free port of its own; neighbours stay neighbours."""

    def __missing__(self, captured):
        base = self.setdefault("base", free_port(8))
        order = {"22000": 0, "22001": 1, "22050": 2, "22060": 3, "22100": 4}
        self[captured] = base + order.get(captured, 7)
        return self[captured]


class Transcript(TestCase):
    def server(self, command, ports, netns=None, **options):
        argv = words(command, ports)
        server = start([tool("nuttcp")] + argv, netns=netns, **options)
        at = argv.index("-P") + 1
        if "--nofork" in argv:
            server.wait_listening(argv[at])
        else:
            # It goes to the background once it listens.
            self.assertEqual(server.wait(), 0, server)
            self.addCleanup(end_daemon, argv[at])
        return server

    def compare(self, head, sections, done, change=lambda text: text):
        with self.subTest(head["client"]):
            self.assertEqual(done.code, int(head["exit"]), done)
            self.assertEqual(shaped(done.stdout),
                             shaped(change(sections.get("client stdout", ""))), done)
            self.assertEqual(shaped(done.stderr),
                             shaped(sections.get("client stderr", "")), done)

    def loopback(self, *numbers):
        for number in numbers:
            ports = Ports()
            head, sections = transcript(number)
            server = self.server(head["server"], ports)
            done = run([tool("nuttcp")] + words(head["client"], ports))
            self.compare(head, sections, done)
            if "--nofork" in server.argv and "-S" in server.argv:
                server.stop(signal.SIGTERM)

    def two_hosts(self, *numbers):
        left, right = Netns("left"), Netns("right")
        left.link(right, "a", "b")
        left.address("a", "10.77.0.1/24")
        right.address("b", "10.77.0.2/24")
        for ns, device in ((left, "a"), (right, "b")):
            ns.sysctl("net.ipv4.tcp_congestion_control", "reno")
            ns.rate(device, "20mbit", latency="10ms")
            ns.ip("route", "add", "default", "dev", device)
        for number in numbers:
            ports = Ports()
            head, sections = transcript(number)
            server = self.server(head["server"], ports, netns=right)
            done = left.run([tool("nuttcp")] + words(head["client"], ports))
            self.compare(head, sections, done)
            server.stop()


def end_daemon(port):
    """End the server that went to the background and listens on this port."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as f:
                argv = f.read().split(b"\0")
        except OSError:
            continue
        if argv[0] == tool("nuttcp").encode() and str(port).encode() in argv:
            os.kill(int(pid), signal.SIGTERM)


class Tcp(Transcript):
    def test_directions(self):
        self.loopback("02", "03", "04", "05", "06")

    def test_streams(self):
        self.loopback("07", "08", "23")

    def test_verbose(self):
        self.loopback("09", "10", "16", "17", "20", "22")

    def test_parse_and_formats(self):
        self.loopback("11", "12", "13", "14")

    def test_sizes(self):
        self.loopback("15", "18", "19", "25")

    def test_ipv6(self):
        self.loopback("21")

    def test_bottleneck(self):
        need_root()
        self.two_hosts("26", "27", "28", "29")

    def test_warning(self):
        self.loopback("77")


class Udp(Transcript):
    def test_rates(self):
        self.loopback("30", "31", "32", "33", "43")

    def test_formats(self):
        # Captured with loss; without it the shape is the same.
        self.loopback("34", "35", "36", "38")

    def test_parse_and_verbose(self):
        self.loopback("37", "39", "40")

    def test_times(self):
        self.loopback("41", "42", "44")

    def test_two_hosts(self):
        need_root()
        self.two_hosts("47", "48")


class Others(Transcript):
    def third(self, number):
        ports = Ports()
        head, sections = transcript(number)
        for name in ("server", "server 1", "server 2"):
            if name in head:
                self.server(head[name], ports)
        done = run([tool("nuttcp")] + words(head["client"], ports))
        return head, sections, done

    def test_third_party(self):
        for number in ("50", "51", "52", "53", "55"):
            self.compare(*self.third(number))

    def test_third_party_fails(self):
        """The text is upstream's; the exit code is not 0 any more."""
        head, sections, done = self.third("54")
        head["exit"] = "1"
        self.compare(head, sections, done)

    def test_oneshot(self):
        self.loopback("60")

    def test_pipes(self):
        for number, given in (("61", b"hello over the wire\n" * 3),
                              ("62", b"data served by the server\n" * 2)):
            ports = Ports()
            head, sections = transcript(number)
            feed = subprocess.PIPE if number == "62" else None
            server = start([tool("nuttcp")] + words(head["server"], ports), stdin=feed)
            server.wait_listening(ports["22000"])
            if feed:
                server.stdin.write(given)
                server.stdin.close()
            done = run([tool("nuttcp")] + words(head["client"], ports),
                       stdin=None if feed else given)
            self.assertEqual(server.wait(), 0, server)
            self.assertEqual(done.code, 0, done)
            got = done.out_bytes if feed else server.out_bytes
            self.assertEqual(got, given)
            name = "client stderr" if feed else "client stdout"
            self.assertEqual(shaped(done.stderr if feed else done.stdout),
                             shaped(sections[name]), done)

    def test_super_server(self):
        head, sections = transcript("63")
        ports = Ports()
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", ports["22000"]))
            listener.listen(1)
            client = start([tool("nuttcp")] + words(head["client"], ports))
            connection, _ = listener.accept()
        with connection:
            server = start([tool("nuttcp"), "-S"], stdin=connection, stdout=connection,
                           stderr=connection)
        self.assertEqual(client.wait(), 0, client)
        self.assertEqual(server.wait(), 0, server)
        self.assertEqual(shaped(client.stdout), shaped(sections["client stdout"]))

    def test_classic(self):
        """One line more than upstream: which port refused."""
        head, sections = transcript("64")
        ports = Ports()
        with socket.socket() as sink:
            sink.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sink.bind(("127.0.0.1", ports["22100"]))
            sink.listen(1)
            client = start([tool("nuttcp")] + words(head["client"], ports))
            connection, _ = sink.accept()
            with connection:
                size = 0
                while True:
                    piece = connection.recv(1 << 20)
                    if not piece:
                        break
                    size += len(piece)
        self.assertEqual(client.wait(), 0, client)
        self.assertEqual(size, 100 * 65536)
        self.assertEqual(shaped(client.stdout), shaped(sections["client stdout"]))
        first, _, rest = client.stderr.partition("\n")
        self.assertEqual(first, "nuttcp-t: Info: control port %d of 127.0.0.1: connection "
                         "refused" % ports["22000"])
        self.assertEqual(shaped(rest), shaped(sections["client stderr"]))

    def test_classic_receiver(self):
        head, sections = transcript("65")
        ports = Ports()
        server = start([tool("nuttcp")] + words(head["server"], ports) + ["--nofork"])
        server.wait_listening(ports["22000"])
        done = run([tool("nuttcp")] + words(head["client"], ports))
        self.compare(head, sections, done)
        self.assertEqual(server.wait(), 0, server)
        self.assertEqual(server.stderr.rstrip(), sections["server stderr"].rstrip())

    def test_interrupted(self):
        for number in ("79", "81"):
            ports = Ports()
            head, sections = transcript(number)
            self.server(head["server"], ports)
            client = start([tool("nuttcp")] + words(head["client"], ports))
            client.wait_line(r"Mbps", count=2)
            client.send_signal(signal.SIGINT)
            self.assertEqual(client.wait(), 0, client)
            self.assertEqual(shaped(client.stdout), shaped(sections["client stdout"]))

    def test_data_port_busy(self):
        head, sections = transcript("75")
        ports = Ports()
        self.server(head["server 1"], ports)
        with socket.socket() as other:
            other.bind(("0.0.0.0", ports["22100"]))
            other.listen(1)
            done = run([tool("nuttcp")] + words(head["client"], ports))
        self.compare(head, sections, done)


class CommandLine(TestCase):
    """File 70: many commands with what they print. Named differences:"""

    OTHER = {
        # the reason names the value as typed
        "-lx": "invalid buflen = x",
    }
    # What a refused control port makes of it has its own tests; -d differs by privilege.
    REFUSED = "attempting to switch|connect failed|connect: Connection refused"

    def cases(self):
        with open(os.path.join(FOLDER, "70-errors-command-line.txt")) as f:
            for block in f.read().split("# client: ")[1:]:
                command, _, rest = block.partition("\n")
                yield (command.split()[1:], int(re.search(r"# exit: (\d+)", rest).group(1)),
                       rest.partition("# client stdout:\n")[2].partition(
                           "# client stderr:\n"))

    def test_each(self):
        count = 0
        for argv, code, (out, _, err) in self.cases():
            if re.search(self.REFUSED, err):
                continue
            count += 1
            with self.subTest(" ".join(argv)):
                done = run([tool("nuttcp")] + argv)
                self.assertEqual(done.code, code, done)
                self.assertEqual(done.stdout.strip(), out.strip(), done)
                want = self.OTHER.get(argv[0], err.strip())
                self.assertEqual(done.stderr.strip(), want, done)
        self.assertGreater(count, 50)

    def test_refused(self):
        """Nothing listens on the control port."""
        count = 0
        for argv, code, (out, _, err) in self.cases():
            if not re.search(self.REFUSED, err) or "-d" in argv:
                continue
            count += 1
            port = free_port(8)
            argv = ["-P%d" % port if a.startswith("-P") else
                    "-p%d" % (port + 1) if a.startswith("-p") else a for a in argv]
            if not any(a.startswith("-P") for a in argv):
                argv = ["-P%d" % port] + argv
            with self.subTest(" ".join(argv)):
                done = run([tool("nuttcp")] + argv)
                self.assertEqual(done.code, code, done)
                self.assertEqual(done.stdout.strip(), out.strip(), done)
                lines = [line for line in done.stderr.strip().splitlines()
                         if "control port %d" % port not in line and
                         "control_port_%d" % port not in line]
                self.assertEqual(lines, err.strip().splitlines(), done)
        self.assertGreater(count, 10)


class ControlErrors(TestCase):
    """File 85: what a server answers. Ours also answers where upstream's process died: with
    fields missing they have their defaults."""

    BASE = ("buflen = 65536, nbuf = 10, win = 0, nstream = 1, rate = 4294967295, port = 22100, "
            "trans = 1, braindead = 0, timeout = 1.000000, udp = 0, vers = 8.2.2, "
            "interval = 0.000000, reverse = 0, format = 2048, traceroute = 0, irate = 0, "
            "thirdparty = _NULL_ , multicast = 0 , ssm = 0 , datamss = 0 , tos = 0 , "
            "nbuf_bytes = 0 , rate_pps = 0 , nodelay = 0 , affinity = -1 , maxburst = 1 , "
            "do_jitter = 0 , do_owd = 0 , stride = 0 , multilink = 0, group = _NULL_ , "
            "srcport = 0, iratesss = 0")

    def setUp(self):
        self.ports = Ports()
        self.server = start([tool("nuttcp"), "-S", "--nofork", "-P", self.ports["22000"]])
        self.server.wait_listening(self.ports["22000"])

    def ask(self, lines):
        connection = connect_tcp(self.ports["22000"])
        connection.sendall("".join(line + "\n" for line in lines).encode())
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while True:
            piece = connection.recv(4096)
            if not piece:
                return answer.decode()
            answer += piece

    def cases(self):
        with open(os.path.join(FOLDER, "85-control-errors.txt")) as f:
            for block in f.read().split("# client sends: ")[1:]:
                sends, _, rest = block.partition("\n")
                yield sends, rest.partition("# server answers:\n")[2].partition(
                    "(end of file)")[0]

    def lines_of(self, sends):
        if sends.startswith("(nothing"):
            return []
        parts = sends.split(" | ")
        if parts[-1].startswith("(parameter line with) "):
            line = self.BASE
            for change in parts[-1].partition(") ")[2].split("; "):
                name, _, value = change.partition(" = ")
                line = re.sub(r"(^|[ ,])%s = [^ ,]+" % name,
                              lambda m: "%s%s = %s" % (m.group(1), name, value), line, 1)
            parts[-1] = line
        return [re.sub(r"(?<!\d)22\d\d\d(?!\d)", lambda m: str(self.ports[m.group(0)]), p)
                for p in parts]

    def test_each(self):
        count = 0
        for sends, answer in self.cases():
            count += 1
            with self.subTest(sends):
                lines = self.lines_of(sends)
                got = self.ask(lines)
                answer = re.sub(r"(?<!\d)22\d\d\d(?!\d)", lambda m: str(self.ports[m.group(0)]), answer)
                if answer == "HELO nuttcp v8.2.2\n":
                    self.assertTrue(got.startswith("HELO nuttcp v8.2.2\nOK v8.2.2\n"), got)
                else:
                    self.assertEqual(got, answer)
        self.assertGreater(count, 30)
        # It serves on.
        done = run([tool("nuttcp"), "-P", self.ports["22000"], "-p", self.ports["22100"],
                    "-n10", "127.0.0.1"])
        self.assertEqual(done.code, 0, done)


class Times(TestCase):
    """How long it takes is seen by users too."""

    def test_udp_marks(self):
        """0.25 s before the data, then BOD1; EOD1 half a second after EOD0."""
        port = free_port(2)
        server = start([tool("nuttcp"), "-S", "--nofork", "-P", port])
        server.wait_listening(port)
        began = time.monotonic()
        done = run([tool("nuttcp"), "-P", port, "-p", port + 1, "-u", "-T0.5", "127.0.0.1"])
        self.assertEqual(done.code, 0, done)
        self.assertGreater(time.monotonic() - began, 0.25 + 0.5 + 0.5)

    def test_waiting_is_idle(self):
        """Neither end burns time while it waits for data or marks."""
        port = free_port(2)
        server = start([tool("nuttcp"), "-S", "--nofork", "-P", port])
        server.wait_listening(port)
        for options in (("-u", "-i0.2"), ("-u", "-r", "-i0.2"), ("-R1m", "-i0.2"),
                        ("-r", "-R1m", "-i0.2"), ("-N3", "-R1m"), ("-u", "-N2")):
            done = run([tool("nuttcp"), "-P%d" % port, "-p%d" % (port + 1), "-T1"] +
                       list(options) + ["127.0.0.1"])
            tx, rx = re.search(r"(\d+) %TX (\d+) %RX", done.stdout).groups()
            self.assertLess(int(tx) + int(rx), 15 * (4 if SANITIZED else 1), done)


if __name__ == "__main__":
    unittest.main()
