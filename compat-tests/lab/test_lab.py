# SPDX-License-Identifier: BSD-2-Clause
"""The lab: made and taken down, several at once, drops that repeat, answers of routers,
changes at run time, what a killed lab leaves, mistakes, and its judgement of itself."""

import json
import os
import re
import signal
import sys
import tempfile
import unittest
from unittest import mock

from harness import (SANITIZED, TestCase, long_test, need_program, need_root, run, start,
                     wait_until)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from labkit import Lab, LabError, default_topology, parse_topology  # noqa: E402
from labkit import network, ns, selfcheck, state  # noqa: E402
from labkit.counters import FOR_ACCURACY, FOR_USE, Counters  # noqa: E402
from labkit.topology import free_address  # noqa: E402

ALONE = True  # it measures round trips
LAB = os.path.join(HERE, "lab")
SERVER4, SERVER6 = "192.0.2.66", "2001:db8:2::2"
_count = 0


def new_name():
    global _count
    _count += 1
    return "t%d_%d" % (os.getpid(), _count)


def lab(*words, **options):
    return run([LAB] + list(words), **options)


def leftovers(name):
    """Namespaces and folder of a lab."""
    record = state.Record(name)
    return record.namespaces() + [f for f in [record.folder] if os.path.exists(f)]


def ping(*words):
    return [need_program("ping"), "-n"] + [str(w) for w in words]


def sequence(text):
    """Numbers of the echo requests that were answered."""
    return [int(n) for n in re.findall(r"icmp_seq=(\d+) ttl", text)]


class LabCase(TestCase):
    def setUp(self):
        need_root()
        self.name = new_name()
        self.addCleanup(self.nothing_left)

    def nothing_left(self):
        left = leftovers(self.name)
        state.Record(self.name).remove()
        self.assertEqual(left, [])

    def run_in(self, *words, **options):
        return lab("run", "--name", self.name, *words, **options)

    def start_lab(self, *words, name=None):
        """A lab that stays until the test ends; its process."""
        process = start([LAB, "run", "--name", name or self.name] + list(words) +
                        ["--", "sh", "-c", "echo ready; exec sleep 50"])
        self.addCleanup(process.stop)
        process.wait_line("^ready$")
        return process

    def up(self, text=None, **options):
        made = Lab(parse_topology(text) if text else default_topology(), name=self.name,
                   **options)
        self.addCleanup(made.down)
        made.up()
        return made


class Run(LabCase):
    def test_exit_code_and_output(self):
        done = self.run_in("--", "sh", "-c", "echo out; echo err >&2; exit 7")
        self.assertEqual((done.code, done.stdout, done.stderr), (7, "out\n", "err\n"), done)
        self.assertEqual(leftovers(self.name), [])

    def test_default_path(self):
        done = self.run_in("--counters", "-", "--", *ping("-c", 5, "-i", 0.05, SERVER4))
        self.assertEqual(sequence(done.stdout), [1, 2, 3, 4, 5], done)
        low = float(re.search(r"= ([\d.]+)/", done.stdout).group(1))
        self.assertGreaterEqual(low, 44.07)  # nothing is faster than physics
        self.assertLess(low, 60, done)
        self.assertIn("ttl=63", done.stdout)
        for way in ("client>router", "router>client", "router>server", "server>router"):
            self.assertRegex(done.stderr, r"(?m)^%s +5 +5 +0 +0 " % way)

    def test_ipv6_from_server(self):
        done = self.run_in("--in", "server", "--", *ping("-c", 3, "-i", 0.05,
                                                         "2001:db8:1::1"))
        self.assertEqual(sequence(done.stdout), [1, 2, 3], done)

    def test_serve_waits_for_the_port(self):
        listen = ("import socket, time; time.sleep(0.3); s = socket.create_server(('', 7)); "
                  "c, _ = s.accept(); c.sendall(b'hello')")
        ask = ("import socket; print(socket.create_connection(('%s', 7), 5).recv(9))" %
               SERVER4)
        done = self.run_in("--serve", "%s -c \"%s\"" % (sys.executable, listen), "--",
                           sys.executable, "-c", ask)
        self.assertEqual((done.code, done.stdout), (0, "b'hello'\n"), done)

    def test_server_that_fails(self):
        done = self.run_in("--serve", "sh -c 'exit 5'", "--", "true")
        self.assertEqual(done.code, 2, done)
        self.assertEqual(done.stderr, "lab: server sh ended with 5 before it opened a port\n")

    def test_tun_devices(self):
        done = self.run_in("--tun", "--", *ping("-c", 3, "-i", 0.05, SERVER6))
        self.assertEqual(sequence(done.stdout), [1, 2, 3], done)

    def test_congestion_control(self):
        show = "cat /proc/sys/net/ipv4/tcp_congestion_control"
        done = self.run_in("--cc", "reno", "--", "sh", "-c", show)
        self.assertEqual(done.stdout, "reno\n", done)

    def test_counters_as_json(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "counters")
            self.run_in("--counters", path, "--set", "client:router every=2", "--",
                        *ping("-c", 4, "-i", 0.05, "-W", 1, SERVER4))
            with open(path) as f:
                way = json.load(f)["ways"]["client>router"]
        self.assertEqual((way["in"], way["out"], way["drop_loss"]), (4, 2, 2))

    def test_terminated(self):
        process = self.start_lab()
        inside = state.netns_name(self.name, "client")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(10), 143)
        self.assertNotIn(inside, os.listdir("/run/netns"))

    def test_shell(self):
        done = run([LAB, "shell", "--new", "--name", self.name, "server"],
                   stdin="echo $NETCLASSICS_LAB; ip -br -4 addr; exit 9\n",
                   env={"SHELL": "/bin/sh"})
        self.assertEqual(done.code, 9, done)
        self.assertIn(self.name + "\n", done.stdout)
        self.assertIn("192.0.2.66/26", done.stdout)
        self.assertIn("new lab %s, node server" % self.name, done.stderr)

    def test_chain_of_routers(self):
        text = "\n".join("link n%d 10.0.%d.1/30 n%d 10.0.%d.2/30 delay=1ms" % (i, i, i + 1, i)
                         for i in range(4))
        made = self.up(text)
        done = made.run("n0", ping("-c", 2, "-i", 0.05, "10.0.3.2"))
        self.assertEqual(sequence(done.stdout), [1, 2], done)
        self.assertIn("ttl=61", done.stdout)


class Several(LabCase):
    def test_two_at_once(self):
        other = new_name()
        for name in (self.name, other):
            self.start_lab("--set", "client-router delay=1ms", name=name)
        listed = lab("list").stdout
        for name in (self.name, other):
            self.assertRegex(listed, r"(?m)^%s .*client router server" % name)
            done = lab("run", "--lab", name, "--", *ping("-c", 2, "-i", 0.05, SERVER4))
            self.assertEqual(sequence(done.stdout), [1, 2], done)
            done = lab("show", "--lab", name, "--json")
            self.assertEqual(json.loads(done.stdout)["ways"]["client>router"]["in"], 2, done)
        done = lab("show")
        self.assertEqual(done.code, 2)
        # Labs with a name are changed by their names only.
        self.assertRegex(done.stderr, "^lab: (only a named|more than one) lab is running; "
                         "choose one with --lab; there is .*%s" % other)

    def test_what_a_server_said(self):
        done = lab("run", "--serve", "sh -c 'echo said; sleep 9'", "--", "true")
        self.assertEqual(done.code, 2, done)  # it opened no port
        self.assertIn("server| said", done.stderr)

    def test_name_clash(self):
        self.start_lab()
        done = self.run_in("--", "true")
        self.assertEqual(done.code, 2, done)
        self.assertRegex(done.stderr, r"^lab: a lab named %s is running already \(pid \d+\)\n$"
                         % self.name)


class Drops(LabCase):
    def answered(self, *options):
        done = self.run_in(*options, "--", *ping("-c", 150, "-i", 0.002, "-W", 1, SERVER4))
        return sequence(done.stdout)

    def test_same_seed_same_drops(self):
        words = ["--set", "client:router loss=10%", "--set", "client-router delay=0",
                 "--set", "router-server delay=0"]
        first = self.answered("--seed", "7", *words)
        self.assertTrue(115 <= len(first) <= 148, first)
        self.assertEqual(self.answered("--seed", "7", *words), first)
        self.assertNotEqual(self.answered("--seed", "8", *words), first)

    def test_every_nth_is_exact(self):
        made = self.up("link a 10.0.0.1/24 b 10.0.0.2/24 every=10")
        made.set("b:a", ["every=0"])
        done = made.run("a", ping("-c", 100, "-i", 0.002, "-W", 1, "10.0.0.2"))
        self.assertEqual(sequence(done.stdout), [n for n in range(1, 101) if n % 10], done)
        self.assertEqual(made.counters()["a>b"]["drop_loss"], 10)

    def test_change_while_it_runs(self):
        self.start_lab()
        joined = run([LAB, "shell", "--lab", self.name, "router"],
                     stdin="cat /proc/sys/net/ipv4/ip_forward\n", env={"SHELL": "/bin/sh"})
        self.assertEqual(joined.stdout, "1\n", joined)

        def lost(*words):
            self.assertEqual(lab("set", "--lab", self.name, *words).code, 0)
            return 4 - len(sequence(lab("run", "--lab", self.name, "--", *ping(
                "-c", 4, "-i", 0.05, "-W", 1, SERVER4)).stdout))

        self.assertEqual(lost("client-router", "rate=10M"), 0)
        self.assertEqual(lost("server:router", "loss=100%"), 4)
        self.assertEqual(lost("server-router", "loss=0"), 0)
        self.assertEqual(lost("seed=5"), 0)
        done = lab("show", "--lab", self.name)
        self.assertRegex(done.stdout, r"server>router +16 +12 +0 +4 .* delay=20ms queue=150K")
        done = lab("show", "--lab", self.name, "--reset")
        self.assertRegex(lab("show", "--lab", self.name).stdout, r"server>router +0 +0 +0 +0 ")

    def test_queue_drops_and_duplicates(self):
        made = self.up("link a 10.0.0.1/24 b 10.0.0.2/24 rate=1M queue=3000")
        made.set("b:a", ["rate=0", "duplicate=100%"])
        # 20 packets of 1028 bytes at once: one is sent, two wait.
        done = made.run("a", ping("-c", 20, "-l", 20, "-s", 1000, "-W", 1, "10.0.0.2"))
        ways = made.counters().ways
        self.assertEqual(ways["a>b"]["in"], 20, done)
        self.assertGreaterEqual(ways["a>b"]["drop_queue"], 10, done)
        self.assertLessEqual(ways["a>b"]["queue_max_bytes"], 3084)
        self.assertEqual(ways["b>a"]["out"], 2 * ways["b>a"]["in"])
        self.assertIn("DUP!", done.stdout)


class TooBig(LabCase):
    def test_interfaces_mtu(self):
        made = self.up()
        made.set("router-server", ["mtu=1400"])
        done = made.run("client", ping("-c", 1, "-W", 1, "-M", "do", "-s", 1400, SERVER4))
        self.assertRegex(done.stdout, r"From 192\.0\.2\.2 .*mtu = 1400")
        done = made.run("client", ping("-c", 1, "-W", 1, "-M", "do", "-s", 1400, SERVER6))
        self.assertRegex(done.stdout, r"From 2001:db8:1::2 .*mtu=1400")
        done = made.run("client", ping("-c", 1, "-M", "do", "-s", 1372, SERVER4))
        self.assertEqual(sequence(done.stdout), [1], done)

    def test_hidden_mtu(self):
        made = self.up()
        made.set("router:server", ["hidden-mtu=1400"])
        done = made.run("client", ping("-c", 1, "-W", 1, "-M", "do", "-s", 1400, SERVER4))
        self.assertRegex(done.stdout, r"From 192\.0\.2\.126 .*mtu = 1400")
        done = made.run("client", ping("-c", 1, "-W", 1, "-M", "do", "-s", 1400, SERVER6))
        self.assertRegex(done.stdout, r"From 2001:db8:2::fffe .*mtu=1400")
        way = made.counters()["router>server"]
        self.assertEqual((way["too_big"], way["answers"], way["cut"]), (2, 2, 0))
        # A host that knows nothing of the MTU and allows to cut gets through in pieces;
        # the kernel of the client knows it by now and cuts itself.
        made.run("client", ["ip", "route", "flush", "cache"])
        done = made.run("client", ping("-c", 1, "-M", "dont", "-s", 1472, SERVER4))
        self.assertEqual(sequence(done.stdout), [1], done)
        self.assertEqual(made.counters()["router>server"]["cut"], 1)


class Killed(LabCase):
    def test_what_a_killed_lab_leaves_is_cleaned(self):
        process = start([LAB, "run", "--name", self.name, "--", "sh", "-c",
                         "sleep 51 >/dev/null 2>&1 & echo ready; wait"], stop_signal=signal.SIGKILL)
        process.wait_line("^ready$")
        emulator = [p for p in children(process.pid) if "impair" in command_of(p)]
        self.assertEqual(len(emulator), 1)
        process.send_signal(signal.SIGKILL)
        process.wait()
        wait_until(lambda: not command_of(emulator[0]), 5, "end of the emulator")

        names = state.Record(self.name).namespaces()
        self.assertEqual(len(names), 4)
        self.assertRegex(lab("list").stdout, r"(?m)^%s +killed; left %s" % (
            self.name, names[0]))
        done = self.run_in("--", "true")
        self.assertEqual(done.code, 2)
        self.assertIn("a lab named %s was killed and left its parts" % self.name, done.stderr)
        other = new_name()
        done = lab("run", "--name", other, "--", "true")
        self.assertEqual(done.code, 0)
        self.assertIn("lab %s was killed and left %s" % (self.name, " ".join(names)),
                      done.stderr)
        sleeping = [p for p in everyone() if command_of(p) == "sleep 51 "]
        self.assertEqual(len(sleeping), 1)
        done = lab("clean")
        self.assertEqual(done.code, 0)
        self.assertIn("removed lab %s: %s" % (self.name, " ".join(names)), done.stdout)
        self.assertEqual(leftovers(self.name), [])
        wait_until(lambda: not command_of(sleeping[0]), 5, "end of what ran inside")

    def test_emulator_that_dies(self):
        process = self.start_lab()
        emulator = [p for p in children(process.pid) if "impair" in command_of(p)]
        os.kill(emulator[0], signal.SIGKILL)
        self.assertEqual(process.wait(10), 2, process)
        self.assertEqual(process.stderr, "lab: the emulator died (-9): the result is void\n")

    def test_clean_leaves_the_living_alone(self):
        self.start_lab()
        self.assertNotIn(self.name, lab("clean").stdout)
        self.assertEqual(len(leftovers(self.name)), 5)


def everyone():
    return [int(p) for p in os.listdir("/proc") if p.isdigit()]


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        return [int(p) for p in f.read().split()]


def command_of(pid):
    """Command line of a process that runs, or nothing."""
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as f:
            return f.read().replace(b"\0", b" ").decode()
    except OSError:
        return ""


class Mistakes(LabCase):
    def refused(self, line, *words, **options):
        done = self.run_in(*words, **options)
        self.assertEqual(done.code, 2, done)
        self.assertRegex(done.stderr, r"\Alab: .*%s.*\n\Z" % line, done)
        self.assertEqual(done.stdout, "")
        self.assertEqual(leftovers(self.name), [])

    def test_options(self):
        self.refused("run what", "--")
        self.refused("no_such_command: no such command", "--", "no_such_command")
        self.refused("no node nowhere; there are client router server", "--in", "nowhere",
                     "--", "true")
        self.refused("no link a-b", "--set", "a-b loss=1%", "--", "true")
        self.refused("nothing to set", "--set", "client-router", "--", "true")
        self.refused("no key lost", "--set", "client-router lost=1", "--", "true")
        self.refused("loss=200%: out of range", "--set", "client-router loss=200%", "--",
                     "true")
        self.refused("mtu=99999", "--set", "client-router mtu=99999", "--", "true")
        self.refused("not a whole number", "--seed", "x", "--", "true")
        self.refused("is no name", "--name", "a b", "--", "true")
        self.refused("nothing.topo: No such file", "--topology", "nothing.topo", "--", "true")
        self.refused("--bogus", "--bogus", "--", "true")
        self.refused("--seed: expected one argument", "--seed")

    def test_congestion_control_that_cannot_be(self):
        self.refused("congestion control nonsense cannot be", "--cc", "nonsense", "--", "true")

    def test_topology_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bad.topo")
            with open(path, "w") as f:
                f.write("# fine\nlink a 10.0.0.1/24 b 10.0.1.2/24\n")
            self.refused(r"bad\.topo:2: 10\.0\.0\.1/24 and 10\.0\.1\.2/24 are not in one "
                         "subnet", "--topology", path, "--", "true")

    def test_kernel_without_veth(self):
        with tempfile.TemporaryDirectory() as folder:
            fake = os.path.join(folder, "ip")
            with open(fake, "w") as f:
                f.write('#!/bin/sh\ncase "$*" in *veth*) echo "Error: Unknown device type." '
                        '>&2; exit 2;; esac\nexec %s "$@"\n' % need_program("ip"))
            os.chmod(fake, 0o755)
            self.refused("cannot make veth devices.*Unknown device type", "--", "true",
                         env={"PATH": folder + ":" + os.environ["PATH"]})

    def test_emulator_not_built(self):
        self.refused("the emulator is not built", "--", "true",
                     env={"NETCLASSICS_BUILD": "/nonexistent"})

    def test_no_ip_command(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(sys.executable, os.path.join(folder, "python3"))
            os.symlink(need_program("true"), os.path.join(folder, "true"))
            self.refused("the command ip is missing", "--", "true", env={"PATH": folder})


class WithoutRoot(TestCase):
    def test_one_line(self):
        with mock.patch.object(network.os, "geteuid", return_value=1000):
            with self.assertRaisesRegex(LabError, "^needs root"):
                Lab(default_topology())

    def test_topology(self):
        topology = parse_topology(
            "link a 10.0.0.1/24 2001:db8::1/64 r 10.0.0.2/24 2001:db8::2/64 rate=1M\n"
            "link r 10.0.1.1/30 b 10.0.1.2/30 # no IPv6 here\n"
            "set a>r loss=1%\n")
        self.assertEqual(topology.nodes, ["a", "r", "b"])
        self.assertEqual(topology.routers(), ["r"])
        self.assertEqual([(str(n), str(g)) for n, g in topology.routes("a")],
                         [("10.0.1.0/30", "10.0.0.2")])
        self.assertEqual([(str(n), str(g)) for n, g in topology.routes("b")],
                         [("10.0.0.0/24", "10.0.1.1")])
        self.assertEqual(topology.sets, [("a>r", ["loss=1%"])])
        self.assertEqual(topology.address("b"), "10.0.1.2")
        self.assertEqual(topology.address("a", 6), "2001:db8::1")
        self.assertEqual(topology.find("b:r")[1], ("b", "r"))
        self.assertEqual(free_address(topology.links[0], 4), "10.0.0.254")
        self.assertEqual(free_address(topology.links[0], 6), "2001:db8::fffe")
        self.assertEqual(free_address(topology.links[1], 4), None)
        self.assertEqual(free_address(topology.links[1], 6), None)

    def test_bad_topologies(self):
        good = "link a 10.0.0.1/24 b 10.0.0.2/24\n"
        for text, why in (
                ("", "no links"),
                ("line a b", "a line begins with link or set, not line"),
                ("link", "'' is no name of a node"),
                ("link a b", "node a has no address"),
                ("link a 10.0.0.1/24", "'' is no name"),
                ("link a 10.0.0.1/33 b 10.0.0.2/24", "10.0.0.1/33"),
                ("link a 10.0.0.1/24 10.0.0.3/24 b 10.0.0.2/24", "two addresses"),
                ("link a-b 10.0.0.1/24 b 10.0.0.2/24", "'a-b' is no name"),
                ("link a 10.0.0.1/24 a 10.0.0.2/24", "linked to itself"),
                ("link a 10.0.0.1/24 b 10.0.0.1/24", "10.0.0.1 twice"),
                ("link a 10.0.0.1/24 b 2001:db8::1/64", "same kinds"),
                ("link a 10.0.0.1/24 b 10.0.0.2/24 fast", "not of the form key=value"),
                ("link a 10.0.0.1/24 b 10.0.0.2/24 speed=1", "no key speed"),
                (good + good, "linked already"),
                (good + "link a 10.0.0.5/24 c 10.0.0.6/24", "in use for another"),
                (good + "set a-c loss=1%", "no link a-c; there is a-b"),
                (good + "set a-b", "needs a link and KEY=VALUE")):
            with self.subTest(text), self.assertRaises(LabError) as caught:
                parse_topology(text)
            self.assertIn(why, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))

    def test_counters(self):
        line = ("way a>b in=%d out=%d drop_queue=0 drop_loss=0 drop_memory=0 late_count=%d "
                "late_mean_us=%g late_max_us=90.0 late_bins=0,0,%d,0,0,%d,0,0,0,0,0\n"
                "port x kernel_drops=0 unfinished=%d send_errors=0 send_errno=0\n"
                "run impair gave_up=0 late_edges_us=5,10,20,50,100,200,500,1000,5000,20000,0\n")
        before = Counters.parse(line % (10, 10, 10, 15.0, 10, 0, 0))
        after = Counters.parse(line % (1010, 1010, 1010, 16.0, 1004, 6, 0))
        delta = after.since(before)
        self.assertEqual(delta["a:b"]["in"], 1000)
        self.assertAlmostEqual(delta["a>b"]["late_mean_us"], 16.01)
        self.assertEqual(delta.lateness()[1:], (0.006, 1000))
        self.assertIn("0.6 % of packets were later than 100 us", delta.noise(FOR_ACCURACY))
        self.assertIsNone(delta.noise(FOR_USE))
        self.assertIsNone(delta.faults())
        self.assertIsNone(before.noise())
        self.assertIn("offloads are on",
                      Counters.parse(line % (1, 1, 1, 1.0, 1, 0, 1)).faults())

    def test_judging(self):
        row = selfcheck.Row("x", "y", None)

        def verdict(*attempts):
            row.notes, results = [], iter(attempts)
            with mock.patch.object(selfcheck, "attempt", lambda b, r: next(results)), \
                    mock.patch.object(selfcheck.time, "sleep"):
                selfcheck.judge(None, row)
            self.assertEqual(list(results), [])
            return row.verdict

        right, wrong, noise = (True, None), (False, None), (False, "stalled")
        self.assertEqual(verdict(right), "ok")
        self.assertEqual(verdict(wrong, wrong, right), "ok")
        self.assertEqual(verdict(wrong, wrong, wrong), "FAILED")
        self.assertEqual(verdict(wrong, noise, wrong, noise, noise, wrong), "FAILED")
        self.assertEqual(verdict(*[noise] * 6), "noisy")
        self.assertEqual(verdict((True, "stalled"), wrong, wrong, *[noise] * 3), "noisy")
        self.assertEqual(verdict(noise, noise, right), "ok")

    def test_one_late_packet(self):
        counted = Counters({n: {"late_max_us": u} for n, u in (("a>b", 40.0), ("b>a", 70.0))},
                           {}, {})
        self.assertIn("up to 70 us late", selfcheck.late_one(170, counted))
        self.assertIsNone(selfcheck.late_one(190, counted))  # nobody knows why
        self.assertIsNone(selfcheck.late_one(0, counted))  # more than one was late


class SelfCheck(LabCase):
    # The emulator under a sanitizer is slow, which is no fault of the machine.
    def check(self, *words, timeout=60):
        done = lab("selfcheck", "--json", *words, timeout=timeout)
        self.assertIn(done.code, (0, 3), done)
        found = json.loads(done.stdout)
        self.assertEqual(found["verdict"], "machine too noisy" if done.code else "ok")
        return found["rows"]

    @unittest.skipIf(SANITIZED, "a sanitizer slows the emulator")
    def test_verdict(self):
        rows = self.check("--quick", "--only", "ping", "--only", "every-100th")
        self.assertEqual([r["row"] for r in rows], ["ping", "every-100th"])
        self.assertIn(rows[1]["verdict"], ("ok", "noisy"))
        self.assertEqual(rows[1]["numbers"]["drop_loss"], 50)

    @unittest.skipIf(SANITIZED, "a sanitizer slows the emulator")
    def test_wrong_path_is_never_right(self):
        wrong = parse_topology(default_topology().text.replace("delay=2ms", "delay=1.7ms"))
        with mock.patch.object(selfcheck.topology, "default_topology", lambda: wrong), \
                mock.patch.multiple(selfcheck, ATTEMPTS=2, FAILURES=2):
            row, = selfcheck.check_rows(mock.Mock(
                quick=True, only=["ping"], tun=False, iperf3=None), lambda row: None)
        self.assertIn(row.verdict, ("FAILED", "noisy"))
        self.assertTrue(43.4 < row.numbers["min_ms"] < 43.9, row.numbers)

    @unittest.skipIf(SANITIZED, "a sanitizer slows the emulator")
    def test_offloads_are_noticed(self):
        with mock.patch.object(ns, "offloads_off"), \
                mock.patch.multiple(selfcheck, ATTEMPTS=2, FAILURES=2):
            row, = selfcheck.check_rows(mock.Mock(
                quick=True, only=["every-100th"], tun=False, iperf3=None), lambda row: None)
        self.assertIn(row.verdict, ("FAILED", "noisy"))
        self.assertIn("frames without checksum; offloads are on", row.measured)

    @long_test
    @unittest.skipIf(SANITIZED, "a sanitizer slows the emulator")
    def test_all_rows(self):
        self.check(timeout=300)

    def test_no_such_row(self):
        done = lab("selfcheck", "--only", "pong")
        self.assertEqual(done.code, 2)
        self.assertRegex(done.stderr, r"\Alab: no row pong; there are ping .*\n\Z")


if __name__ == "__main__":
    unittest.main()
