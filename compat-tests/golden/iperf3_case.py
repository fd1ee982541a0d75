# SPDX-License-Identifier: BSD-2-Clause
"""Cases in compat-tests/golden/iperf3: what iperf3 3.21 printed, with the command lines.

    # about: what it shows
    # server: iperf3 -s -1 -p 21001          ("none": no server)
    # client: iperf3 -c 127.0.0.1 -p 21001 -t 2
    # second client: ...                     (while or after the first runs)
    # network: client ADDRESS, RATE Mbit/s out of it, server ADDRESS
    # signal: INT client                     (sent after the first interval)
    # differs: why a line was changed by hand
    # exit: client 0, server 0
    ===== server stdout =====
    ...
"""

import glob
import os
import re
import shlex
import tempfile

from harness.netns import Netns
from harness.ports import free_port
from harness.process import run, start
from harness.programs import tool

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "iperf3")
FILE_SIZE = 3000000


class Case:
    """head: name -> text; parts: "client stdout" -> text."""

    def __init__(self, name):
        self.name = name
        with open(os.path.join(FOLDER, name + ".txt"), newline="") as f:
            text = f.read()
        head, *parts = re.split(r"^===== (.*) =====\n", text, flags=re.M)
        self.head = dict(line[2:].split(": ", 1) for line in head.splitlines())
        self.parts = dict(zip(parts[::2], parts[1::2]))

    def command(self, who, port):
        """Words after "iperf3" of a command line, quicker than the original: two seconds
        become one, with half the interval."""
        words = shlex.split(self.head[who])[1:]
        if "-p" in words:
            words[words.index("-p") + 1] = str(port)
        if "--cport" in words:
            words[words.index("--cport") + 1] = str(free_port(2))
        if "-i" not in words and "-t 2" in self.head["client"]:
            if who != "server":
                words[words.index("-t") + 1] = "1"
            words += ["-i", "0.5"]
        return words

    def interval_count(self):
        """How many full intervals the client's and the server's reports have, or None
        when that is not a matter of time."""
        words = shlex.split(self.head["client"])
        if "-t" not in words or "signal" in self.head or not self.ends_well():
            return None
        seconds = int(words[words.index("-t") + 1])
        every = float(words[words.index("-i") + 1]) if "-i" in words else 1
        return round(seconds / every) if every else 1

    def ends_well(self):
        return self.head["exit"].startswith("client 0")


def names(*prefixes):
    """Names of all cases that begin so."""
    found = [os.path.basename(p)[:-4] for p in sorted(glob.glob(FOLDER + "/*.txt"))]
    return [n for n in found if n.startswith(prefixes)]


class Outcome:
    """parts as in the case, and the exit codes."""

    def __init__(self):
        self.parts, self.code = {}, {}

    def add(self, who, process):
        self.parts[who + " stdout"] = process.stdout
        self.parts[who + " stderr"] = process.stderr
        self.code[who] = process.code


def _network(case):
    """Options for the client's and the server's start(): the namespaces."""
    if "network" not in case.head:
        return {}, {}
    client, rate, server = re.fullmatch(
        r"client (\S+), (\d+) Mbit/s out of it, server (\S+)", case.head["network"]).groups()
    left, right = Netns("client"), Netns("server")
    left.link(right, "a", "b")
    left.address("a", client + "/24")
    right.address("b", server + "/24")
    left.rate("a", rate + "mbit", burst="10kb")
    return {"netns": left}, {"netns": right}


def run_case(case):
    """Run our programs as the case says; returns the Outcome."""
    out = Outcome()
    port = free_port()
    there, here = _network(case)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "sendme.bin"), "wb") as f:
            f.write(bytes(FILE_SIZE))
        server = None
        if case.head["server"] != "none":
            server = start([tool("iperf3")] + case.command("server", port), cwd=folder,
                           bound=40, **here)
            server.wait_listening(port)
        client = start([tool("iperf3")] + case.command("client", port), cwd=folder,
                       bound=40, **there)
        _disturb(case, out, port, client, server, folder)
        client.wait()
        out.add("client", client)
        if server:
            if "stopped with SIGTERM" in case.head["exit"]:
                server.stop()
            else:
                server.wait()
            out.add("server", server)
        for name in os.listdir(folder):
            if name.endswith(".log"):
                with open(os.path.join(folder, name), newline="") as f:
                    out.parts[name] = f.read()
    return out


def _disturb(case, out, port, client, server, folder):
    """Signals and second clients."""
    if "signal" in case.head:
        number, whom = case.head["signal"].split()
        # The one that is not hit tells when an interval is over, if that one is silent.
        server.wait_line(r"sec ")
        if "-J" not in client.argv:
            client.wait_line(r"sec ")
        {"client": client, "server": server}[whom].send_signal(
            {"INT": 2, "TERM": 15, "HUP": 1}[number])
    if "second client" in case.head:
        if case.head["second client"].endswith("-R"):
            client.wait()
            server.wait_line(r"test #2")
        else:
            server.wait_line(r"local .* connected to")
        second = run([tool("iperf3")] + case.command("second client", port), cwd=folder)
        out.add("second client", second)


def exit_codes(case):
    """who -> code, from the head."""
    codes = {}
    for who, code in re.findall(r"(client|server) (?:stopped .*exit )?(\d+)",
                                case.head["exit"]):
        codes[who] = int(code)
    if "second client exit" in case.head:
        codes["second client"] = int(case.head["second client exit"])
    return codes
