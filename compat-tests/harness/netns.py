# SPDX-License-Identifier: BSD-2-Clause
"""Network namespaces: little networks that belong to one test.

    left, right = Netns("left"), Netns("right")
    left.link(right, "a", "b")                       # veth pair: a in left, b in right
    left.address("a", "192.0.2.1/24", "2001:db8::1/64")
    right.address("b", "192.0.2.2/24", "2001:db8::2/64")
    left.rate("a", "10mbit")                         # what leaves left through a
    server = right.start([tool("ttcp"), ...])
    done = left.run([tool("ttcp"), ...])
"""

import functools
import os
import subprocess
import unittest

from . import cleanup, process
from .programs import need_program, need_root

PREFIX = "nctest"
_count = 0


def _ip(*words, check=True):
    done = subprocess.run(["ip"] + [str(w) for w in words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30)
    text = done.stdout.decode("utf-8", "replace")
    if check and done.returncode:
        raise AssertionError("ip %s: %s" % (" ".join(map(str, words)), text.strip()))
    return text


@functools.lru_cache(None)
def _allowed():
    return subprocess.run(["unshare", "--net", "--mount", "true"],
                          stderr=subprocess.DEVNULL).returncode == 0


def need_netns():
    """Skip the test unless this is root who may make namespaces: in many containers even
    root may not."""
    need_root()
    need_program("ip")
    if not _allowed() and not os.environ.get("CI"):
        raise unittest.SkipTest("network namespaces are not allowed here")


class Netns:
    """A namespace with its loopback up; deleted when the test ends. Needs root."""

    def __init__(self, label="x"):
        global _count
        need_netns()
        _count += 1
        self.name = "%s-%d-%d-%s" % (PREFIX, os.getpid(), _count, label)
        _ip("netns", "add", self.name)
        cleanup.opened(self)
        self._closed = False
        self.ip("link", "set", "lo", "up")

    def close(self):
        if not self._closed:
            self._closed = True
            _ip("netns", "del", self.name)

    def argv(self, argv):
        """The words that run argv inside; the process id is that of the program."""
        return ["ip", "netns", "exec", self.name] + [str(a) for a in argv]

    def run(self, argv, **options):
        """run() inside."""
        return process.run(argv, netns=self, **options)

    def start(self, argv, **options):
        """start() inside."""
        return process.start(argv, netns=self, **options)

    def ip(self, *words):
        """ip(8) inside; returns what it prints."""
        return _ip("-n", self.name, *words)

    def tool(self, *argv):
        """A setup command (tc, nft, sysctl, ethtool) inside; returns what it prints."""
        return _ip("netns", "exec", self.name, *argv)

    def link(self, other, mine, theirs, mtu=1500):
        """A veth pair, both ends up: mine in here, theirs in other."""
        self.ip("link", "add", "name", mine, "mtu", mtu, "type", "veth",
                "peer", "name", theirs, "netns", other.name)
        other.ip("link", "set", "dev", theirs, "mtu", mtu)
        for ns, name in ((self, mine), (other, theirs)):
            # Link-local addresses too must be usable at once.
            ns.sysctl("net.ipv6.conf.%s.accept_dad" % name, 0)
            ns.ip("link", "set", "dev", name, "up")

    def address(self, device, *addresses):
        """Add addresses ("192.0.2.1/24", "2001:db8::1/64"), usable at once."""
        for address in addresses:
            nodad = ["nodad"] if ":" in address else []
            self.ip("addr", "add", address, "dev", device, *nodad)

    def route(self, *words):
        """ip route add; the family is seen from the words."""
        family = ["-6"] if any(":" in str(w) for w in words) else []
        _ip("-n", self.name, *family, "route", "add", *words)

    def forward(self):
        """Make it a router, IPv4 and IPv6."""
        self.sysctl("net.ipv4.ip_forward", 1)
        self.sysctl("net.ipv6.conf.all.forwarding", 1)

    def rate(self, device, rate, burst="32kb", latency="50ms"):
        """Bound what leaves through device (tbf): rate as in tc(8), "10mbit"."""
        self.tool("tc", "qdisc", "replace", "dev", device, "root", "tbf", "rate", rate,
                  "burst", burst, "latency", latency)

    def sysctl(self, name, value):
        path = "/proc/sys/" + name.replace(".", "/")
        self.tool("sh", "-c", 'echo "$1" >"$2"', "sh", str(value), path)


def sweep():
    """Delete namespaces left by test processes that were killed without warning."""
    try:
        names = os.listdir("/run/netns")
    except OSError:
        return
    for name in names:
        words = name.split("-")
        if words[0] == PREFIX and len(words) > 2 and words[1].isdigit() and \
                not os.path.exists("/proc/" + words[1]):
            _ip("netns", "del", name, check=False)
