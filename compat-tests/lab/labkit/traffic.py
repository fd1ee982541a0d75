# SPDX-License-Identifier: BSD-2-Clause
"""Plain load for the self-check: sockets, a clock and nothing else, so that the lab is not
judged by the tools that it judges. A program of its own, run inside a namespace:

    traffic.py tcp-recv PORT OMIT_S SECONDS     first connection: bytes after OMIT_S
    traffic.py tcp-send HOST PORT CONGESTION SECONDS
    traffic.py udp-recv PORT                    counts until standard input ends
    traffic.py udp-send HOST PORT BYTES PER_SECOND COUNT
    traffic.py mtu HOST BYTES                   what a path says of a packet that long

A receiver prints "ready" first; each prints one JSON object at the end."""

import json
import select
import socket
import sys
import time

IP_MTU_DISCOVER, IP_PMTUDISC_DO, IP_MTU = 10, 2, 14
IPV6_MTU_DISCOVER, IPV6_MTU = 23, 24
PATIENCE_S = 10


def family_of(host):
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def listener(kind, port):
    s = socket.socket(socket.AF_INET6, kind)
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("::", int(port)))
    return s


def tcp_recv(port, omit_s, seconds):
    s = listener(socket.SOCK_STREAM, port)
    s.listen(1)
    s.settimeout(PATIENCE_S)
    print("ready", flush=True)
    c, _ = s.accept()
    c.settimeout(PATIENCE_S)
    buf = bytearray(1 << 18)
    began = time.monotonic()
    start, end = began + float(omit_s), began + float(omit_s) + float(seconds)
    first = last = began
    total = counted = 0
    while last < end:
        n = c.recv_into(buf)
        if n == 0:
            break
        last = time.monotonic()
        if last < start:
            first = last
        else:
            counted += n
        total += n
    return {"bytes": counted, "total_bytes": total, "seconds": last - first,
            "bps": counted * 8 / max(1e-9, last - first)}


def tcp_send(host, port, congestion, seconds):
    s = socket.socket(family_of(host), socket.SOCK_STREAM)
    s.settimeout(PATIENCE_S)
    try:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
    except OSError as e:
        return {"refused": "%s: %s" % (congestion, e.strerror)}
    s.connect((host, int(port)))
    data = bytes(1 << 16)
    end = time.monotonic() + float(seconds)
    try:
        while time.monotonic() < end:
            s.send(data)
    except (BrokenPipeError, ConnectionResetError):
        pass  # the receiver has seen enough
    return {}


def udp_recv(port):
    s = listener(socket.SOCK_DGRAM, port)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    s.setblocking(False)
    print("ready", flush=True)
    count = size = 0
    while True:
        ready, _, _ = select.select([s, sys.stdin], [], [])
        if s in ready:
            try:
                while True:
                    size += len(s.recv(65535))
                    count += 1
            except BlockingIOError:
                pass
        elif not sys.stdin.read(1):
            return {"packets": count, "bytes": size}


def udp_send(host, port, size, per_second, count):
    """Each packet has its own time; what was slept too long is made up for at once."""
    s = socket.socket(family_of(host), socket.SOCK_DGRAM)
    s.connect((host, int(port)))
    data, gap, count = bytes(int(size)), 1 / float(per_second), int(count)
    began = time.monotonic()
    for i in range(count):
        wait = began + i * gap - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        s.send(data)
    return {"packets": count, "seconds": time.monotonic() - began}


def mtu(host, size):
    """The MTU that the kernel knows of the path, before and after a packet of size bytes
    with "don't fragment"."""
    six = ":" in host
    level = socket.IPPROTO_IPV6 if six else socket.IPPROTO_IP
    s = socket.socket(family_of(host), socket.SOCK_DGRAM)
    s.setsockopt(level, IPV6_MTU_DISCOVER if six else IP_MTU_DISCOVER, IP_PMTUDISC_DO)
    s.connect((host, 9))
    option = IPV6_MTU if six else IP_MTU
    before = after = s.getsockopt(level, option)
    s.send(bytes(int(size) - (48 if six else 28)))
    end = time.monotonic() + 2
    while after == before and time.monotonic() < end:
        time.sleep(0.005)
        after = s.getsockopt(level, option)
    return {"before": before, "after": after}


def main(argv):
    work = {"tcp-recv": tcp_recv, "tcp-send": tcp_send, "udp-recv": udp_recv,
            "udp-send": udp_send, "mtu": mtu}[argv[0]]
    print(json.dumps(work(*argv[1:])), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
