# SPDX-License-Identifier: BSD-2-Clause
"""Running ttcp, and reading its report."""

import json
import re

from .ports import free_port
from .process import run, start
from .programs import tool

_N = r"\d+\.\d\d\d"
REPORT = re.compile(
    r"(?P<who>ttcp-[tr]): (?P<bytes>\d+) bytes in (?P<seconds>{n}) real seconds = "
    r"(?P<rate>{n}) (?P<unit>\w+)/sec \+\+\+\n"
    r"(?:(?P=who): (?P=bytes) bytes in {n} CPU seconds = {n} (?P=unit)/cpu sec\n)?"
    r"(?P=who): (?P<calls>\d+) I/O calls, msec/call = {n}, calls/sec = {n}\n"
    r"(?P=who): {n}user {n}sys (?:\d+:\d)?\d:\d\dreal \d+% 0i\+0d "
    r"(?P<maxrss>\d+)maxrss \d+\+\d+pf \d+\+\d+csw\n"
    r"(?:(?P=who): buffer address 0x(?P<address>[0-9a-f]+)\n)?\Z".format(n=_N))


class Report:
    """The report at the end of a ttcp's standard error. before: all that comes before it;
    lines: how many lines the report has."""

    def __init__(self, process):
        found = REPORT.search(process.stderr)
        if not found:
            raise AssertionError("no report: %s" % process)
        self.bytes, self.calls = int(found.group("bytes")), int(found.group("calls"))
        self.seconds, self.rate = float(found.group("seconds")), float(found.group("rate"))
        self.unit, self.maxrss = found.group("unit"), int(found.group("maxrss"))
        self.address = found.group("address") and int(found.group("address"), 16)
        self.before = process.stderr[:found.start()]
        self.lines = len(found.group(0).splitlines())


def json_report(process):
    """The one JSON object that --json prints; anything beside it is a failure."""
    lines = process.stderr.splitlines()
    if len(lines) != 1:
        raise AssertionError("not one line of JSON: %s" % process)
    return json.loads(lines[0])


def receiver(*options, port=None, udp=False, netns=None, wrap=(), **more):
    """Start "ttcp -r options"; returns it, listening, with its .port. Without -s it writes
    to stdout. wrap: a command that runs it."""
    port = port or free_port()
    argv = list(wrap) + [tool("ttcp"), "-r", "-p", port] + (["-u"] if udp else []) + \
        list(options)
    process = start(argv, netns=netns, **more)
    process.wait_listening(port, "udp" if udp else "tcp")
    process.port = port
    return process


def sender_argv(port, *options, host="127.0.0.1"):
    return [tool("ttcp"), "-t", "-p", port] + list(options) + [host]


def send(port, *options, host="127.0.0.1", **more):
    """Run "ttcp -t options host" to its end; returns its Result."""
    return run(sender_argv(port, *options, host=host), **more)


def start_sender(port, *options, host="127.0.0.1", **more):
    return start(sender_argv(port, *options, host=host), **more)
