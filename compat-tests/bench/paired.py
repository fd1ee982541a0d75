# SPDX-License-Identifier: BSD-2-Clause
"""Paired measurements: ours and theirs take turns on the same path, and only the ratios of
neighbouring runs count, since the speed of a machine drifts.

A scene is a function that takes a Path and yields Row objects; bench finds it by its name.
Figures of a run are a dict in which more is always better; rate is bit/s at the receiver,
cpu is bytes per CPU second of both ends together."""

import collections
import json
import os
import re
import statistics
import subprocess
import time

from harness import Netns, free_port, is_listening, wait_until
from harness.programs import environment

# name: what is printed. run: function(path, who) -> figures, who is "ours" or "theirs".
# goal: {figure: least median ratio}.
Row = collections.namedtuple("Row", "name run goal")
Ratio = collections.namedtuple("Ratio", "median low high rounds")


class Path:
    """Two hosts: on one loopback, or joined by a veth pair. Both use reno, because bbr
    paces and then measures itself."""

    def __init__(self, kind):
        self.kind = kind
        self.left = Netns("left")
        if kind == "loopback":
            self.right, self.host = self.left, "127.0.0.1"
        else:
            self.right, self.host = Netns("right"), "192.0.2.2"
            self.left.link(self.right, "a", "b")
            self.left.address("a", "192.0.2.1/24")
            self.right.address("b", self.host + "/24")
        for ns in {self.left, self.right}:
            ns.sysctl("net.ipv4.tcp_congestion_control", "reno")

    def close(self):
        for ns in {self.left, self.right}:
            ns.close()


class Side:
    """A pinned process whose CPU time is known when it has ended."""

    def __init__(self, ns, core, argv, stdin=None, stdout=None):
        self.popen = subprocess.Popen(
            ns.argv(["taskset", "-c", str(core)] + list(argv)),
            stdin=stdin or subprocess.DEVNULL, stdout=stdout or subprocess.DEVNULL,
            stderr=subprocess.PIPE, env=environment())
        self.argv = argv

    def listening(self, port, proto="tcp"):
        wait_until(lambda: is_listening(port, proto, self.popen.pid), 10,
                   "%s on port %s" % (self.argv[0], port))
        return self

    def end(self):
        """Wait; returns what it printed on standard error. Then .cpu_s is known."""
        text = self.popen.stderr.read().decode("utf-8", "replace")
        _, status, usage = os.wait4(self.popen.pid, 0)
        self.popen.returncode = os.waitstatus_to_exitcode(status)
        self.popen.stderr.close()
        if status:
            raise SystemExit("bench: %s failed:\n%s" % (" ".join(map(str, self.argv)), text))
        self.cpu_s = usage.ru_utime + usage.ru_stime
        return text


def json_of(text):
    """The JSON object in what a program printed."""
    return json.loads(re.search(r"^\{.*\}$", text, re.M | re.S).group(0))


def transfer(path, receiver, sender, port, stdin=None, stdout=None):
    """One transfer from left to right; both print a JSON object with bytes and seconds.
    stdin: the command whose output is sent. Returns the figures."""
    source = None
    right = Side(path.right, 1, receiver, stdout=stdout).listening(port)
    if stdin:
        source = subprocess.Popen(["taskset", "-c", "0"] + stdin, stdout=subprocess.PIPE)
    left = Side(path.left, 0, sender, stdin=source.stdout if source else None)
    if source:
        source.stdout.close()
    left.end()
    got = json_of(right.end())
    if source:
        source.wait()
    return {"rate": got["bytes"] * 8 / got["seconds"],
            "cpu": got["bytes"] / (left.cpu_s + right.cpu_s)}


def measure(path, row, rounds):
    """Alternate who goes first; returns {figure: Ratio}."""
    ratios = collections.defaultdict(list)
    for n in range(rounds + 1):
        order = ("ours", "theirs") if n % 2 else ("theirs", "ours")
        got = {who: row.run(path, who) for who in order}
        time.sleep(0.1)
        if n == 0:
            continue  # warm-up
        for figure, value in got["ours"].items():
            if figure in got["theirs"] and got["theirs"][figure]:
                ratios[figure].append(value / got["theirs"][figure])
    return {figure: Ratio(statistics.median(r), min(r), max(r), len(r))
            for figure, r in ratios.items()}
