# SPDX-License-Identifier: BSD-2-Clause
"""The test library and the test runner themselves."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from harness import (ROOT, Capture, Netns, TcpListener, TestCase, UdpPeer, connect_tcp,
                     fd_count, free_port, is_listening, need_netns, read_exactly, rss_kib,
                     run, send_slowly, shape, start, upstream, wait_until)
from harness import netns, programs

PYTHON = sys.executable
SERVER = """
import socket, sys, time
s = socket.socket(); s.bind(("127.0.0.1", int(sys.argv[1]))); s.listen()
print("listening", flush=True); time.sleep(60)
"""


class Processes(TestCase):
    def test_run_gives_output_and_code(self):
        done = run(["sh", "-c", "cat; echo bad >&2; exit 3"], stdin="hello")
        self.assertEqual((done.code, done.stdout, done.stderr), (3, "hello", "bad\n"))

    def test_run_too_slow_is_a_failure(self):
        with self.assertRaisesRegex(AssertionError, "did not end within 0.2 s"):
            run(["sleep", "30"], timeout=0.2)

    def test_start_over_its_bound_is_a_failure(self):
        p = start(["sleep", "30"], bound=0.2)
        with self.assertRaisesRegex(AssertionError, "did not end by itself"):
            p.wait(5)
        with self.assertRaisesRegex(AssertionError, "over its bound"):
            p.close()
        p.timed_out = False

    def test_wait_line_and_port(self):
        port = free_port()
        self.assertFalse(is_listening(port))
        p = start([PYTHON, "-c", SERVER, port])
        p.wait_listening(port)
        self.assertEqual(p.wait_line(r"^listen(\w+)$").group(1), "ing")
        self.assertGreater(rss_kib(p.pid), 100)
        self.assertGreaterEqual(fd_count(p.pid), 4)
        self.assertEqual(p.stop(), -signal.SIGTERM)

    def test_wait_listening_sees_an_early_end(self):
        p = start(["sh", "-c", "echo no >&2; exit 4"])
        with self.assertRaisesRegex(AssertionError, "(?s)before it listened.*no"):
            p.wait_listening(free_port())

    def test_wait_line_fails_when_the_program_ended(self):
        p = start(["echo", "other"])
        with self.assertRaisesRegex(AssertionError, "(?s)no line.*other"):
            p.wait_line("never")

    def test_closed_at_the_end_of_the_test(self):
        pids = []

        class Inner(TestCase):
            def test_one(self):
                pids.append(start(["sleep", "60"]).pid)
                self.fail("on purpose")

        result = unittest.TestResult()
        Inner("test_one").run(result)
        self.assertEqual(len(result.failures), 1)
        self.assertFalse(os.path.exists("/proc/%d" % pids[0]))


class Findings(TestCase):
    """What a sanitizer reports fails the test, whoever it was and whatever came of it."""

    def failures_of(self, script):
        class Inner(TestCase):
            def test_one(self):
                run(["sh", "-c", script])

        result = unittest.TestResult()
        old = programs.SANITIZED
        programs.SANITIZED = True
        try:
            Inner("test_one").run(result)
        finally:
            programs.SANITIZED = old
        return result.failures

    def test_report_of_a_daemon(self):
        # Its output is closed and its exit code is nobody's.
        failures = self.failures_of(
            'path=${ASAN_OPTIONS##*log_path=}; exec >&- 2>&-; '
            '(echo "ERROR: AddressSanitizer: x" >"${path%%:*}.$$") & wait')
        self.assertEqual(len(failures), 1)
        self.assertIn("AddressSanitizer: x", failures[0][1])

    def test_none(self):
        self.assertEqual(self.failures_of("exit 3"), [])


class Peers(TestCase):
    def test_tcp(self):
        listener = TcpListener()
        near = connect_tcp(listener.port)
        far = listener.accept()
        send_slowly(near, b"abc", pause=0)
        self.assertEqual(read_exactly(far, 3), b"abc")
        near.close()
        with self.assertRaisesRegex(AssertionError, "after 0 of 1"):
            read_exactly(far, 1)

    def test_udp(self):
        one, two = UdpPeer(), UdpPeer()
        self.assertTrue(is_listening(one.port, "udp"))
        one.send(b"ping", ("127.0.0.1", two.port))
        self.assertEqual(two.receive(), b"ping")
        two.send(b"pong")
        self.assertEqual(one.receive(), b"pong")

    def test_ports_differ_and_are_free(self):
        first = free_port(3)
        ports = [first, first + 1, first + 2] + [free_port() for _ in range(20)]
        self.assertEqual(len(set(ports)), len(ports))
        for port in ports:
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                with socket.socket(socket.AF_INET, kind) as s:
                    s.bind(("127.0.0.1", port))


class Namespaces(TestCase):
    def test_link_addresses_and_rate(self):
        left, right = Netns("left"), Netns("right")
        left.link(right, "a", "b")
        left.address("a", "192.0.2.1/24", "2001:db8::1/64")
        right.address("b", "192.0.2.2/24", "2001:db8::2/64")
        left.rate("a", "10mbit")
        self.assertIn("rate 10Mbit", left.tool("tc", "qdisc", "show", "dev", "a"))
        code = ("import socket; s = socket.create_server(('', 5001), "
                "family=socket.AF_INET6, dualstack_ipv6=True); print('up', flush=True)\n"
                "for _ in range(2): s.accept()[0].sendall(b'hello')")
        server = right.start([PYTHON, "-c", code])
        server.wait_listening(5001)
        for address in ("192.0.2.2", "2001:db8::2"):
            done = left.run([PYTHON, "-c", "import socket; print(socket."
                             "create_connection(('%s', 5001), 5).recv(9))" % address])
            self.assertEqual(done.stdout, "b'hello'\n", done)
        self.assertEqual(server.wait(), 0)

    def test_capture(self):
        ns = Netns()
        capture = Capture(ns, "lo", "udp port 5001")
        self.assertEqual(capture.packets(), [])
        send = ("import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                "for i in range(500): s.sendto(b'%d' % i, ('127.0.0.1', 5001))\n"
                "s.sendto(b'other', ('127.0.0.1', 5002))")
        ns.run([PYTHON, "-c", send])
        self.assertEqual([p[28:] for p in capture.packets() if p[9] == 17],
                         [b"%d" % i for i in range(500)])

    def test_gone_when_closed(self):
        ns = Netns()
        path = "/run/netns/" + ns.name
        self.assertTrue(os.path.exists(path))
        ns.close()
        self.assertFalse(os.path.exists(path))


    def test_left_by_a_killed_process(self):
        need_netns()
        code = ("import os, sys; sys.path.insert(0, %r); from harness import Netns; "
                "print(Netns().name, flush=True); os.kill(os.getpid(), 9)" % (
                    os.path.join(ROOT, "compat-tests")))
        done = run([PYTHON, "-c", code])
        path = "/run/netns/" + done.stdout.strip()
        self.assertTrue(os.path.exists(path), done)
        netns.sweep()
        self.assertFalse(os.path.exists(path))


class Shapes(TestCase):
    def test_same_shape(self):
        for one, two in (
            ("[  5]   0.00-1.00   sec  1.10 GBytes  9.42 Gbits/sec    0   320 KBytes",
             "[  5]   0.00-10.04  sec   112 MBytes  94 Mbits/sec  112  1.25 MBytes"),
            ("connected with 127.0.0.1 port 5001", "connected with 127.0.0.1 port 49152"),
            ("Tue, 01 Jan 2030 10:00:00 GMT", "Wed, 17 Dec 2031 23:59:59 GMT"),
            ("112.5 MB / 1.00 sec = 943.7 Mbps", "9.5 GB / 10.00 sec = 1.7 Gbps"),
            ("rtt=0.3 ms", "rtt=12 ms"), ("x -nan%", "x -12%"),
        ):
            self.assertEqual(shape(one), shape(two))

    def test_other_shape(self):
        for one, two in (
            ("94.2 Mbits/sec", "94.2 MBytes/sec"), ("94.2 bits/sec", "94.2 Mbit/sec"),
            ("from 192.0.2.1", "from 192.0.2.2"), ("flags=SA", "flags=RA"),
            ("1 2 3", "1 2"), ("ttcp-t: x", "ttcp-r: x"), ("a\nb", "a b"),
        ):
            self.assertNotEqual(shape(one), shape(two))


class Upstream(TestCase):
    def test_missing(self):
        old = os.environ.pop("REQUIRE_UPSTREAM", None)
        try:
            with self.assertRaises(unittest.SkipTest):
                upstream("no-such-program")
            os.environ["REQUIRE_UPSTREAM"] = "1"
            with self.assertRaisesRegex(AssertionError, "no-such-program"):
                upstream("no-such-program")
        finally:
            os.environ.pop("REQUIRE_UPSTREAM", None)
            if old is not None:
                os.environ["REQUIRE_UPSTREAM"] = old

    def test_ours_is_not_upstream(self):
        with tempfile.NamedTemporaryFile() as f:
            f.write(b"\x7fELF netclassics 0.1")
            f.flush()
            self.assertTrue(programs._ours(f.name))
        self.assertFalse(programs._ours("/bin/sh"))


class Runner(TestCase):
    """compat-tests/run on a little tree of its own."""

    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.root = temp.name
        os.makedirs(self.root + "/build/release/bin")
        os.makedirs(self.root + "/compat-tests/layer")
        os.makedirs(self.root + "/common/test")
        for name in ("harness", "run"):
            os.symlink(os.path.join(ROOT, "compat-tests", name),
                       "%s/compat-tests/%s" % (self.root, name))

    def module(self, name, text, **settings):
        head = "import os, signal, time, unittest\nfrom harness import *\n"
        with open("%s/compat-tests/layer/%s.py" % (self.root, name), "w") as f:
            f.write("".join("%s = %r\n" % s for s in settings.items()))
            f.write(head + "class T(TestCase):\n" +
                    "".join("    %s\n" % line for line in text.splitlines()))

    def check_program(self, name, text, source=True):
        path = "%s/build/release/bin/%s" % (self.root, name)
        with open(path, "w") as f:
            f.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)
        if source and name.startswith("test_"):
            open("%s/common/test/%s.c" % (self.root, name), "w").close()

    def command(self, *words):
        # The real files, told of another root: links would lead back to this tree.
        code = ("import sys; sys.path.insert(0, %r); import harness.programs as p; "
                "p.ROOT = %r; p.BUILD = %r; p.KIND = 'release'; p.SANITIZED = False; "
                "sys.argv = ['run'] + sys.argv[1:]; "
                "exec(compile(open(%r).read(), 'run', 'exec'))" % (
                    os.path.join(ROOT, "compat-tests"), self.root,
                    self.root + "/build/release",
                    os.path.join(ROOT, "compat-tests", "run")))
        return [PYTHON, "-c", code] + list(words)

    def go(self, *words, env=None):
        return run(self.command(*words), env=env, timeout=60)

    def last(self, done):
        return done.stdout.splitlines()[-1]

    def test_counts_and_exit_code(self):
        self.module("test_a", "def test_good(self): pass\n"
                              "def test_bad(self): self.fail('broken here')\n"
                              "def test_skip(self): self.skipTest('no such thing')\n"
                              "@long_test\n"
                              "def test_long(self): self.fail()\n")
        done = self.go("layer")
        self.assertEqual(self.last(done), "1 passed, 1 failed, 1 skipped", done)
        self.assertEqual(done.code, 1)
        for text in ("T.test_bad", "broken here", "skipped 1: no such thing"):
            self.assertIn(text, done.stdout)
        self.assertNotIn("test_good", done.stdout)
        done = self.go("layer", "-k", "test_good")
        self.assertEqual((self.last(done), done.code),
                         ("1 passed, 0 failed, 0 skipped", 0), done)
        done = self.go("layer", env={"LONG": "1"})
        self.assertEqual(self.last(done), "1 passed, 2 failed, 1 skipped", done)

    def test_nothing_ran(self):
        done = self.go("layer")
        self.assertEqual((self.last(done), done.code),
                         ("0 passed, 0 failed, 0 skipped", 1), done)

    def test_a_crash_names_the_test(self):
        self.module("test_a", "def test_kill(self): os.kill(os.getpid(), 9)\n")
        self.module("test_b", "def test_one(self): pass\nraise ValueError('at import')\n")
        self.module("test_c", "def test_good(self): pass\n")
        done = self.go("layer")
        self.assertEqual(self.last(done), "1 passed, 2 failed, 0 skipped", done)
        self.assertRegex(done.stdout, r"(?s)T\.test_kill.*crashed in this test")
        self.assertIn("at import", done.stdout)

    def test_a_slow_module_is_ended_with_all_it_started(self):
        self.module("test_a", "import tempfile\n"
                              "def test_slow(self):\n"
                              "    start(['sh', '-c', 'setsid sleep 3217 & wait'])\n"
                              "    open(%r, 'w').write(tempfile.mkdtemp())\n"
                              "    time.sleep(30)\n" % (self.root + "/temp"), BOUND_S=1)
        done = self.go("layer")
        self.assertEqual(self.last(done), "0 passed, 1 failed, 0 skipped", done)
        self.assertRegex(done.stdout, r"not done within 1 s")
        self.assert_no_process("sleep", "3217")
        with open(self.root + "/temp") as f:
            self.assertFalse(os.path.exists(f.read()))

    def test_stopped_from_outside(self):
        self.module("test_a", "def test_slow(self):\n"
                              "    p = start(['sh', '-c', 'echo up; sleep 3219'])\n"
                              "    p.wait_line('up')\n"
                              "    open(%r, 'w').close()\n"
                              "    time.sleep(30)\n" % (self.root + "/up"))
        p = start(self.command("layer"))
        wait_until(lambda: os.path.exists(self.root + "/up"))
        self.assertEqual(p.stop(signal.SIGTERM), 128 + signal.SIGTERM, p)
        self.assert_no_process("sleep", "3219")

    def assert_no_process(self, *words):
        line = "\0".join(words).encode()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % pid, "rb") as f:
                    self.assertNotIn(line, f.read())
            except OSError:
                pass

    def test_upstream_required(self):
        self.module("test_a", "def test_it(self): upstream('no-such-program')\n")
        self.assertEqual(self.last(self.go("layer", env={"REQUIRE_UPSTREAM": ""})),
                         "0 passed, 0 failed, 1 skipped")
        self.assertEqual(self.last(self.go("layer", env={"REQUIRE_UPSTREAM": "1"})),
                         "0 passed, 1 failed, 0 skipped")

    def test_alone(self):
        for name, settings in (("test_a", {"ALONE": True}), ("test_b", {"ALONE": True}),
                               ("test_c", {}), ("test_d", {})):
            self.module(name, "def test_it(self):\n"
                              "    open(%r, 'a').write('(')\n"
                              "    time.sleep(0.3)\n"
                              "    open(%r, 'a').write(')')\n" % (
                                  (self.root + "/log",) * 2), **settings)
        done = self.go("layer")
        self.assertEqual(self.last(done), "4 passed, 0 failed, 0 skipped", done)
        with open(self.root + "/log") as f:
            self.assertTrue(f.read().endswith("()()"))

    def test_unit_programs(self):
        self.check_program("test_good", "echo 1..2; echo 'ok 1 - f.c:one:one: Passed'; "
                                        "echo 'ok 2 - f.c:two:two: Passed'")
        done = self.go("unit")
        self.assertEqual((self.last(done), done.code),
                         ("2 passed, 0 failed, 0 skipped", 0), done)
        self.check_program("test_bad", "echo 1..2; echo 'ok 1 - f.c:one:one: Passed'; "
                                       "echo 'not ok 2 - f.c:two:two: 1 != 2'; exit 1")
        self.check_program("test_early", "echo 1..2; echo 'ok 1 - f.c:one:one: Passed'")
        self.check_program("test_leak", "echo 1..1; echo 'ok 1 - f.c:one:one: Passed'; "
                                        "echo leaked >&2; exit 99")
        self.check_program("test_stale", "exit 1", source=False)
        done = self.go("unit")
        self.assertEqual((self.last(done), done.code),
                         ("5 passed, 3 failed, 0 skipped", 1), done)
        for text in ("1 != 2", "ended early", "leaked", "test_stale has no source"):
            self.assertIn(text, done.stdout)

    def test_replay(self):
        self.check_program("replay_thing", 'for f; do grep -q crash "$f" && exit 77; done;'
                                           ' exit 0')
        self.assertEqual(self.last(self.go("unit")), "0 passed, 1 failed, 0 skipped")
        seeds = self.root + "/compat-tests/fuzz/seeds/thing"
        os.makedirs(seeds)
        for name, text in (("a", "fine"), ("b", "fine")):
            with open(os.path.join(seeds, name), "w") as f:
                f.write(text)
        self.assertEqual(self.last(self.go("unit")), "1 passed, 0 failed, 0 skipped")
        with open(seeds + "/b", "w") as f:
            f.write("crash")
        done = self.go("unit")
        self.assertEqual(self.last(done), "0 passed, 1 failed, 0 skipped", done)
        self.assertRegex(done.stdout, "seeds/thing/b: exit code 77")


if __name__ == "__main__":
    unittest.main()
