# SPDX-License-Identifier: BSD-2-Clause
"""nuttcp with peers by hand: what only newer versions than Debian's do, and every byte that
is on the wire."""

import re
import socket
import struct
import time
import unittest

from harness import TestCase, connect_tcp, free_port, read_exactly, run, start, tool
from harness.nuttcp import (Client, Pair, Server, in_background, intervals, result, stamp,
                            udp_data)

MAGIC = 0x5254524E
REPORT = ("nuttcp-%s: %.4f MB in %.2f real seconds = 1.00 KB/sec = %.4f Mbps\n"
          "nuttcp-%s: 0.0user 0.0sys 0:01real 7%% 0i+0d 1maxrss 0+0pf 0+0csw\n")


def listener(port, address="127.0.0.1"):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((address, port))
    s.listen(4)
    s.settimeout(20)
    return s


def drain(data):
    got = bytearray()
    while True:
        piece = data.recv(1 << 20)
        if not piece:
            return bytes(got)
        got += piece


class ServerByHand(TestCase):
    def client(self, step, *options, version="8.2.2", host="127.0.0.1", code=0):
        """Run the client against step(server); returns the client and the server."""
        server = Server(version)

        def body():
            server.hello()
            step(server)
            server.control.close()
            server.lines.close()
        join = in_background(body)
        done = run([tool("nuttcp"), "-P%d" % server.port, "-p%d" % server.data] +
                   list(options) + [host])
        join()
        self.assertEqual(done.code, code, done)
        return done, server

    def take(self, s, report="r", mb=None):
        """Be a receiver: accept, read all, report."""
        with listener(s.data) as one:
            s.ok()
            data, _ = one.accept()
        with data:
            s.got = drain(data)
        s.say(REPORT % (report, len(s.got) / 2**20, 1, 9, report))

    def test_request(self):
        _, s = self.client(self.take, "-n2", "-l1000", "-w64", "-ws128", "-N1", "-c46", "-D",
                           "-M1200", "-xcs0", "-fxmitstats", "-T3")
        self.assertEqual(s.greeting, "HELO nuttcp v8.2.2\n")
        self.assertEqual(
            s.request, "buflen = 1000, nbuf = 2, win = 131072, nstream = 1, "
            "rate = 4294967295, port = %d, trans = 1, braindead = 0, timeout = 3.000000, "
            "udp = 0, vers = 8.2.2, interval = 0.000000, reverse = 0, format = 2049, "
            "traceroute = 0, irate = 0, thirdparty = _NULL_ , multicast = 0 , ssm = 0 , "
            "datamss = 1200 , tos = B8 , nbuf_bytes = 0 , rate_pps = 0 , nodelay = 1 , "
            "affinity = 0 , maxburst = 1 , do_jitter = 0 , do_owd = 0 , stride = 0 , "
            "multilink = 0, group = _NULL_ , srcport = 0, iratesss = 0\n" % s.data)

    def test_data(self):
        """Printable pattern; no magic number of a client; counters only with -i."""
        _, s = self.client(self.take, "-n3", "-l1000")
        self.assertEqual(len(s.got), 3000)
        for n in range(3):
            buf = s.got[n * 1000:(n + 1) * 1000]
            self.assertEqual(buf[:8], b' !"#$%&\'')
            self.assertEqual(buf[8:16], bytes(8))
            self.assertEqual(buf[24:32], bytes(8))
            self.assertEqual(buf[32:100], bytes(32 + i % 95 for i in range(32, 100)))

    def test_window_in_data(self):
        """With -i later buffers tell the window in KB."""
        def step(s):
            with listener(s.data) as one:
                s.ok()
                data, _ = one.accept()
            with data:
                s.got = drain(data)
            s.say("DONE\n" + REPORT % ("r", 1, 1, 9, "r"))
        done, s = self.client(step, "-T0.5", "-i0.2", "-l1000", "-R1m")
        self.assertEqual(s.got[24:32], bytes(8))
        retrans, cwnd = struct.unpack("=II", s.got[20024:20032])
        self.assertEqual(retrans, 0)
        self.assertTrue(1 <= cwnd < 100000, cwnd)

    def test_one_way_delay_in_data(self):
        def step(s):
            s.began = time.time()
            self.take(s)
        _, s = self.client(step, "-n2", "-l1000", "-o")
        for n in range(2):
            sec, usec = struct.unpack(">II", s.got[n * 1000 + 8:n * 1000 + 16])
            self.assertLess(abs(sec + usec / 1e6 - s.began), 5)

    def test_columns_of_report(self):
        """What the server's text says is what the result line says."""
        def step(s):
            with listener(s.data) as one:
                s.ok()
                data, _ = one.accept()
            with data:
                drain(data)
            s.say("nuttcp-r: v8.9.9: something new\n"
                  "nuttcp-r: 12.3400 MB in 5.67 real seconds = 2228.57 KB/sec = 18.2567 Mbps\n"
                  "nuttcp-r: a line of the future = 12\n"
                  "nuttcp-r: min-OWD = 0.1000 ms, avg-OWD = 0.2000 ms, max-OWD = 0.3000 ms\n"
                  "nuttcp-r: 0.0user 0.0sys 0:05real 42% 0i+0d 1maxrss 0+0pf 0+0csw\n")
        done, _ = self.client(step, "-n2", "-omax")
        self.assertRegex(done.stdout, r"^   12.3400 MB /   5.67 sec =   18.2567 Mbps \d+ %TX "
                         r"42 %RX 0 retrans \d+ KB-cwnd \d+\.\d\d msRTT 0.1000 msMinOWD "
                         r"0.2000 msAvgOWD 0.3000 msMaxOWD\n$")

    def test_relayed_lines(self):
        """Lines in any pieces; header lines are for -v, warnings for everybody."""
        def step(s):
            with listener(s.data) as one:
                s.ok()
                data, _ = one.accept()
            text = ("nuttcp-r: v8.2.2: socket\nnuttcp-r: Warning: receive window too small\n"
                    "    2.0000 MB /   1.00 sec =   16.7772 Mbps     5 retrans    9 KB-cwnd\n"
                    "    1.0000 MB /   1.00 sec =    8.3886 Mbps\n")
            for c in text:
                s.say(c)
            time.sleep(0.3)
            with data:
                drain(data)
            s.say("    0.5000 MB /   1.00 sec =    4.1943 Mbps\nDO")
            time.sleep(0.05)
            s.say("NE\n" + REPORT % ("r", 3.5, 3, 9.8, "r"))
        done, _ = self.client(step, "-T0.5", "-i0.4", "-R1m")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "nuttcp-r: Warning: receive window too small")
        self.assertEqual([line["mb"] for line in intervals(done.stdout)], [2, 1, 0.5])
        for line in lines[1:4]:
            self.assertRegex(line, r"Mbps     0 retrans +\d+ KB-cwnd$")
        self.assertEqual(lines[4], "")

    def test_streams_in_turn(self):
        """Whole buffers to the streams in turn, as old receivers need it."""
        def step(s):
            ones = [listener(s.data + k) for k in range(3)]
            s.ok()
            datas = [one.accept()[0] for one in ones]
            s.sizes = [len(drain(data)) for data in datas]
            for x in ones + datas:
                x.close()
            s.say(REPORT % ("r", 1, 1, 9, "r"))
        _, s = self.client(step, "-n10", "-N3", "-l1000")
        self.assertEqual(s.sizes, [4000, 3000, 3000])

    def test_data_paths(self):
        """-P to one address, data to others in turn."""
        def step(s):
            one, two = listener(s.data, "127.0.0.2"), listener(s.data + 1, "127.0.0.3")
            s.ok()
            with one, two:
                for each in (one, two):
                    data, _ = each.accept()
                    with data:
                        drain(data)
            s.say(REPORT % ("r", 1, 1, 9, "r"))
        self.client(step, "-n4", "-N2", host="127.0.0.1/127.0.0.2/127.0.0.3")

    def test_stride(self):
        def step(s):
            one, two = listener(s.data, "127.0.0.1"), listener(s.data + 1, "127.0.0.3")
            s.ok()
            with one, two:
                for each in (one, two):
                    data, _ = each.accept()
                    with data:
                        drain(data)
            s.say(REPORT % ("r", 1, 1, 9, "r"))
        _, s = self.client(step, "-n4", "-N2", host="127.0.0.1+2")
        self.assertEqual(s.field("stride"), str(2 << 24))

    def send(self, s, bufs, pause=0.0, report=True):
        """Be a transmitter: connect to the client and send."""
        s.ok()
        deadline = time.monotonic() + 10
        while True:
            try:
                data = connect_tcp(s.data)
                break
            except ConnectionRefusedError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
        with data:
            for buf in bufs:
                data.sendall(buf)
                time.sleep(pause)
        if report:
            s.say("nuttcp-t: connect to 127.0.0.1 with mss=1448, RTT=12.345 ms af=inet\n"
                  "nuttcp-t: retrans = 77 cwnd = 88 KB\n" +
                  REPORT % ("t", 0.01, 1, 9, "t"))

    def buffer(self, a, b, native="="):
        return b"x" * 24 + struct.pack(native + "II", a, b) + b"y" * 968

    def test_receive_columns(self):
        """Retransmissions and window out of the data; those of the result and the RTT out
        of the text."""
        for native in "<>":
            bufs = [self.buffer(0, MAGIC, native)] + [
                self.buffer(n // 10, 123, native) for n in range(60)]
            done, _ = self.client(lambda s: self.send(s, bufs, 0.01), "-r", "-T9", "-i0.2",
                                  "-l1000")
            lines = intervals(done.stdout)
            self.assertGreaterEqual(len(lines), 2, done)
            for line in lines:
                self.assertRegex(line["rest"], r"^ +\d+ retrans    123 KB-cwnd$")
            self.assertGreater(sum(int(line["rest"].split()[0]) for line in lines), 1)
            self.assertRegex(done.stdout, r"7 %TX \d+ %RX 77 retrans 88 KB-cwnd 12.35 msRTT")

    def test_receive_without_magic(self):
        done, _ = self.client(lambda s: self.send(s, [self.buffer(1, 2)] * 40, 0.01), "-r",
                              "-T9", "-i0.2", "-l1000")
        for line in intervals(done.stdout):
            self.assertEqual(line["rest"], "", done)

    def test_receive_from_old_server(self):
        """6.1.2: the magic number stays, there is no window."""
        bufs = [self.buffer(n // 10, MAGIC) for n in range(40)]
        done, _ = self.client(lambda s: self.send(s, bufs, 0.01), "-r", "-T9", "-i0.2",
                              "-l1000", version="6.1.2")
        for line in intervals(done.stdout):
            self.assertRegex(line["rest"], r"^ +\d+ retrans$", done)

    def test_receive_host_retrans(self):
        def step(s):
            self.send(s, [b"x" * 1000], report=False)
            s.say("nuttcp-t: host-retrans = 5\n" + REPORT % ("t", 0.01, 1, 9, "t"))
        done, _ = self.client(step, "-r", "-T9", "-l1000")
        self.assertIn(" 5 host-retrans", done.stdout)

    def test_receive_one_way_delay(self):
        done, _ = self.client(lambda s: self.send(
            s, (stamp(b"x" * 1000, time.time() - 0.25) for _ in range(4)), 0.02), "-r", "-T9",
            "-omx", "-l1000")
        got = result(done.stdout)
        self.assertAlmostEqual(got["msMinOWD"], 250, delta=60)
        self.assertGreaterEqual(got["msMaxOWD"], got["msMinOWD"])

    def udp_send(self, s, packets, marks=("BOD0", "BOD1", "EOD0", "EOD1"), pause=0.0):
        s.ok()
        time.sleep(0.1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as data:
            data.connect(("127.0.0.1", s.data))
            for mark in marks[:2]:
                data.send(mark.encode())
            for packet in packets:
                data.send(packet)
                time.sleep(pause)
            for mark in marks[2:]:
                data.send(mark.encode())
        s.say(REPORT % ("t", 0.1, 1, 9, "t"))

    def test_udp_receive_loss(self):
        """Every fifth is missing, one comes twice late: counts by interval and in all."""
        packets = [udp_data((n + 1) * 1000, 1000) for n in range(200) if n % 5]

        def step(s):
            s.ok()
            time.sleep(0.1)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as data:
                data.connect(("127.0.0.1", s.data))
                data.send(b"BOD0")
                data.send(b"BOD1")
                for packet in packets:
                    data.send(packet)
                    time.sleep(0.005)
                data.send(b"EOD0")
                data.send(b"EOD1")
            s.say(REPORT % ("t", 200000 / 2**20, 1, 9, "t"))
        done, _ = self.client(step, "-r", "-u", "-T9", "-i0.3", "-l1000")
        for line in intervals(done.stdout):
            drop, pkt = map(int, re.match(r" +(\d+) / +(\d+) ~drop/pkt +(\S+) ~%loss$",
                                          line["rest"]).groups()[:2])
            self.assertAlmostEqual(drop / pkt, 0.2, delta=0.05)
        got = result(done.stdout)
        self.assertEqual((got["drop"], got["pkt"], got["loss"]), (40, 200, 20))

    def test_udp_receive_other_byte_order(self):
        packets = [udp_data((n + 1) * 1000, 1000, ">") for n in range(60)]
        done, _ = self.client(lambda s: self.udp_send(s, packets, pause=0.01), "-r", "-u",
                              "-T9", "-i0.3", "-l1000")
        for line in intervals(done.stdout):
            self.assertRegex(line["rest"], r"^     0 / +\d+ ~drop/pkt  0.00 ~%loss$")

    def test_udp_marks_lost(self):
        """Rate and time are right whichever marks are lost."""
        packets = [udp_data((n + 1) * 1000, 1000) for n in range(50)]

        def late(marks, end):
            def step(s):
                s.ok()
                time.sleep(0.1)
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as data:
                    data.connect(("127.0.0.1", s.data))
                    for mark in marks:
                        data.send(mark)
                    began = time.monotonic()
                    for packet in packets:
                        data.send(packet)
                        time.sleep(0.01)
                    s.took = time.monotonic() - began
                    for k in range(5):
                        if k in end:
                            data.send(b"EOD%d" % k)
                        time.sleep(0.5 if k < 4 else 0)
                s.say(REPORT % ("t", 50000 / 2**20, 1, 9, "t"))
            return step
        for marks, end in (((b"BOD0", b"BOD1"), ()), ((b"BOD1",), (3,)), ((), (1,)),
                           ((), ()), ((b"BOD0", b"BOD1"), (4,))):
            done, s = self.client(late(marks, end), "-r", "-u", "-T9", "-l1000")
            got = result(done.stdout)
            self.assertEqual(got["drop"], 0, done)
            self.assertAlmostEqual(got["sec"], s.took, delta=0.25, msg=str(done))

    def test_jitter(self):
        """Against the configured gap: 8 ms at 1 Mbps. The gap of the lost one does not
        count with o."""
        packets = [udp_data((n + 1) * 1000, 1000) for n in range(60) if n != 30]

        def step(s):
            s.ok()
            time.sleep(0.1)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as data:
                data.connect(("127.0.0.1", s.data))
                data.send(b"BOD1")
                due = time.monotonic()
                for n, packet in enumerate(packets):
                    due += 0.058 if n == 30 else 0.008
                    time.sleep(max(0, due - time.monotonic()))
                    data.send(packet)
                data.send(b"EOD0")
                data.send(b"EOD1")
            s.say(REPORT % ("t", 60000 / 2**20, 1, 9, "t"))
        done, s = self.client(step, "-r", "-jmax", "-Ri1m", "-T9", "-l1000")
        self.assertEqual(s.field("do_jitter"), "7")
        self.assertGreater(result(done.stdout)["msMaxJitter"], 45)
        done, s = self.client(step, "-r", "-jmaxo", "-Ri1m", "-T9", "-l1000")
        self.assertEqual(s.field("do_jitter"), "15")
        self.assertLess(result(done.stdout)["msMaxJitter"], 45)

    def test_source_ports(self):
        port = free_port(2)

        def step(s):
            s.from_port = s.control.getpeername()[1]
            with listener(s.data) as one:
                s.ok()
                data, who = one.accept()
            s.data_from = who[1]
            with data:
                drain(data)
            s.say(REPORT % ("r", 1, 1, 9, "r"))
        server = Server()

        def body():
            server.hello()
            step(server)
            server.control.close()
            server.lines.close()
        join = in_background(body)
        done = run([tool("nuttcp"), "-P%d:%d" % (port, server.port),
                    "-p%d:%d" % (port + 1, server.data), "-n1", "127.0.0.1"])
        join()
        self.assertEqual(done.code, 0, done)
        self.assertEqual((server.from_port, server.data_from), (port, port + 1))
        self.assertEqual(server.field("srcport"), str(port + 1))

    def test_retry(self):
        """-a: a server that comes up late."""
        port = free_port(2)
        client = start([tool("nuttcp"), "-a", "-P%d" % port, "-p%d" % (port + 1), "-n1",
                        "127.0.0.1"])
        time.sleep(1)
        server = start([tool("nuttcp"), "-S", "--nofork", "-P", port])
        self.assertEqual(client.wait(10), 0, client)
        server.stop()

    def test_third_party_request(self):
        """Fields and letters travel; the result decides about the exit code."""
        for text, code in (("   1.0000 MB /   1.00 sec =    8.3886 Mbps 0 %TX 0 %RX\n", 0),
                           ("anything else\n", 1)):
            def step(s):
                s.ok()
                s.say(text + "DONE\n")
            done, s = self.third(step, code)
            self.assertEqual(done.stdout, text)
            for name, value in (("thirdparty", "127.0.0.9"), ("brief3", "1"),
                                ("ctlport3", "5600"), ("nbuf", "4096"), ("nbuf_bytes", "1"),
                                ("rate", "100"), ("rate_pps", "1"), ("do_jitter", "12"),
                                ("affinity", "1"), ("srvr_affinity", "0"), ("af3", "4"),
                                ("buflen", "0"), ("ssm", "-1")):
                self.assertEqual(s.field(name), value, name)

    def third(self, step, code):
        server = Server()

        def body():
            server.hello()
            step(server)
            server.control.close()
            server.lines.close()
        join = in_background(body)
        done = run([tool("nuttcp"), "-P%d/5600" % server.port, "-jo", "-Ri100p", "-n4k",
                    "-xc1/0", "-4", "127.0.0.1", "127.0.0.9"])
        join()
        self.assertEqual(done.code, code, done)
        return done, server


class ClientByHand(TestCase):
    """Our server and a client made of bytes."""

    def setUp(self):
        self.pair = Pair()

    def ask(self, version="8.2.2", **fields):
        client = Client(self.pair.port, version, **dict({"port": self.pair.data}, **fields))
        self.assertEqual(client.greeting, "HELO nuttcp v8.2.2\n")
        self.assertEqual(client.answer, "OK v8.2.2\n")
        return client

    def test_receive(self):
        client = self.ask()
        data = connect_tcp(self.pair.data)
        data.sendall(b"x" * 1000000)
        data.close()
        text = client.rest()
        self.assertRegex(text, r"^nuttcp-r: v8.2.2: socket\nnuttcp-r: buflen=65536, "
                         r"nstream=1, port=\d+ tcp\nnuttcp-r: accept from 127.0.0.1 with "
                         r"af=inet\n")
        self.assertIn("nuttcp-r: 0.9537 MB in ", text)
        self.assertIn("KB/cpu sec", text)
        self.assertNotIn("DONE", text)

    def test_receive_intervals(self):
        client = self.ask(interval="0.200000")
        data = connect_tcp(self.pair.data)
        for _ in range(6):
            data.sendall(b"x" * 100000)
            time.sleep(0.1)
        data.close()
        text = client.rest()
        self.assertIn(len(intervals(text)), (2, 3), text)
        self.assertRegex(text, r"Mbps\nDONE\nnuttcp-r: 0.5722 MB in ")

    def test_receive_old_client(self):
        """6.1.2 puts the magic number into the first buffer: the server shows its
        retransmissions."""
        client = self.ask("6.1.2", interval="0.200000", buflen=1000)
        data = connect_tcp(self.pair.data)
        first = b"x" * 24 + struct.pack("=II", 0xFFFFFFFF, MAGIC) + b"y" * 968
        data.sendall(first)
        for n in range(50):
            data.sendall(b"x" * 24 + struct.pack("=II", n // 5, MAGIC) + b"y" * 968)
            time.sleep(0.01)
        data.close()
        lines = intervals(client.rest())
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line["rest"], r"^ +\d+ retrans$")

    def test_transmit(self):
        """The first buffer has the magic number, the report all its lines."""
        with listener(self.pair.data) as one:
            client = self.ask(trans=0, nbuf=5, buflen=1000)
            data, _ = one.accept()
            with data:
                got = drain(data)
        self.assertEqual(len(got), 5000)
        self.assertEqual(struct.unpack("=II", got[24:32]), (0, MAGIC))
        text = client.rest()
        self.assertRegex(text, r"nuttcp-t: retrans = 0 cwnd = \d+ KB\n")
        self.assertRegex(text, r"nuttcp-t: connect to 127.0.0.1 with mss=\d+, RTT=[\d.]+ ms "
                         r"af=inet\n")

    def test_transmit_flip(self):
        client = self.ask(trans=0, nbuf=5, buflen=1000, reverse=1)
        data = connect_tcp(self.pair.data)
        self.assertEqual(len(read_exactly(data, 5000)), 5000)
        self.assertEqual(data.recv(1), b"")
        data.close()
        self.assertIn("nuttcp-t: accept from 127.0.0.1 with mss=", client.rest())

    def test_udp_marks(self):
        """What the server sends, and when."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as data:
            data.bind(("127.0.0.1", self.pair.data))
            data.settimeout(10)
            client = self.ask(trans=0, udp=1, nbuf=3, buflen=1000, interval="0.500000",
                              rate=8000)
            seen = []
            while not seen or seen[-1][1] != b"EOD4":
                packet = data.recv(2000)
                seen.append((time.monotonic(), packet))
        names = [p if len(p) == 4 else len(p) for _, p in seen]
        self.assertEqual(names, [b"BOD0", b"BOD1", 1000, 1000, 1000, b"EOD0", b"EOD1",
                                 b"EOD2", b"EOD3", b"EOD4"])
        self.assertAlmostEqual(seen[1][0] - seen[0][0], 0.25, delta=0.1)
        for k in range(6, 10):
            self.assertAlmostEqual(seen[k][0] - seen[k - 1][0], 0.5, delta=0.15)
        counts = [struct.unpack("=Q", p[24:32])[0] for _, p in seen[2:5]]
        self.assertEqual(counts, [1000, 2000, 3000])
        self.assertIn("0.0029 MB in", client.rest())

    def test_udp_old_peer(self):
        """One BOD0 for those that know no BOD1."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as data:
            data.bind(("127.0.0.1", self.pair.data))
            data.settimeout(10)
            connection = connect_tcp(self.pair.port)
            connection.sendall(b"HELO nuttcp v5.3.1\n" + re.sub(
                "vers = 8.2.2", "vers = 5.3.1", self.request(trans=0, udp=1, nbuf=2,
                                                            buflen=1000)).encode())
            names = [data.recv(2000)[:4] for _ in range(4)]
        self.assertEqual((names[0], names[3]), (b"BOD0", b"EOD0"))

    def request(self, **fields):
        from harness.nuttcp import DEFAULTS, REQUEST
        return REQUEST % dict(DEFAULTS, port=self.pair.data, **fields)

    def test_udp_end_by_control(self):
        """Every mark of the end lost: the client's half close ends it, and the time is
        that of the data."""
        client = self.ask(udp=1, buflen=1000, timeout="0.500000")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as data:
            data.connect(("127.0.0.1", self.pair.data))
            data.send(b"BOD0")
            time.sleep(0.25)
            data.send(b"BOD1")
            for n in range(50):
                data.send(udp_data((n + 1) * 1000, 1000))
                time.sleep(0.01)
            time.sleep(2.0)
        client.control.shutdown(socket.SHUT_WR)
        text = client.rest()
        found = re.search(r"nuttcp-r: 0.0477 MB in ([\d.]+) real", text)
        self.assertTrue(found, text)
        self.assertAlmostEqual(float(found.group(1)), 0.52, delta=0.15)

    def test_udp_streams_without_phantoms(self):
        """Two streams: no interval after the end mark, and both are counted."""
        client = self.ask(udp=1, buflen=1000, nstream=2, interval="0.200000")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as data:
            data.sendto(b"BOD0", ("127.0.0.1", self.pair.data))
            data.sendto(b"BOD1", ("127.0.0.1", self.pair.data))
            for n in range(50):
                data.sendto(udp_data((n + 1) * 1000, 1000),
                            ("127.0.0.1", self.pair.data + n % 2))
                time.sleep(0.01)
            data.sendto(b"EOD0", ("127.0.0.1", self.pair.data))
            time.sleep(1)
            data.sendto(b"EOD1", ("127.0.0.1", self.pair.data + 1))
        text = client.rest()
        self.assertIn(len(intervals(text)), (2, 3), text)
        self.assertIn("nuttcp-r: 0.0477 MB in ", text)

    def test_udp_idle(self):
        """No data at all: the urgent byte, then a report."""
        pair = Pair(options=["--idle-data-timeout", "0.5"])
        client = Client(pair.port, port=pair.data, udp=1, buflen=1000, timeout="30.000000")
        self.assertEqual(client.answer, "OK v8.2.2\n")
        text = client.rest()
        self.assertRegex(text, r"nuttcp-r: 0.0000 MB in 0\.[5-9]\d real seconds")

    def test_half_a_kbps(self):
        """-R0.5 is 500 bit/s, not without limit."""
        done = self.pair.client("ours", "-u", "-R0.5", "-l50", "-T2.9")
        got = result(done.stdout)
        self.assertEqual(got["pkt"], 3, done)


if __name__ == "__main__":
    unittest.main()
