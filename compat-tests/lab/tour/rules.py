# SPDX-License-Identifier: BSD-2-Clause
"""The arithmetic of what to expect, and whether a measurement agrees. No sockets, no
clocks."""

import collections
import math
import re

# Sizes in bytes. A full segment carries the time stamp option (RFC 7323).
MTU = 1500
IP4, TCP, UDP, ICMP, STAMPS = 20, 20, 8, 8, 12
MSS = MTU - IP4 - TCP - STAMPS
SEGMENT_HEADERS = IP4 + TCP + STAMPS
ACK = SEGMENT_HEADERS

# Of what a connection could carry at most, the part that start-up and probing may cost;
# and how far the edges of a time span may shift a rate upwards.
STEADY, EDGES = 0.95, 1.005

# sqrt(3/2), of Mathis, Semke, Mahdavi and Ott, 1997.
MATHIS = math.sqrt(1.5)

# The emulator may deliver this late on average before a run counts as noisy
# (labkit.counters.FOR_USE), each of the four times that a round trip is delivered.
SLACK_MS = 4 * 0.2

Link = collections.namedtuple("Link", "rate_bps delay_s queue_bytes")


class Path:
    """Links one after the other, the same both ways."""

    def __init__(self, links):
        self.links = list(links)

    @classmethod
    def of(cls, topology):
        """From a labkit topology."""
        return cls(_link(link.words) for link in topology.links)

    def change(self, number, **fields):
        """The same path with another link."""
        links = list(self.links)
        links[number] = links[number]._replace(**fields)
        return Path(links)

    def send_s(self, size):
        """Time that a packet of IP bytes spends being sent, one way."""
        return sum(8 * size / link.rate_bps for link in self.links)

    def rtt_s(self, there=MTU, back=ACK):
        """Round trip of a packet that is answered by another; a full segment and its
        acknowledgment unless told other sizes."""
        return 2 * sum(link.delay_s for link in self.links) + \
            self.send_s(there) + self.send_s(back)

    def bottleneck(self):
        return min(self.links, key=lambda link: link.rate_bps)

    def goodput_bps(self, payload=MSS, headers=SEGMENT_HEADERS):
        """Payload rate of the bottleneck, of packets of that many bytes."""
        return self.bottleneck().rate_bps * payload / (payload + headers)

    def mathis_bps(self, loss):
        return MSS * 8 / self.rtt_s() * MATHIS / math.sqrt(loss)


def _link(words):
    values = dict(word.split("=") for word in words)
    return Link(quantity(values["rate"]), quantity(values["delay"]), quantity(values["queue"]))


def quantity(text):
    """Of a topology: 20M, 150K, 20ms."""
    number, unit = re.match(r"([\d.]+)([a-zA-Z]*)$", text).groups()
    return float(number) * {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "s": 1, "ms": 1e-3,
                            "us": 1e-6, "ns": 1e-9}[unit]


# ---- units ----

# End of a key: what to multiply with, digits after the point, and what to call it.
UNITS = {"_bps": (1e-6, 2, " Mbit/s"), "_ms": (1, 2, " ms"), "_share": (1e2, 2, " %"),
         "_per_s": (1, 1, "/s"), "_bytes": (1e-3, 1, " KB"), "_count": (1, 0, "")}


def unit_of(key):
    for end, unit in UNITS.items():
        if key.endswith(end):
            return unit
    return 1, 3, ""


def name_of(key):
    """The key in words, without its unit."""
    for end in UNITS:
        if key.endswith(end):
            key = key[:-len(end)]
    return key.replace("_", " ")


def show(key, value):
    """As people read it."""
    if not isinstance(value, (int, float)):
        return str(value)
    scale, digits, name = unit_of(key)
    return "%.*f%s" % (digits, value * scale, name)


# ---- expectations ----


class Range:
    """A number from low to high. how: the arithmetic, in a few words."""

    def __init__(self, how, low, high):
        if not low <= high:
            raise ValueError("%s: %g to %g" % (how, low, high))
        self.how, self.low, self.high = how, low, high

    def holds(self, value):
        return isinstance(value, (int, float)) and self.low <= value <= self.high

    def show(self, key):
        scale, digits, name = unit_of(key)
        if self.low == self.high:
            return show(key, self.low)
        return "%.*f to %.*f%s" % (digits, self.low * scale, digits, self.high * scale, name)

    def as_dict(self):
        return {"how": self.how, "low": self.low, "high": self.high}


class Exactly:
    """One value, or one text."""

    def __init__(self, how, value):
        self.how, self.value = how, value

    def holds(self, value):
        return value == self.value

    def show(self, key):
        return show(key, self.value)

    def as_dict(self):
        return {"how": self.how, "value": self.value}


def link_rate(path, low=STEADY):
    """A connection that nothing but the bottleneck limits."""
    most = path.goodput_bps()
    return Range("%g Mbit/s x %d/%d" % (path.bottleneck().rate_bps / 1e6, MSS, MTU),
                 most * low, most * EDGES)


def window_rate(path, window_bytes):
    """A window a round trip, or the link. Linux doubles the buffer asked for and offers
    a good half of that, depending on how packets lie in memory: up to a fifth more than
    the number typed."""
    limit = window_bytes * 8 / path.rtt_s()
    if limit >= path.goodput_bps():
        return link_rate(path)
    return Range("%g KiB / %.1f ms = %.2f, x 1-1.2" % (
        window_bytes / 1024, path.rtt_s() * 1e3, limit / 1e6),
        min(limit, path.goodput_bps() * STEADY),
        min(1.2 * limit, path.goodput_bps() * EDGES))


def loss_rate(path, loss, streams=1, factor=1.5):
    """Mathis for connections that take loss for congestion, or the link: the formula is
    good for a factor."""
    estimate = streams * path.mathis_bps(loss)
    most = path.goodput_bps() * EDGES
    how = "%sMathis(%g %%) = %.2f" % ("%d x " % streams if streams > 1 else "", 100 * loss,
                                      estimate / 1e6)
    if estimate > most:
        return Range(how + ", or the link", most / factor, most)
    return Range(how + ", factor %g" % factor, estimate / factor, min(most, estimate * factor))


def udp_lost(path, bps, size, seconds):
    """Share lost at the bottleneck, whose queue is empty first and full at the end."""
    link = path.bottleneck()
    packet = size + UDP + IP4
    sent = bps * seconds / 8 / size
    carried = (link.rate_bps * seconds / 8 + link.queue_bytes) / packet
    if sent <= carried:
        return Exactly("%g < %.1f Mbit/s" % (bps / 1e6, path.goodput_bps(size, packet - size)
                                             / 1e6), 0)
    share = 1 - carried / sent
    return Range("1 - (%g Mbit/s + queue) / sent" % (link.rate_bps / 1e6),
                 share - 0.02, share + 0.02)


def round_trip(path, there, back, slack_ms=SLACK_MS):
    """A round trip in ms; nothing is faster than physics but for the steps of a clock."""
    ideal = path.rtt_s(there, back) * 1e3
    return Range("%g ms + %d + %d bytes" % (2e3 * sum(k.delay_s for k in path.links), there,
                                            back), ideal - 0.05, ideal + slack_ms)


def transactions(path, size, seconds, forgotten=False):
    """Requests of that size answered by as much, one after the other, in bursts of ten a
    second. The windows grow once, or in each burst when they are forgotten between two:
    Linux does so after a pause longer than its timeout. Rates are printed with two or
    three digits."""
    segments = math.ceil(size / MSS)
    wire = size + segments * SEGMENT_HEADERS
    last = size - (segments - 1) * MSS + SEGMENT_HEADERS
    slow = path.bottleneck()
    # The fast link works while the slow one does, except on the last packet.
    one_way = 8 * wire / slow.rate_bps + sum(
        8 * last / k.rate_bps for k in path.links if k != slow)
    each_s = 2 * one_way + 2 * sum(k.delay_s for k in path.links)
    mean_s = each_s + 2 * growth_s(path, segments) / (10 if forgotten else 10 * seconds)
    low, high = (round(x, 0 if x >= 10 else 1) for x in (0.97 / mean_s, 1.01 / mean_s))
    return Range("1 / %.1f ms" % (mean_s * 1e3), low, high)


def growth_s(path, segments, window=10):
    """Time that sending waits for acknowledgments while the window, of ten segments at
    first (RFC 6928), doubles with each round trip."""
    waited = 0
    while segments > window:
        waited += max(0, path.rtt_s() - window * 8 * MTU / path.bottleneck().rate_bps)
        segments -= window
        window *= 2
    return waited


def full_queue(path, low=0.9):
    """Round trip in ms when the bottleneck's queue is full."""
    link = path.bottleneck()
    wait_ms = 8e3 * link.queue_bytes / link.rate_bps
    idle_ms = path.rtt_s(84, 84) * 1e3
    return Range("idle + %g KB / %g Mbit/s" % (link.queue_bytes / 1e3, link.rate_bps / 1e6),
        (idle_ms + wait_ms) * low, idle_ms + wait_ms + 10)
