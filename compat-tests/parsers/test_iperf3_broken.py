# SPDX-License-Identifier: BSD-2-Clause
"""Whatever the other side does, iperf3 -J prints JSON: one document, or lines of
--json-stream that end with "end"."""

import json
import signal
import socket
import struct

from harness.case import TestCase
from harness.peers import TcpListener, connect_tcp, read_exactly
from harness.ports import free_port
from harness.process import start
from harness.programs import tool
from parsers import iperf3_consumers as consumers

COOKIE = b"abcdefghijklmnopqrstuvwxyz2345672345\0"
PARAM_EXCHANGE, CREATE_STREAMS, START, RUNNING = b"\x09", b"\x0a", b"\x01", b"\x02"
TEST_END, EXCHANGE, DISPLAY, TERMINATE, DENIED = b"\x04", b"\x0d", b"\x0e", b"\x0b", b"\xff"


def error_state(number, errno):
    return struct.pack(">bii", -2, number, errno)


def packet(text):
    data = text.encode() if isinstance(text, str) else text
    return struct.pack(">I", len(data)) + data


def read_packet(connection):
    return read_exactly(connection, struct.unpack(">I", read_exactly(connection, 4))[0])


class Server:
    """A server's part, step by step; upto says where it leaves the script."""

    def __init__(self, listener):
        self.listener = listener
        self.control = listener.accept()
        read_exactly(self.control, 37)

    def parameters(self):
        self.control.sendall(PARAM_EXCHANGE)
        return json.loads(read_packet(self.control))

    def streams(self):
        self.control.sendall(CREATE_STREAMS)
        self.stream = self.listener.accept()
        read_exactly(self.stream, 37)

    def running(self):
        self.parameters()
        self.streams()
        self.control.sendall(START + RUNNING)

    def results(self, ours):
        while read_exactly(self.control, 1) != TEST_END:
            pass
        self.control.sendall(EXCHANGE)
        read_packet(self.control)
        self.control.sendall(ours)


# What the server does, and words of the client's error; None: no error is due.
def _says(data):
    return lambda s: s.control.sendall(data)


def _after_parameters(data):
    def script(s):
        s.parameters()
        s.control.sendall(data)
    return script


def _in_the_test(data):
    def script(s):
        s.running()
        read_exactly(s.stream, 1000)
        s.control.sendall(data)
    return script


def _with_results(data):
    def script(s):
        s.running()
        s.results(data)
    return script


RESULTS = {"cpu_util_total": 1e999, "cpu_util_user": -1, "cpu_util_system": 1,
           "sender_has_retransmits": -1, "congestion_used": "\x1b[31m",
           "streams": [{"id": 1, "bytes": 1e300, "retransmits": -1e300, "jitter": 1e999,
                        "errors": -5, "packets": 9e18, "omitted_errors": 9e18,
                        "omitted_packets": -9e18, "start_time": 0, "end_time": 1e30}]}

SCRIPTS = {
    "closes": (lambda s: None, "closed"),
    "denies": (_says(DENIED), "busy"),
    "odd_state": (_says(b"\x55"), "unknown control message"),
    "late_start": (_says(DISPLAY), ""),
    "refuses": (_after_parameters(error_state(27, 0)), "total required bandwidth"),
    "refuses_with_errno": (_after_parameters(error_state(205, 32)), "stream socket: Broken"),
    "unknown_refusal": (_after_parameters(error_state(-77, -1)), "int_errno=-77"),
    "half_a_refusal": (_after_parameters(error_state(27, 0)[:4]), ""),
    "closes_after_parameters": (_after_parameters(b""), "closed"),
    "closes_in_the_test": (_in_the_test(b""), "closed"),
    "terminates": (_in_the_test(TERMINATE), "the server has terminated"),
    "fails_in_the_test": (_in_the_test(error_state(160, 0)), "server test duration expired"),
    "no_results": (_with_results(b""), ""),
    "broken_results": (_with_results(packet("{\"a\":")), "unable to receive results"),
    "huge_results": (_with_results(struct.pack(">I", 0xffffffff)), "receive results"),
    "strange_results": (_with_results(packet(json.dumps(RESULTS).replace("Infinity", "1e999"))
                                      + DISPLAY), None),
}


class Clients(TestCase):
    def client(self, *options):
        self.listener = TcpListener()
        return start([tool("iperf3"), "-c", "127.0.0.1", "-p", self.listener.port, "-t", "1",
                      "-b", "8M"] + list(options), bound=40)

    def play(self, script):
        server = Server(self.listener)
        try:
            script(server)
        except (ConnectionError, socket.timeout):
            pass  # the client had enough
        server.control.close()
        if hasattr(server, "stream"):
            server.stream.close()

    def test_documents(self):
        for name, (script, words) in SCRIPTS.items():
            with self.subTest(name):
                client = self.client("-J")
                self.play(script)
                code = client.wait()
                self.assertEqual(client.stderr, "", client)
                document = consumers.parse(client.stdout)
                if words is None:
                    self.assertEqual(code, 0, client)
                    self.assertNotIn("error", document)
                else:
                    self.assertEqual(code, 1, client)
                    self.assertIn(words, document["error"])

    def test_lines(self):
        for name, (script, words) in SCRIPTS.items():
            with self.subTest(name):
                client = self.client("--json-stream")
                self.play(script)
                client.wait()
                events = [consumers.parse(line) for line in client.stdout.splitlines()]
                self.assertEqual(events[-1]["event"], "end", client)
                errors = [e["data"] for e in events if e["event"] == "error"]
                self.assertEqual(len(errors), 0 if words is None else 1, client)
                self.assertIn(words or "", "".join(errors))

    def test_interrupted_while_the_server_is_silent(self):
        def silent(server):
            pass

        def running(server):
            server.running()

        for name, script in (("accepts", silent), ("asks", Server.parameters),
                             ("runs", running)):
            with self.subTest(name):
                client = self.client("-J")
                server = Server(self.listener)
                script(server)
                if name == "runs":
                    read_exactly(server.stream, 1000)
                client.stop(signal.SIGINT)
                document = consumers.parse(client.stdout)
                self.assertIn("interrupt - the client has terminated", document["error"])
                self.assertEqual(bool(document["end"]), name == "runs")
                self.assertEqual(client.stderr, "")
                server.control.close()


class Servers(TestCase):
    """A server with -J: one document for each test."""

    def documents(self, server, count):
        """The documents of a stopped server."""
        server.stop()
        text, found = server.stdout, []
        while text:
            value, end = json.JSONDecoder().raw_decode(text)
            found.append(consumers.parse(text[:end]))
            self.assertEqual(text[end], "\n")
            text = text[end + 1:]
        self.assertEqual(len(found), count, server)
        return found

    def test_clients_of_all_kinds(self):
        port = free_port()
        server = start([tool("iperf3"), "-s", "-J", "-p", port], bound=60)
        server.wait_listening(port)

        def cookie(rest=b""):
            control = connect_tcp(port)
            control.sendall(COOKIE)
            self.assertEqual(read_exactly(control, 1), PARAM_EXCHANGE)
            control.sendall(rest)
            return control

        def done(count):
            # Its document is there when the test is over.
            server.wait_line(r"^\}", count=count)

        params = json.dumps({"tcp": True, "time": 1, "parallel": 1, "len": 1000,
                             "title": "\x1b[31m\"\\", "extra_data": "é"})
        cookie().close()
        done(1)
        cookie(packet("no JSON")).close()
        done(2)
        cookie(packet(json.dumps({"tcp": True, "parallel": 1000}))).close()
        done(3)
        control = cookie(packet(params))
        self.assertEqual(read_exactly(control, 1), CREATE_STREAMS)
        control.close()
        done(4)
        control = cookie(packet(params))
        read_exactly(control, 1)
        stream = connect_tcp(port)
        stream.sendall(COOKIE)
        self.assertEqual(read_exactly(control, 2), START + RUNNING)
        stream.sendall(b"x" * 5000)
        control.sendall(b"\x0c")  # CLIENT_TERMINATE
        done(5)
        control.close()
        stream.close()
        found = self.documents(server, 6)
        for document in found:
            self.assertTrue(document["error"], document)
        self.assertEqual(found[3]["title"], "\x1b[31m\"\\")
        self.assertEqual(found[3]["extra_data"], "é")
        self.assertIn("the client has terminated", found[4]["error"])
        self.assertIn("interrupt", found[5]["error"])
