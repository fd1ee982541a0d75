# SPDX-License-Identifier: BSD-2-Clause
"""iperf3 against the installed iperf3. ours: both ends ours; theirs: both ends theirs;
rows named "to an upstream peer" change one end only."""

import json
import os
import re
import subprocess
import tempfile
import time

from harness import free_port, tool, upstream, wait_until
from paired import Row, Side

SECONDS = 2


def program(who):
    return tool("iperf3") if who == "ours" else upstream("iperf3")


def one_test(path, server, client, options):
    """One test; returns the client's JSON and both sides, ended."""
    port = str(free_port())
    right = Side(path.right, 1, [server, "-s", "-1", "-p", port]).listening(port)
    with tempfile.TemporaryFile() as out:
        left = Side(path.left, 0, [client, "-c", path.host, "-p", port, "-i", "0", "-J"] +
                    options, stdout=out)
        left.end()
        right.end()
        out.seek(0)
        text = out.read().decode()
    return json.loads(text[text.index("{"):]), left, right


def tcp(options, server=None, client=None):
    def run(path, who):
        got, left, right = one_test(path, program(server or who), program(client or who),
                                    ["-t", str(SECONDS)] + options)
        end = got["end"]["sum_received"]
        return {"rate": end["bits_per_second"],
                "cpu": end["bytes"] / (left.cpu_s + right.cpu_s),
                "tx cpu": end["bytes"] / left.cpu_s,
                "rx cpu": end["bytes"] / right.cpu_s}
    return run


def udp(options, server=None, client=None):
    def run(path, who):
        got, left, right = one_test(path, program(server or who), program(client or who),
                                    ["-u", "-b", "0", "-t", str(SECONDS)] + options)
        end = got["end"]["sum"]
        received = end["packets"] - end["lost_packets"]
        return {"received": received / end["seconds"],
                "rx cpu": received / right.cpu_s, "tx cpu": received / left.cpu_s}
    return run


def wall(options):
    def run(path, who):
        port = str(free_port())
        right = Side(path.right, 1, [program(who), "-s", "-1", "-p", port]).listening(port)
        began = time.monotonic()
        left = Side(path.left, 0, [program(who), "-c", path.host, "-p", port] + options)
        left.end()
        took = time.monotonic() - began
        right.end()
        if who == "ours":
            print("%50s %.1f ms" % ("ours took", took * 1000))
        return {"1/wall": 1 / took}
    return run


def start_up(path, who):
    times = []
    for _ in range(40):
        began = time.monotonic()
        subprocess.run([program(who), "-v"], stdout=subprocess.DEVNULL)
        times.append(time.monotonic() - began)
    return {"1/start-up": 1 / min(times)}


def peak_kib(pid):
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(r"^VmHWM:\s+(\d+)", f.read(), re.M).group(1))


def memory(streams):
    def run(path, who):
        port = str(free_port())
        right = Side(path.right, 1, [program(who), "-s", "-1", "-p", port]).listening(port)
        left = Side(path.left, 0, [program(who), "-c", path.host, "-p", port, "-t", "2",
                                   "-i", "0", "-P", str(streams)])
        time.sleep(1.2)  # in the middle of the test
        sizes = peak_kib(right.popen.pid), peak_kib(left.popen.pid)
        left.end()
        right.end()
        return {"1/server memory": 1 / sizes[0], "1/client memory": 1 / sizes[1]}
    return run


def spacing(rate, options=()):
    """Gaps between datagrams on the wire at the receiver."""
    def run(path, who):
        port = str(free_port())
        with tempfile.TemporaryDirectory() as folder:
            pcap = os.path.join(folder, "p")
            right = Side(path.right, 1, [program(who), "-s", "-1", "-p",
                                         port]).listening(port)
            dump = subprocess.Popen(
                path.right.argv(["tcpdump", "-i", "b", "-n", "-s", "64", "-B", "16384",
                                 "--time-stamp-precision=nano", "--immediate-mode", "-w",
                                 pcap, "udp and dst port %s and greater 500" % port]),
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_until(lambda: os.path.exists(pcap), 5, "the capture")
            time.sleep(0.3)
            left = Side(path.left, 0, [program(who), "-c", path.host, "-p", port, "-u",
                                       "-b", rate, "-t", "2", "-l",
                                       "1448", "-i", "0"] + list(options))
            left.end()
            right.end()
            time.sleep(0.3)
            dump.terminate()
            dump.wait()
            text = subprocess.run(
                ["tshark", "-r", pcap, "-T", "fields", "-e", "frame.time_epoch"],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
        return gap_figures([float(t) for t in text.split()], left.cpu_s, who)
    return run


def gap_figures(times, cpu_s, who):
    inner = [t for t in times if times[0] + 0.1 <= t <= times[-1] - 0.1]
    gaps = sorted(b - a for a, b in zip(inner, inner[1:]))
    trimmed = gaps[:len(gaps) - len(gaps) // 1000]  # one stall of the machine ruins it
    mean = sum(trimmed) / len(trimmed)
    spread = (sum((g - mean) ** 2 for g in trimmed) / len(trimmed)) ** 0.5
    rate = (len(inner) - 1) * 1448 * 8 / (inner[-1] - inner[0]) / 1e6
    print("%50s %.3f Mbit/s, spread %.1f us, cpu %.2f s" % (who, rate, spread * 1e6, cpu_s))
    return {"1/spread": 1 / spread, "1/cpu": 1 / cpu_s}


def rows(path):
    yield Row("iperf3 TCP", tcp([]), {"rate": 1.2, "cpu": 1.35, "tx cpu": 1.25, "rx cpu": 1.4})
    yield Row("iperf3 TCP to an upstream server", tcp([], server="theirs"), {})
    yield Row("iperf3 TCP from an upstream client", tcp([], client="theirs"), {})
    yield Row("iperf3 TCP -P 64", tcp(["-P", "64"]), {"rate": 0.95, "cpu": 1.0})
    yield Row("iperf3 -P 64 memory", memory(64), {"1/server memory": 2, "1/client memory": 2})
    yield Row("iperf3 TCP -Z", tcp(["-Z"]), {"rate": 0.95, "tx cpu": 0.95})
    yield Row("iperf3 UDP -b 0", udp(["-l", "1448"]), {"received": 10, "rx cpu": 10})
    yield Row("iperf3 UDP -b 0 to an upstream server", udp(["-l", "1448"], server="theirs"),
              {"received": 1.0})
    yield Row("iperf3 UDP -b 0 from an upstream client", udp(["-l", "1448"], client="theirs"),
              {"received": 1.0})
    yield Row("iperf3 UDP 64 bytes", udp(["-l", "64"]), {"received": 1.05})
    yield Row("iperf3 -n 1K", wall(["-n", "1K"]), {})
    if path.kind == "veth":
        for rate, goal in (("10M", None), ("100M", 1.0), ("500M", 2.0)):
            yield Row("iperf3 UDP spacing at " + rate, spacing(rate),
                      {"1/spread": goal} if goal else {})
    else:
        yield Row("iperf3 start-up", start_up, {"1/start-up": 1.3})
