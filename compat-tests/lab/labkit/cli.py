# SPDX-License-Identifier: BSD-2-Clause
"""The command lab: options, and what each subcommand does."""

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from tour import command

from . import emulator, network, ns, selfcheck, state
from .counters import FOR_ACCURACY, FOR_USE
from .errors import LabError
from .topology import default_topology, parse_topology, parse_words, read_topology

EXIT_BAD, EXIT_NOISY = 2, 3

ABOUT = """\
A path with a known answer: hosts and routers in network namespaces, joined by links whose
rate, delay, queue and loss are emulated. The default path is

    client 192.0.2.1 --100 Mbit/s, 2 ms-- 192.0.2.2 router 192.0.2.65 --20 Mbit/s, 20 ms--
    192.0.2.66 server      (150 KB queues; 2001:db8:1::1 ... 2001:db8:2::2 for IPv6)
"""

EXAMPLES = """\
examples:
  lab run -- ping -c 5 192.0.2.66
  lab run --serve 'iperf3 -s' -- iperf3 -c 192.0.2.66 -t 10 -O 2
  lab run --set 'router:server loss=1%' --cc reno --serve 'nuttcp -S' -- nuttcp 192.0.2.66
  lab shell client                    in one terminal, and in another
  lab set router:server loss=1%       router-server means both ways
  lab show

set, show and shell without --lab NAME mean the lab that run or shell made without --name.
Delays are one way, so the default path has a round trip of 44 ms. A rate counts the bytes
of IP packets. The nodes have addresses, not names. What a --serve command prints follows
at the end, on standard error. The keys of links are listed by: impair --help

Needs root. Exits with the code of the command; 2 when the lab itself failed, 3 when the
machine was too busy for the result to mean anything (run --strict, selfcheck).
"""


class Stopped(BaseException):
    """A signal asked us to end; .code is the exit code."""

    def __init__(self, number):
        super().__init__(number)
        self.code = 128 + number


def stop(number, frame):
    raise Stopped(number)


def warn(text):
    print("lab: " + text, file=sys.stderr, flush=True)


# ---- options ----


def add_lab_options(parser):
    add = parser.add_argument
    add("-t", "--topology", metavar="FILE", help="another path than the default; "
        "compat-tests/lab/labkit/topology.py explains the format")
    add("--set", metavar="'LINK KEY=VALUE...'", action="append", default=[],
        help="change a link before the command runs")
    add("--seed", metavar="N", type=number, default=1,
        help="choose the random streams (1): same seed, same drops")
    add("--cc", metavar="NAME", help="TCP congestion control of all nodes")
    add("--tun", action="store_true", help="TUN devices instead of veth pairs")
    add("--no-realtime", action="store_true", help="no real-time priority")
    add("--name", metavar="NAME", help="name of the lab (the process id)")


def add_join_option(parser, text="which lab, when more than one is running"):
    parser.add_argument("--lab", metavar="NAME", help=text)


def number(text):
    if not text.isdigit() or int(text) >= 1 << 64:
        raise argparse.ArgumentTypeError("not a whole number: %s" % text)
    return int(text)


class Parser(argparse.ArgumentParser):
    """One line for a mistake, and the code of all the lab's mistakes."""

    def error(self, message):
        raise LabError("%s (%s --help)" % (message, self.prog))


def make_parser():
    parser = Parser(prog="lab", description=ABOUT, epilog=EXAMPLES,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    subs = parser.add_subparsers(metavar="COMMAND", dest="command", required=True)

    def sub(name, work, text):
        p = subs.add_parser(name, help=text, description=text)
        p.set_defaults(work=work)
        return p

    p = sub("run", run, "make a lab, run a command in it, take it down")
    p.usage = "lab run [OPTION...] -- COMMAND..."
    add_lab_options(p)
    add_join_option(p, "use a lab that is running already")
    p.add_argument("--in", metavar="NODE", dest="node",
                   help="where the command runs (client, or the first node)")
    p.add_argument("--serve", metavar="'CMD'", action="append", default=[],
                   help="start a server first and wait until it has opened a port")
    p.add_argument("--serve-in", metavar="NODE", help="where (server, or the last node)")
    p.add_argument("--counters", metavar="FILE",
                   help="write the emulator's counters there, as JSON (- for standard error)")
    p.add_argument("--strict", action="store_true",
                   help="exit 3 when packets were too late for the result to mean anything")
    p.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND...",
                   help="as typed after --")

    p = sub("shell", shell, "a shell in a node: of the running lab, else of a new one")
    add_lab_options(p)
    add_join_option(p)
    p.add_argument("--new", action="store_true", help="a new lab even when one is running")
    p.add_argument("node", nargs="?", help="client, or the first node")

    p = sub("set", set_link, "change a link of a running lab, or seed=N")
    add_join_option(p)
    p.add_argument("link", help="client-router for both ways, client:router for one")
    p.add_argument("words", nargs="*", metavar="KEY=VALUE")

    p = sub("show", show, "counters and settings of a running lab")
    add_join_option(p)
    p.add_argument("--json", action="store_true")
    p.add_argument("--reset", action="store_true", help="and set the counters to zero")

    sub("list", list_labs, "the labs that are running")
    sub("clean", clean, "remove what killed labs left behind")

    p = sub("selfcheck", check, "measure the lab itself against what it promises")
    p.add_argument("--json", action="store_true")
    p.add_argument("--quick", action="store_true", help="shorter measurements")
    p.add_argument("--tun", action="store_true", help="TUN devices instead of veth pairs")
    p.add_argument("--iperf3", metavar="PROGRAM", default=os.environ.get("LAB_IPERF3"),
                   help="TCP and UDP load by this iperf3 instead of plain sockets "
                   "($LAB_IPERF3)")
    p.add_argument("--only", metavar="ROW", action="append", help="this row only")

    command.add_tour(sub("tour", command.tour, "what the tools measure, against what "
                         "arithmetic says"))
    command.add_plot(sub("plot", command.draw, "pictures of a tour, as SVG (gnuplot)"))
    return parser


# ---- helpers ----


def topology_of(args):
    topology = read_topology(args.topology) if args.topology else default_topology()
    for text in args.set:
        name, *words = text.split() or [""]
        topology.find(name)
        if not words:
            raise LabError("--set %r: nothing to set" % text)
        topology.sets.append((name, parse_words(words, "--set")))
    return topology


def lab_of(args):
    return network.Lab(topology_of(args), name=args.name, seed=args.seed, congestion=args.cc,
                       tun=args.tun, priority=0 if args.no_realtime else 50,
                       shared=args.name is None)


def only_new(args, command):
    """A running lab is as it is: options of a new one would be ignored."""
    usual = vars(make_parser().parse_args([command]))
    for name in ("topology", "set", "seed", "cc", "tun", "no_realtime", "name", "serve",
                 "serve_in", "counters", "strict"):
        if name in usual and getattr(args, name) != usual[name]:
            raise LabError("--%s is for a new lab, and this one runs already" %
                           name.replace("_", "-"))


def pick(nodes, name, usual, place):
    """The node asked for, or the usual one, or the first (0) or last (-1)."""
    if name and name not in nodes:
        raise LabError("no node %s; there are %s" % (name, " ".join(nodes)))
    return name or (usual if usual in nodes else nodes[place])


def tell_of_dead():
    for record in state.dead():
        warn("lab %s was killed and left %s; lab clean removes it" % (
            record.name, " ".join(record.namespaces()) or record.folder))


def wait_for(process, emu=None):
    """Wait for the user's command; signals go to it. Returns its exit code, or raises
    LabError when the emulator died under it."""
    died = threading.Event()

    def forward(number, frame):
        # The terminal sends SIGINT to the command itself.
        if number != signal.SIGINT and process.poll() is None:
            process.send_signal(number)

    def watch():
        while process.poll() is None:
            if not emu.alive():
                died.set()
                process.terminate()
                return
            time.sleep(0.1)

    old = {n: signal.signal(n, forward)
           for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        if emu:
            threading.Thread(target=watch, daemon=True).start()
        code = process.wait()
    finally:
        for n, handler in old.items():
            signal.signal(n, handler)
    if died.is_set():
        raise LabError("the emulator died (%d): the result is void%s" % (
            emu.process.poll(), ": " + emu.said() if emu.said() else ""))
    return 128 - code if code < 0 else code


def foreground(argv, environment):
    """Start the user's command on the terminal."""
    try:
        return subprocess.Popen(argv, env=environment, preexec_fn=ns.die_with_parent)
    except OSError as e:
        raise LabError("%s: %s" % (argv[0], e.strerror)) from None


def write_counters(path, counters):
    if path == "-":
        print_ways(counters, sys.stderr)
        return
    try:
        with open(path, "w") as f:
            json.dump(counters.as_dict(), f, indent=1)
            f.write("\n")
    except OSError as e:
        raise LabError("%s: %s" % (path, e.strerror)) from None


def judge(counters, strict):
    """Say what makes the result doubtful. Returns an exit code, 0 for none."""
    fault = counters.faults()
    if fault:
        raise LabError("the result is void: %s" % fault)
    noise = counters.noise(FOR_ACCURACY if strict else FOR_USE)
    if noise:
        warn("machine too noisy: %s" % noise)
    return EXIT_NOISY if noise and strict else 0


# ---- subcommands ----


def run(args):
    words = args.words[1:] if args.words[:1] == ["--"] else args.words
    if not words:
        raise LabError("run what? (lab run -- COMMAND...)")
    network.need_root()
    for command in [words] + [shlex.split(c) or [""] for c in args.serve]:
        if not shutil.which(command[0]):
            raise LabError("%s: no such command" % command[0])
    if args.lab:
        only_new(args, "run")
        return join(state.find(args.lab), args.node, words)
    topology = topology_of(args)
    node = pick(topology.nodes, args.node, "client", 0)
    serve_in = pick(topology.nodes, args.serve_in, "server", -1)
    tell_of_dead()
    lab = lab_of(args)
    said = []
    try:
        with lab:
            for command in args.serve:
                said.append(tempfile.TemporaryFile())
                lab.serve(serve_in, shlex.split(command), stdout=said[-1],
                          stderr=subprocess.STDOUT)
            code = wait_for(foreground(lab.argv(node, words), lab.environment()),
                            lab.emulator)
    finally:
        for output in said:
            tell_server(serve_in, output)
    if lab.last is None:
        raise LabError("the emulator told no counters: the result is void")
    if args.counters:
        write_counters(args.counters, lab.last)
    return code or judge(lab.last, args.strict)


def tell_server(node, output):
    """What a server said, after the command, with which it would mix before."""
    output.seek(0)
    for line in output.read().decode("utf-8", "replace").splitlines():
        print("%s| %s" % (node, line), file=sys.stderr)
    output.close()


def join(record, node, words):
    node = pick(record.data["nodes"], node, "client", 0)
    argv = ns.argv(state.netns_name(record.name, node), words)
    return wait_for(foreground(argv, dict(os.environ, NETCLASSICS_LAB=record.name)))


def shell(args):
    network.need_root()
    words = [os.environ.get("SHELL") or "/bin/sh"]
    if args.lab or (state.living() and not args.new):
        only_new(args, "shell")
        record = state.find(args.lab)
        node = pick(record.data["nodes"], args.node, "client", 0)
        warn("joins lab %s, node %s" % (record.name, node))
        return join(record, node, words)
    topology = topology_of(args)
    node = pick(topology.nodes, args.node, "client", 0)
    tell_of_dead()
    with lab_of(args) as lab:
        warn("new lab %s, node %s; it ends with this shell" % (lab.name, node))
        return wait_for(foreground(lab.argv(node, words), lab.environment()), lab.emulator)


def set_link(args):
    network.need_root()
    record = state.find(args.lab)
    key, _, value = args.link.partition("=")
    if key == "seed" and not args.words:
        emulator.ask(record.control, "seed %d" % number(value))
        print("lab %s: %s" % (record.name, args.link))
        return 0
    if not args.words:
        raise LabError("set %s to what? (KEY=VALUE)" % args.link)
    topology = parse_topology(record.data["topology"])
    network.change(record, topology, args.link, parse_words(args.words, "set"))
    print("lab %s: %s %s" % (record.name, args.link, " ".join(args.words)))
    return 0


def show(args):
    network.need_root()
    record = state.find(args.lab)
    counters = emulator.counters(record.control)
    if args.json:
        json.dump(dict(counters.as_dict(), name=record.name), sys.stdout, indent=1)
        print()
    else:
        print("lab %s" % record.name)
        print_ways(counters, sys.stdout)
    if args.reset:
        emulator.ask(record.control, "reset")
    return 0


def settings(way):
    """As the user would write them."""
    words = ["rate=%gM" % (way["rate_bps"] / 1e6)] if way["rate_bps"] else []
    words += ["delay=%gms" % (way["delay_ns"] / 1e6)] if way["delay_ns"] else []
    words += (["queue=%gK" % (way["queue_limit_bytes"] / 1e3)]
              if way["queue_limit_bytes"] else [])
    words += ["%s=%g%%" % (k, 100 * way[k]) for k in ("loss", "duplicate", "reorder")
              if way[k]]
    words += ["every=%d" % way["every"]] if way["every"] else []
    words += ["jitter=%gus" % (way["jitter_ns"] / 1e3)] if way["jitter_ns"] else []
    words += ["hidden-mtu=%d" % way["mtu"]] if way["mtu"] else []
    return " ".join(words)


def print_ways(counters, out):
    print("%-20s %9s %9s %9s %9s %9s %9s  %s" % (
        "way", "in", "out", "queue-", "loss-", "late us", "max us", "is"), file=out)
    print("%-20s %9s %9s %9s %9s %9s %9s" % ("", "", "", "dropped", "dropped", "mean", ""),
          file=out)
    for name, way in counters.ways.items():
        print("%-20s %9d %9d %9d %9d %9.1f %9.1f  %s" % (
            name, way["in"], way["out"], way["drop_queue"], way["drop_loss"],
            way["late_mean_us"], way["late_max_us"], settings(way)), file=out)
    mean_us, share, count = counters.lateness()
    print("%d deliveries, %.1f us late on average, %.2f %% later than %d us%s" % (
        count, mean_us, 100 * share, FOR_ACCURACY.late_us,
        "; machine too noisy" if counters.noise(FOR_USE) else ""), file=out)
    if counters.faults():
        print("FAULT: %s" % counters.faults(), file=out)


def list_labs(args):
    network.need_root()
    for record in state.living():
        print("%-20s pid %-8d nodes %s" % (
            record.name, record.data["pid"], " ".join(record.data["nodes"])))
    for record in state.dead():
        print("%-20s killed; left %s" % (
            record.name, " ".join(record.namespaces()) or record.folder))
    return 0


def clean(args):
    network.need_root()
    for record in state.dead():
        names = record.remove()
        print("removed lab %s: %s" % (record.name, " ".join(names) or record.folder))
    return 0


def check(args):
    network.need_root()
    tell_of_dead()
    return selfcheck.main(args)


def main(argv):
    for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(n, stop)
    try:
        args = make_parser().parse_args(argv)
        return args.work(args)
    except LabError as e:
        warn(str(e))
        return EXIT_BAD
    except argparse.ArgumentTypeError as e:
        warn(str(e))
        return EXIT_BAD
    except BrokenPipeError:
        return EXIT_BAD
    except Stopped as e:
        return e.code
