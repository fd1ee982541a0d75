# SPDX-License-Identifier: BSD-2-Clause
"""nuttcp for tests: servers of either make, clients, result lines, and peers by hand."""

import re
import socket
import struct
import threading
import time

from . import cleanup
from .peers import connect_tcp
from .ports import free_port
from .process import run, start
from .programs import tool, upstream

RESULT = re.compile(
    r"^ *(?P<mb>[\d.]+) MB / +(?P<sec>[\d.]+) sec = +(?P<mbps>[\d.]+) Mbps"
    r"(?: (?P<tx>\d+) %TX)?(?: (?P<rx>\d+) %RX)?"
    r"(?: (?P<drop>-?\d+) / (?P<pkt>\d+) drop/pkt (?P<loss>-?[\d.]+) %loss)?"
    r"(?P<rest>.*)$", re.M)
INTERVAL = re.compile(
    r"^ *(?P<mb>[\d.]+) MB / +(?P<sec>[\d.]+) sec = +(?P<mbps>[\d.]+) Mbps(?! \d+ %)(?P<rest>.*)$",
    re.M)

# The request of 8.2.2, with its line feed.
REQUEST = (
    "buflen = %(buflen)s, nbuf = %(nbuf)s, win = %(win)s, nstream = %(nstream)s, "
    "rate = %(rate)s, port = %(port)s, trans = %(trans)s, braindead = 0, "
    "timeout = %(timeout)s, udp = %(udp)s, vers = 8.2.2, interval = %(interval)s, "
    "reverse = %(reverse)s, format = %(format)s, traceroute = 0, irate = %(irate)s, "
    "thirdparty = _NULL_ , multicast = 0 , ssm = 0 , datamss = 0 , tos = 0 , "
    "nbuf_bytes = 0 , rate_pps = 0 , nodelay = 0 , affinity = -1 , maxburst = 1 , "
    "do_jitter = %(do_jitter)s , do_owd = %(do_owd)s , stride = 0 , multilink = 0, "
    "group = _NULL_ , srcport = 0, iratesss = 0\n")
DEFAULTS = {
    "buflen": 65536, "nbuf": 2147483647, "win": 0, "nstream": 1, "rate": 4294967295,
    "port": 0, "trans": 1, "timeout": "1.000000", "udp": 0, "interval": "0.000000",
    "reverse": 0, "format": 2048, "irate": 0, "do_jitter": 0, "do_owd": 0,
}


class Pair:
    """A server on ports of its own; client() runs a client against it."""

    def __init__(self, server="ours", options=(), netns=None, **more):
        self.program = program(server)
        self.port = free_port(24)
        self.data = self.port + 1
        self.netns = netns
        self.process = start([self.program, "-S", "--nofork", "-P", self.port] +
                             list(options), netns=netns, **more)
        self.process.wait_listening(self.port)

    def argv(self, client, options, host="127.0.0.1"):
        return [program(client), "-P%d" % self.port, "-p%d" % self.data] + \
            list(options) + [host]

    def client(self, client, *options, **more):
        host = more.pop("host", "127.0.0.1")
        return run(self.argv(client, options, host), **more)


class Daemon(Pair):
    """The same, serving many clients at a time. Ended by its process id."""

    def __init__(self, options=(), **more):
        self.program = tool("nuttcp")
        self.port = free_port(24)
        self.data = self.port + 1
        self.netns = None
        # In the foreground of a child of its own: it must not outlive the test.
        self.process = start([self.program, "-S", "-P", self.port] + list(options), **more)
        code = self.process.wait()
        if code:
            raise AssertionError("server: %s" % self.process)
        self.pid = pid_listening(self.port)
        cleanup.opened(self)

    def close(self):
        import os
        import signal
        try:
            os.kill(self.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass


def pid_listening(port):
    """Process id of whoever listens on the TCP port."""
    import os
    inodes = set()
    for family in ("", "6"):
        with open("/proc/net/tcp" + family) as f:
            for line in f:
                words = line.split()
                if words[1].endswith(":%04X" % int(port)) and words[3] == "0A":
                    inodes.add("socket:[%s]" % words[9])
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            for fd in os.listdir("/proc/%s/fd" % pid):
                if os.readlink("/proc/%s/fd/%s" % (pid, fd)) in inodes:
                    return int(pid)
        except OSError:
            continue
    raise AssertionError("nobody listens on port %d" % int(port))


def anon_kib(pid):
    """Memory of a process that is its own, in KiB."""
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(r"^RssAnon:\s+(\d+)", f.read(), re.M).group(1))


def program(name):
    return tool("nuttcp") if name == "ours" else upstream("nuttcp")


def result(text):
    """The result line as numbers, the last that matches."""
    found = None
    for found in RESULT.finditer(text):
        pass
    if not found:
        raise AssertionError("no result line in:\n" + text)
    got = {k: float(v) if v is not None and k != "rest" else v
           for k, v in found.groupdict().items()}
    for value, name in re.findall(r"([\d.]+) (retrans|KB-cwnd|msRTT|ms\w+)", got["rest"]):
        got[name] = float(value)
    return got


def intervals(text):
    return [{k: float(v) if k != "rest" else v for k, v in m.groupdict().items()}
            for m in INTERVAL.finditer(text)]


class Server:
    """A server by hand: takes one client, speaks the control protocol, runs steps."""

    def __init__(self, version="8.2.2"):
        self.port = free_port(8)
        self.data = self.port + 1
        self.version = version
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", self.port))
        self.listener.listen(4)
        self.listener.settimeout(20)
        self.request = None
        cleanup.opened(self)

    def close(self):
        self.listener.close()

    def hello(self):
        """Accept and read the request; returns the control connection."""
        self.control, _ = self.listener.accept()
        cleanup.opened(self.control)
        self.control.settimeout(20)
        self.lines = self.control.makefile("rb")
        self.greeting = self.lines.readline().decode()
        self.control.sendall(b"HELO nuttcp v%s\n" % self.version.encode())
        self.request = self.lines.readline().decode()
        return self.control

    def field(self, name):
        found = re.search(r"(?:^|[, ])%s = (\S+?)(?:,|\s|$)" % name, self.request)
        return found and found.group(1)

    def ok(self):
        self.control.sendall(b"OK v%s\n" % self.version.encode())

    def say(self, text):
        self.control.sendall(text.encode())


def in_background(step):
    """Run step() in a thread; its join() raises what step raised."""
    box = {}

    def body():
        try:
            step()
        except BaseException as e:  # handed to whoever joins
            box["error"] = e
    thread = threading.Thread(target=body, daemon=True)
    thread.start()

    def join(timeout=30):
        thread.join(timeout)
        if thread.is_alive():
            raise AssertionError("the peer did not come to its end")
        if "error" in box:
            raise box["error"]
    return join


class Client:
    """A client by hand: connects, sends a request."""

    def __init__(self, control_port, version="8.2.2", **fields):
        self.control = connect_tcp(control_port, timeout=20)
        self.lines = self.control.makefile("rb")
        self.control.sendall(b"HELO nuttcp v%s\n" % version.encode())
        self.greeting = self.lines.readline().decode()
        self.fields = dict(DEFAULTS, **fields)
        self.control.sendall((REQUEST % self.fields).encode())
        self.answer = self.lines.readline().decode()

    def rest(self):
        """All that the server still says."""
        return self.lines.read().decode()


def udp_data(count, size, native="="):
    """A datagram with the counter of bytes sent."""
    data = bytearray(b"x" * size)
    data[24:32] = struct.pack(native + "Q", count)
    return bytes(data)


def stamp(data, when=None):
    """The same with the time of sending."""
    when = time.time() if when is None else when
    data = bytearray(data)
    data[8:16] = struct.pack(">II", int(when), int(when % 1 * 1e6))
    return bytes(data)
