# SPDX-License-Identifier: BSD-2-Clause
"""Ports for servers under test."""

import errno
import random
import socket

# Below the range the kernel takes ports for connecting sockets from.
FIRST, LAST = 20000, 32000
_claims = []


def free_port(count=1):
    """A port free in TCP and UDP on both families; with count the first of so many in a
    row. It stays ours until the module ends, also against other test runs."""
    for _ in range(500):
        port = random.randrange(FIRST, LAST - count)
        claims = _claim(range(port, port + count))
        if claims:
            _claims.extend(claims)
            return port
    raise AssertionError("no free port found")


def _claim(ports):
    claims = []
    for port in ports:
        # An abstract unix socket is a lock that the kernel drops with the process.
        lock = socket.socket(socket.AF_UNIX)
        try:
            lock.bind("\0netclassics-test-port-%d" % port)
        except OSError:
            lock.close()
            return None
        claims.append(lock)
        if not _free(port):
            return None
    return claims


def _free(port):
    for family, any_address in ((socket.AF_INET, ""), (socket.AF_INET6, "::")):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            try:
                with socket.socket(family, kind) as s:
                    s.bind((any_address, port))
            except OSError as e:
                if e.errno != errno.EAFNOSUPPORT:
                    return False
    return True
