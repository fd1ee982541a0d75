# SPDX-License-Identifier: BSD-2-Clause
from . import rules, tools
from .row import PATH, ROUTER, Group, Row

OPEN, CLOSED = 5201, 81
SYN, SYN_ACK, BIG = rules.IP4 + rules.TCP, rules.IP4 + rules.TCP + 4, 1400
# What a probing program itself may take to see an answer.
SLOW_TOOL_MS = 1.5


def hping3(*words, serve=True, before=None, count=5):
    """A measure() that sends SYNs."""
    def measure(bench):
        if serve:
            bench.serve("iperf3", "-s")
        if before:
            before(bench)
        return tools.hping3(bench, "-S", *words, count=count)
    return measure


def no_echo(bench):
    """The router drops echo requests, as many firewalls do."""
    bench.router("nft", "add table ip tour; add chain ip tour f { type filter hook forward "
                 "priority 0; }; add rule ip tour f icmp type echo-request drop")


def filtered_ping(bench):
    no_echo(bench)
    return tools.ping(bench, count=5)


def filtered_syn(bench):
    bench.serve("iperf3", "-s")
    no_echo(bench)
    return tools.hping3(bench, "-S", "-p", OPEN)


def payload(bench):
    """The smallest round trips without and with payload."""
    bench.serve("iperf3", "-s")
    count = bench.seconds(20, 10)
    small = tools.hping3(bench, "-S", "-p", CLOSED, count=count)
    large = tools.hping3(bench, "-S", "-p", CLOSED, "-d", BIG, count=count)
    if "min_ms" not in small or "min_ms" not in large:
        return {}
    return {"more_ms": large["min_ms"] - small["min_ms"]}


def more():
    # Round trips are printed in tenths of a millisecond.
    ideal = PATH.send_s(BIG) * 1e3
    return rules.Range("%d bytes on both links = %.2f ms" % (BIG, ideal), ideal - 0.2,
                       ideal + 0.2)


def trip(there, back):
    return rules.round_trip(PATH, there, back, SLOW_TOOL_MS)


GROUP = Group(
    "probes", "A SYN gets an answer through rules that stop a ping, from an open port and "
    "from a closed one, and shows what the path's MTU is.", [
        Row("hping3 -S, open port", "hping3", hping3("-p", OPEN),
            {"flags": rules.Exactly("SYN-ACK", "SA"), "min_ms": trip(SYN, SYN_ACK)},
            short=True),
        Row("hping3 -S, closed port", "hping3", hping3("-p", CLOSED),
            {"flags": rules.Exactly("RST-ACK", "RA"), "min_ms": trip(SYN, SYN)}, short=True),
        Row("ping, echo filtered", "ping", filtered_ping,
            {"lost_share": rules.Exactly("all filtered", 1)}, short=True),
        Row("hping3 -S, echo filtered", "hping3", filtered_syn,
            {"flags": rules.Exactly("SYN-ACK", "SA"),
             "answers_count": rules.Exactly("all", 5)}, short=True),
        Row("hping3 --traceroute", "hping3", hping3("-p", OPEN, "--traceroute"),
            {"hops": rules.Exactly("the router", ROUTER),
             "flags": rules.Exactly("then SYN-ACK", "SA")}, short=True),
        Row("hping3 -d %d less -d 0" % BIG, "hping3", payload, {"more_ms": more()}, short=True),
        Row("hping3 -y -d 1300, MTU 1400", "hping3",
            hping3("-p", OPEN, "-y", "-d", 1300, count=2),
            {"flags": rules.Exactly("1340 fits", "SA")},
            change={"router-server": "mtu=1400"}),
        Row("hping3 -y -d 1400, MTU 1400", "hping3",
            hping3("-p", OPEN, "-y", "-d", 1400, count=2),
            {"too_big": rules.Exactly("1440 does not", ROUTER),
             "answers_count": rules.Exactly("none from the server", 0)},
            change={"router-server": "mtu=1400"}, short=True),
    ])
