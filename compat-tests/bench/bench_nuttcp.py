# SPDX-License-Identifier: BSD-2-Clause
"""nuttcp against Debian's nuttcp. ours: both ends ours; theirs: both ends theirs; rows
named "to an upstream peer" change the sending end only."""

import os
import statistics
import subprocess
import tempfile
import time

from harness import free_port, tool, upstream, wait_until
from paired import Row, Side

SECONDS = 2
OURS_MORE = ["--spin"]


def program(who):
    return tool("nuttcp") if who == "ours" else upstream("nuttcp")


def server(path, who):
    port = free_port(3)
    side = Side(path.right, 1, [program(who), "-1", "--nofork", "-P", str(port)])
    return side.listening(port), port


def client_argv(path, who, port, options):
    return [program(who), "-fparse", "-P%d" % port, "-p%d" % (port + 1)] + options + [path.host]


def one_test(path, far, near, options):
    """One test; returns the result as numbers, and both sides, ended."""
    right, port = server(path, far)
    with tempfile.TemporaryFile() as out:
        left = Side(path.left, 0, client_argv(path, near, port, options), stdout=out)
        left.end()
        right.end()
        out.seek(0)
        words = out.read().decode().split()
    return {k: float(v) for k, v in (w.split("=") for w in words)}, left, right


def tcp(options, far=None, near=None):
    def run(path, who):
        got, left, right = one_test(path, far or who, near or who,
                                    ["-T%d" % SECONDS] + options)
        return {"rate": got["rate_Mbps"],
                "cpu": got["megabytes"] / (left.cpu_s + right.cpu_s)}
    return run


def udp(options, far=None, near=None):
    def run(path, who):
        got, left, right = one_test(path, far or who, near or who,
                                    ["-u", "-T%d" % SECONDS] + options)
        received = got["pkt"] - got["drop"]
        return {"received": received / got["real_seconds"],
                "rx cpu": received / right.cpu_s, "tx cpu": received / left.cpu_s}
    return run


def limited(rate, more=()):
    """A rate limit: CPU time of the sender, and how far the average is off."""
    def run(path, who):
        options = list(more) if who == "ours" else []
        got, left, _ = one_test(path, who, who, ["-u", "-T3", "-l1448", "-R" + rate] + options)
        want = float(rate.strip("im"))
        if who == "ours":
            print("%50s %.3f %% off, %.2f CPU s" % (
                "ours", abs(got["rate_Mbps"] - want) / want * 100, left.cpu_s))
        return {"1/sender cpu": 1 / left.cpu_s}
    return run


def wall(path, who):
    right, port = server(path, who)
    began = time.monotonic()
    left = Side(path.left, 0, client_argv(path, who, port, ["-n1"]))
    left.end()
    took = time.monotonic() - began
    right.end()
    return {"1/wall": 1 / took}


def gaps(rate):
    """Spread of the gaps on the wire, ours with --spin."""
    def run(path, who):
        right, port = server(path, who)
        with tempfile.TemporaryDirectory() as folder:
            pcap = os.path.join(folder, "p")
            dump = subprocess.Popen(path.right.argv([
                "tcpdump", "-i", "b", "-n", "-s", "64", "-B", "16384",
                "--time-stamp-precision=nano", "--immediate-mode", "-w", pcap,
                "udp and dst port %d and greater 500" % (port + 1)]),
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_until(lambda: os.path.exists(pcap), 5, "the capture")
            time.sleep(0.3)
            more = OURS_MORE if who == "ours" else []
            left = Side(path.left, 0, client_argv(
                path, who, port, ["-u", "-T2", "-l1448", "-Ri" + rate] + more))
            left.end()
            right.end()
            time.sleep(0.3)
            dump.terminate()
            dump.wait()
            text = subprocess.run(["tshark", "-r", pcap, "-T", "fields", "-e",
                                   "frame.time_delta"], capture_output=True).stdout.decode()
        deltas = sorted(float(word) * 1e6 for word in text.split()[200:-200])
        deltas = deltas[:-len(deltas) // 200]  # a wake-up of the host's own
        spread = statistics.pstdev(deltas)
        print("%50s %.2f us" % ("gap spread of " + who, spread))
        return {"1/gap spread": 1 / spread}
    return run


def start_up(path, who):
    times = []
    for _ in range(40):
        began = time.monotonic()
        subprocess.run([program(who), "-V"], stdout=subprocess.DEVNULL)
        times.append(time.monotonic() - began)
    return {"1/start-up": 1 / min(times)}


def rows(path):
    yield Row("nuttcp TCP", tcp([]), {"rate": 1.5, "cpu": 1.6})
    yield Row("nuttcp TCP -r", tcp(["-r"]), {})
    yield Row("nuttcp TCP to an upstream peer", tcp([], far="theirs"), {})
    yield Row("nuttcp TCP from an upstream peer", tcp([], near="theirs"), {})
    yield Row("nuttcp UDP 1448", udp(["-R0", "-l1448"]), {"received": 10})
    yield Row("nuttcp UDP to an upstream peer", udp(["-R0", "-l1448"], far="theirs"),
              {"received": 1.1})
    yield Row("nuttcp UDP 100 Mbps", limited("100m"), {"1/sender cpu": 3.34})
    yield Row("nuttcp UDP 100 Mbps -Ri", limited("i100m"), {"1/sender cpu": 3.34})
    yield Row("nuttcp UDP 10 Mbps", limited("10m"), {"1/sender cpu": 3.34})
    yield Row("nuttcp one buffer", wall, {"1/wall": 4})
    yield Row("nuttcp start", start_up, {"1/start-up": 0.95})
    if path.kind == "veth":
        yield Row("nuttcp spin 100 Mbps", gaps("100m"), {"1/gap spread": 1})
