# SPDX-License-Identifier: BSD-2-Clause
"""Hand-made iperf3 clients and servers: each step of the control connection on its own, so
that a test can leave one out, repeat it or send something else."""

import errno
import json
import socket
import struct
import threading
import time

from harness import TcpListener, connect_tcp, free_port, read_exactly
from harness.cleanup import opened

TEST_START, TEST_RUNNING, TEST_END = 1, 2, 4
PARAM_EXCHANGE, CREATE_STREAMS = 9, 10
SERVER_TERMINATE, CLIENT_TERMINATE = 11, 12
EXCHANGE_RESULTS, DISPLAY_RESULTS, IPERF_DONE = 13, 14, 16
ACCESS_DENIED, SERVER_ERROR = -1, -2

COOKIE = b"abcdefghijklmnopqrstuvwxyz234567abcd\0"
HELLO, ANSWER = b"9876", b"6789"

PARAMS = {"tcp": True, "omit": 0, "time": 1, "num": 0, "blockcount": 0, "parallel": 1,
          "len": 1000, "pacing_timer": 1000, "client_version": "3.12"}


def state_byte(state):
    return struct.pack("b", state)


def framed(text):
    """A length and the text, or an object as JSON."""
    if not isinstance(text, (bytes, bytearray)):
        text = json.dumps(text, separators=(",", ":")).encode()
    return struct.pack(">I", len(text)) + text


def stream_id(index):
    return 1 if index == 0 else index + 2


def results(count=1, sent=0, **more):
    """Results of a client that sends TCP."""
    text = {"cpu_util_total": 1.5, "cpu_util_user": 0.5, "cpu_util_system": 1,
            "sender_has_retransmits": 1, "congestion_used": "cubic", "streams": [
                {"id": stream_id(i), "bytes": sent, "retransmits": 0, "jitter": 0,
                 "errors": 0, "packets": 0, "start_time": 0, "end_time": 1.0}
                for i in range(count)]}
    text.update(more)
    return text


def params(**changes):
    """PARAMS with changes; a value of None leaves a key out."""
    p = dict(PARAMS)
    p.update(changes)
    return {k: v for k, v in p.items() if v is not None}


def read_state(connection):
    """The next state byte; None at the end of the stream."""
    try:
        byte = connection.recv(1)
    except ConnectionResetError:
        return None
    return struct.unpack("b", byte)[0] if byte else None


def read_json(connection):
    size = struct.unpack(">I", read_exactly(connection, 4))[0]
    return json.loads(read_exactly(connection, size))


class Client:
    """The client's side of a test against a server under test."""

    def __init__(self, port, cookie=COOKIE, address="127.0.0.1", timeout=10):
        self.port, self.cookie, self.address = port, cookie, address
        self.control = connect_tcp(port, address, timeout)
        self.control.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.streams = []

    def send(self, data):
        self.control.sendall(data)

    def send_state(self, state):
        self.send(state_byte(state))

    def state(self):
        return read_state(self.control)

    def expect(self, *states):
        for want in states:
            got = self.state()
            if got != want:
                raise AssertionError("state %s instead of %d%s" % (
                    got, want, ": error %d" % self.error()[0] if got == -2 else ""))

    def error(self):
        """Number and errno, after SERVER_ERROR was read."""
        return struct.unpack(">II", read_exactly(self.control, 8))

    def refusal(self):
        """The number of the next error; a state that is none, or the end, is returned as
        a text."""
        state = self.state()
        return self.error()[0] if state == SERVER_ERROR else "state %s" % state

    def greet(self):
        self.send(self.cookie)
        self.expect(PARAM_EXCHANGE)
        return self

    def offer(self, text):
        """Greet and send parameters (an object, or bytes as they are)."""
        self.greet()
        self.send(framed(text))
        return self

    def open_streams(self, count=1):
        for _ in range(count):
            stream = connect_tcp(self.port, self.address)
            stream.sendall(self.cookie)
            self.streams.append(stream)
        return self

    def open_udp(self, hello=HELLO):
        """One UDP stream; returns its socket and what the server answered."""
        stream = udp_socket(self.port, self.address)
        stream.send(hello)
        self.streams.append(stream)
        return stream, stream.recv(65536)

    def begin(self, count=1, **changes):
        """Up to TEST_RUNNING."""
        self.offer(params(parallel=count, **changes))
        self.expect(CREATE_STREAMS)
        self.open_streams(count)
        self.expect(TEST_START, TEST_RUNNING)
        return self

    def begin_udp(self, count=1, **changes):
        self.offer(params(tcp=None, udp=True, parallel=count, **changes))
        self.expect(CREATE_STREAMS)
        for _ in range(count):
            self.open_udp()
        self.expect(TEST_START, TEST_RUNNING)
        return self

    def finish(self, text=None):
        """From TEST_END to the good-bye; returns the server's results."""
        self.send_state(TEST_END)
        self.expect(EXCHANGE_RESULTS)
        self.send(framed(results(len(self.streams)) if text is None else text))
        theirs = read_json(self.control)
        self.expect(DISPLAY_RESULTS)
        self.send_state(IPERF_DONE)
        return theirs

    def close(self, reset=False):
        for s in [self.control] + self.streams:
            if reset:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            s.close()


def udp_socket(port, address="127.0.0.1", source=None):
    s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET,
                      socket.SOCK_DGRAM)
    opened(s)
    s.settimeout(10)
    if source:
        s.bind((source, 0))
    s.connect((address, port))
    return s


def datagram(number, size=1000, wide=False):
    head = struct.pack(">IIQ" if wide else ">III", 5, 6, number)
    return head + b"x" * (size - len(head))


def listener(address):
    """On a port that nobody else gets, also after it was closed."""
    for _ in range(20):
        try:
            return TcpListener(address, free_port())
        except OSError as e:
            if e.errno != errno.EADDRINUSE:
                raise
    raise AssertionError("no port")


class Server:
    """The server's side of a test against a client under test. The steps run in a thread:
    a function that gets this object. run() collects what went wrong in it."""

    def __init__(self, steps, address="127.0.0.1"):
        # Not one that another listener gets when this one is closed.
        self.listener = listener(address)
        self.port = self.listener.port
        self.control, self.cookie, self.params = None, None, None
        self.streams = []
        self.failure = None
        self._thread = threading.Thread(target=self._run, args=(steps,), daemon=True)
        self._thread.start()

    def _run(self, steps):
        try:
            steps(self)
        except (OSError, AssertionError, ValueError) as e:
            self.failure = e

    def join(self, timeout=10):
        self._thread.join(timeout)
        if self._thread.is_alive():
            raise AssertionError("the hand-made server has not come to its end")
        return self

    # ---- steps ----

    def accept(self, timeout=10):
        self.control = self.listener.accept(timeout)
        self.control.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.cookie = read_exactly(self.control, 37)
        return self

    def send(self, data):
        self.control.sendall(data)

    def send_state(self, *states):
        for state in states:
            self.send(state_byte(state))

    def send_error(self, number, sys_errno=0):
        self.send(state_byte(SERVER_ERROR) + struct.pack(">II", number, sys_errno))

    def take_params(self):
        self.send_state(PARAM_EXCHANGE)
        self.params = read_json(self.control)
        return self

    def take_streams(self):
        self.send_state(CREATE_STREAMS)
        count = self.params["parallel"] * (2 if self.params.get("bidirectional") else 1)
        for _ in range(count):
            stream = self.listener.accept()
            if read_exactly(stream, 37) != self.cookie:
                raise AssertionError("a stream with another cookie")
            self.streams.append(stream)
        return self

    def begin(self):
        """Up to TEST_RUNNING."""
        self.accept().take_params().take_streams().send_state(TEST_START, TEST_RUNNING)
        return self

    def drain_for(self, seconds):
        """Read data so long."""
        self.drain(seconds)
        return self

    def drain(self, seconds=30):
        """Read data until the client says something on the control connection, or for so
        long; returns its state and the bytes of each stream."""
        got = [0] * len(self.streams)
        for s in self.streams:
            s.setblocking(False)
        self.control.setblocking(False)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                byte = self.control.recv(1)
                self.control.settimeout(10)
                return (struct.unpack("b", byte)[0] if byte else None), got
            except BlockingIOError:
                pass
            idle = True
            for i, s in enumerate(self.streams):
                try:
                    n = len(s.recv(1 << 20))
                    got[i] += n
                    idle = idle and n == 0
                except (BlockingIOError, ConnectionResetError):
                    pass
            if idle:
                time.sleep(0.001)
        self.control.settimeout(10)
        return "nothing", got

    def until_end(self):
        """Up to TEST_END; returns the bytes of each stream."""
        state, got = self.drain()
        if state != TEST_END:
            raise AssertionError("%s instead of TEST_END" % state)
        return got

    def finish(self, text=None):
        """Everything after TEST_END; returns the client's results."""
        self.send_state(EXCHANGE_RESULTS)
        theirs = read_json(self.control)
        self.send(framed(results(len(self.streams), sender_has_retransmits=-1)
                         if text is None else text))
        self.send_state(DISPLAY_RESULTS)
        return theirs

    def hold(self, timeout=60):
        """Do nothing until the client goes, then close; returns True when it went."""
        self.control.settimeout(timeout)
        try:
            while self.control.recv(65536):
                pass
        except socket.timeout:
            return False
        except OSError:
            pass
        self.control.close()
        return True
