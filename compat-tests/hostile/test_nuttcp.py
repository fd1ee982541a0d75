# SPDX-License-Identifier: BSD-2-Clause
"""nuttcp and peers that break the rules, vanish, or are simply many: a server serves on, a
client says one clear line and ends."""

import os
import signal
import socket
import struct
import subprocess
import time
import unittest

from harness import (SANITIZED, TestCase, connect_tcp, fd_count, free_port, long_test,
                     run, start, tool, upstream, wait_until)
from harness.nuttcp import (DEFAULTS, REQUEST, Client, Daemon, Pair, Server, anon_kib,
                            in_background, pid_listening, result)

BOUND_S = 300


def children(pid):
    """Process ids of the children, zombies too."""
    found = []
    for other in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % other) as f:
                if int(f.read().rpartition(")")[2].split()[1]) == pid:
                    found.append(int(other))
        except OSError:
            pass
    return found


class ManyClients(TestCase):
    def crowd(self, port, count, *options, client=None):
        argv = [client or tool("nuttcp"), "-P%d" % port, "-p%d" % (port + 1)] + list(options)
        clients = [start(argv + ["127.0.0.1"]) for _ in range(count)]
        return [(c.wait(60), c) for c in clients]

    def ck(self, done, bytes_each=None):
        for code, client in done:
            self.assertEqual(code, 0, client)
            if bytes_each:
                self.assertAlmostEqual(result(client.stdout)["mb"], bytes_each / 2**20,
                                       delta=0.001, msg=str(client))

    def test_fifty(self):
        """All at once, all on the same data port, each with its own bytes."""
        server = Daemon()
        self.ck(self.crowd(server.port, 50, "-n5"), 5 * 65536)
        # And it has no children left.
        wait_until(lambda: self.touch(server) and not children(server.pid), 10)

    def touch(self, server):
        connect_tcp(server.port).close()
        return True

    def test_sixteen_same_port(self):
        """Served at the same time: together they take no longer than one and a bit."""
        server = Daemon()
        for options in (("-T2", "-R2m"), ("-T2", "-R2m", "-u"), ("-T2", "-R2m", "-N2"),
                        ("-T2", "-R2m", "-r", "-F")):
            began = time.monotonic()
            done = self.crowd(server.port, 16, *options)
            took = time.monotonic() - began
            self.ck(done)
            for _, client in done:
                self.assertAlmostEqual(result(client.stdout)["mbps"], 2, delta=0.6,
                                       msg=str(client))
            self.assertLess(took, 2 * (2 + 2.3), options)

    def test_sixteen_of_upstream(self):
        server = Daemon()
        self.ck(self.crowd(server.port, 16, "-n3", client=upstream("nuttcp")), 3 * 65536)

    def test_in_a_row(self, count=100):
        """No memory, descriptor or process is left behind."""
        server = Daemon()
        argv = [tool("nuttcp"), "-P%d" % server.port, "-p%d" % server.data, "-n1",
                "127.0.0.1"]
        for n in range(count + 20):
            if n == 20:
                memory, fds = anon_kib(server.pid), fd_count(server.pid)
            code = subprocess.run(argv, stdout=subprocess.DEVNULL, timeout=30).returncode
            self.assertEqual(code, 0)
        self.assertLessEqual(anon_kib(server.pid), memory + (4096 if SANITIZED else 64))
        self.assertEqual(fd_count(server.pid), fds)
        self.assertLessEqual(len(children(server.pid)), 2)

    @long_test
    def test_thousand_in_a_row(self):
        self.test_in_a_row(1000)

    def test_nofork_in_a_row(self):
        pair = Pair()
        for n in range(60):
            if n == 10:
                memory, fds = anon_kib(pair.process.pid), fd_count(pair.process.pid)
            options = (("-n1",), ("-n1", "-r"), ("-N3", "-n3"))[n % 3]
            self.assertEqual(pair.client("ours", *options).code, 0)
        self.assertLessEqual(anon_kib(pair.process.pid), memory + (8192 if SANITIZED else 256))
        self.assertEqual(fd_count(pair.process.pid), fds)

    def test_nofork_queues(self):
        """One at a time, but nobody is refused meanwhile."""
        pair = Pair()
        first = start(pair.argv("ours", ["-T1", "-R5m"]))
        time.sleep(0.2)
        second = pair.client("ours", "-n1")
        self.assertEqual(second.code, 0, second)
        self.assertEqual(first.wait(), 0, first)


class BadClients(TestCase):
    """Each is followed by a good one on the same ports."""

    def setUp(self):
        self.server = Daemon()
        self.port, self.data = self.server.port, self.server.data

    def good(self, within=10):
        began = time.monotonic()
        done = run([tool("nuttcp"), "-P%d" % self.port, "-p%d" % self.data, "-n2",
                    "127.0.0.1"])
        self.assertEqual(done.code, 0, done)
        self.assertLess(time.monotonic() - began, within * (4 if SANITIZED else 1))
        self.assertEqual(pid_listening(self.port), self.server.pid)

    def request(self, **fields):
        return Client(self.port, **dict({"port": self.data, "nbuf": 2}, **fields))

    def test_nothing(self):
        connect_tcp(self.port).close()
        self.good()

    def test_silent(self):
        connections = [connect_tcp(self.port) for _ in range(30)]
        self.good()
        self.assertEqual(len(connections), 30)

    def test_half_a_line(self):
        connection = connect_tcp(self.port)
        connection.sendall(b"HELO nut")
        self.good()
        connection.close()
        self.good()

    def test_bytes(self):
        for data in (b"\0" * 10000, b"\xff" * 10000, b"\n" * 1000, b"GET / HTTP/1.0\r\n\r\n",
                     b"A" * 1000000, b"HELO nuttcp v999999.1.1\n", b"HELO nuttcp v8.2.2\n\n",
                     bytes(range(256)) * 40, b"HELO nuttcp v8.2.2\n" + b"buflen = " * 400,
                     b"HELO nuttcp v8.2.2\n" + b"x = 1, " * 500 + b"\n"):
            connection = connect_tcp(self.port)
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(4096):
                    pass
            except OSError:
                pass
            connection.close()
        self.good()

    def test_values(self):
        """Numbers beyond all reason are answered with an error block."""
        for name, value in (("nstream", 129), ("nstream", 500), ("nstream", 2**31),
                            ("nstream", -1), ("buflen", -1), ("buflen", 2**31 - 1),
                            ("nbuf", 2**64), ("nbuf", -1), ("win", 2**31), ("port", 0),
                            ("port", 65536), ("rate", -1), ("timeout", "1e99"),
                            ("timeout", "nan"), ("interval", "-1"), ("do_jitter", 99),
                            ("format", "x" * 100), ("udp", "maybe")):
            client = self.request(**{name: value})
            self.assertEqual(client.answer, "KO\n", name)
            self.assertTrue(client.rest().endswith("KO\n"), name)
        self.good()

    def test_missing_fields(self):
        """What killed upstream's process: a line of the new version with old fields."""
        connection = connect_tcp(self.port)
        line = REQUEST % dict(DEFAULTS, port=self.data, nbuf=1)
        connection.sendall(b"HELO nuttcp v8.2.2\n" +
                           line.partition(", interval")[0].encode() + b"\n")
        lines = connection.makefile("rb")
        self.assertEqual(lines.readline(), b"HELO nuttcp v8.2.2\n")
        self.assertEqual(lines.readline(), b"OK v8.2.2\n")
        self.good()

    def test_third_party_without_fields(self):
        connection = connect_tcp(self.port)
        line = REQUEST % dict(DEFAULTS, port=self.data, nbuf=1)
        line = line.replace("thirdparty = _NULL_", "thirdparty = 127.0.0.1")
        connection.sendall(b"HELO nuttcp v8.2.2\n" + line.encode())
        text = connection.makefile("rb").read().decode()
        self.assertIn("\nDONE\n", text)
        self.good()

    def test_never_connects(self):
        """Its data port is held up for 5 s, no longer."""
        client = self.request()
        self.assertEqual(client.answer, "OK v8.2.2\n")
        self.good(within=8)

    def test_many_never_connect(self):
        """When they leave, the port is free at once; other ports were so all the time."""
        def ask(port):
            connection = connect_tcp(self.port)
            connection.sendall(b"HELO nuttcp v8.2.2\n" + (REQUEST % dict(
                DEFAULTS, port=port)).encode())
            return connection
        others = [ask(self.data + 2) for _ in range(20)]
        self.good(within=2)
        same = [ask(self.data) for _ in range(20)]
        for connection in others + same:
            connection.close()
        self.good(within=2)

    def test_vanishes_in_transfer(self):
        for options in (["-T20"], ["-T20", "-r"], ["-T20", "-u", "-R1m"],
                        ["-T20", "-u", "-r", "-R1m"], ["-T20", "-N4"]):
            client = start([tool("nuttcp"), "-P%d" % self.port, "-p%d" % self.data] +
                           options + ["127.0.0.1"])
            time.sleep(0.5)
            client.send_signal(signal.SIGKILL)
            client.wait()
            self.good()
        # Nobody waits for the dead.
        wait_until(lambda: not self.busy(), 12, lambda: str(self.busy()))

    def busy(self):
        connect_tcp(self.port).close()
        time.sleep(0.3)
        return children(self.server.pid)

    def test_aborts(self):
        """Connections that end by reset, at each stage."""
        hang_up = struct.pack("ii", 1, 0)
        for stage in range(4):
            connection = connect_tcp(self.port)
            data = None
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, hang_up)
            if stage > 0:
                connection.sendall(b"HELO nuttcp v8.2.2\n")
            if stage > 1:
                connection.sendall((REQUEST % dict(DEFAULTS, port=self.data)).encode())
                lines = connection.makefile("rb")
                lines.readline()
                lines.readline()
            if stage > 2:
                data = connect_tcp(self.data)
                data.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, hang_up)
                data.sendall(b"x" * 1000)
                data.close()
                lines.close()
            connection.close()
            self.good(within=8)

    def test_never_reads(self):
        """A client that reads neither data nor report."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        client = self.request(port=listener.getsockname()[1], trans=0, timeout="2.0")
        self.assertEqual(client.answer, "OK v8.2.2\n")
        data, _ = listener.accept()
        self.good()
        data.close()
        listener.close()

    def test_extra_connections(self):
        """Strangers at the data port after the client has connected are refused."""
        client = start([tool("nuttcp"), "-P%d" % self.port, "-p%d" % self.data, "-T1",
                        "-R5m", "127.0.0.1"])
        time.sleep(0.5)
        with self.assertRaises(ConnectionRefusedError):
            connect_tcp(self.data)
        self.assertEqual(client.wait(), 0, client)

    def test_chatter(self):
        """A client that talks during the test has gone, as the protocol has it."""
        client = self.request(nbuf=2147483647, timeout="10.0")
        data = connect_tcp(self.data)
        client.control.sendall(b"hello\n" * 100)
        began = time.monotonic()
        text = client.rest()
        self.assertIn("real seconds", text)
        self.assertLess(time.monotonic() - began, 8)
        data.close()

    def test_udp_flood_of_strangers(self):
        """Datagrams of others do not enter the count."""
        stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        client = start([tool("nuttcp"), "-P%d" % self.port, "-p%d" % self.data, "-u", "-T1",
                        "-R1m", "-l1000", "127.0.0.1"])
        time.sleep(0.5)
        for _ in range(500):
            stranger.sendto(b"x" * 1000, ("127.0.0.1", self.data))
            stranger.sendto(b"EOD1", ("127.0.0.1", self.data))
        stranger.close()
        self.assertEqual(client.wait(), 0, client)
        got = result(client.stdout)
        self.assertEqual(got["drop"], 0, client)
        self.assertAlmostEqual(got["mbps"], 1, delta=0.1)


class BadServers(TestCase):
    """A client meets a server by hand that breaks the rules at some stage."""

    def ck(self, step, *options, code=1, out=None, err=None, within=15, version="8.2.2"):
        server = Server(version)

        def body():
            server.hello()
            step(server)
        join = in_background(body)
        began = time.monotonic()
        done = run([tool("nuttcp"), "-P%d" % server.port, "-p%d" % server.data] +
                   list(options) + ["127.0.0.1"], timeout=90)
        self.assertLess(time.monotonic() - began, within * (2 if SANITIZED else 1), done)
        self.assertEqual(done.code, code, done)
        if out is not None:
            self.assertRegex(done.stdout, out)
        if err is not None:
            self.assertRegex(done.stderr, err)
        join()
        return done

    def test_hangs_up(self):
        self.ck(lambda s: s.control.close() or s.lines.close(), "-T1",
                out="error from server", err="server aborted connection")

    def test_error_block(self):
        def step(s):
            s.say("KO\nnuttcp-r: v8.2.2: invalid nbuf\nnbuf = 0\nKO\n")
            s.control.close()
            s.lines.close()
        self.ck(step, "-T1", out=r"^nuttcp-t: v8.2.2: error from server\n$",
                err=r"^server nuttcp-r: v8.2.2: invalid nbuf\nnbuf = 0\n$")

    def test_garbage_answer(self):
        def step(s):
            s.control.sendall(b"\x00\xff" * 3000 + b"\n")
            s.control.close()
            s.lines.close()
        self.ck(step, "-T1", out="error from server")

    def test_dies_while_we_send(self):
        def step(s):
            with socket.socket() as listener:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listener.bind(("127.0.0.1", s.data))
                listener.listen(1)
                s.ok()
                data, _ = listener.accept()
            data.recv(100000)
            data.close()
            s.control.close()
            s.lines.close()
        self.ck(step, "-T30", err=r"Error: IO: .*\nerrno=\d+|", within=10)

    def test_udp_server_dies(self):
        """Upstream would send for the rest of its half minute."""
        def step(s):
            s.ok()
            time.sleep(0.5)
            s.control.close()
            s.lines.close()
        self.ck(step, "-u", "-T30", out="not receiving server info", within=8)

    def test_no_data_port(self):
        def step(s):
            s.ok()
            time.sleep(2)
        self.ck(step, "-T1", err="Error: connect: Connection refused\nerrno=111", within=8)

    def test_nobody_connects_back(self):
        def step(s):
            s.ok()
            time.sleep(6)
        done = self.ck(step, "-r", "-T1", out=r"Error: accept\(\) timeout", err="firewall",
                       within=9)
        self.assertGreater(len(done.stderr), 0)

    def test_nonsense_report(self):
        """Without figures there is no result, whatever else comes."""
        def step(s):
            with socket.socket() as listener:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listener.bind(("127.0.0.1", s.data))
                listener.listen(1)
                s.ok()
                data, _ = listener.accept()
            with data:
                while data.recv(1 << 20):
                    pass
            s.control.sendall(b"nan MB in inf real seconds = x\n" * 1000 + b"\xff" * 5000)
            s.control.close()
            s.lines.close()
        self.ck(step, "-n3", out="not receiving server info")

    def test_very_old_server(self):
        """One that does not know HELO gets the oldest form on a second connection."""
        server = Server("8.2.2")

        def body():
            first, _ = server.listener.accept()
            with first:
                first.recv(100)
                first.sendall(b"KO\nwhat?\nKO\n")
            second, _ = server.listener.accept()
            with second, socket.socket() as listener:
                server.line = second.makefile("rb").readline().decode()
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listener.bind(("127.0.0.1", server.data))
                listener.listen(1)
                second.sendall(b"OK\n")
                data, _ = listener.accept()
                with data:
                    while data.recv(1 << 20):
                        pass
                second.sendall(b"nuttcp-r: 0.1875 MB in 0.00 real seconds = 1.00 KB/sec = "
                               b"9.0000 Mbps\n")
        join = in_background(body)
        done = run([tool("nuttcp"), "-P%d" % server.port, "-p%d" % server.data, "-n3",
                    "127.0.0.1"])
        join()
        self.assertEqual(done.code, 0, done)
        self.assertRegex(server.line, r"^buflen = 65536, nbuf = 3, .* timeout = 0, udp = 0, "
                         r"vers = 8\.2\.2\n$")
        self.assertIn("9.0000 Mbps", done.stdout)

    def test_urgent_abort(self):
        """The byte that tells a transmitter of UDP to stop."""
        def step(s):
            s.ok()
            time.sleep(0.7)
            s.control.send(b"A", socket.MSG_OOB)
            s.say("nuttcp-r: 0.0000 MB in 0.40 real seconds = 0.00 KB/sec = 0.0000 Mbps\n"
                  "nuttcp-r: 0.0user 0.0sys 0:02real 0% 0i+0d 986maxrss 0+0pf 1+0csw\n")
            s.control.close()
            s.lines.close()
        done = self.ck(step, "-u", "-T30", "-R1m", code=0, within=8)
        self.assertEqual(result(done.stdout)["loss"], 100)


class Interrupts(TestCase):
    """^C: a partial result at once, exit code 0, and a second one kills."""

    def interrupt(self, server, *options, within=4):
        pair = Pair(server)
        client = start(pair.argv("ours", options))
        time.sleep(0.9)
        began = time.monotonic()
        client.send_signal(signal.SIGINT)
        self.assertEqual(client.wait(20), 0, client)
        self.assertLess(time.monotonic() - began, within, client)
        self.assertIn("\n*** transfer interrupted ***\n", client.stdout)
        self.assertGreater(result(client.stdout)["mb"], 0, client)
        self.assertLess(result(client.stdout)["sec"], 3, client)
        if server == "ours":
            done = pair.client("ours", "-n1")
            self.assertEqual(done.code, 0, done)

    def test_ours(self):
        for options in (("-T9",), ("-T9", "-r"), ("-T9", "-i0.3", "-R5m"),
                        ("-T9", "-i0.3", "-R5m", "-r"), ("-T9", "-N3"), ("-T9", "-N3", "-r"),
                        ("-T9", "-u", "-R5m"), ("-T9", "-u", "-R5m", "-r")):
            self.interrupt("ours", *options)

    def test_upstream(self):
        """Its server may go on for a minute; our client does not wait for it."""
        for options in (("-T9",), ("-T9", "-r", "-R20m"), ("-T9", "-u", "-R5m", "-r")):
            self.interrupt("upstream", *options)

    def test_stalled_receiver(self):
        """The transmitter's queue is full and nobody reads."""
        server = Server()

        def body():
            server.hello()
            with socket.socket() as listener:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listener.bind(("127.0.0.1", server.data))
                listener.listen(1)
                server.ok()
                data, _ = listener.accept()
            time.sleep(6)
            data.close()
        join = in_background(body)
        client = start([tool("nuttcp"), "-P%d" % server.port, "-p%d" % server.data, "-T60",
                        "127.0.0.1"])
        time.sleep(1)
        client.send_signal(signal.SIGINT)
        client.wait(8)
        join()

    def test_second_kills(self):
        pair = Pair("upstream")
        client = start(pair.argv("ours", ["-T9", "-r", "-R20m"]))
        time.sleep(0.7)
        client.send_signal(signal.SIGINT)
        client.wait_line("interrupted")
        client.send_signal(signal.SIGINT)
        self.assertEqual(client.wait(5), -signal.SIGINT, client)


class ServerDies(TestCase):
    def test_killed(self):
        """Within a few seconds, exit code 1, and no result that looks right."""
        for options in (("-T20",), ("-T20", "-r"), ("-T20", "-u", "-R1m"),
                        ("-T20", "-u", "-r", "-R1m"), ("-T20", "-i0.3")):
            pair = Pair()
            client = start(pair.argv("ours", options))
            time.sleep(0.9)
            pair.process.send_signal(signal.SIGKILL)
            pair.process.wait()
            self.assertEqual(client.wait(5), 1, client)
            self.assertNotIn("%TX", client.stdout)
            self.assertIn("Error", client.stdout + client.stderr)


class Servers(TestCase):
    """How a server begins and ends."""

    def test_terminated(self):
        """Exit code 0; a test in a child of the daemon goes on to its end."""
        self.assertEqual(Pair().process.stop(), 0)
        server = Daemon()
        client = start([tool("nuttcp"), "-P%d" % server.port, "-p%d" % server.data, "-T1.5",
                        "-R5m", "127.0.0.1"])
        time.sleep(0.5)
        child, = children(server.pid)
        os.kill(server.pid, signal.SIGTERM)
        time.sleep(0.5)
        with open("/proc/%d/stat" % child) as f:
            ticks = sum(map(int, f.read().rpartition(")")[2].split()[11:13]))
        self.assertLess(ticks, 30 if SANITIZED else 15)  # hundredths: it does not spin
        self.assertEqual(client.wait(), 0, client)
        self.assertGreater(result(client.stdout)["sec"], 1.4)

    def test_socket_activation(self):
        """A listening socket from systemd, as descriptor 3."""
        port = free_port(2)
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", port))
            listener.listen(4)
            server = start(["sh", "-c", 'exec 3<&0 </dev/null; LISTEN_PID=$$ LISTEN_FDS=1 '
                            'exec "$0" -S --nofork', tool("nuttcp")], stdin=listener)
            done = run([tool("nuttcp"), "-P%d" % port, "-p%d" % (port + 1), "-n2",
                        "127.0.0.1"])
        self.assertEqual(done.code, 0, done)
        server.stop()

    def test_oneshot_background(self):
        port = free_port(2)
        server = start([tool("nuttcp"), "-1", "-P", port])
        self.assertEqual(server.wait(), 0, server)
        for code in (0, 1):
            done = run([tool("nuttcp"), "-P%d" % port, "-p%d" % (port + 1), "-n2", "-r",
                        "127.0.0.1"])
            self.assertEqual(done.code, code, done)


class Limits(TestCase):
    def refused(self, text, *options, server=()):
        done = Pair(options=list(server)).client("ours", *options)
        self.assertEqual(done.code, 1, done)
        self.assertIn(text, done.stderr)

    def test_each(self):
        self.refused("this server allows 2 streams", "-N3", "-n3",
                     server=["--max-streams", "2"])
        self.refused("-R10000 (kbps) at most", "-R11m", "-T1", server=["--max-rate", "10m"])
        self.refused("-R10000 (kbps) at most", "-T1", server=["--max-rate", "10m"])
        self.refused("-T2 at most", "-T3", server=["--max-time", "2"])
        self.refused("does not serve your address", "-T1",
                     server=["--allow", "10.0.0.0/8", "--allow", "2001:db8::/32"])
        self.refused("doesn't allow 3rd party", "-T1", "127.0.0.1",
                     server=["--no3rdparty"])

    def test_within(self):
        pair = Pair(options=["--max-streams", "2", "--max-rate", "10m", "--max-time", "2",
                             "--allow", "127.0.0.0/8"])
        done = pair.client("ours", "-N2", "-R10m", "-T1")
        self.assertEqual(done.code, 0, done)

    def test_time_without_limit(self):
        """-n without -T cannot outstay --max-time for long."""
        pair = Pair(options=["--max-time", "0.5"])
        began = time.monotonic()
        done = pair.client("ours", "-n100000", "-R1m", timeout=60)
        self.assertLess(time.monotonic() - began, 15)
        self.assertIn("Warning: ended after 0.5 s, the limit of this server", done.stdout)
        self.assertLess(result(done.stdout)["mb"], 2)

    def test_max_clients(self):
        """Those beyond it wait for their turn."""
        server = Daemon(["--max-clients", "1"])
        argv = [tool("nuttcp"), "-P%d" % server.port, "-p%d" % server.data, "-T1", "-R1m",
                "127.0.0.1"]
        began = time.monotonic()
        clients = [start(argv) for _ in range(2)]
        for client in clients:
            self.assertEqual(client.wait(), 0, client)
        self.assertGreater(time.monotonic() - began, 2)


class BadInput(TestCase):
    def test_one_line(self):
        """Nothing to resolve, nobody there, nonsense: exit code 1 and few words."""
        port = free_port(3)
        for argv in (["no.such.host.invalid"], ["-P%d" % port, "-r", "127.0.0.1"],
                     ["-P%d" % port, "-u", "127.0.0.1"], ["-Z", "h"], ["--wrong", "h"],
                     ["-p0", "h"], ["-P1000000", "h"], ["-T", "never", "h"],
                     ["-P%d" % port, "-p%d" % port, "h"], ["-R1m/x", "h"]):
            done = run([tool("nuttcp")] + argv)
            self.assertEqual(done.code, 1, done)
            self.assertLessEqual(len(done.stderr.splitlines()), 2, done)
            self.assertGreater(len(done.stderr), 5, done)
            self.assertEqual(done.stdout, "", done)

    def test_resolver(self):
        done = run([tool("nuttcp"), "no.such.host.invalid"])
        self.assertRegex(done.stderr, r"^bad hostname or address: .+: no\.such\.host\.invalid\n$")

    def test_port_of_server_taken(self):
        pair = Pair()
        done = run([tool("nuttcp"), "-S", "-P", pair.port])
        self.assertEqual(done.code, 1, done)
        self.assertIn("Address already in use", done.stderr)


if __name__ == "__main__":
    unittest.main()
