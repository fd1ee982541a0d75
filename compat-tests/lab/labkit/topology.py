# SPDX-License-Identifier: BSD-2-Clause
"""What a lab looks like, from a short text:

    # client and server, and a router between them
    link client 192.0.2.1/26 router 192.0.2.2/26 rate=100M delay=2ms queue=150K
    link router 192.0.2.65/26 server 192.0.2.66/26 rate=20M delay=20ms queue=150K
    set router>server loss=1%

"link NODE ADDRESS... NODE ADDRESS... [KEY=VALUE...]" joins two nodes, both with an IPv4
address, an IPv6 address or both, of the same subnet. "set LINK KEY=VALUE..." changes both
ways of a link (client-router) or one (client>router, client:router). A node with more than
one link forwards packets; routes between all subnets are added. The keys are those of
impair, and
    mtu=1400          of the interfaces at both ends, so that the node before the link
                      answers what is too big, as a router does
    hidden-mtu=1400   of the link itself, as of a tunnel that neither end knows of; the
                      highest free address of the subnet answers
    hop=ADDRESS       another address than that one"""

import collections
import ipaddress
import os
import re

from .errors import LabError

NODE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,15}$")
KEYS = ("rate", "delay", "queue", "mtu", "hidden-mtu", "hop", "loss", "every", "duplicate",
        "jitter", "reorder", "hold")
LINKS_MAX = 16

# One end of a link: addresses are ipaddress interfaces, number counts the node's links.
End = collections.namedtuple("End", "node addresses number")
Link = collections.namedtuple("Link", "a b words")


class Topology:
    """nodes: names in order of appearance; links: list of Link; sets: (name, words)."""

    def __init__(self, text):
        self.text = text
        self.nodes, self.links, self.sets = [], [], []

    def degree(self, node):
        return sum(node in (link.a.node, link.b.node) for link in self.links)

    def routers(self):
        return [n for n in self.nodes if self.degree(n) > 1]

    def find(self, name):
        """(link, way) of "a-b", "a>b" or "a:b"; way is None for both."""
        found = re.match(r"([^-:>]+)([-:>])(.+)$", name)
        for link in self.links if found else ():
            names = (link.a.node, link.b.node)
            if (found.group(1), found.group(3)) in (names, names[::-1]):
                way = None if found.group(2) == "-" else (found.group(1), found.group(3))
                return link, way
        raise LabError("no link %s; there is %s" % (name, ", ".join(
            "%s-%s" % (link.a.node, link.b.node) for link in self.links)))

    def address(self, node, version=4):
        """First address of a node, as text without prefix, or None."""
        for link in self.links:
            for end in (link.a, link.b):
                for address in end.addresses if end.node == node else ():
                    if address.version == version:
                        return str(address.ip)
        return None

    def routes(self, node):
        """List of (network, gateway) for what the node is not attached to: the way over
        the fewest links."""
        seen, reached, routes = {node}, self._networks(node), []
        todo = [(node, {})]
        while todo:
            here, gateways = todo.pop(0)
            for mine, theirs in self._neighbours(here):
                if theirs.node in seen:
                    continue
                seen.add(theirs.node)
                via = gateways or {a.version: a.ip for a in theirs.addresses}
                todo.append((theirs.node, via))
                for network in self._networks(theirs.node):
                    if network not in reached and network.version in via:
                        reached.append(network)
                        routes.append((network, via[network.version]))
        return routes

    def _neighbours(self, node):
        for link in self.links:
            if link.a.node == node:
                yield link.a, link.b
            elif link.b.node == node:
                yield link.b, link.a

    def _networks(self, node):
        return [a.network for mine, _ in self._neighbours(node) for a in mine.addresses]


def free_address(link, version):
    """Highest address of the link's subnet that neither end has; None without subnet."""
    used = [a for end in (link.a, link.b) for a in end.addresses if a.version == version]
    if not used:
        return None
    # A /64 is large: 16 bits of it are enough to find one that is free.
    network = used[0].network
    top = int(network.network_address) + min(network.num_addresses - 2, 0xfffe)
    for number in range(top, int(network.network_address), -1):
        address = type(used[0].ip)(number)
        if address not in [a.ip for a in used]:
            return str(address)
    return None


def parse_words(words, where):
    """Check KEY=VALUE words; impair checks the values."""
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not value:
            raise LabError("%s: %s is not of the form key=value" % (where, word))
        if key not in KEYS:
            raise LabError("%s: no key %s; there are %s" % (where, key, " ".join(KEYS)))
    return list(words)


def _parse_end(topology, words, where):
    """Take a node and its addresses off the front of words."""
    node = words.pop(0) if words else ""
    if not NODE.match(node):
        raise LabError("%s: %r is no name of a node (a letter, then up to 15 letters, "
                       "digits, _)" % (where, node))
    addresses = []
    while words and "/" in words[0] and "=" not in words[0]:
        try:
            addresses.append(ipaddress.ip_interface(words[0]))
        except ValueError as e:
            raise LabError("%s: %s" % (where, e)) from None
        words.pop(0)
    if not addresses:
        raise LabError("%s: node %s has no address with its prefix length" % (where, node))
    versions = [a.version for a in addresses]
    if len(set(versions)) != len(versions):
        raise LabError("%s: node %s has two addresses of one kind" % (where, node))
    return End(node, addresses, topology.degree(node))


def _same_subnets(a, b, where):
    if sorted(x.version for x in a.addresses) != sorted(x.version for x in b.addresses):
        raise LabError("%s: %s and %s need the same kinds of addresses" % (
            where, a.node, b.node))
    for x in a.addresses:
        for y in b.addresses:
            if x.version == y.version and x.network != y.network:
                raise LabError("%s: %s and %s are not in one subnet" % (where, x, y))
            if x.ip == y.ip:
                raise LabError("%s: %s twice" % (where, x.ip))


def _parse_link(topology, words, where):
    a = _parse_end(topology, words, where)
    b = _parse_end(topology, words, where)
    if a.node == b.node:
        raise LabError("%s: %s is linked to itself" % (where, a.node))
    _same_subnets(a, b, where)
    networks = {x.network for x in a.addresses}
    for other in topology.links:
        if {a.node, b.node} == {other.a.node, other.b.node}:
            raise LabError("%s: %s and %s are linked already" % (where, a.node, b.node))
        if networks & {x.network for x in other.a.addresses}:
            raise LabError("%s: a subnet of this link is in use for another" % where)
    if len(topology.links) == LINKS_MAX:
        raise LabError("%s: more than %d links" % (where, LINKS_MAX))
    topology.links.append(Link(a, b, parse_words(words, where)))
    for end in (a, b):
        if end.node not in topology.nodes:
            topology.nodes.append(end.node)


def _parse_set(topology, words, where):
    if len(words) < 2:
        raise LabError("%s: set needs a link and KEY=VALUE" % where)
    try:
        topology.find(words[0])
    except LabError as e:
        raise LabError("%s: %s" % (where, e)) from None
    topology.sets.append((words[0], parse_words(words[1:], where)))


def parse_topology(text, name="topology"):
    """A Topology, or LabError with the line that is wrong."""
    topology = Topology(text)
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        where = "%s:%d" % (name, number)
        if not words:
            continue
        if words[0] == "link":
            _parse_link(topology, words[1:], where)
        elif words[0] == "set":
            _parse_set(topology, words[1:], where)
        else:
            raise LabError("%s: a line begins with link or set, not %s" % (where, words[0]))
    if not topology.links:
        raise LabError("%s: no links" % name)
    return topology


def read_topology(path):
    try:
        with open(path, encoding="utf-8") as f:
            return parse_topology(f.read(), path)
    except (OSError, UnicodeDecodeError) as e:
        raise LabError("%s: %s" % (path, getattr(e, "strerror", None) or e)) from None


def default_topology():
    """The known path: client -100 Mbit/s, 2 ms- router -20 Mbit/s, 20 ms- server."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return read_topology(os.path.join(here, "topologies", "dispatch.topo"))
