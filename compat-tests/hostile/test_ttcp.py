# SPDX-License-Identifier: BSD-2-Clause
"""ttcp asked for nonsense, and ttcp among peers that reset, vanish, stay silent or crowd
in: it says what is wrong, in a bounded time, and a signal always ends it at once."""

import os
import pty
import random
import signal
import socket
import struct
import time
import unittest

from harness import (SANITIZED, Netns, TcpListener, TestCase, UdpPeer, connect_tcp, free_port,
                     need_program, read_exactly, run, start, tool, wait_until)
from harness.etc import etc_files
from harness.ttcp import Report, json_report, receiver, send, sender_argv, start_sender

AT_ONCE_S = 4 if SANITIZED else 1
STOPS = ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129))

SIZE_RANGE = r"out of range \(1\.\.1073741824\)"
# Arguments, and the only line on standard error.
BAD_VALUES = (
    ("-r -l 0", "-l 0: " + SIZE_RANGE),
    ("-r -l -1", "-l -1: " + SIZE_RANGE),
    ("-r -l 1T", "-l 1T: " + SIZE_RANGE),
    ("-r -l 99999999999999999999999", "-l 9+: " + SIZE_RANGE),
    ("-r -l abc", "-l abc: not a number"),
    ("-r -l 1e6", r"-l 1e6: may only end in k, m, g or t"),
    ("-t -s -n -1 host", r"-n -1: out of range \(0\.\.\d+\)"),
    ("-t -s -n x host", "-n x: not a number"),
    ("-t -s -n 9999999999999999 host", r"-n 9{16}: out of range \(0\.\.\d+\) with buffers of "
                                       r"8192 bytes"),
    ("-r -p 0", r"-p 0: out of range \(1\.\.65535\)"),
    ("-r -p 65536", r"-p 65536: out of range \(1\.\.65535\)"),
    ("-r -p -1", r"-p -1: out of range \(1\.\.65535\)"),
    ("-r -p http", "-p http: not a whole number"),
    ("-r -b -1", r"-b -1: out of range \(0\.\.2147483647\)"),
    ("-r -b 4G", r"-b 4G: out of range \(0\.\.2147483647\)"),
    ("-r -A -1", r"-A -1: out of range \(0\.\.\d+\)"),
    ("-r -O x", "-O x: not a number"),
    ("-t -w 1s host", "-w 1s: not a whole number"),
    ("-t -w 99999999999 host", r"-w 9+: out of range \(0\.\.60000000\)"),
    ("-r -u --idle-timeout -5", r"--idle-timeout -5: out of range \(0\.\.86400\)"),
    ("-r -u --idle-timeout x", "--idle-timeout x: not a number"),
    ("-t -u -R", "-u: not with -R, -C or -S: a UDP receiver cannot begin"),
)
# The same, with the usage after it.
BAD_WORDS = (
    ("-Z", "invalid option -- 'Z'"),
    ("-t -s -Q host", "invalid option -- 'Q'"),
    ("--nonsense", "unrecognized option '--nonsense'"),
    ("-t -p", "option requires an argument -- 'p'"),
    ("--idle-timeout", "option '--idle-timeout' requires an argument"),
    ("-t", "-t needs the HOST to connect to"),
    ("-t -s", "-t needs the HOST to connect to"),
    ("-r -C", "-r -R needs the HOST to connect to"),
)


class BadInput(TestCase):
    def refused(self, argv, line):
        done = run([tool("ttcp")] + argv)
        self.assertEqual((done.code, done.stdout), (1, ""), done)
        self.assertRegex(done.stderr.split("\n", 1)[0], "^ttcp: %s$" % line)
        self.assertLess(done.seconds, AT_ONCE_S, done)
        return done

    def test_values(self):
        for args, line in BAD_VALUES:
            with self.subTest(args):
                done = self.refused(args.split(), line)
                self.assertEqual(len(done.stderr.splitlines()), 1, done)

    def test_empty_values(self):
        for option in ("-l", "-n", "-p", "-b", "-w"):
            self.refused(["-r", option, ""], "%s : empty, needs a (whole )?number" % option)

    def test_words(self):
        for args, line in BAD_WORDS:
            with self.subTest(args):
                done = self.refused(args.split(), line)
                self.assertEqual(done.stderr.splitlines()[1],
                                 "Usage: ttcp -t [-options] host [ < in ]", done)

    def test_json_changes_nothing_about_that(self):
        self.refused(["--json", "-p", "0"], BAD_VALUES[9][1])

    def test_every_single_letter(self):
        """None crashes or hangs beside a bad value."""
        for letter in map(chr, set(range(33, 127)) - {ord("-")}):
            # Twice, as the first may be taken for a value.
            for argv in (["-" + letter, "-l0", "-l0"], ["-" + letter + "\x01", "-l0"]):
                done = run([tool("ttcp")] + argv)
                self.assertEqual((done.code, done.stdout), (1, ""), done)

    @unittest.skipIf(SANITIZED, "a sanitizer needs all the addresses")
    def test_no_memory(self):
        need_program("prlimit")
        done = run(["prlimit", "--as=300000000"] + sender_argv(1, "-s", "-l", "1G"))
        self.assertEqual((done.code, done.stderr),
                         (1, "ttcp-t: malloc: Cannot allocate memory\nerrno=12\n"))

    @unittest.skipIf(SANITIZED, "a sanitizer needs some of its own")
    def test_no_descriptors(self):
        need_program("prlimit")
        done = run(["prlimit", "--nofile=4"] + sender_argv(free_port(), "-s"))
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.stderr, r"^ttcp-t: (socket|bad hostname: .*): Too many open "
                                      r"files\nerrno=24\n$")


class NoConnection(TestCase):
    def test_refused(self):
        port = free_port()
        for host in ("127.0.0.1", "::1", "localhost"):
            done = send(port, "-s", host=host)
            self.assertEqual((done.code, done.stdout), (1, ""), done)
            self.assertEqual(done.stderr.splitlines()[1:], [
                "ttcp-t: socket", "ttcp-t: connect: Connection refused", "errno=111"])
            self.assertLess(done.seconds, AT_ONCE_S)

    def test_refused_on_a_port_that_it_might_take_itself(self):
        # A connection to one's own ephemeral port could meet itself.
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        for _ in range(30):
            self.assertEqual(send(port, "-s", "-n", 1).code, 1)

    def test_no_such_host(self):
        with etc_files(nsswitch_conf="hosts: files\n") as wrap:
            for host in ("no-such-host.invalid", "3com.invalid", "a b", "-", "x" * 300,
                         "999.1.1.1", "1.2.3.4.5", ":::1", "[::1", "%lo"):
                with self.subTest(host):
                    for options in ((), ("-u", "-s"), ("-6",), ("-4",)):
                        done = run(wrap + sender_argv(1, *options, host=host))
                        self.assertEqual((done.code, done.stdout), (1, ""), done)
                        self.assertRegex(done.stderr, r"\Attcp-t: bad hostname: .*: .*\n"
                                                      r"(errno=\d+\n)?\Z")
                        self.assertIn(host[:100], done.stderr)
                        self.assertNotIn("Success", done.stderr)
                        self.assertLess(done.seconds, AT_ONCE_S)
            done = run(wrap + sender_argv(5001, "-s", "--json", host="no.invalid"))
        self.assertEqual((done.code, done.stdout), (1, ""), done)
        one = json_report(done)
        self.assertEqual((one["exit_reason"], one["host"], one["bytes"], one["port"]),
                         ("error", "no.invalid", 0, 5001))
        self.assertRegex(one["error"], "^bad hostname: no.invalid: .")
        for key in ("start_time", "bits_per_second", "io_calls", "tcp"):
            self.assertNotIn(key, one)

    def test_an_address_of_the_other_family(self):
        done = send(1, "-4", host="::1")
        self.assertEqual((done.code, done.stderr), (
            1, "ttcp-t: bad hostname: ::1: is IPv6, but IPv4 was asked for\n"))
        done = send(1, "-6", host="127.0.0.1")
        self.assertEqual((done.code, done.stderr), (
            1, "ttcp-t: bad hostname: 127.0.0.1: is IPv4, but IPv6 was asked for\n"))

    def test_a_name_server_that_does_not_answer(self):
        # Nothing stops the resolver; so a signal ends the program.
        net = Netns("dns")
        net.link(Netns("mute"), "a", "b")
        net.address("a", "192.0.2.1/24")
        with etc_files(resolv_conf="nameserver 192.0.2.9\n",
                       nsswitch_conf="hosts: dns\n") as wrap:
            for number, _ in STOPS:
                ours = start(wrap + sender_argv(1, "-s", host="slow.example"), netns=net)
                wait_until(lambda: len(sockets(ours.pid)) > 0, 5, "the question")
                self.assertEqual(ours.stop(number, AT_ONCE_S), -number)

    def test_port_in_use(self):
        first = receiver("-s")
        for options in ((), ("-4",), ("-6",)):
            done = run([tool("ttcp"), "-r", "-s", "-p", first.port] + list(options))
            self.assertEqual((done.code, done.stdout), (1, ""), done)
            self.assertEqual(done.stderr.splitlines()[1:], [
                "ttcp-r: socket", "ttcp-r: bind: Address already in use", "errno=98"])
            self.assertLess(done.seconds, AT_ONCE_S)

    def test_udp_port_in_use(self):
        # Two receivers on one port would share the datagrams.
        first = receiver("-s", udp=True)
        done = run([tool("ttcp"), "-r", "-s", "-u", "-p", first.port])
        self.assertEqual(done.code, 1, done)
        self.assertIn("\nttcp-r: bind: Address already in use\nerrno=98\n", done.stderr)

    def test_a_port_that_needs_privilege(self):
        need_program("setpriv")
        drop = "-net_bind_service"
        done = run(["setpriv", "--bounding-set=" + drop, "--inh-caps=" + drop, tool("ttcp"),
                    "-r", "-p", 1])
        self.assertEqual(done.code, 1, done)
        self.assertIn("\nttcp-r: bind: Permission denied\nerrno=13\n", done.stderr)

    def test_no_such_interface(self):
        for argv in ([tool("ttcp"), "-r", "-I", "none7"],
                     sender_argv(1, "-s", "-I", "none7")):
            done = run(argv)
            self.assertEqual(done.code, 1, done)
            self.assertRegex(done.stderr, r"\nttcp-[rt]: setsockopt: bind device: No such "
                                          r"device\nerrno=19\n$")

    def test_no_route(self):
        net = Netns("alone")
        for host in ("192.0.2.1", "2001:db8::1"):
            done = send(1, "-s", host=host, netns=net)
            self.assertEqual(done.code, 1, done)
            self.assertRegex(done.stderr, r"\nttcp-t: connect: (Network is unreachable|Cannot "
                                          r"assign requested address)\nerrno=\d+\n$")
            done = send(1, "-s", "-u", host=host, netns=net)
            self.assertEqual(done.code, 1, done)


class Systems(TestCase):
    """Settings of the system that must not matter."""

    def test_without_ipv6(self):
        net = Netns("v4")
        net.sysctl("net.ipv6.conf.all.disable_ipv6", 1)
        self.both(net, "127.0.0.1")

    def test_sockets_of_one_family_by_default(self):
        net = Netns("v6only")
        net.sysctl("net.ipv6.bindv6only", 1)
        self.both(net, "127.0.0.1")
        self.both(net, "::1")

    def both(self, net, host):
        for udp in (False, True):
            ours = receiver("-s", udp=udp, netns=net)
            done = send(ours.port, "-s", "-n", 3, *(["-u"] if udp else []), host=host,
                        netns=net)
            self.assertEqual((done.code, ours.wait()), (0, 0), done)
            self.assertEqual(Report(ours).bytes, 24576)


class Crowds(TestCase):
    def test_a_second_sender_is_refused(self):
        ours = receiver("-s")
        first = connect_tcp(ours.port)
        ours.wait_line("accept")
        done = send(ours.port, "-s", "-n", 1)
        self.assertEqual(done.code, 1, done)
        self.assertIn("connect: Connection refused\nerrno=111\n", done.stderr)
        first.sendall(b"x" * 1000)
        first.close()
        self.assertEqual(ours.wait(), 0, ours)
        self.assertEqual(Report(ours).bytes, 1000)

    def test_a_sender_in_the_queue_is_not_lost_in_silence(self):
        # Two are there before the first is taken.
        ours = receiver("-s")
        ours.send_signal(signal.SIGSTOP)
        first = connect_tcp(ours.port)
        second = start_sender(ours.port, "-s", "-n", 1)
        second.wait_line("connect$")
        ours.send_signal(signal.SIGCONT)
        self.assertEqual(second.wait(), 1, second)
        self.assertRegex(second.stderr,
                         r"IO: (Connection reset by peer\nerrno=104|Broken pipe\nerrno=32)\n")
        first.close()
        self.assertEqual(ours.wait(), 0, ours)
        self.assertEqual(Report(ours).bytes, 0)

    def test_one_that_left_the_queue(self):
        ours = receiver("-s")
        ours.send_signal(signal.SIGSTOP)
        gone = connect_tcp(ours.port)
        gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        gone.close()
        ours.send_signal(signal.SIGCONT)
        self.assertEqual(ours.wait(), 1, ours)
        self.assertIn("\nttcp-r: IO: Connection reset by peer\nerrno=104\n", ours.stderr)

    def test_datagrams_of_all_kinds(self):
        # From one sender: only sizes count; all is counted; nothing crashes.
        for options in (("-s",), ()):
            ours = receiver(*options, udp=True)
            peer, pick, size = UdpPeer(), random.Random(1), 0
            for _ in range(300):
                data = pick.randbytes(pick.choice((0, 5, 100, 1473, 9000, 60000)))
                peer.send(data, ("127.0.0.1", ours.port))
                size += len(data)
                time.sleep(0.0005)
            for _ in range(4):
                peer.send(b"abcd", ("127.0.0.1", ours.port))
            self.assertEqual(ours.wait(), 0, ours)
            self.assertEqual(Report(ours).bytes, size)


def sockets(pid):
    """What the socket descriptors of a process are."""
    try:
        names = [os.readlink("/proc/%d/fd/%s" % (pid, fd))
                 for fd in os.listdir("/proc/%d/fd" % pid)]
    except OSError:
        return []
    return [n for n in names if n.startswith("socket:")]


class Silence(TestCase):
    """Peers that say nothing: a signal ends the wait, with a report of what there is."""

    def ends(self, process, number, code, size=0, report=True):
        began = time.monotonic()
        self.assertEqual(process.stop(number), code, process)
        self.assertLess(time.monotonic() - began, AT_ONCE_S)
        self.assertEqual(process.stdout, "")
        if report:
            found = Report(process)
            self.assertEqual(found.bytes, size, process)
            # It is no error.
            self.assertNotIn("IO:", process.stderr)

    def each(self):
        for number, code in STOPS:
            with self.subTest(number):
                yield number, code

    def test_nobody_comes(self):
        for number, code in self.each():
            for udp in (False, True):
                self.ends(receiver("-s", udp=udp), number, code, report=False)
            port = free_port()
            ours = start([tool("ttcp"), "-t", "-S", "-s", "-p", port])
            ours.wait_listening(port)
            self.ends(ours, number, code, report=False)

    def test_nobody_answers(self):
        net = Netns("hole")
        net.link(Netns("mute"), "a", "b")
        net.address("a", "192.0.2.1/24")
        net.ip("neigh", "add", "192.0.2.9", "lladdr", "02:00:00:00:00:09", "dev", "a")
        for number, code in self.each():
            ours = start_sender(1, "-s", host="192.0.2.9", netns=net)
            ours.wait_line("socket")
            time.sleep(0.05)
            self.ends(ours, number, code, report=False)

    def test_a_sender_that_sends_nothing(self):
        for number, code in self.each():
            for options in (("-s",), ("-s", "-l", 100), (), ("-l", 100), ("-B",)):
                ours = receiver(*options)
                peer = connect_tcp(ours.port)
                if "-s" in options:
                    peer.sendall(b"x" * 77)
                ours.wait_line("accept")
                time.sleep(0.05)
                self.ends(ours, number, code, 77 if "-s" in options else 0)

    def test_a_receiver_that_reads_nothing(self):
        listener = TcpListener()
        for number, code in self.each():
            for options in (("-s", "-n", "1M"), ("-s", "-n", "1M", "-l", 1000)):
                ours = start_sender(listener.port, *options)
                peer = listener.accept()
                read_exactly(peer, 10)
                time.sleep(0.1)
                self.assertEqual(ours.stop(number), code, ours)
                self.assertGreater(Report(ours).bytes, 10)

    def test_input_that_does_not_come(self):
        listener = TcpListener()
        for number, code in self.each():
            for options in ((), ("-l", 100), ("-w", 1), ("-u",)):
                peer = UdpPeer() if "-u" in options else listener
                ours = start_sender(peer.port, *options, stdin="pipe")
                ours.wait_line("socket" if "-u" in options else "connect$")
                time.sleep(0.05)
                self.ends(ours, number, code)

    def test_a_peer_that_stays(self):
        # All was sent, and its end is awaited.
        listener = TcpListener()
        for number, code in self.each():
            ours = start_sender(listener.port, "-s", "-n", 1)
            peer = listener.accept()
            read_exactly(peer, 8192)
            self.assertEqual(peer.recv(1), b"")
            self.ends(ours, number, code, 8192)

    def test_a_long_pause(self):
        listener = TcpListener()
        for number, code in self.each():
            for options in (("-w", 60000000, "-s"), ("-w", 60000000, "-s", "-u")):
                peer = UdpPeer() if "-u" in options else listener
                ours = start_sender(peer.port, *options)
                ours.wait_line("socket" if "-u" in options else "connect$")
                time.sleep(0.05)
                self.ends(ours, number, code)

    def test_datagrams_that_stop(self):
        for number, code in self.each():
            for options in (("-s",), ("-s", "--idle-timeout", 0)):
                ours = receiver(*options, udp=True)
                peer = UdpPeer()
                for data in (b' !"#', b"x" * 100):
                    peer.send(data, ("127.0.0.1", ours.port))
                time.sleep(0.1)
                self.ends(ours, number, code, 100)

    def test_json(self):
        ours = receiver("-s", "--json")
        self.assertEqual(ours.stop(signal.SIGINT), 130)
        one = json_report(ours)
        self.assertEqual((one["exit_reason"], one["bytes"]), ("Interrupt", 0))
        self.assertNotIn("error", one)
        self.assertNotIn("start_time", one)
        ours = receiver("-s", "--json")
        peer = connect_tcp(ours.port)
        peer.sendall(b"x" * 77)
        time.sleep(0.1)
        self.assertEqual(ours.stop(signal.SIGTERM), 143)
        one = json_report(ours)
        self.assertEqual((one["exit_reason"], one["bytes"], one["host"]),
                         ("Terminated", 77, "127.0.0.1"))

    def test_json_of_a_reset(self):
        ours = receiver("-s", "--json")
        peer = connect_tcp(ours.port)
        peer.sendall(b"x" * 77)
        time.sleep(0.1)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()
        self.assertEqual(ours.wait(), 1, ours)
        one = json_report(ours)
        self.assertEqual((one["exit_reason"], one["bytes"], one["error"]),
                         ("error", 77, "IO: Connection reset by peer"))

    def test_many_signals_are_one(self):
        ours = receiver("-s")
        peer = connect_tcp(ours.port)
        ours.wait_line("accept")
        for _ in range(20):
            if ours.code is None:
                ours.send_signal(signal.SIGINT)
        self.assertEqual(ours.wait(), 130, ours)
        Report(ours)
        peer.close()

    def test_nohup(self):
        need_program("nohup")
        ours = receiver("-s", wrap=["nohup"])
        ours.send_signal(signal.SIGHUP)
        peer = connect_tcp(ours.port)
        ours.send_signal(signal.SIGHUP)
        peer.sendall(b"x")
        peer.close()
        self.assertEqual(ours.wait(), 0, ours)

    def test_the_interrupt_key(self):
        need_program("setsid")
        listener = TcpListener()
        master, slave = pty.openpty()
        ours = start(["setsid", "-c"] + sender_argv(listener.port), stdin=slave)
        os.close(slave)
        peer = listener.accept()
        os.write(master, b"typed\n")
        self.assertEqual(read_exactly(peer, 6), b"typed\n")
        os.write(master, b"\x03")
        self.assertEqual(ours.wait(AT_ONCE_S), 130, ours)
        self.assertEqual(Report(ours).bytes, 6)
        # What had been typed was sent: to the other end this is the end.
        self.assertEqual(peer.recv(1), b"")
        os.close(master)


class Network(TestCase):
    """A path between two namespaces: cut, or slow."""

    def setUp(self):
        self.left, self.right = Netns("left"), Netns("right")
        self.left.link(self.right, "a", "b")
        self.left.address("a", "192.0.2.1/24", "2001:db8::1/64")
        self.right.address("b", "192.0.2.2/24", "2001:db8::2/64")

    def pair(self, send_options, receive_options=("-s",), **more):
        r = receiver(*receive_options, netns=self.right)
        t = start_sender(r.port, *send_options, host="192.0.2.2", netns=self.left, **more)
        return t, r

    def test_the_path_is_cut(self):
        for number, code in STOPS[:2]:
            t, r = self.pair(("-s", "-n", "1G"))
            r.wait_line("accept")
            time.sleep(0.2)
            self.right.ip("link", "set", "dev", "b", "down")
            time.sleep(0.3)
            # They wait, as TCP does; the counts stand still; and a signal ends them.
            self.assertEqual((t.code, r.code), (None, None))
            for process in (t, r):
                began = time.monotonic()
                self.assertEqual(process.stop(number), code, process)
                self.assertLess(time.monotonic() - began, AT_ONCE_S)
            sent, got = Report(t).bytes, Report(r).bytes
            self.assertGreater(got, 0)
            self.assertGreaterEqual(sent, got)
            self.right.ip("link", "set", "dev", "b", "up")

    def test_the_path_is_cut_and_mended(self):
        t, r = self.pair(("-s", "-n", "64K"))
        r.wait_line("accept")
        self.right.ip("link", "set", "dev", "b", "down")
        time.sleep(0.3)
        self.right.ip("link", "set", "dev", "b", "up")
        self.assertEqual((t.wait(), r.wait()), (0, 0), t)
        self.assertEqual((Report(t).bytes, Report(r).bytes), (1 << 29, 1 << 29))

    RATE = 1e6 / 8 * 1448 / 1514  # payload of a slow path, in bytes a second

    def slow(self):
        self.left.rate("a", "1mbit", burst="3kb", latency="400ms")
        self.left.tool("ethtool", "-K", "a", "tso", "off", "gso", "off")

    def test_a_slow_path(self):
        need_program("ethtool")
        self.slow()
        for options in ((), ("-l", 8192), ("-D",)):
            with self.subTest(options=options):
                began = time.monotonic()
                t, r = self.pair(("-s", "-n", 20) + options)
                self.assertEqual(r.wait(), 0, r)
                r_end = time.monotonic()
                self.assertEqual(t.wait(), 0, t)
                t_end = time.monotonic()
                self.assertEqual((Report(t).bytes, Report(r).bytes), (163840, 163840))
                # The receiver's figure is the path's, and neither end is late.
                due = 163840 / self.RATE
                self.assertAlmostEqual(Report(r).seconds, due, delta=due * 0.15)
                self.assertLess(r_end - began, due * 1.15 + 0.3 * AT_ONCE_S)
                self.assertLess(t_end - r_end, 0.3 * AT_ONCE_S)

    def test_a_slow_path_is_not_collected(self):
        """Bytes come out as they come in."""
        need_program("ethtool")
        self.slow()
        for options in ((), ("-l", 8192)):
            with self.subTest(options=options):
                t, r = self.pair(("-s", "-n", 15), options)
                seen, at, gap = 0, None, 0
                while r.code is None:
                    size, now = len(r.out_bytes), time.monotonic()
                    if size > seen:
                        gap = max(gap, now - at) if at else 0
                        at, seen = now, size
                    time.sleep(0.005)
                self.assertEqual((t.wait(), r.wait(), len(r.out_bytes)), (0, 0, 122880))
                # 1448 bytes take 12 ms.
                self.assertLess(gap, 0.25 * AT_ONCE_S)

    def test_a_slow_path_and_a_signal(self):
        need_program("ethtool")
        self.slow()
        for who in "tr":
            t, r = self.pair(("-s", "-n", 2000))
            r.wait_line("accept")
            time.sleep(0.6)
            process = {"t": t, "r": r}[who]
            began = time.monotonic()
            self.assertEqual(process.stop(signal.SIGINT), 130, process)
            self.assertLess(time.monotonic() - began, AT_ONCE_S)
            if who == "r":
                self.assertAlmostEqual(Report(r).bytes, 0.6 * self.RATE,
                                       delta=0.3 * AT_ONCE_S * self.RATE)
            else:
                # What it had handed over still arrives.
                self.assertEqual(r.wait(), 0, r)
                self.assertEqual(Report(r).bytes, Report(t).bytes)

    def test_a_slow_path_from_stdin(self):
        need_program("ethtool")
        self.slow()
        data = os.urandom(100000)
        for options in ((), ("-l", 1000)):
            t, r = self.pair(options, (), stdin="pipe")
            t.stdin.write(data)
            t.stdin.close()
            self.assertEqual((t.wait(), r.wait()), (0, 0), t)
            self.assertEqual(r.out_bytes, data)

    def test_link_local(self):
        address = next(w for w in self.right.ip("-6", "addr", "show", "dev", "b").split()
                       if w.startswith("fe80")).partition("/")[0]
        r = receiver("-s", netns=self.right)
        done = send(r.port, "-s", "-n", 3, host=address + "%a", netns=self.left)
        self.assertEqual((done.code, r.wait()), (0, 0), done)
        self.assertRegex(r.stderr, r"\nttcp-r: accept from fe80::[0-9a-f:]+%b\n")


if __name__ == "__main__":
    unittest.main()
