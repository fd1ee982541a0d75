# SPDX-License-Identifier: BSD-2-Clause
"""How each tool is run and what is read from its output: the same for ours and for the
original. Each function returns {key: value}; nothing found is a key that is missing."""

import json
import re
import statistics

from .row import SERVER, Skip

NUTTCP_PORT = 5101  # 5001, its own, belongs to ttcp and iperf too


def _number(pattern, text):
    found = re.search(pattern, text)
    return float(found.group(1)) if found else None


def _known(**found):
    return {k: v for k, v in found.items() if v is not None}


# ---- round trips ----


def ping(bench, count=20, every_s=0.1, host=SERVER):
    text = bench.client("ping", "-n", "-q", "-c", count, "-i", every_s, "-W", 1, host)
    lost = _number(r"([\d.]+)% packet loss", text)
    return _known(avg_ms=_number(r"= [\d.]+/([\d.]+)/", text),
                  lost_share=None if lost is None else lost / 100)


# ---- bulk TCP ----


def iperf3_json(bench, *words, seconds=8, omit=2):
    """The JSON of a client; its server runs beside it."""
    bench.serve("iperf3", "-s")
    text = bench.client("iperf3", "-J", "-c", SERVER, "-t", seconds, "-O", omit, *words,
                        timeout=seconds + omit + 30)
    try:
        result = json.loads(text)
    except ValueError:
        return {"error": text.strip()}
    error = result.get("error", "")
    if "CONGESTION" in error or "congestion" in error:
        raise Skip(error)
    return result


def iperf3(bench, *words, seconds=8, omit=2):
    """What the receiver got."""
    result = iperf3_json(bench, *words, seconds=seconds, omit=omit)
    received = result.get("end", {}).get("sum_received", {})
    return _known(received_bps=received.get("bits_per_second"), error=result.get("error"))


def iperf3_udp(bench, bps, size, seconds):
    result = iperf3_json(bench, "-u", "-b", int(bps), "-l", size, seconds=seconds, omit=0)
    total = result.get("end", {}).get("sum", {})
    lost = total.get("lost_percent")
    return _known(lost_share=None if lost is None else lost / 100,
                  jitter_ms=total.get("jitter_ms"), error=result.get("error"))


def nuttcp(bench, *words, seconds=10):
    """The receiver's figure, which is the only one."""
    bench.serve("nuttcp", "-S")
    text = bench.client("nuttcp", "-fparse", "-p%d" % NUTTCP_PORT, "-T%d" % seconds, *words,
                        SERVER, timeout=seconds + 30)
    rate, lost = _number(r"rate_Mbps=([\d.]+)", text), _number(r"data_loss=([\d.]+)", text)
    return _known(received_bps=None if rate is None else rate * 1e6,
                  rtt_ms=_number(r"rtt_ms=([\d.]+)", text),
                  lost_share=None if lost is None else lost / 100)


def ttcp(bench, seconds, rate_bps):
    """As many blocks as take about so long; the receiver's figure, in units of 1024."""
    server = bench.serve("ttcp", "-r", "-s")
    bench.client("ttcp", "-t", "-s", "-n", int(rate_bps * seconds / 8 / 8192), SERVER,
                 timeout=3 * seconds + 30)
    rate = _number(r"real seconds = ([\d.]+) KB/sec", server.report())
    return _known(received_bps=None if rate is None else rate * 1024 * 8)


# ---- transactions ----


def bounceback(bench, size, seconds):
    bench.serve("iperf", "-s", "-e")
    text = bench.client("iperf", "-c", SERVER, "--bounceback", "-t", seconds, "-e", "-l",
                        size, timeout=seconds + 30)
    rates = re.findall(r"([\d.]+) rps", text)
    return _known(transactions_per_s=float(rates[-1]) if rates else None)


# ---- probes ----


def hping3(bench, *words, count=5, host=SERVER):
    """The replies: flags, smallest round trip, who else answered. The summary line is not
    read: it counts errors as replies."""
    text = bench.client("hping3", "-n", "-c", count, "-i", "u100000", *words, host)
    # A hop's own line tells its round trip too; only answers of the host count.
    trips = [float(t) for t in re.findall(r"^len=.* rtt=([\d.]+) ms", text, re.M)]
    flags = re.findall(r"^len=.* flags=(\w+)", text, re.M)
    hops = re.findall(r"^hop=\d+ TTL 0 .* from ip=([\d.]+)", text, re.M)
    too_big = re.findall(r"^ICMP Fragmentation Needed/DF set from ip=([\d.]+)", text, re.M)
    return _known(flags=" ".join(sorted(set(flags))) or None, answers_count=len(trips),
                  min_ms=min(trips) if trips else None,
                  median_ms=statistics.median(trips) if trips else None,
                  hops=" ".join(dict.fromkeys(hops)) or None,
                  too_big=" ".join(dict.fromkeys(too_big)) or None)


# ---- hops ----


def pchar(bench, repetitions, increment, source):
    text = bench.client("pchar", "-n", "-R", repetitions, "-I", increment, "-g", 0.05, "-l",
                        source, SERVER, timeout=300)
    hops = re.findall(r"Hop char: +rtt = ([\d.]+) ms, bw = ([\d.]+) Kbps", text)
    found = {}
    for i, (rtt, rate) in enumerate(hops, 1):
        found["hop%d_ms" % i] = float(rtt)
        found["hop%d_bps" % i] = float(rate) * 1e3
    rate = _number(r"Path bottleneck: +([\d.]+) Kbps", text)
    return _known(bottleneck_bps=None if rate is None else rate * 1e3,
                  pipe_bytes=_number(r"Path pipe: +(\d+) bytes", text), **found)
