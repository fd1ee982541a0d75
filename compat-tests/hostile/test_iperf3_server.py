# SPDX-License-Identifier: BSD-2-Clause
"""An iperf3 server and peers that do not do as they should. Whatever they did, and while
they still hang on, the next client is served within 2 seconds, and the server has no more
descriptors or memory than before."""

import base64
import hashlib
import json
import os
import signal
import socket
import struct
import tempfile
import threading
import time
import unittest

from harness import (SANITIZED, Netns, TestCase, close_since, connect_tcp, fd_count,
                     free_port, long_test, mark, need_program, rss_kib, run, send_slowly,
                     start, tool, upstream, wait_until)
from iperf3_peer import (ACCESS_DENIED, ANSWER, CLIENT_TERMINATE, COOKIE, CREATE_STREAMS,
                         DISPLAY_RESULTS, EXCHANGE_RESULTS, HELLO, IPERF_DONE,
                         PARAM_EXCHANGE, SERVER_ERROR, TEST_END, TEST_RUNNING, TEST_START,
                         Client, datagram, framed, params, read_json, read_state, results,
                         state_byte, udp_socket)

BOUND_S = 400
SLOW = 3 if SANITIZED else 1
SERVED_S = 2 * SLOW
RSS_GROWTH_KIB = 16 * 1024


class ServerCase(TestCase):
    """One server for all tests of the class; after each it must be as it was."""

    OPTIONS = []

    @classmethod
    def setUpClass(cls):
        cls.port = free_port()
        cls.server = start([tool("iperf3"), "-s", "-p", cls.port] + cls.OPTIONS, bound=380)
        cls.addClassCleanup(cls.server.close)
        cls.server.wait_listening(cls.port)
        cls.warm_up()
        cls.fds = fd_count(cls.server.pid)
        cls.rss = rss_kib(cls.server.pid)

    @classmethod
    def warm_up(cls):
        for more in ([], ["-u"], ["-R", "-P", 4]):
            run([tool("iperf3"), "-c", "127.0.0.1", "-p", cls.port, "-n", "64K"] + more)

    def setUp(self):
        self.place = mark()
        self.said = len(self.server.stderr)

    def tearDown(self):
        self.serves()
        close_since(self.place)  # the hostile ones let go
        self.assertIsNone(self.server.code, self.server)
        wait_until(lambda: fd_count(self.server.pid) <= self.fds, 3 * SLOW,
                   lambda: "descriptors: %d, before: %d" % (fd_count(self.server.pid),
                                                            self.fds))
        if not SANITIZED:
            self.assertLess(rss_kib(self.server.pid), self.rss + RSS_GROWTH_KIB)

    def serves(self, *options):
        """A normal client is served now."""
        done = run([tool("iperf3"), "-c", "127.0.0.1", "-p", self.port, "-n", "64K"] +
                   list(options))
        self.assertEqual(done.code, 0, done)
        self.assertLess(done.seconds, SERVED_S, done)

    def told(self):
        """What the server said on stderr in this test."""
        return self.server.stderr[self.said:]

    def tells(self, text):
        wait_until(lambda: text in self.told(), 5, lambda: "%r in %r" % (text, self.told()))

    def connect(self):
        return connect_tcp(self.port)

    def client(self, **options):
        return Client(self.port, **options)


class Strangers(ServerCase):
    """Peers that are no iperf3 clients."""

    def hangs_up(self, s, within=12):
        """The server closes this connection by itself."""
        s.settimeout(within)
        try:
            while s.recv(4096):
                pass
        except ConnectionResetError:
            pass

    def test_http(self):
        s = self.connect()
        s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: scan/1.0\r\nAccept: */*\r\n\r\n")
        self.serves()
        self.hangs_up(s)

    def test_short_http(self):
        """Less than a cookie."""
        self.connect().sendall(b"GET / HTTP/1.0\r\n\r\n")

    def test_tls(self):
        hello = bytes([22, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]) + os.urandom(506)
        s = self.connect()
        s.sendall(hello)
        self.serves()
        self.hangs_up(s)

    def test_ssh(self):
        self.connect().sendall(b"SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n")

    def test_random_bytes(self):
        for size in (1, 36, 37, 38, 41, 100, 5000, 200000):
            s = self.connect()
            s.settimeout(2)
            try:
                s.sendall(os.urandom(size))
            except OSError:
                pass

    def test_connect_and_close(self):
        for _ in range(20):
            self.connect().close()

    def test_connect_and_reset(self):
        for data in (b"", b"x", COOKIE):
            s = self.connect()
            s.sendall(data)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            s.close()

    def test_silence(self):
        self.connect()

    def test_one_byte_then_silence(self):
        self.connect().sendall(b"a")

    def test_half_closed(self):
        for data in (b"", b"a", COOKIE, COOKIE + framed(params())):
            s = self.connect()
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
            self.serves()

    def test_silent_ones_are_let_go(self):
        """10 seconds for the cookie, not more."""
        s = self.connect()
        began = time.monotonic()
        self.hangs_up(s, 12)
        self.assertGreater(time.monotonic() - began, 5)

    def test_many_silent_ones(self):
        for _ in range(300):
            self.connect()

    def test_slow_cookie(self):
        """Somebody who takes his time for the cookie holds nobody up."""
        s = self.connect()
        for i in range(20):
            try:
                s.sendall(COOKIE[i:i + 1])
            except OSError:
                break  # was turned away while another was served
            time.sleep(0.1)
            if i in (5, 10):
                self.serves()

    def test_iperf2_client(self):
        """The other iperf: told at once, in words that help."""
        done = run([upstream("iperf"), "-c", "127.0.0.1", "-p", self.port, "-t", "1"],
                   timeout=15)
        self.assertLess(done.seconds, 8, done)
        self.tells("iperf3: error - received an unknown control message (ensure other side "
                   "is iperf3 and not iperf)")

    def test_iperf2_udp_client(self):
        run([upstream("iperf"), "-u", "-c", "127.0.0.1", "-p", self.port, "-t", "1"],
            timeout=30)

    def test_datagrams_out_of_the_blue(self):
        s = udp_socket(self.port)
        for data in (HELLO, b"", b"x" * 60000, datagram(1)):
            try:
                s.send(data)
            except ConnectionRefusedError:
                pass  # no UDP port is open: even better


class Cookies(ServerCase):
    def full(self, client):
        client.offer(params())
        client.expect(CREATE_STREAMS)
        client.open_streams()
        client.expect(TEST_START, TEST_RUNNING)
        client.streams[0].sendall(b"x" * 10000)
        theirs = client.finish()
        self.assertEqual(theirs["streams"][0]["bytes"], 10000)

    def test_old_form(self):
        """Before 3.2: host name, seconds, microseconds, hex digits."""
        self.full(self.client(cookie=b"host.example.com.1234567.123456.0f3c\0"))

    def test_without_nul(self):
        self.full(self.client(cookie=b"0123456789abcdef0123456789abcdefABCDE"))

    def test_short_one(self):
        """What follows the NUL is not looked at."""
        client = self.client(cookie=b"short\0".ljust(37, b"?"))
        client.offer(params())
        client.expect(CREATE_STREAMS)
        client.cookie = b"short\0".ljust(37, b"!")
        client.open_streams()
        client.expect(TEST_START, TEST_RUNNING)
        client.streams[0].sendall(b"x" * 5000)
        self.assertEqual(client.finish()["streams"][0]["bytes"], 5000)

    def test_then_silence(self):
        self.client().greet()

    def test_many_then_silence(self):
        """Each has its second, then comes the next."""
        clients = [self.client() for _ in range(3)]
        for client in clients:
            client.send(COOKIE)
        done = run([tool("iperf3"), "-c", "127.0.0.1", "-p", self.port, "-n", "64K"])
        self.assertEqual(done.code, 0, done)
        self.assertLess(done.seconds, 1.5 * len(clients) * SLOW, done)

    def test_then_gone(self):
        for reset in (False, True):
            client = self.client()
            client.send(COOKIE)
            client.close(reset)
            client = self.client().greet()
            client.close(reset)


class Parameters(ServerCase):
    def refused(self, text, number):
        client = self.client().offer(text)
        self.assertEqual(client.refusal(), number, text)
        client.close()

    def accepted(self, text):
        """A whole test with these parameters."""
        client = self.client().offer(text)
        client.expect(CREATE_STREAMS)
        client.open_streams()
        client.expect(TEST_START, TEST_RUNNING)
        client.streams[0].sendall(b"x" * 3000)
        theirs = client.finish()
        self.assertEqual(theirs["streams"][0]["bytes"], 3000)

    def test_no_json(self):
        for text in (b"x", b"{", b"{}}", b"[]", b'"tcp"', b"7", b"null", b"{tcp:true}",
                     b'{"tcp":true', b"\0" * 50, b"\xff\xfe" * 20):
            if text != b"{}}":  # a lenient parser may stop behind the object
                self.refused(text, 114)

    def test_empty(self):
        self.refused(b"", 114)

    def test_nested_deeply(self):
        self.refused(b"[" * 8000, 114)
        self.refused(b'{"a":' * 1600, 114)
        self.refused(b'{"tcp":' + b"[" * 4000 + b"]" * 4000 + b"}", 114)

    def test_too_long(self):
        for size in (8193, 65536, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1):
            client = self.client().greet()
            client.send(struct.pack(">I", size) + b'{"tcp":true}')
            self.assertEqual(client.refusal(), 114, size)

    def test_10000_levels(self):
        client = self.client().greet()
        text = b"[" * 10000 + b"]" * 10000
        try:
            client.send(framed(text))
        except OSError:
            pass
        self.assertEqual(client.refusal(), 114)

    def test_longest(self):
        text = json.dumps(params(extra_data="")).encode()
        text = text.replace(b'"extra_data": ""', b'"extra_data": "%s"' %
                            (b"x" * (8192 - len(text))))
        self.assertEqual(len(text), 8192)
        self.accepted(text)

    def test_cut_short(self):
        """A length of 500 and less than that, then silence, or the end."""
        for end in (False, True):
            client = self.client().greet()
            client.send(struct.pack(">I", 500) + b'{"tcp":true,')
            if end:
                client.control.shutdown(socket.SHUT_WR)
            self.serves()

    def test_half_a_length(self):
        client = self.client().greet()
        client.send(b"\0\0")
        self.serves()

    def test_unknown_keys(self):
        self.accepted(params(novelty=1, other={"a": [1, 2, {"b": None}]}, **{"": "", "x" * 500: 0}))

    def test_missing_keys(self):
        client = self.client().offer(b"{}")
        client.expect(CREATE_STREAMS)
        client.open_streams()
        client.expect(TEST_START, TEST_RUNNING)
        client.streams[0].sendall(b"x" * 3000)
        client.finish()
        for key in params():
            self.accepted(params(**{key: None}))

    def test_wrong_types(self):
        """Such a key is as good as missing, and the server says so."""
        wrong = {"string": "7", "number": 7, "list": [1], "object": {"a": 1}, "null": None}
        for key in ("tcp", "omit", "time", "num", "parallel", "len", "bandwidth", "window",
                    "MSS", "nodelay", "reverse", "TOS", "title", "congestion", "authtoken",
                    "extra_data", "zerocopy", "get_server_output", "burst"):
            for kind, value in wrong.items():
                strings = ("title", "congestion", "authtoken", "extra_data")
                if (kind == "number" and key not in strings + ("tcp", "nodelay", "reverse")) \
                        or (kind == "string" and key in strings):
                    continue
                text = dict(params(), **{key: value})
                self.accepted(json.dumps(text).encode())
        self.assertIn("parallel", self.told())

    def test_same_key_twice(self):
        self.accepted(b'{"tcp":true,"parallel":1,"parallel":128,"len":1000,"time":1}')

    def test_out_of_range(self):
        for number, key, values in (
                (6, "parallel", (0, -1, 129, 100000, 1e10, 1 << 64)),
                (7, "len", (-1, 1048577, 1 << 31, 1 << 40, 1 << 63, (1 << 64) - 1, 1e300)),
                (8, "window", (-1, 536870913, 1 << 40)),
                (10, "MSS", (-1, 32768, 1 << 40)),
                (12, "omit", (-1, 601, 1 << 31)),
                (5, "time", (-1, 86401, 1 << 31, 1e300)),
                (15, "burst", (-1, 1001, 1 << 40)),
                (21, "TOS", (-1, 256, 1 << 40)),
                (114, "num", (-1, -1e300)),
                (114, "blockcount", (-1,)),
                (114, "bandwidth", (-1, -1e18)),
                (114, "fqrate", (-1,)),
                (114, "server_affinity", (-2, 1025))):
            for value in values:
                self.refused(params(**{key: value}), number)
        for value in (-1, 15, 65508, 1 << 40):
            self.refused(params(tcp=None, udp=True, len=value), 20)

    def test_unsigned_minus_one(self):
        """Up to 3.13 -1 is printed so. A limit of -1 bytes makes no sense; for a CPU it
        means none."""
        self.refused(params(num=18446744073709551615), 114)
        self.refused(params(parallel=18446744073709551615), 6)

    def test_huge_numbers(self):
        for text in (b'{"tcp":true,"parallel":1e99999,"time":1}',
                     b'{"tcp":true,"parallel":-1e99999,"time":1}',
                     b'{"tcp":true,"parallel":' + b"9" * 4000 + b"}"):
            self.refused(text, 6)

    def test_invalid_utf8(self):
        text = json.dumps(params(title="TITLE", extra_data="DATA")).encode()
        self.accepted(text.replace(b"TITLE", b"\xff\xfe\x80").replace(b"DATA", b"\xed\xa0\x80"))

    def test_control_characters_reach_no_terminal(self):
        """What a client names itself cannot forge lines or move the cursor."""
        said = len(self.server.stdout)
        evil = "x\x1b[2J\x07\r\niperf3: error - forged"
        self.accepted(params(congestion=evil, title=evil, extra_data=evil,
                             client_version=evil))
        for text in (self.server.stdout[said:], self.told()):
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\niperf3: error - forged", text)
            self.assertNotIn("\r", text)

    def test_reverse_and_bidir(self):
        """Both at once: one of them must do."""
        client = self.client().offer(params(reverse=True, bidirectional=True))
        state = client.state()
        self.assertIn(state, (CREATE_STREAMS, SERVER_ERROR))

    def test_two_protocols(self):
        client = self.client().offer(params(udp=True))
        self.assertIn(client.state(), (CREATE_STREAMS, SERVER_ERROR))

    def test_no_promise_of_memory(self):
        """The largest of everything: memory grows with what comes, not with what is said."""
        before = rss_kib(self.server.pid)
        client = self.client().offer(params(tcp=None, udp=True, parallel=128, len=65507,
                                            bidirectional=True, bandwidth=0))
        client.expect(CREATE_STREAMS)
        if not SANITIZED:
            self.assertLess(rss_kib(self.server.pid) - before, RSS_GROWTH_KIB)

    def test_byte_at_a_time(self):
        """A whole test delivered one byte a segment."""
        client = self.client()
        send_slowly(client.control, COOKIE, 1, 0.002)
        client.expect(PARAM_EXCHANGE)
        send_slowly(client.control, framed(params()), 1, 0.002)
        client.expect(CREATE_STREAMS)
        stream = connect_tcp(self.port)
        send_slowly(stream, COOKIE, 1, 0.002)
        client.streams.append(stream)
        client.expect(TEST_START, TEST_RUNNING)
        send_slowly(stream, b"x" * 500, 1, 0.0005)
        client.send_state(TEST_END)
        client.expect(EXCHANGE_RESULTS)
        send_slowly(client.control, framed(results(1)), 1, 0.001)
        theirs = read_json(client.control)
        self.assertEqual(theirs["streams"][0]["bytes"], 500)
        client.expect(DISPLAY_RESULTS)
        client.send_state(IPERF_DONE)

    def test_all_at_once(self):
        """Cookie, parameters and the end in one segment, before anybody asked."""
        client = self.client()
        client.send(COOKIE + framed(params()) + state_byte(TEST_END) + framed(results(1)) +
                    state_byte(IPERF_DONE))
        client.expect(PARAM_EXCHANGE, CREATE_STREAMS)
        self.assertEqual(client.refusal(), 110)


class States(ServerCase):
    def test_before_the_streams(self):
        """Nothing but streams is awaited now."""
        for state in (TEST_END, TEST_START, TEST_RUNNING, EXCHANGE_RESULTS,
                      DISPLAY_RESULTS, PARAM_EXCHANGE, 0, 3, 15, 99, -1, -2, -128):
            client = self.client().offer(params())
            client.expect(CREATE_STREAMS)
            client.send_state(state)
            self.assertEqual(client.refusal(), 110, state)
            client.close()

    def test_before_the_parameters(self):
        client = self.client().greet()
        client.send(state_byte(TEST_END) * 4)
        self.assertEqual(client.refusal(), 114)

    def test_while_it_runs(self):
        for state in (TEST_START, TEST_RUNNING, EXCHANGE_RESULTS,
                      DISPLAY_RESULTS, CREATE_STREAMS, 0, 3, 99, -1, -2):
            client = self.client().begin()
            client.send_state(state)
            self.assertEqual(client.refusal(), 110, state)
            client.close()

    def test_terminate(self):
        """An interrupted client is not a broken one, whenever it says so."""
        client = self.client().offer(params())
        client.expect(CREATE_STREAMS)
        client.send_state(CLIENT_TERMINATE)
        self.assertEqual(client.refusal(), 119)
        client = self.client().begin()
        client.streams[0].sendall(b"x" * 1000)
        client.send_state(CLIENT_TERMINATE)
        self.assertEqual(client.refusal(), 119)
        self.tells("iperf3: the client has terminated")

    def test_good_bye_too_early(self):
        """As good as gone."""
        client = self.client().offer(params())
        client.expect(CREATE_STREAMS)
        client.send_state(IPERF_DONE)
        self.assertIsNone(client.state())
        client = self.client().begin()
        client.send_state(IPERF_DONE)
        self.assertIsNone(client.state())
        self.tells("iperf3: the client has unexpectedly closed the connection")

    def test_end_twice(self):
        client = self.client().begin()
        client.send_state(TEST_END)
        client.send_state(TEST_END)
        client.expect(EXCHANGE_RESULTS)
        client.control.close()

    def test_instead_of_done(self):
        """The test is over and told: whatever follows is no matter."""
        for last in (state_byte(99), b"", b"x" * 100000):
            client = self.client().begin()
            client.send_state(TEST_END)
            client.expect(EXCHANGE_RESULTS)
            client.send(framed(results()))
            read_json(client.control)
            client.expect(DISPLAY_RESULTS)
            try:
                client.send(last)
            except OSError:
                pass
            self.serves()


class Streams(ServerCase):
    def test_never_opened(self):
        client = self.client().offer(params(parallel=4))
        client.expect(CREATE_STREAMS)
        self.serves()

    def test_one_of_four(self):
        client = self.client().offer(params(parallel=4))
        client.expect(CREATE_STREAMS)
        client.open_streams(1)
        self.serves()

    def test_wrong_cookie(self):
        """None of the streams: told no as soon as the test has all of its own. (Until
        then it may be the next client, should the streams never come.)"""
        client = self.client().offer(params())
        client.expect(CREATE_STREAMS)
        others = []
        for cookie in (b"x" * 37, COOKIE[:35] + b"x\0", b"\0" * 37):
            others.append(connect_tcp(self.port))
            others[-1].sendall(cookie)
        client.open_streams()
        client.expect(TEST_START, TEST_RUNNING)
        for other in others:
            self.assertEqual(read_state(other), ACCESS_DENIED)
        client.streams[0].sendall(b"x" * 700)
        self.assertEqual(client.finish()["streams"][0]["bytes"], 700)

    def test_silent_stream(self):
        """A connection that never tells its cookie is none of the streams."""
        client = self.client().offer(params())
        client.expect(CREATE_STREAMS)
        for _ in range(5):
            connect_tcp(self.port)
        connect_tcp(self.port).sendall(COOKIE[:20])
        client.open_streams()
        client.expect(TEST_START, TEST_RUNNING)
        client.streams[0].sendall(b"x" * 700)
        self.assertEqual(client.finish()["streams"][0]["bytes"], 700)

    def test_more_than_announced(self):
        """The same cookie once more: no sixth stream of five."""
        client = self.client().offer(params(parallel=2))
        client.expect(CREATE_STREAMS)
        client.open_streams(6)
        client.expect(TEST_START, TEST_RUNNING)
        for s in client.streams[:2]:
            s.sendall(b"x" * 700)
        late = connect_tcp(self.port)
        late.sendall(COOKIE)
        self.assertIn(read_state(late), (ACCESS_DENIED, None))
        theirs = client.finish(results(2))
        self.assertEqual([s["bytes"] for s in theirs["streams"]], [700, 700])

    def test_others_while_it_runs(self):
        """Busy: told at once, without waiting for a cookie."""
        client = self.client().begin(time=5)
        for data in (b"", COOKIE, b"x" * 37, b"GET / HTTP/1.0\r\n\r\n"):
            other = connect_tcp(self.port)
            other.sendall(data)
            self.assertEqual(read_state(other), ACCESS_DENIED)
        done = run([tool("iperf3"), "-c", "127.0.0.1", "-p", self.port, "-n", "1K"])
        self.assertEqual(done.code, 1)
        self.assertIn("the server is busy running a test. try again later", done.stderr)
        client.finish()

    def test_gone_while_it_runs(self):
        for reset in (False, True):
            for reverse in (None, True):
                client = self.client().begin(2, time=10, reverse=reverse)
                client.close(reset)
                self.serves()
        self.tells("iperf3: the client has unexpectedly closed the connection")

    def test_only_data_gone(self):
        """The control connection stays, the streams are closed or reset: no reason to be
        busy for the rest of the test."""
        for reset in (False, True):
            for reverse in (None, True):
                client = self.client().begin(2, time=30, reverse=reverse)
                for s in client.streams:
                    if reset:
                        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                     struct.pack("ii", 1, 0))
                    s.close()
                wait_until(self.free, 15 * SLOW, "a server that is free again")

    def free(self):
        """Not busy?"""
        with socket.create_connection(("127.0.0.1", self.port), 5) as s:
            s.settimeout(0.3)
            try:
                return read_state(s) != ACCESS_DENIED
            except socket.timeout:
                return True

    def test_one_stream_closed(self):
        """One of two ends early: the test goes on, the bytes of both count."""
        client = self.client().begin(2, time=5)
        client.streams[0].sendall(b"x" * 400)
        client.streams[0].close()
        client.streams[1].sendall(b"x" * 500)
        client.send_state(TEST_END)
        client.expect(EXCHANGE_RESULTS)
        client.send(framed(results(2)))
        theirs = read_json(client.control)
        self.assertEqual([s["bytes"] for s in theirs["streams"]], [400, 500])

    def test_reader_that_does_not_read(self):
        """-R, and the client reads neither data nor states."""
        client = self.client().begin(4, time=10, reverse=True)
        time.sleep(0.2)
        client.send_state(TEST_END)
        self.serves()

    def test_largest_number(self):
        """128 streams each way."""
        client = self.client().offer(params(parallel=128, bidirectional=True,
                                            bandwidth=1000))
        client.expect(CREATE_STREAMS)
        client.open_streams(256)
        client.expect(TEST_START, TEST_RUNNING)
        client.finish(results(256))


class Results(ServerCase):
    def at_results(self, **changes):
        client = self.client().begin(**changes)
        client.streams[0].sendall(b"x" * 100)
        client.send_state(TEST_END)
        client.expect(EXCHANGE_RESULTS)
        return client

    def refused(self, text, number=117):
        client = self.at_results()
        client.send(framed(text))
        self.assertEqual(client.refusal(), number)

    def test_never(self):
        self.at_results()

    def test_gone(self):
        for reset in (False, True):
            self.at_results().close(reset)

    def test_no_json(self):
        for text in (b"", b"x", b"[]", b"{}", b"null", b"[" * 100000, b"\0" * 100):
            self.refused(text)

    def test_giant_length(self):
        for size in ((1 << 32) - 1, 1 << 31, 1 << 30):
            client = self.at_results()
            client.send(struct.pack(">I", size) + b"{}")
            self.assertEqual(client.refusal(), 117)

    def test_slow(self):
        """A length of 60000 and a byte now and then."""
        client = self.at_results()
        client.send(struct.pack(">I", 60000))
        sender = threading.Thread(target=self.drip, args=(client,), daemon=True)
        sender.start()
        self.serves()

    @staticmethod
    def drip(client):
        try:
            for _ in range(30):
                client.send(b" ")
                time.sleep(0.1)
        except OSError:
            pass

    def test_rather_large(self):
        """Below a megabyte: read, whatever it costs, and forgotten."""
        for text in (results(1, filler="x" * 900000), results(1, filler=[0] * 450000)):
            client = self.at_results()
            client.send(framed(text))
            self.assertEqual(read_json(client.control)["streams"][0]["bytes"], 100)
            client.expect(DISPLAY_RESULTS)
            client.close()
        if not SANITIZED:
            self.assertLess(peak_kib(self.server.pid), self.rss + 64 * 1024)

    def test_large(self):
        """Several megabytes, of which no client has need."""
        for text in (results(1, filler="x" * 5000000),
                     results(1, filler=[0] * 3000000),
                     results(1, filler=[[]] * 2000000),
                     results(1, filler={"k%d" % i: 1 for i in range(300000)})):
            client = self.at_results()
            try:
                client.send(framed(text))
                state = client.state()
            except OSError:
                state = None
            self.assertIn(state, (None, SERVER_ERROR))
            client.close()
            self.serves()
            if not SANITIZED:
                self.assertLess(peak_kib(self.server.pid), self.rss + 64 * 1024)

    def test_other_streams(self):
        for text in (results(2), results(0), results(1, streams=[])):
            client = self.at_results()
            client.send(framed(text))
            state = client.state()
            if len(text["streams"]) > 1:
                self.assertEqual(state, SERVER_ERROR)
                self.assertEqual(client.error()[0], 208)
        text = results(1)
        text["streams"][0]["id"] = 2  # a number that is never used
        self.refused(text, 208)
        text["streams"][0]["id"] = -1
        self.refused(text, 208)
        text["streams"] *= 300
        self.refused(text)

    def test_missing_keys(self):
        for key in results():
            if key != "congestion_used":
                text = results(1)
                del text[key]
                self.refused(text)
        for key in ("id", "bytes", "retransmits", "jitter", "errors", "packets"):
            text = results(1)
            del text["streams"][0][key]
            self.refused(text)

    def test_wrong_types(self):
        for value in ("1", None, [], {}, True):
            text = results(1)
            text["cpu_util_total"] = value
            self.refused(text)
            text = results(1)
            text["streams"][0]["bytes"] = value
            self.refused(text)
        for streams in (None, {}, "x", [1], [None], [[]]):
            self.refused(results(1, streams=streams))

    def test_unsigned_minus_one(self):
        """As versions up to 3.13 print it."""
        text = results(1, sender_has_retransmits=18446744073709551615)
        text["streams"][0].update(retransmits=18446744073709551615)
        client = self.at_results()
        client.send(framed(text))
        self.assertEqual(read_json(client.control)["streams"][0]["bytes"], 100)
        client.expect(DISPLAY_RESULTS)

    def test_older_ones(self):
        """Without omitted_* and times (before 3.2)."""
        text = results(1)
        for key in ("start_time", "end_time"):
            del text["streams"][0][key]
        client = self.at_results()
        client.send(framed(text))
        read_json(client.control)
        client.expect(DISPLAY_RESULTS)

    def test_absurd_numbers(self):
        for value in (-1, -1e300, 1e300, 1 << 70, 1e99999):
            text = json.dumps(results(1, cpu_util_total=value)).replace("Infinity", "1e99999")
            self.read_or_refused(text)
            for key in ("bytes", "retransmits", "jitter", "errors", "packets", "end_time"):
                text = results(1)
                text["streams"][0][key] = value
                self.read_or_refused(json.dumps(text).replace("Infinity", "1e99999"))
        self.assertNotRegex(self.server.stdout, r"(?i)\b(nan|inf)\b")

    def read_or_refused(self, text):
        client = self.at_results()
        client.send(framed(text.encode()))
        self.assertIn(client.state(), (0, SERVER_ERROR))  # 0: of the length of results
        client.close()


def peak_kib(pid):
    """Largest resident memory so far."""
    with open("/proc/%d/status" % pid) as f:
        for line in f:
            if line.startswith("VmHWM:"):
                return int(line.split()[1])


class Udp(ServerCase):
    def offer(self, count=1, **changes):
        client = self.client().offer(params(tcp=None, udp=True, parallel=count, **changes))
        client.expect(CREATE_STREAMS)
        return client

    def counts(self, client, packets, lost, size=1000):
        theirs = client.finish()
        s = theirs["streams"][0]
        self.assertEqual((s["packets"], s["errors"], s["bytes"]),
                         (packets, lost, (packets - lost) * size), s)

    def test_all_hellos(self):
        """Of 3.12 and of older versions, of both byte orders."""
        for hello in (HELLO, ANSWER, b"\x15\xcd\x5b\x07", b"\x07\x5b\xcd\x15"):
            client = self.offer()
            stream, answer = client.open_udp(hello)
            self.assertEqual(answer, ANSWER)
            client.expect(TEST_START, TEST_RUNNING)
            for n in range(1, 11):
                stream.send(datagram(n))
            self.counts(client, 10, 0)

    def test_never_opened(self):
        self.offer(4)
        self.serves()

    def test_one_of_four(self):
        self.offer(4).open_udp()
        self.serves()

    def test_hello_again(self):
        """A client whose answer was lost asks again: it is no further stream."""
        client = self.offer(2)
        first, answer = client.open_udp()
        for _ in range(3):
            first.send(HELLO)
            self.assertEqual(first.recv(100), ANSWER)
        client.open_udp()
        client.expect(TEST_START, TEST_RUNNING)
        for n in range(1, 6):
            first.send(datagram(n))
            client.streams[1].send(datagram(n))
        theirs = client.finish()
        self.assertEqual([s["packets"] for s in theirs["streams"]], [5, 5])

    def test_stranger_at_the_door(self):
        """Somebody else's datagrams while the stream of a client is awaited."""
        client = self.offer()
        other = udp_socket(self.port, source="127.0.0.2")
        for data in (HELLO, b"", b"x", b"x" * 1000, HELLO):
            other.send(data)
        stream, answer = client.open_udp()
        self.assertEqual(answer, ANSWER)
        client.expect(TEST_START, TEST_RUNNING)
        for n in range(1, 11):
            stream.send(datagram(n))
            other_send(other, datagram(n + 1000))
        self.counts(client, 10, 0)

    def test_client_with_two_addresses(self):
        """Control from one address, data from another: as good as any, if nothing comes
        from the first."""
        client = self.offer()
        other = udp_socket(self.port, source="127.0.0.2")
        other.send(HELLO)
        self.assertEqual(other.recv(100), ANSWER)
        client.streams.append(other)
        client.expect(TEST_START, TEST_RUNNING)
        for n in range(1, 11):
            other.send(datagram(n))
        self.counts(client, 10, 0)

    def test_stranger_while_it_runs(self):
        client = self.client().begin_udp(time=5)
        other = udp_socket(self.port, source="127.0.0.3")
        for n in range(1, 11):
            other_send(other, datagram(n + 5000))
            client.streams[0].send(datagram(n))
            other_send(other, b"")
        self.counts(client, 10, 0)

    def test_odd_datagrams(self):
        """Too short for a head, empty, too long, number 0: not counted, or as what they
        are, but nothing breaks."""
        client = self.client().begin_udp(time=5)
        for data in (b"", b"x", b"x" * 11, datagram(0), datagram(1), datagram(2, 12),
                     datagram(3, 60000), HELLO):
            client.streams[0].send(data)
        s = client.finish()["streams"][0]
        self.assertGreaterEqual(s["packets"], 3)
        self.assertGreaterEqual(s["errors"], 0)
        self.assertLessEqual(s["errors"], s["packets"])

    def test_absurd_numbers(self):
        """A jump to the end of the range, and back."""
        for wide, last in ((False, (1 << 32) - 1), (True, (1 << 64) - 1),
                           (True, 1 << 63), (True, 1 << 40)):
            more = {"udp_counters_64bit": 1} if wide else {}
            client = self.client().begin_udp(time=5, **more)
            for n in (1, 2, last, 3, last, 0):
                client.streams[0].send(datagram(n, wide=wide))
            s = client.finish()["streams"][0]
            self.assertGreaterEqual(s["errors"], 0, s)
            self.assertLessEqual(s["errors"], s["packets"], s)
            self.assertLessEqual(s["bytes"], 6000, s)
        self.assertNotRegex(self.server.stdout, r"-\d+/|\d{20}|nan|inf")

    def test_duplicates_hide_no_loss(self):
        client = self.client().begin_udp(time=5)
        for n in (1, 2, 2, 2, 5, 5, 6, 6):
            client.streams[0].send(datagram(n))
        s = client.finish()["streams"][0]
        self.assertEqual((s["packets"], s["errors"], s["bytes"]), (6, 2, 4000), s)
        self.assertEqual(s["duplicates"], 4)

    def test_gone_while_it_runs(self):
        for reverse in (None, True):
            client = self.client().begin_udp(time=20, reverse=reverse)
            client.close(reset=True)
            self.serves("-u")

    def test_flood_at_the_door(self):
        """Many datagrams of others do not keep a client out."""
        client = self.offer()
        other = udp_socket(self.port, source="127.0.0.2")
        for _ in range(20000):
            other_send(other, HELLO)
        stream = udp_socket(self.port)
        client.streams.append(stream)
        stream.settimeout(0.2)
        answer = None
        for _ in range(20):  # a hello may be lost: ask again
            stream.send(HELLO)
            try:
                answer = stream.recv(100)
                break
            except socket.timeout:
                pass
        self.assertEqual(answer, ANSWER)
        client.expect(TEST_START, TEST_RUNNING)
        stream.send(datagram(1))
        self.counts(client, 1, 0)


def other_send(s, data):
    try:
        s.send(data)
    except OSError:
        pass


class Endurance(ServerCase):
    """Many tests in a row: no growth."""

    def many(self, count):
        kinds = ([], ["-R"], ["-P", "4"], ["-u"], ["--bidir"], ["-u", "-R", "-P", "3"], ["-J"])
        rss = rss_kib(self.server.pid)
        for i in range(count):
            done = run([tool("iperf3"), "-c", "127.0.0.1", "-p", self.port, "-n", "4K"] +
                       kinds[i % len(kinds)])
            self.assertEqual(done.code, 0, done)
        wait_until(lambda: fd_count(self.server.pid) <= self.fds, 3)
        if not SANITIZED:
            self.assertLess(rss_kib(self.server.pid) - rss, 1024)

    def test_100_tests(self):
        self.many(100)

    @long_test
    def test_1000_tests(self):
        self.many(1000)


class Silent(ServerCase):
    """--rcv-timeout: a client that is there but sends nothing."""

    OPTIONS = ["--rcv-timeout", "1000"]

    def test_no_data(self):
        client = self.client().begin(time=30)
        began = time.monotonic()
        self.assertEqual(client.refusal(), 144)
        self.assertLess(time.monotonic() - began, 3 * SLOW)
        self.tells("idle timeout for receiving data")

    def test_stopped_client(self):
        """A real one that is stopped in the middle."""
        client = start([tool("iperf3"), "-c", "127.0.0.1", "-p", self.port, "-t", "30",
                        "-b", "10M"])
        client.wait_line(r"0\.00-1\.\d\d")
        client.send_signal(signal.SIGSTOP)
        self.addCleanup(client.send_signal, signal.SIGCONT)
        self.tells("idle timeout for receiving data")


class Vanished(TestCase):
    """Clients that are there no more, or no longer do anything, without a word: noticed
    within 15 seconds, by a server that receives and by one that sends."""

    KINDS = (["-b", "10M"], ["-b", "10M", "-R"], ["-b", "10M", "--bidir"],
             ["-u", "-b", "1M"], ["-u", "-b", "1M", "-R"])

    def running(self, kind, left=None, right=None, host="127.0.0.1"):
        port = free_port()
        server = start([tool("iperf3"), "-s", "-p", port], bound=100, netns=right)
        server.wait_listening(port)
        client = start([tool("iperf3"), "-c", host, "-p", port, "-t", "60"] + kind,
                       bound=100, netns=left)
        client.wait_line(r"0\.00-1\.\d\d")
        return server, client, port

    def noticed(self, server, port, netns, until):
        server.wait_line(r"^iperf3: error|unexpectedly closed",
                         max(0, until - time.monotonic()))
        # And free for the next one.
        done = run([tool("iperf3"), "-c", "127.0.0.1", "-p", port, "-n", "64K"],
                   netns=netns)
        self.assertEqual(done.code, 0, done)

    def test_link_cut(self):
        pairs = []
        for kind in self.KINDS:
            left, right = Netns("client"), Netns("server")
            left.link(right, "a", "b")
            left.address("a", "192.0.2.1/24")
            right.address("b", "192.0.2.2/24")
            pairs.append((left, right, self.running(kind, left, right, "192.0.2.2")))
        for left, _, _ in pairs:
            left.ip("link", "set", "dev", "a", "down")
        until = time.monotonic() + 15
        for _, right, (server, client, port) in pairs:
            self.noticed(server, port, right, until)
            # The client shows the outage until its time is over, as the original does.
            client.stop()
            server.stop()

    def test_stopped(self):
        """SIGSTOP: its kernel still answers, but nobody reads. (A server that only
        receives cannot tell that from a long pause: --rcv-timeout.)"""
        tests = [self.running(kind) for kind in self.KINDS if "-u" not in kind and
                 ("-R" in kind or "--bidir" in kind)]
        for _, client, _ in tests:
            client.send_signal(signal.SIGSTOP)
        until = time.monotonic() + 15
        try:
            for server, _, port in tests:
                self.noticed(server, port, None, until)
        finally:
            for _, client, _ in tests:
                client.send_signal(signal.SIGCONT)


class Login(ServerCase):
    """A server with users."""

    @classmethod
    def setUpClass(cls):
        cls.openssl = need_program("openssl")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.private, cls.public, users = [os.path.join(folder.name, n)
                                          for n in ("private", "public", "users")]
        run([cls.openssl, "genrsa", "-out", cls.private, "2048"])
        run([cls.openssl, "rsa", "-in", cls.private, "-pubout", "-out", cls.public])
        with open(users, "w") as f:
            f.write("anna,%s\n" % hashlib.sha256(b"{anna}secret").hexdigest())
        cls.OPTIONS = ["--rsa-private-key-path", cls.private, "--authorized-users-path",
                       users]
        super().setUpClass()

    @classmethod
    def warm_up(cls):
        for _ in range(2):
            cls.login(cls.port)

    @classmethod
    def login(cls, port):
        return run([tool("iperf3"), "-c", "127.0.0.1", "-p", port, "-n", "64K", "--username",
                    "anna", "--rsa-public-key-path", cls.public],
                   env={"IPERF3_PASSWORD": "secret"})

    def serves(self, *options):
        done = self.login(self.port)
        self.assertEqual(done.code, 0, done)
        self.assertLess(done.seconds, SERVED_S, done)

    def token(self, text, padding="oaep"):
        done = run([self.openssl, "pkeyutl", "-encrypt", "-pubin", "-inkey", self.public,
                    "-pkeyopt", "rsa_padding_mode:" + padding], stdin=text)
        self.assertEqual(done.code, 0, done)
        return base64.b64encode(done.out_bytes).decode()

    def clear(self, user="anna", password="secret", ahead=0):
        return "user: %s\npwd:  %s\nts:   %d" % (user, password, time.time() + ahead)

    def answer(self, token):
        client = self.client().offer(params(authtoken=token))
        answer = client.refusal()
        client.close()
        return answer

    def test_good(self):
        """The helper itself makes tokens that are let in."""
        self.assertEqual(self.answer(self.token(self.clear())), "state 10")

    def test_clock(self):
        for ahead in (-5, 5):
            self.assertEqual(self.answer(self.token(self.clear(ahead=ahead))), "state 10")
        for ahead in (-60, 60, 1 << 40):
            self.assertEqual(self.answer(self.token(self.clear(ahead=ahead))), 142)

    def test_bad_tokens(self):
        for token in (None, "", "x", "=" * 344, "A" * 344, "A" * 7000, "\u00e4" * 100,
                      self.token(self.clear("ben")), self.token(self.clear(password="x")),
                      self.token(self.clear(), "pkcs1"), self.token("user: anna"),
                      self.token("user: anna\npwd:  secret\nts:   "),
                      self.token("\n\n\n\n"), self.token("user: anna\0\npwd:  secret\nts:   1"),
                      self.token(self.clear("anna,x")), self.token(self.clear("", "")),
                      self.token(self.clear("a" * 150))):
            self.assertEqual(self.answer(token), 142, token)
        self.assertNotIn("secret", self.told())

    def test_number_as_token(self):
        self.assertEqual(self.answer(7), 142)

    def test_parameters_are_checked_too(self):
        client = self.client().offer(params(authtoken=self.token(self.clear()), parallel=500))
        self.assertEqual(client.refusal(), 6)


if __name__ == "__main__":
    unittest.main()
