# SPDX-License-Identifier: BSD-2-Clause
"""ttcp prints what ttcp 1.12 prints, but for differences that are named here.

compat-tests/golden/ttcp/NN_*.txt are transcripts of two builds of that line, as captured. Each
is run again with ours: same options, and what upstream said is turned into what ours must
say by ours_of(). Lines before the transfer and error lines must then be equal, lines of
figures must have the same shape, with the same number of bytes, and of calls where every
call moves one -l."""

import glob
import os
import re
import unittest

from harness import TestCase, free_port, golden, run, shape, start, tool
from harness.ttcp import Report, receiver, send

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ttcp")

# I/O calls of the end that listens and of the one that connects, where they are certain.
CALLS = {
    "02": (11, 10), "11": (None, 64), "13": (None, 11), "15": (5, 9), "16": (5, 9),
    "19": (7, 11), "26": (1, 0), "27": (1, 0),
}


def transcript(number):
    """Headers and the lines of each section of a transcript."""
    path, = glob.glob(os.path.join(FOLDER, number + "_*.txt"))
    head, sections, lines = {}, {}, None
    with open(path) as f:
        for line in f.read().splitlines():
            if line.startswith("## "):
                lines = sections.setdefault(" ".join(line[3:].split()[:2]), [])
            elif line.startswith("# "):
                name, _, value = line[2:].partition(": ")
                head[name] = value
            elif not line.startswith(("(", "first ")):  # remarks of who captured it
                lines.append(line[2:] if line.startswith("| ") else line)
    return head, sections


def ours_of(stdout, stderr):
    """What ours prints on standard error where upstream printed these two."""
    # Not the line that only one fork has; everything on standard error, in time's order.
    said = [line for line in stdout if not line.startswith("I am ")]
    lines = said[:1] + stderr + said[1:]
    role = lines[0][:len("ttcp-t")] if lines else ""
    # The other fork has no protocol at the end of a listening end's line, and a step more.
    lines = [line + "  tcp" if re.search(r"port=\d+(, sockbufsize=\d+)?$", line) else line
             for line in lines if not line.endswith(": listen")]
    # Whoever accepts was called a receiver.
    lines = [line.replace("ttcp-r: accept", role + ": accept") for line in lines]
    return [line.replace("::ffff:", "") for line in lines]


def no_figures(line):
    return re.sub(r"\bNx[0-9a-f]+$", "ADDRESS", shape(line))


def words(command, port):
    """The words of a command of a transcript, with this port."""
    command = re.sub(r"-p \d+", "-p %d" % port, command.partition(" <")[0])
    return [tool("ttcp")] + command.split()[1:]


class Transcripts(TestCase):
    def play(self, number, data=None, drop=()):
        """Both commands of a transcript, ours. drop: words to leave out of the listening
        command. Returns the results by name."""
        self.number, (self.head, self.sections) = number, transcript(number)
        self.port, self.done = free_port(), {}
        argv = [w for w in words(self.head["server"], self.port) if w not in drop]
        client = words(self.head["client"], self.port)
        server = start(argv)
        server.wait_listening(self.port, "udp" if "-u" in argv else "tcp")
        self.done["client"] = run(client, stdin=data)
        server.wait()
        self.done["server"] = server
        self.assertEqual((server.code, self.done["client"].code), (0, 0),
                         "%s\n%s" % (server, self.done["client"]))
        return self.done

    def upstream_lines(self, side):
        lines = ours_of(*(self.sections.get("%s %s" % (side, s), [])
                          for s in ("stdout", "stderr")))
        return [re.sub(r"port=\d+", "port=%d" % self.port, line) for line in lines]

    def compare(self, side, size=None):
        """Our output of one end with upstream's."""
        want, report = self.upstream_lines(side), Report(self.done[side])
        lines = self.done[side].stderr.splitlines()
        self.assertEqual(lines[:-report.lines], want[:-report.lines])
        self.assertEqual([no_figures(line) for line in lines[-report.lines:]],
                         [no_figures(line) for line in want[-report.lines:]])
        if size is None:
            size = int(want[-report.lines].split()[1])
        self.assertEqual(report.bytes, size)
        calls = CALLS.get(self.number, (None, None))[side == "client"]
        if calls is not None:
            self.assertEqual(report.calls, calls, "\n".join(lines))
        return report

    def same(self, number, **options):
        done = self.play(number, **options)
        reports = [self.compare(side) for side in ("server", "client")]
        for result in done.values():
            self.assertEqual(result.stdout, "")
        return reports

    def test_01_default_sink(self):
        self.same("01")

    def test_02_small_l_n(self):
        self.same("02")

    def test_03_verbose(self):
        self.same("03")

    def test_04_to_09_units(self):
        for number, unit in (("04", "Kbit"), ("05", "KB"), ("06", "Mbit"), ("07", "MB"),
                             ("08", "Gbit"), ("09", "GB")):
            with self.subTest(unit):
                for report in self.same(number):
                    self.assertEqual(report.unit, unit)

    def test_10_unknown_unit(self):
        self.same("10")

    def test_11_sockbuf_nodelay(self):
        self.same("11")

    def test_12_align_offset(self):
        for report, offset in zip(self.same("12"), (3, 1)):
            self.assertEqual(report.address % 4096, offset)

    def test_13_full_blocks(self):
        self.same("13")

    def test_14_touch(self):
        self.same("14")

    def test_15_udp(self):
        self.same("15")

    def test_16_udp_min_length(self):
        self.same("16")

    def test_19_udp_receiver_short_buffer(self):
        # Upstream counts what it cut off each datagram as not received.
        self.play("19")
        self.compare("server", size=500)
        self.compare("client")

    def test_20_ipv6(self):
        self.same("20")

    def test_21_ipv6_receiver_ipv4_sender(self):
        # Upstream's -6 takes IPv4 too; ours does so without -4 and -6.
        self.same("21", drop=["-6"])

    def test_22_reverse_R(self):
        self.same("22")

    def test_23_reverse_C_S(self):
        self.same("23")

    def test_24_pipe(self):
        data = os.urandom(100000)
        done = self.play("24", data=data)
        self.compare("server")
        self.compare("client")
        self.assertEqual(done["server"].out_bytes, data)
        self.assertEqual(done["client"].stdout, "")

    def test_26_empty_input(self):
        self.same("26", data=b"")

    def test_27_n_zero(self):
        self.same("27")

    def test_38_redhat_receiver_options(self):
        self.same("38", data=bytes(10000000))


class Alone(TestCase):
    """Transcripts of one end only."""

    def play(self, number, side="client", code=1):
        head, sections = transcript(number)
        port = free_port()
        done = run(words(head[side], port))
        self.assertEqual((done.code, done.stdout), (code, ""), done)
        want = ours_of(sections.get(side + " stdout", []), sections[side + " stderr"])
        return done, [re.sub(r"port=\d+", "port=%d" % port, line) for line in want]

    def with_report(self, done, want, size, calls):
        """An error, and then the report that upstream leaves out."""
        report = Report(done)
        self.assertEqual(report.before.splitlines(), want)
        self.assertEqual((report.bytes, report.calls), (size, calls), done)

    def test_17_udp_too_long(self):
        done, want = self.play("17")
        self.with_report(done, want, 0, 2)

    def test_18_udp_dead_port(self):
        # Upstream does not notice, and exits 0.
        done, want = self.play("18")
        self.assertEqual(Report(done).before.splitlines(), want[:2] + [
            "ttcp-t: IO: Connection refused", "errno=111"])

    def test_28_refused(self):
        done, want = self.play("28")
        self.assertEqual(done.stderr.splitlines(), want)

    def test_29_bad_host(self):
        # Upstream's reason is "Success".
        done, _ = self.play("29")
        self.assertRegex(done.stderr,
                         r"^ttcp-t: bad hostname: no-such-host\.invalid: (?!Success)\w.*\n$")

    def test_30_no_arguments(self):
        done, want = self.play("30", "server")
        self.assertEqual(done.stderr.splitlines()[:2], want)
        self.assertGreater(len(done.stderr.splitlines()), 20)

    def test_31_bad_option(self):
        done, want = self.play("31", "server")
        self.assertEqual(done.stderr.splitlines()[:3], want)

    def test_32_no_host(self):
        # With the reason before the usage.
        done, want = self.play("32")
        self.assertEqual(done.stderr.splitlines()[:3],
                         ["ttcp: -t needs the HOST to connect to"] + want)

    def test_33_no_family(self):
        # Only that fork insists on -4 or -6.
        receiver("-s")

    def test_34_receiver_disk_full(self):
        _, sections = transcript("34")
        with open("/dev/full", "w") as full:
            ours = receiver(stdout=full)
        sender = send(ours.port, stdin=bytes(8 << 20))
        ours.wait()
        self.assertEqual((ours.code, sender.code), (1, 1), sender)
        # The dialect of this transcript begins differently, and gives no report.
        self.assertEqual(Report(ours).before.splitlines()[-2:],
                         sections["server stderr"][-2:])
        self.assertRegex(Report(sender).before, r"\nttcp-t: IO: (Connection reset by peer\n"
                         r"errno=104|Broken pipe\nerrno=32)\n$")


class Texts(TestCase):
    """Help and version, on standard output as they were asked for."""

    def test_help(self):
        done = run([tool("ttcp"), "-h"])
        self.assertEqual((done.code, done.stderr), (0, ""))
        golden(self, os.path.join(FOLDER, "help.txt"), done.stdout)
        self.assertEqual(run([tool("ttcp"), "--help"]).stdout, done.stdout)
        self.assertEqual(run([tool("ttcp")]).stderr, done.stdout)

    def test_version(self):
        for option in ("-V", "--version"):
            done = run([tool("ttcp"), option])
            self.assertEqual((done.code, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"^ttcp \d+\.\d+\.\d+ \(netclassics\)\n$")


if __name__ == "__main__":
    unittest.main()
