# SPDX-License-Identifier: BSD-2-Clause
"""Scripted peers: the other end of a program under test, made of bytes."""

import socket
import time

from . import cleanup


class TcpListener:
    """Listens on a port of its own (.port) until the test ends."""

    def __init__(self, address="127.0.0.1", port=0):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind((address, port))
        self.socket.listen(16)
        self.port = self.socket.getsockname()[1]
        cleanup.opened(self)

    def accept(self, timeout=10):
        """The next connection: a socket with that time-out, closed when the test ends."""
        self.socket.settimeout(timeout)
        connection, _ = self.socket.accept()
        connection.settimeout(timeout)
        return cleanup.opened(connection)

    def close(self):
        self.socket.close()


class UdpPeer:
    """A UDP socket on a port of its own (.port); remembers who wrote last."""

    def __init__(self, address="127.0.0.1", port=0, timeout=10):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        self.socket.bind((address, port))
        self.socket.settimeout(timeout)
        self.port = self.socket.getsockname()[1]
        self.sender = None
        cleanup.opened(self)

    def receive(self):
        """The next datagram, within the time-out."""
        data, self.sender = self.socket.recvfrom(65536)
        return data

    def send(self, data, to=None):
        """Send to an (address, port), or to whoever wrote last."""
        self.socket.sendto(data, to or self.sender)

    def close(self):
        self.socket.close()


def connect_tcp(port, address="127.0.0.1", timeout=10):
    """A connected socket with that time-out, closed when the test ends."""
    return cleanup.opened(socket.create_connection((address, port), timeout))


def read_exactly(connection, size):
    """Read size bytes; the end of the stream before that is a failure."""
    data = b""
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            raise AssertionError("the stream ended after %d of %d bytes: %r" % (
                len(data), size, data[-80:]))
        data += piece
    return data


def send_slowly(connection, data, piece=1, pause=0.01):
    """Send in pieces, so that the reader sees each alone."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for i in range(0, len(data), piece):
        connection.sendall(data[i:i + piece])
        time.sleep(pause)
