# SPDX-License-Identifier: BSD-2-Clause
"""Latency under load: pings before, during and after a transfer through a deep queue, and
what the emulator's queue held meanwhile."""

import json
import re
import statistics
import threading
import time

from . import rules
from .row import PATH, SERVER, Group, Row

RATE_BPS, QUEUE_S = 10e6, 0.4
QUEUE_BYTES = RATE_BPS * QUEUE_S / 8
SLOW = PATH.change(1, rate_bps=RATE_BPS, queue_bytes=QUEUE_BYTES)
CHANGE = {"router-server": "rate=%dM queue=%dK" % (RATE_BPS / 1e6, QUEUE_BYTES / 1e3)}
FIRST_WAY, SLOW_WAY = "client>router", "router>server"
EVERY_S = 0.1
# A full queue takes a while to empty.
SETTLE_S = 2


class QueueWatch(threading.Thread):
    """Reads the emulator's counters again and again: [seconds, queued bytes, bit/s carried
    by the slow link, bit/s put on the wire by the sender]."""

    def __init__(self, lab, began):
        super().__init__(daemon=True)
        self.lab, self.began = lab, began
        self.seen, self.end = [], threading.Event()

    def run(self):
        last = None
        while not self.end.wait(EVERY_S):
            counters, now = self.lab.counters(), time.time() - self.began
            bits = [8 * counters[way]["out_bytes"] for way in (SLOW_WAY, FIRST_WAY)]
            if last:
                rates = [round((a - b) / (now - last[0])) for a, b in zip(bits, last[1])]
                self.seen.append([round(now, 3), counters[SLOW_WAY]["queue_bytes"]] + rates)
            last = now, bits


def pings_of(text, began):
    """[seconds when sent, round trip in ms] of ping -D."""
    found = re.findall(r"^\[([\d.]+)\] .* time=([\d.]+) ms", text, re.M)
    return [[round(float(at) - float(ms) / 1e3 - began, 3), float(ms)] for at, ms in found]


def timeline(bench, idle_s, load_s):
    """Idle, load, recovery: what was seen, and iperf3's result."""
    bench.serve("iperf3", "-s")
    began = time.time()
    watch = QueueWatch(bench.lab, began)
    watch.start()
    total_s = 2 * idle_s + load_s + SETTLE_S
    pings = bench.start("ping", "-n", "-D", "-i", EVERY_S, "-w", total_s, SERVER)
    time.sleep(idle_s)
    start_s = time.time() - began
    text = bench.client("iperf3", "-J", "-c", SERVER, "-t", load_s)
    end_s = time.time() - began
    trips = pings_of(pings.communicate(timeout=total_s + 30)[0], began)
    watch.end.set()
    watch.join()
    try:
        result = json.loads(text)
    except ValueError:
        result = {}
    return {"rtt_ms": trips, "queue": watch.seen, "load_s": [start_s, end_s]}, result


def measure(bench):
    idle_s, load_s = bench.seconds((4, 12), (2, 6))
    line, result = timeline(bench, idle_s, load_s)
    trips, (start_s, end_s) = line["rtt_ms"], line["load_s"]
    found = {"timeline": line}
    for key, span in (("idle_ms", (0, start_s - 0.1)),
                      ("recovered_ms", (end_s + SETTLE_S, end_s + 60))):
        seen = [ms for at, ms in trips if span[0] <= at <= span[1]]
        if seen:
            found[key] = statistics.median(seen)
    loaded = [ms for at, ms in trips if start_s <= at <= end_s]
    if loaded:
        found["loaded_ms"] = max(loaded)
    streams = result.get("end", {}).get("streams", [])
    if streams and "max_rtt" in streams[0].get("sender", {}):
        found["tcp_ms"] = streams[0]["sender"]["max_rtt"] / 1e3
    return found


GROUP = Group(
    "load", "Latency under load: a full queue is a delay of its bytes over the rate. "
    "Here a 10 Mbit/s link with room for 0.4 s.", [
        Row("ping beside iperf3", "iperf3", measure,
            {"idle_ms": rules.round_trip(SLOW, 84, 84),
             "loaded_ms": rules.full_queue(SLOW),
             "tcp_ms": rules.full_queue(SLOW),
             "recovered_ms": rules.round_trip(SLOW, 84, 84)},
            change=CHANGE, short=True),
    ])
