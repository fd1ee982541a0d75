# SPDX-License-Identifier: BSD-2-Clause
"""ttcp against peers as the old dialects are on the wire, in both roles: plain streams of
bytes and datagrams, made here. And our two ends together, where options change who does
what."""

import ctypes
import os
import socket
import struct
import threading
import time
import unittest

from harness import (Capture, Netns, TcpListener, TestCase, UdpPeer, connect_tcp,
                     free_port, need_program, read_exactly, run, send_slowly, start, tool,
                     wait_until)
from harness.etc import etc_files
from harness.ttcp import Report, json_report, receiver, send, sender_argv, start_sender

GUARD = b' !"#'
PRINTABLE = bytes(range(0x20, 0x7f))


def pattern(size):
    """What a ttcp sends: printable ASCII from the space on, over and over."""
    return (PRINTABLE * (size // 95 + 1))[:size]


def reset(connection):
    """Close with a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def read_to_end(connection):
    pieces = []
    while True:
        piece = connection.recv(1 << 20)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)


class OurReceiver(TestCase):
    """Senders of other dialects to ours."""

    def ends_well(self, process, size):
        self.assertEqual(process.wait(), 0, process)
        report = Report(process)
        self.assertEqual(report.bytes, size, process)
        return report

    def test_senders_with_blocks_of_every_dialect(self):
        for block, count in ((1024, 1024), (8192, 2048), (1, 50)):
            for options in ((), ("-l", 8192), ("-l", 300), ("-B",), ("-T",)):
                with self.subTest(block=block, options=options):
                    ours = receiver("-s", *options)
                    peer = connect_tcp(ours.port)
                    for _ in range(count):
                        peer.sendall(pattern(block))
                    peer.shutdown(socket.SHUT_WR)
                    # Nothing ever flows back.
                    self.assertEqual(peer.recv(100), b"")
                    self.ends_well(ours, block * count)
                    self.assertEqual(ours.stdout, "")

    def test_guards_are_not_looked_for_in_tcp(self):
        for options in (["-s"], ["-s", "-l", 8192], []):
            with self.subTest(options=options):
                ours = receiver(*options)
                peer = connect_tcp(ours.port)
                send_slowly(peer, b"abcd", piece=2, pause=0.05)
                peer.sendall(pattern(1000))
                peer.close()
                self.ends_well(ours, 1004)
                self.assertEqual(ours.out_bytes, b"" if options else b"abcd" + pattern(1000))

    def test_every_read_is_counted(self):
        ours = receiver("-s", "-l", 1000)
        peer = connect_tcp(ours.port)
        send_slowly(peer, pattern(50), piece=10, pause=0.05)
        peer.close()
        self.assertEqual(self.ends_well(ours, 50).calls, 6)

    def test_full_blocks(self):
        # Each write of ours is one message here.
        out, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(out.close)
        with theirs:
            ours = receiver("-B", "-l", 10000, stdout=theirs)
        peer = connect_tcp(ours.port)
        for _ in range(11):
            peer.sendall(pattern(3000))
            time.sleep(0.01)
        peer.close()
        out.settimeout(10)
        self.assertEqual([len(out.recv(20000)) for _ in range(4)],
                         [10000, 10000, 10000, 3000])
        self.ends_well(ours, 33000)

    def test_part_of_a_block_before_a_reset_is_delivered(self):
        for options in (["-B"], ["-B", "-l", 10000], ["-l", 10000], []):
            with self.subTest(options=options):
                ours = receiver(*options)
                peer = connect_tcp(ours.port)
                peer.sendall(pattern(7000))
                if "-B" in options:
                    time.sleep(0.1)  # to be read; nothing comes out yet
                else:
                    wait_until(lambda: len(ours.out_bytes) == 7000)
                reset(peer)
                self.assertEqual(ours.wait(), 1, ours)
                self.assertEqual(ours.out_bytes, pattern(7000))
                report = Report(ours)
                self.assertEqual(report.bytes, 7000)
                self.assertRegex(report.before,
                                 r"\nttcp-r: IO: Connection reset by peer\nerrno=104\n$")

    def test_stopped_in_the_middle_of_a_block(self):
        ours = receiver("-B", "-l", 10000)
        peer = connect_tcp(ours.port)
        peer.sendall(pattern(7000))
        time.sleep(0.1)
        self.assertEqual(ours.stop(), 143)
        self.assertEqual(ours.out_bytes, pattern(7000))
        self.assertEqual(Report(ours).bytes, 7000)

    def test_families(self):
        for option, takes in (((), ("127.0.0.1", "::1")), (("-4",), ("127.0.0.1",)),
                              (("-6",), ("::1",))):
            for address in ("127.0.0.1", "::1"):
                with self.subTest(option=option, address=address):
                    ours = receiver("-s", *option)
                    if address not in takes:
                        with self.assertRaises(ConnectionRefusedError):
                            connect_tcp(ours.port, address)
                        continue
                    peer = connect_tcp(ours.port, address)
                    peer.close()
                    self.ends_well(ours, 0)
                    self.assertIn("\nttcp-r: accept from %s\n" % address, ours.stderr)


class OurSender(TestCase):
    """Ours to receivers of other dialects."""

    def setUp(self):
        self.listener = TcpListener()

    def connect(self, *options, **more):
        """Start ours; returns it and the connection."""
        ours = start_sender(self.listener.port, *options, **more)
        return ours, self.listener.accept()

    def ends_well(self, process, size):
        self.assertEqual(process.wait(), 0, process)
        report = Report(process)
        self.assertEqual(report.bytes, size, process)
        return report

    def test_the_pattern_starts_anew_in_each_block(self):
        for options, block, count in (
                ((), 8192, 2048), (("-n", 100), 8192, 100), (("-l", 300, "-n", 7), 300, 7),
                (("-l", 1), 1, 2048), (("-l", 1, "-n", 5, "-D"), 1, 5),
                (("-l", "100K", "-n", 30), 102400, 30), (("-D", "-n", 9), 8192, 9),
                (("-n", 0), 8192, 0), (("-l", 95, "-A", 0, "-O", 7, "-n", 3), 95, 3)):
            with self.subTest(options=options):
                ours, peer = self.connect("-s", *options)
                self.assertEqual(read_to_end(peer), pattern(block) * count)
                peer.close()
                report = self.ends_well(ours, block * count)
                if "-l" in options or "-D" in options:
                    self.assertEqual(report.calls, count)

    def test_the_number_of_buffers_counts_for_memory_only(self):
        ours, peer = self.connect("-n", 2, "-l", 1000, stdin="pipe")
        ours.stdin.write(pattern(50000))
        ours.stdin.close()
        self.assertEqual(read_to_end(peer), pattern(50000))
        peer.close()
        self.ends_well(ours, 50000)

    def test_half_close(self):
        # A router in its half close mode: when we are done, it sends as much itself.
        ours, peer = self.connect("-s", "-n", 100)
        self.assertEqual(len(read_to_end(peer)), 819200)
        for _ in range(100):
            peer.sendall(pattern(32768))
        peer.shutdown(socket.SHUT_WR)
        self.ends_well(ours, 819200)
        self.assertEqual(peer.recv(1), b"")  # and no reset

    def test_half_close_slowly(self):
        # Longer than a peer may be silent.
        ours, peer = self.connect("-s", "-n", 1)
        self.assertEqual(len(read_to_end(peer)), 8192)
        for _ in range(6):
            time.sleep(1)
            peer.sendall(pattern(1000))
        self.assertIsNone(ours.code)
        peer.close()
        self.ends_well(ours, 8192)

    def test_a_peer_that_sends_while_we_send(self):
        # It does not read until it has written: both would wait for ever.
        for options in (("-s", "-n", 2000), ("-s", "-l", 8192, "-n", 2000), (),
                        ("-l", 8192)):
            with self.subTest(options=options):
                data = b"" if "-s" in options else pattern(16384000)
                ours, peer = self.connect(*options, stdin="pipe")
                feeder = threading.Thread(target=feed, args=(ours.stdin, data))
                feeder.start()
                peer.settimeout(20)
                for _ in range(400):
                    peer.sendall(bytes(32768))
                self.assertEqual(len(read_to_end(peer)), 16384000)
                peer.close()
                feeder.join()
                self.ends_well(ours, 16384000)

    def test_a_peer_with_unread_bytes_of_ours_to_the_end(self):
        # It sent one byte early on: a sender that just leaves would reset it.
        ours, peer = self.connect("-s", "-n", 50)
        peer.sendall(b"x")
        time.sleep(0.2)
        self.assertEqual(len(read_to_end(peer)), 409600)
        peer.close()
        self.ends_well(ours, 409600)

    def test_a_peer_that_resets_after_reading_all(self):
        ours, peer = self.connect("-s", "-n", 10)
        self.assertEqual(len(read_to_end(peer)), 81920)
        reset(peer)
        self.assertEqual(ours.wait(), 1, ours)
        report = Report(ours)
        self.assertEqual(report.bytes, 81920)
        self.assertRegex(report.before,
                         r"\nttcp-t: IO: Connection reset by peer\nerrno=104\n$")

    def test_a_peer_that_closes_early(self):
        for options in (("-s", "-n", "1M"), ("-s", "-n", "1M", "-l", 1000), (),
                        ("-l", 1000)):
            with self.subTest(options=options):
                with open("/dev/zero", "rb") as endless:
                    ours, peer = self.connect(*options, stdin=endless)
                read_exactly(peer, 100000)
                peer.close()
                self.assertEqual(ours.wait(), 1, ours)
                report = Report(ours)
                self.assertGreaterEqual(report.bytes, 100000)
                self.assertRegex(report.before, r"\nttcp-t: IO: (Connection reset by peer\n"
                                 r"errno=104|Broken pipe\nerrno=32)\n$")

    def test_a_peer_that_leaves_with_a_small_transfer_unread(self):
        ours, peer = self.connect("-s", "-n", 1)
        wait_until(lambda: len(peer.recv(8192, socket.MSG_PEEK)) == 8192)
        peer.close()
        self.assertEqual(ours.wait(), 1, ours)
        self.assertEqual(Report(ours).bytes, 8192)

    def test_a_peer_that_stays(self):
        ours, peer = self.connect("-s", "-n", 1)
        self.assertEqual(len(read_to_end(peer)), 8192)
        began = time.monotonic()
        report = self.ends_well(ours, 8192)
        self.assertGreater(time.monotonic() - began, 4)
        # The figures are those of the last write.
        self.assertLess(report.seconds, 1)

    def test_a_peer_that_dies_while_stdin_is_silent(self):
        # By a reset: known at once.
        ours, peer = self.connect(stdin="pipe")
        ours.stdin.write(b"abc")
        ours.stdin.flush()
        read_exactly(peer, 3)
        reset(peer)
        self.assertEqual(ours.wait(5), 1, ours)
        self.assertRegex(Report(ours).before, r"IO: Connection reset by peer\nerrno=104\n$")

    def test_a_peer_that_closes_while_stdin_is_silent(self):
        # That may be half a close: the next bytes show that nobody reads them.
        ours, peer = self.connect(stdin="pipe")
        ours.stdin.write(b"abc")
        ours.stdin.flush()
        read_exactly(peer, 3)
        peer.close()
        time.sleep(0.2)
        self.assertIsNone(ours.code)
        ours.stdin.write(b"def")
        ours.stdin.close()
        self.assertEqual(ours.wait(5), 1, ours)

    def test_a_peer_that_closed_its_side_first_still_gets_all(self):
        for options in (("-s", "-l", 100, "-n", 1000), ()):
            with self.subTest(options=options):
                ours, peer = self.connect(*options, stdin="pipe")
                peer.shutdown(socket.SHUT_WR)
                time.sleep(0.1)
                ours.stdin.write(b"" if options else pattern(100000))
                ours.stdin.close()
                self.assertEqual(len(read_to_end(peer)), 100000)
                peer.close()
                self.ends_well(ours, 100000)

    def test_pauses(self):
        for options, data in ((("-s", "-n", 10), None), ((), pattern(81920))):
            with self.subTest(options=options):
                ours, peer = self.connect("-w", 30000, "-l", 8192, *options, stdin="pipe")
                if data:
                    ours.stdin.write(data)
                ours.stdin.close()
                self.assertEqual(read_to_end(peer), pattern(8192) * 10 if not data else data)
                peer.close()
                report = self.ends_well(ours, 81920)
                self.assertEqual(report.calls, 10)
                self.assertGreater(report.seconds, 0.29)
                self.assertLess(report.seconds, 3)

    def test_every_address_of_the_host_is_tried(self):
        port = free_port()
        with etc_files(hosts="::1 two.test\n127.0.0.1 two.test\n") as wrap:
            ours = receiver("-s", "-4", port=port)
            done = run(wrap + sender_argv(port, "-s", "-D", "-b", 65536, "-n", 10,
                                          host="two.test"))
        self.assertEqual((ours.wait(), done.code), (0, 0), done)
        # Each step once, though the first address went half the way.
        self.assertEqual(Report(done).before.splitlines()[1:],
                         ["ttcp-t: " + s for s in ("socket", "sndbuf", "nodelay", "connect")])

    def test_names_that_begin_with_a_digit(self):
        with etc_files(hosts="127.0.0.1 3com.test 10.example 127.0.0.1.test\n") as wrap:
            for name in ("3com.test", "10.example", "127.0.0.1.test"):
                ours = receiver("-s")
                done = run(wrap + sender_argv(ours.port, "-s", "-n", 1, host=name))
                self.assertEqual((ours.wait(), done.code), (0, 0), done)
                self.assertIn("tcp  -> %s\n" % name, done.stderr)

    def test_literals(self):
        for host in ("::1", "[::1]", "::ffff:127.0.0.1", "127.1"):
            ours = receiver("-s")
            done = send(ours.port, "-s", "-n", 1, host=host)
            self.assertEqual((ours.wait(), done.code), (0, 0), done)


def feed(pipe, data):
    try:
        pipe.write(data)
        pipe.close()
    except OSError:
        pass


def socket_option(pid, level, name):
    """An option of the only socket that a process has open."""
    libc = ctypes.CDLL(None, use_errno=True)
    pidfd = os.pidfd_open(pid)
    try:
        for fd in os.listdir("/proc/%d/fd" % pid):
            if os.readlink("/proc/%d/fd/%s" % (pid, fd)).startswith("socket:") and \
                    int(fd) > 2:
                copy = libc.syscall(438, pidfd, int(fd), 0)  # pidfd_getfd
                if copy < 0:
                    raise unittest.SkipTest("no pidfd_getfd: " +
                                            os.strerror(ctypes.get_errno()))
                with socket.socket(fileno=copy) as s:
                    return s.getsockopt(level, name)
    finally:
        os.close(pidfd)
    raise AssertionError("no socket")


class BothOurs(TestCase):
    """Two of ours, in each way that they can meet."""

    def swapped(self, listening, connecting):
        port = free_port()
        listen = start([tool("ttcp"), "-p", port] + listening)
        listen.wait_listening(port)
        done = run([tool("ttcp"), "-p", port] + connecting + ["127.0.0.1"])
        self.assertEqual((listen.wait(), done.code), (0, 0), "%s\n%s" % (listen, done))
        return listen, done

    def test_who_connects(self):
        for t, r in (("-R", "-R"), ("-S", "-C"), ("-R", "-C"), ("-S", "-R")):
            with self.subTest(t=t, r=r):
                listen, done = self.swapped(["-t", t, "-s", "-n", 10, "-l", 1000],
                                            ["-r", r, "-s"])
                for end in (listen, done):
                    self.assertEqual(Report(end).bytes, 10000)
                self.assertIn("  tcp\nttcp-t: socket\nttcp-t: accept from 127.0.0.1\n",
                              listen.stderr)
                self.assertIn("  tcp  -> 127.0.0.1\nttcp-r: socket\nttcp-r: connect\n",
                              done.stderr)

    def test_the_port_is_free_again_at_once(self):
        # A transmitter that listens closes first: its port stays known for a minute.
        port = free_port()
        for _ in range(3):
            listen = start([tool("ttcp"), "-t", "-S", "-s", "-n", 1, "-p", port])
            listen.wait_listening(port)
            peer = connect_tcp(port)
            self.assertEqual(len(read_to_end(peer)), 8192)
            peer.close()
            self.assertEqual(listen.wait(), 0, listen)

    def test_options_reach_the_data_socket(self):
        """Also when that is the accepted one."""
        tcp = socket.IPPROTO_TCP
        for options, level, name, least in (
                ("-D", tcp, socket.TCP_NODELAY, 1), ("-b 40000", socket.SOL_SOCKET,
                                                     socket.SO_SNDBUF, 80000)):
            port = free_port()
            ours = start([tool("ttcp"), "-t", "-S", "-p", port] + options.split(),
                         stdin="pipe")
            ours.wait_listening(port)
            peer = connect_tcp(port)
            ours.wait_line("accept from")
            wait_until(lambda: socket_option(ours.pid, tcp, socket.TCP_INFO) == 1)
            self.assertEqual(socket_option(ours.pid, level, name), least)
            ours.stdin.close()
            self.assertEqual(read_to_end(peer), b"")
            peer.close()
            self.assertEqual(ours.wait(), 0)

    def test_socket_buffers(self):
        ours = receiver("-s", "-b", 50000)
        sender = start_sender(ours.port, "-b", 40000, stdin="pipe")
        for end, name, size in ((ours, socket.SO_RCVBUF, 100000),
                                (sender, socket.SO_SNDBUF, 80000)):
            end.wait_line("accept from|connect$")
            self.assertEqual(socket_option(end.pid, socket.SOL_SOCKET, name), size)
        # Only the buffer of the direction that is used.
        self.assertNotIn("rcvbuf", sender.stderr)
        self.assertNotIn("sndbuf", ours.stderr)
        sender.stdin.close()
        self.assertEqual((sender.wait(), ours.wait()), (0, 0))

    def test_a_buffer_beyond_the_limit_is_cut_without_a_word(self):
        ours = receiver("-s", "-b", 2147483647)
        done = send(ours.port, "-s", "-b", 2147483647, "-n", 100)
        self.assertEqual((ours.wait(), done.code), (0, 0), done)
        self.assertEqual(Report(ours).bytes, 819200)

    def test_debug(self):
        ours = receiver("-s", "-d")
        done = send(ours.port, "-s", "-d", "-n", 1)
        self.assertEqual((ours.wait(), done.code), (0, 0), done)

    def test_debug_without_the_right(self):
        need_program("setpriv")
        ours = receiver("-s")
        drop = ["setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin"]
        done = run(drop + sender_argv(ours.port, "-s", "-d", "-n", 1))
        self.assertEqual((ours.wait(), done.code), (0, 0), done)
        self.assertIn("\nttcp-t: warning: setsockopt: debug: Permission denied\n",
                      done.stderr)
        ours = receiver("-s")
        done = run(drop + sender_argv(ours.port, "-s", "-d", "-n", 1, "--json"))
        self.assertEqual(json_report(done)["warning"],
                         "setsockopt: debug: Permission denied")

    def test_interface(self):
        ours = receiver("-s", "-I", "lo")
        done = send(ours.port, "-s", "-n", 1, "-I", "lo")
        self.assertEqual((ours.wait(), done.code), (0, 0), done)

    def test_json(self):
        ours = receiver("-s", "--json", "-b", 100000)
        done = send(ours.port, "-s", "-n", 10, "-l", 1000, "--json", host="localhost")
        self.assertEqual((ours.wait(), done.code), (0, 0), done)
        t, r = json_report(done), json_report(ours)
        for one in (t, r):
            self.assertEqual((one["tool"], one["bytes"], one["protocol"], one["port"],
                              one["exit_reason"]),
                             ("ttcp", 10000, "tcp", ours.port, "done"))
            self.assertNotIn("error", one)
            self.assertAlmostEqual(one["bits_per_second"] * one["seconds"] / 8, 10000, -1)
            self.assertLess(abs(one["start_time_unix_s"] - time.time()), 60)
            self.assertRegex(one["start_time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertRegex(one["version"], r"^\d+\.\d+\.\d+$")
            self.assertGreaterEqual(one["cpu_user_seconds"] + one["cpu_system_seconds"], 0)
            self.assertGreater(one["max_rss_bytes"], 100000)
            self.assertGreaterEqual(set(one["tcp"]),
                                    {"rtt_us", "retransmits", "mss_bytes", "congestion"})
        self.assertEqual((t["role"], t["host"], t["source"], t["buffers"],
                          t["buffer_bytes"], t["io_calls"]),
                         ("sender", "localhost", "memory", 10, 1000, 10))
        self.assertIn(r["host"], ("127.0.0.1", "::1"))
        self.assertEqual((r["role"], r["sink"], r["socket_buffer_asked_bytes"]),
                         ("receiver", "memory", 100000))
        self.assertGreater(t["tcp"]["cwnd_bytes"], 1000)
        self.assertNotIn("cwnd_bytes", r["tcp"])


class UdpReceiver(TestCase):
    """Datagrams of other dialects to our receiver, and of none."""

    def setUp(self):
        self.peer = UdpPeer()

    def open(self, *options, **more):
        self.ours = receiver(*options, udp=True, **more)

    def send(self, *datagrams, peer=None):
        for data in datagrams:
            (peer or self.peer).send(data, ("127.0.0.1", self.ours.port))

    def ends(self, size, calls=None, code=0):
        self.assertEqual(self.ours.wait(10), code, self.ours)
        report = Report(self.ours)
        self.assertEqual(report.bytes, size, self.ours)
        if calls is not None:
            self.assertEqual(report.calls, calls, self.ours)
        return report

    def test_what_every_dialect_sends(self):
        for size, count in ((1024, 100), (5, 3), (8192, 20), (60000, 3)):
            with self.subTest(size=size):
                self.open("-s")
                self.send(GUARD, *[pattern(size)] * count)
                self.send(*[GUARD] * 5)
                self.ends(size * count, count + 2)

    def test_guards_that_are_lost(self):
        data = [pattern(100)] * 3
        for name, sent in (("begin", data + [GUARD] * 5),
                           ("end but the last", [GUARD] + data + [GUARD]),
                           ("all but one", data + [GUARD])):
            with self.subTest(lost=name):
                self.open("-s")
                self.send(*sent)
                self.ends(300)

    def test_guards_shorter_than_others(self):
        self.open("-s")
        self.send(b"a", pattern(100), b"ab")
        self.ends(100)

    def test_all_end_guards_lost(self):
        self.open("-s", "--idle-timeout", 0.5)
        time.sleep(0.7)  # waiting for the first one has no end
        self.send(GUARD, *[pattern(100)] * 3)
        began = time.monotonic()
        report = self.ends(300, 4, code=1)
        self.assertGreater(time.monotonic() - began, 0.45)
        self.assertLess(time.monotonic() - began, 3)
        self.assertIn("\nttcp-r: IO: no data for 0.5 s and no end marker", report.before)
        # The silence is not measured.
        self.assertLess(report.seconds, 0.4)

    def test_no_idle_timeout(self):
        self.open("-s", "--idle-timeout", 0)
        self.send(GUARD, pattern(100))
        time.sleep(0.5)
        self.assertIsNone(self.ours.code)
        self.send(GUARD)
        self.ends(100)

    def test_others_do_not_keep_it_waiting(self):
        self.open("-s", "--idle-timeout", 1)
        self.send(GUARD, pattern(100))
        began, other = time.monotonic(), UdpPeer()
        while self.ours.code is None and time.monotonic() - began < 5:
            self.send(pattern(100), peer=other)
            time.sleep(0.1)
        self.ends(100, code=1)
        self.assertLess(time.monotonic() - began, 3)

    def test_begin_guard_twice(self):
        self.open("-s")
        self.send(GUARD, GUARD)
        time.sleep(0.1)
        self.send(pattern(100), *[GUARD] * 5)
        self.ends(100)

    def test_no_data(self):
        self.open("-s")
        self.send(*[GUARD] * 6)
        self.ends(0)

    def test_empty_datagrams_are_nobodys_end(self):
        other = UdpPeer()
        self.open("-s")
        self.send(b"", peer=other)
        self.send(b"", GUARD, b"", pattern(100), b"", b"")
        self.send(b"", b"", peer=other)
        time.sleep(0.1)
        self.assertIsNone(self.ours.code)
        self.send(pattern(100), b"", GUARD)
        self.ends(200, 4)

    def test_a_second_sender_is_ignored(self):
        other = UdpPeer()
        self.open("-s")
        self.send(GUARD, pattern(100))
        self.send(pattern(1000), GUARD, GUARD, peer=other)
        self.send(pattern(100), GUARD)
        self.ends(200, 4)
        self.assertEqual(self.ours.stderr.count("another sender was first"), 1, self.ours)

    def test_a_sender_that_failed_before_its_data_does_not_block_the_next(self):
        other = UdpPeer()
        self.open("-s")
        self.send(GUARD, peer=other)
        self.send(GUARD, pattern(100), pattern(100), GUARD)
        self.ends(200, 4)

    def test_waiting_in_vain_is_no_part_of_the_time(self):
        self.open("-s")
        self.send(GUARD, *[pattern(1000)] * 100)
        time.sleep(1.5)
        self.assertEqual(self.ours.stop(), 143, self.ours)
        report = Report(self.ours)
        self.assertEqual(report.bytes, 100000)
        self.assertLess(report.seconds, 1)

    def test_longer_than_the_buffer_is_counted_in_full(self):
        self.open("-s", "-l", 50)
        self.send(GUARD, pattern(100), pattern(65507), GUARD)
        self.ends(65607)

    def test_longer_than_the_buffer_is_written_in_full(self):
        for address, size in (("127.0.0.1", 65507), ("::1", 65527)):
            data = os.urandom(size)
            self.open("-l", 50)
            peer = UdpPeer(address)
            for piece in (data, GUARD, GUARD, GUARD, GUARD):
                peer.send(piece, (address, self.ours.port))
            self.ends(size)
            self.assertEqual(self.ours.out_bytes, data)

    def test_families(self):
        for option, address in (("-4", "127.0.0.1"), ("-6", "::1"), ("-v", "::1"),
                                ("-v", "127.0.0.1")):
            self.open("-s", option)
            peer = UdpPeer(address)
            for data in (GUARD, pattern(100), GUARD):
                peer.send(data, (address, self.ours.port))
            self.ends(100)

    def test_pipe(self):
        data = os.urandom(500)
        self.open()
        self.send(data[:100], data[100:101], data[101:103], data[103:106], data[106:])
        # Guards are the first bytes of the last buffer.
        self.send(*[data[106:110]] * 4)
        self.ends(500)
        self.assertEqual(self.ours.out_bytes, data)

    def test_pipe_with_data_of_four_bytes(self):
        self.open()
        self.send(b"abcd", b"efgh", b"x", b"abcd", *[b"ijkl"] * 2)
        self.ends(13)
        self.assertEqual(self.ours.out_bytes, b"abcdefghxabcd")

    def test_pipe_without_data(self):
        self.open()
        self.send(*[GUARD] * 4)
        self.ends(0)
        self.assertEqual(self.ours.out_bytes, b"")

    def test_pipe_and_no_end(self):
        self.open("--idle-timeout", 0.3)
        self.send(pattern(100), GUARD)
        self.ends(100, code=1)
        self.assertEqual(self.ours.out_bytes, pattern(100))

    def test_pipe_whose_reader_has_gone(self):
        reader, writer = os.pipe()
        self.open(stdout=writer)
        os.close(writer)
        os.close(reader)
        self.send(pattern(100))
        report = self.ends(0, code=1)
        self.assertRegex(report.before, r"\nttcp-r: IO: Broken pipe\nerrno=32\n$")

    def test_json(self):
        self.open("-s", "--json")
        self.send(GUARD, pattern(100), GUARD)
        self.assertEqual(self.ours.wait(), 0)
        one = json_report(self.ours)
        self.assertEqual((one["protocol"], one["bytes"], one["host"], one["exit_reason"]),
                         ("udp", 100, "127.0.0.1", "done"))
        self.assertNotIn("tcp", one)


class UdpSender(TestCase):
    """Our datagrams, as a receiver of another dialect sees them."""

    def setUp(self):
        self.peer = UdpPeer(timeout=3)
        # All of a run must fit.
        self.peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)

    def datagrams(self, count):
        return [self.peer.receive() for _ in range(count)]

    def nothing_more(self):
        self.peer.socket.settimeout(0.05)
        with self.assertRaises(socket.timeout):
            self.peer.receive()
        self.peer.socket.settimeout(3)

    def test_from_memory(self):
        for options, size, count in ((("-l", 100, "-n", 3), 100, 3), (("-l", 5), 5, 2048),
                                     (("-l", 2, "-n", 4), 5, 4), (("-n", 7), 8192, 7),
                                     (("-n", 0), 0, 0)):
            with self.subTest(options=options):
                done = send(self.peer.port, "-u", "-s", *options)
                self.assertEqual(done.code, 0, done)
                self.assertEqual(self.datagrams(count + 6),
                                 [GUARD] + [pattern(size)] * count + [GUARD] * 5)
                self.nothing_more()
                report = Report(done)
                self.assertEqual((report.bytes, report.calls), (size * count, count + 6))

    def test_from_stdin(self):
        ours = start_sender(self.peer.port, "-u", "-l", 1000, stdin="pipe")
        for data in (b"x", b"abcd", pattern(700), pattern(1000)):
            ours.stdin.write(data)
            ours.stdin.flush()
            self.assertEqual(self.peer.receive(), data)
        ours.stdin.write(pattern(2500))
        ours.stdin.close()
        self.assertEqual([len(d) for d in self.datagrams(3)], [1000, 1000, 500])
        self.assertEqual(self.datagrams(4), [GUARD] * 4)
        self.nothing_more()
        self.assertEqual(ours.wait(), 0)
        report = Report(ours)
        self.assertEqual((report.bytes, report.calls), (4205, 11))

    def test_nothing_from_stdin(self):
        done = send(self.peer.port, "-u", stdin=b"")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.datagrams(4), [GUARD] * 4)
        self.nothing_more()

    def test_too_long(self):
        for size in (65508, "1M"):
            done = send(self.peer.port, "-u", "-s", "-l", size)
            self.assertEqual(done.code, 1, done)
            self.assertRegex(Report(done).before,
                             r"\nttcp-t: IO: Message too long\nerrno=90\n$")
            # No guards: a receiver must not take this for a good end.
            self.assertEqual(self.peer.receive(), GUARD)
            self.nothing_more()

    def test_longest(self):
        done = send(self.peer.port, "-u", "-s", "-l", 65507, "-n", 1)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.datagrams(2), [GUARD, pattern(65507)])

    def test_pauses(self):
        began = time.monotonic()
        ours = start_sender(self.peer.port, "-u", "-s", "-n", 10, "-w", 30000)
        self.datagrams(12)
        self.assertGreater(time.monotonic() - began, 0.29)
        self.assertEqual(ours.wait(), 0)

    def test_stopped(self):
        ours = start_sender(self.peer.port, "-u", "-s", "-l", 100, "-n", "1G", "-w", 1000)
        self.datagrams(10)
        self.assertEqual(ours.stop(), 143, ours)
        count = 9
        self.peer.socket.settimeout(0.05)
        with self.assertRaises(socket.timeout):
            while True:
                self.assertEqual(len(self.peer.receive()), 100)
                count += 1
        self.assertEqual(Report(ours).bytes, count * 100)

    def test_dead_port(self):
        port = free_port()
        for options in (("-s", "-n", 10), ("-s", "-n", 1), ("-s", "-n", 0)):
            done = send(port, "-u", *options)
            self.assertEqual(done.code, 1, done)
            self.assertRegex(Report(done).before,
                             r"\nttcp-t: IO: Connection refused\nerrno=111\n$")
        ours = start_sender(port, "-u", stdin="pipe")
        ours.stdin.write(b"one")
        ours.stdin.flush()
        self.assertEqual(ours.wait(5), 1, ours)  # though stdin is still open

    def test_a_receiver_that_goes_away(self):
        ours = start_sender(self.peer.port, "-u", "-s", "-n", "1G", "-w", 100)
        self.peer.receive()
        self.peer.close()
        self.assertEqual(ours.wait(5), 1, ours)
        self.assertIn("IO: Connection refused\nerrno=111\n", Report(ours).before)


class UdpBothOurs(TestCase):
    def both(self, options, data=None, send_options=()):
        ours = receiver(*options, udp=True)
        done = send(ours.port, "-u", *send_options, stdin=data)
        self.assertEqual((ours.wait(10), done.code), (0, 0), "%s\n%s" % (ours, done))
        return ours, done

    def test_memory_to_memory(self):
        for count in (0, 1, 10):
            ours, done = self.both(["-s"], None, ["-s", "-l", 1000, "-n", count])
            self.assertEqual(Report(ours).bytes, 1000 * count)

    def test_pipe(self):
        # Paced, as nothing slows a sender of datagrams down.
        for size in (0, 1, 4, 5, 4095, 65537):
            data = os.urandom(size)
            ours, done = self.both([], data, ["-l", 1000, "-w", 200])
            self.assertEqual(ours.out_bytes, data)
            self.assertEqual((Report(ours).bytes, Report(done).bytes), (size, size))

    def test_pipe_of_four_byte_pieces(self):
        for pieces in ([b"abcd"] * 2, [b"abcd"] * 7, [GUARD] * 5, [GUARD],
                       [b"abcd", b"abcd", b"x", b"abcd"], [b"~}|{", GUARD],
                       [b"~}|{", b"~}|{", GUARD, GUARD]):
            with self.subTest(pieces=pieces):
                ours = receiver(udp=True)
                sender = start_sender(ours.port, "-u", "-l", 4, stdin="pipe")
                for i, piece in enumerate(pieces):
                    sender.stdin.write(piece)
                    sender.stdin.flush()
                    time.sleep(0.02)
                sender.stdin.close()
                self.assertEqual((sender.wait(), ours.wait(10)), (0, 0), ours)
                self.assertEqual(ours.out_bytes, b"".join(pieces))

    def test_memory_to_pipe_and_back(self):
        # The receiver cannot know that the first one is no data.
        ours, _ = self.both([], None, ["-s", "-l", 100, "-n", 2])
        self.assertEqual(ours.out_bytes, GUARD + pattern(100) * 2)
        ours, _ = self.both(["-s"], pattern(1000), ["-l", 100])
        self.assertEqual(Report(ours).bytes, 1000)

    def test_ipv6(self):
        ours = receiver("-s", udp=True)
        done = send(ours.port, "-u", "-s", "-l", 100, "-n", 3, host="::1")
        self.assertEqual((ours.wait(10), done.code), (0, 0), done)
        self.assertEqual(Report(ours).bytes, 300)


class Wire(TestCase):
    """What a capture shows."""

    def setUp(self):
        self.net = Netns("wire")

    def capture(self, protocol, *options):
        """Run both ends; returns (from the sender?, flags or "", payload) by packet."""
        capture = Capture(self.net, "lo", protocol)
        udp = protocol == "udp"
        ours = receiver("-s", udp=udp, netns=self.net)
        done = send(ours.port, "-s", *(["-u"] if udp else []), *options, netns=self.net)
        self.assertEqual((ours.wait(), done.code), (0, 0), done)
        return [p for p in map(parse_packet, capture.packets()) if p[0] == protocol and
                ours.port in p[3:5]], ours.port

    def test_udp(self):
        found, port = self.capture("udp", "-l", 100, "-n", 3)
        self.assertEqual([p[2] for p in found], [GUARD] + [pattern(100)] * 3 + [GUARD] * 5)
        self.assertTrue(all(p[4] == port for p in found))

    def test_tcp(self):
        found, port = self.capture("tcp", "-l", 1000, "-n", 3, "-D")
        sender = [p for p in found if p[4] == port]
        # Payload, in order and nothing else; the end is our FIN.
        self.assertEqual([p[2] for p in sender if p[2]], [pattern(1000)] * 3)
        self.assertEqual([p[2] for p in found if p[3] == port and p[2]], [])
        flags = [p[1] for p in sender]
        self.assertEqual(flags[0], "S")
        self.assertEqual(sum("F" in f for f in flags), 1)
        self.assertFalse(any("R" in p[1] for p in found), found)
        first_fin = next(p for p in found if "F" in p[1])
        self.assertEqual(first_fin[4], port)  # the sender ends it


def parse_packet(ip):
    """(protocol, flags, payload, source port, destination port) of an IPv4 packet."""
    protocol, total = ip[9], struct.unpack(">H", ip[2:4])[0]
    body = ip[(ip[0] & 15) * 4:total]
    source, target = struct.unpack(">HH", body[:4])
    if protocol == 17:
        return "udp", "", body[8:], source, target
    flags = "".join(letter for bit, letter in enumerate("FSRPAU") if body[13] >> bit & 1)
    return "tcp", flags.replace("A", "").replace("P", ""), body[(body[12] >> 4) * 4:], \
        source, target


if __name__ == "__main__":
    unittest.main()
