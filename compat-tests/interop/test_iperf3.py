# SPDX-License-Identifier: BSD-2-Clause
"""iperf3 with Debian's iperf3 in both roles: what both ends counted must agree."""

import concurrent.futures
import hashlib
import json
import os
import tempfile
import unittest

from harness import (SANITIZED, TestCase, free_port, need_program, run, start, tool,
                     upstream, wait_until)

BOUND_S = 240
AT_ONCE = 2 if SANITIZED else 4
MIB = 1 << 20


def document(test, result, what):
    """The JSON document of a side; no key may be there twice where ours wrote it."""
    def pairs(items):
        names = [k for k, _ in items]
        if ours(result.argv) and len(names) != len(set(names)):
            raise ValueError("key twice: %s" % names)
        return dict(items)

    try:
        return json.loads(result.stdout, object_pairs_hook=pairs)
    except ValueError as e:
        test.fail("%s: no JSON (%s): %s" % (what, e, result))


def ours(argv):
    return argv[0] == tool("iperf3")


class Pair:
    """A server for one test and its client, both with -J; .client and .server are their
    documents."""

    def __init__(self, test, server, client, options, server_options=(), host="127.0.0.1",
                 env=None):
        port = free_port()
        self.name = "%s client, %s server: %s" % (
            "our" if client == tool("iperf3") else "upstream",
            "our" if server == tool("iperf3") else "upstream", " ".join(map(str, options)))
        self.served = start([server, "-s", "-1", "-J", "-p", port] + list(server_options),
                            bound=60)
        self.served.wait_listening(port)
        self.done = run([client, "-c", host, "-J", "-p", port] + list(options),
                        timeout=50, env=env)
        test.assertEqual(self.done.code, 0, "%s\n%s\n%s" % (
            self.name, self.done, self.served))
        test.assertEqual(self.served.wait(15), 0, "%s\n%s" % (self.name, self.served))
        test.assertEqual(self.done.stderr, "", self.name)
        test.assertEqual(self.served.stderr, "", self.name)
        self.client = document(test, self.done, self.name)
        self.server = document(test, self.served, self.name)
        test.assertNotIn("error", self.client, self.name)
        test.assertNotIn("error", self.server, self.name)
        self.end = (self.client["end"], self.server["end"])
        self.ours = [ours(self.done.argv), ours(self.served.argv)]

    def sums(self, backward=False):
        """Of one direction: what the client says was sent and received, and what the side
        that did it says itself."""
        tail = "_bidir_reverse" if "--bidir" in self.done.argv and backward else ""
        sender, receiver = (1, 0) if backward else (0, 1)
        return {
            "sent": self.end[0]["sum_sent" + tail],
            "received": self.end[0]["sum_received" + tail],
            "own sent": self.end[sender]["sum_sent" + tail],
            "own received": self.end[receiver]["sum_received" + tail],
        }


class Interop(TestCase):
    def setUp(self):
        self.roles = [(tool("iperf3"), tool("iperf3"))]
        theirs = upstream("iperf3")
        self.roles += [(tool("iperf3"), theirs), (theirs, tool("iperf3"))]

    def play(self, cases, check, **options):
        """Each case with each pair of programs, several at a time."""
        jobs = [(server, client, case) for case in cases for server, client in self.roles]

        def one(job):
            server, client, case = job
            return Pair(self, server, client, case, **options)

        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for job, future in [(j, pool.submit(one, j)) for j in jobs]:
                with self.subTest(server=job[0], client=job[1], options=job[2]):
                    pair = future.result()
                    check(pair)
                    self.same_test(pair)

    def same_test(self, pair):
        """Both sides ran the same test."""
        sides = [d["start"]["test_start"] for d in (pair.client, pair.server)]
        for key in ("protocol", "num_streams", "blksize", "omit", "duration", "bytes",
                    "blocks", "reverse", "tos"):
            self.assertEqual(sides[0][key], sides[1][key], pair.name + " " + key)
        self.assertEqual(pair.client["start"]["cookie"], pair.server["start"]["cookie"])
        count = sides[0]["num_streams"] * (2 if "--bidir" in pair.done.argv else 1)
        for document in (pair.client, pair.server):
            self.assertEqual(len(document["start"]["connected"]), count, pair.name)
            self.assertEqual(len(document["end"]["streams"]), count, pair.name)

    def directions(self, pair):
        argv = pair.done.argv
        return [False, True] if "--bidir" in argv else ["-R" in argv]

    def bytes_agree(self, pair, low, high):
        """Each end's own figures are what the client reports of it; low..high bytes were
        received, and little of what was sent was not."""
        argv = pair.done.argv
        for backward in self.directions(pair):
            s = {k: v["bytes"] for k, v in pair.sums(backward).items()}
            text = "%s: %s" % (pair.name, s)
            self.assertEqual(s["sent"], s["own sent"], text)
            self.assertEqual(s["received"], s["own received"], text)
            # The omitted time does not end at the same byte on both ends.
            if "-O" not in argv:
                self.assertGreaterEqual(s["sent"], s["received"], text)
            self.assertGreaterEqual(s["received"], low, text)
            self.assertLessEqual(s["received"], high, text)
            # What was under way at the end: buffers of both ends.
            streams = pair.client["start"]["test_start"]["num_streams"]
            self.assertLessEqual(s["sent"] - s["received"], streams * 48 * MIB, text)

    def test_tcp_full_speed(self):
        self.play([["-t", 1], ["-t", 1, "-R"], ["-t", 1, "-Z"], ["-t", 1, "-P", 4]],
                  lambda p: self.bytes_agree(p, 10 * MIB, 1 << 40))

    def test_tcp_paced(self):
        # 40 Mbit/s for one second are 5000000 bytes; a block more at the start, and what
        # a busy machine adds or loses.
        rate = ["-t", 1, "-b", "40M", "-l", "16K"]
        cases = [rate + more for more in (
            [], ["-R"], ["--bidir"], ["-O", 1], ["-R", "-O", 1], ["--bidir", "-O", 1],
            ["-i", "0.2"], ["-i", 0], ["-w", "128K", "-N"], ["-R", "-M", 1000], ["-Z", "-R"],
            ["-S", "0x20"], ["-4"])]
        self.play(cases, lambda p: self.bytes_agree(p, 4000000, 6000000))

    def test_tcp_parallel(self):
        def check(pair):
            self.bytes_agree(pair, 4 * 900000, 4 * 1700000)
        rate = ["-t", 1, "-b", "10M", "-l", "8K", "-P", 4]
        self.play([rate, rate + ["-R"], rate + ["--bidir"], rate + ["-O", 1]], check)

    def test_tcp_amount(self):
        """-n and -k: what ours sends is exact to the byte, and all of it arrives."""
        def check(pair):
            argv = [str(a) for a in pair.done.argv]
            want = 3000000 if "-n" in argv else 37 * 10000
            backward = "-R" in argv
            s = {k: v["bytes"] for k, v in pair.sums(backward).items()}
            text = "%s: %s" % (pair.name, s)
            self.assertEqual(s["received"], s["own received"], text)
            self.assertGreaterEqual(s["sent"], want, text)
            if pair.ours[1 if backward else 0]:
                self.assertEqual(s["sent"], want, text)
            # Ours takes what was sent also when the word of the end overtakes it.
            if pair.ours[0 if backward else 1]:
                self.assertEqual(s["received"], s["sent"], text)
        amount, blocks = ["-n", 3000000], ["-k", 37, "-l", 10000]
        self.play([amount, amount + ["-R"], amount + ["-P", 3], blocks, blocks + ["-R"],
                   amount + ["-b", "200M"]], check)

    def datagrams_agree(self, pair, low, high):
        argv = [str(a) for a in pair.done.argv]
        size = pair.client["start"]["test_start"]["blksize"]
        for backward in self.directions(pair):
            sums = pair.sums(backward)
            text = "%s: %s" % (pair.name, sums)
            for key in ("bytes", "lost_packets", "packets"):
                # 3.12 mixes counts with and without the omitted time.
                if "-O" in argv and key == "packets" and not all(pair.ours):
                    continue
                self.assertEqual(sums["sent"][key], sums["own sent"][key], text)
                self.assertEqual(sums["received"][key], sums["own received"][key], text)
            got = sums["own received"]
            self.assertEqual(got["bytes"] % size, 0, text)
            self.assertGreaterEqual(got["bytes"], low, text)
            self.assertLessEqual(got["bytes"], high, text)
            self.assertGreaterEqual(got["lost_packets"], 0, text)
            if "-O" in argv and not pair.ours[0 if backward else 1]:
                continue
            self.assertLessEqual(got["lost_packets"], got["packets"], text)
            self.assertEqual(got["bytes"], (got["packets"] - got["lost_packets"]) * size,
                             text)

    def test_udp_paced(self):
        """20 Mbit/s for one second: 2500000 bytes."""
        rate = ["-u", "-t", 1, "-b", "20M"]
        cases = [rate + more for more in (
            [], ["-R"], ["--bidir"], ["-l", 1200], ["-R", "-l", 1200], ["-l", 1200, "-O", 1],
            ["-l", 1200, "-R", "-O", 1], ["-l", 1200, "--udp-counters-64bit"], ["-i", "0.3"],
            ["-l", 1200, "--repeating-payload"])]
        self.play(cases, lambda p: self.datagrams_agree(p, 2000000, 2750000))

    def test_udp_parallel(self):
        rate = ["-u", "-t", 1, "-b", "5M", "-l", 1000, "-P", 4]
        self.play([rate, rate + ["-R"], rate + ["--bidir"]],
                  lambda p: self.datagrams_agree(p, 2000000, 2750000))

    def test_udp_amount(self):
        def check(pair):
            sums = pair.sums()
            if pair.ours[0]:
                self.assertEqual(sums["own sent"]["packets"], 100, pair.name)
                self.assertEqual(sums["own sent"]["bytes"], 100000, pair.name)
            self.assertGreaterEqual(sums["own received"]["packets"], 90, pair.name)
        self.play([["-u", "-b", "10M", "-l", 1000, "-n", 100000],
                   ["-u", "-b", "10M", "-l", 1000, "-k", 100]], check)

    def test_udp_full_speed(self):
        """Unlimited: loss is no surprise, but both ends tell the same story."""
        self.play([["-u", "-t", 1, "-b", 0, "-l", 1400],
                   ["-u", "-t", 1, "-b", 0, "-l", 1400, "-R"]],
                  lambda p: self.datagrams_agree(p, MIB, 1 << 40))

    def test_ipv6(self):
        rate = ["-t", 1, "-b", "40M", "-l", "16K"]
        self.play([rate, rate + ["-R", "-6"]],
                  lambda p: self.bytes_agree(p, 4000000, 6000000), host="::1")
        self.play([["-u", "-t", 1, "-b", "20M", "-l", 1200]],
                  lambda p: self.datagrams_agree(p, 2000000, 2750000), host="::1")

    def test_server_output(self):
        """--get-server-output: a JSON server's document comes inside the client's."""
        def check(pair):
            inner = pair.client["server_output_json"]
            self.assertEqual(inner["start"]["cookie"], pair.client["start"]["cookie"])
            self.assertEqual(inner["end"]["sum_received"]["bytes"],
                             pair.server["end"]["sum_received"]["bytes"])
            self.bytes_agree(pair, 400000, 1100000)
        self.play([["-t", 1, "-b", "5M", "-l", 5000, "--get-server-output"]], check)

    def test_server_output_text(self):
        for server, client in self.roles:
            with self.subTest(server=server, client=client):
                port = free_port()
                served = start([server, "-s", "-1", "-p", port])
                served.wait_listening(port)
                done = run([client, "-c", "127.0.0.1", "-p", port, "-n", "128K",
                            "--get-server-output"])
                self.assertEqual(done.code, 0, done)
                self.assertEqual(served.wait(10), 0, served)
                mine, theirs = done.stdout.split("Server output:\n")
                self.assertIn(" sender\n", mine)
                # As the server itself printed them, but for the banner.
                for line in theirs.strip("\n").splitlines():
                    if line and "iperf Done" not in line and "listening" not in line:
                        self.assertIn(line.rstrip(), served.stdout, done)
                self.assertIn("Accepted connection from 127.0.0.1", theirs)
                self.assertRegex(theirs, r"128 KBytes .* receiver")

    def test_text_summary(self):
        """Without -J: the client's two lines tell what each end counted."""
        for server, client in self.roles:
            with self.subTest(server=server, client=client):
                port = free_port()
                served = start([server, "-s", "-1", "-p", port])
                served.wait_listening(port)
                done = run([client, "-c", "127.0.0.1", "-p", port, "-n", "4M"])
                self.assertEqual(done.code, 0, done)
                self.assertEqual(served.wait(10), 0, served)
                self.assertRegex(done.stdout, r"4\.00 MBytes .* sender\n")
                self.assertRegex(done.stdout, r"\d\.\d+ MBytes .* receiver\n\niperf Done")
                self.assertRegex(served.stdout, r"\d\.\d+ MBytes .* receiver\n")

    def test_cport(self):
        for server, client in self.roles:
            with self.subTest(server=server, client=client):
                first = free_port(2)
                pair = Pair(self, server, client, ["-t", 1, "-b", "1M", "-P", 2, "-l", 1000,
                                                   "--cport", first])
                for document, key in ((pair.client, "local_port"),
                                      (pair.server, "remote_port")):
                    self.assertEqual([c[key] for c in document["start"]["connected"]],
                                     [first, first + 1], pair.name)

    def test_one_server_many_tests(self):
        """Tests of all kinds one after the other on a server that stays."""
        for server, client in self.roles:
            port = free_port()
            served = start([server, "-s", "-p", port])
            served.wait_listening(port)
            for options in (["-n", "64K"], ["-n", "64K", "-R"], ["-u", "-n", "64K"],
                            ["-n", "64K", "--bidir"], ["-n", "64K"]):
                with self.subTest(server=server, client=client, options=options):
                    # Upstream takes a moment to listen again.
                    wait_until(lambda: run([client, "-c", "127.0.0.1", "-p", port] +
                                           options).code == 0,
                               0 if server == tool("iperf3") else 10, "a test")
            served.stop()


class Files(TestCase):
    """-F: the sender reads, the receiver writes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = os.path.join(folder.name, "source")
        self.target = os.path.join(folder.name, "target")
        with open(self.source, "wb") as f:
            f.write(os.urandom(3000000))

    @staticmethod
    def hash(path):
        with open(path, "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()

    def transfer(self, server, client, reverse):
        if os.path.exists(self.target):
            os.unlink(self.target)
        files = [self.source, self.target] if reverse else [self.target, self.source]
        port = free_port()
        served = start([server, "-s", "-1", "-p", port, "-F", files[0]])
        served.wait_listening(port)
        more = ["-R", "-n", 3000000] if reverse else []
        done = run([client, "-c", "127.0.0.1", "-p", port, "-J", "-F", files[1]] + more)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(served.wait(10), 0, served)
        return done

    def test_send(self):
        mine, theirs = tool("iperf3"), upstream("iperf3")
        for server, client in ((mine, mine), (mine, theirs), (theirs, mine)):
            with self.subTest(server=server, client=client):
                done = self.transfer(server, client, False)
                self.assertEqual(self.hash(self.target), self.hash(self.source), done)
                if client == mine:
                    end = document(self, done, "client")["end"]
                    self.assertEqual(end["sum_sent"]["bytes"], 3000000)

    def test_fetch(self):
        mine, theirs = tool("iperf3"), upstream("iperf3")
        for server, client in ((mine, mine), (theirs, mine)):
            with self.subTest(server=server, client=client):
                done = self.transfer(server, client, True)
                self.assertEqual(self.hash(self.target), self.hash(self.source), done)


class Authentication(TestCase):
    """3.12 knows PKCS #1 padding only; ours has it in both roles, and OAEP."""

    @classmethod
    def setUpClass(cls):
        openssl = need_program("openssl")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.private, cls.public, cls.users = [
            os.path.join(folder.name, n) for n in ("private.pem", "public.pem", "users")]
        for argv in ([openssl, "genrsa", "-out", cls.private, "2048"],
                     [openssl, "rsa", "-in", cls.private, "-pubout", "-out", cls.public]):
            if run(argv).code != 0:
                raise unittest.SkipTest("openssl makes no key")
        with open(cls.users, "w") as f:
            f.write("# who may\n\n")
            for user, password in (("anna", "secret"), ("ben", "with blank")):
                f.write("%s,%s\n" % (user, hashlib.sha256(
                    ("{%s}%s" % (user, password)).encode()).hexdigest()))

    def server(self, program, *more):
        port = free_port()
        served = start([program, "-s", "-p", port, "--rsa-private-key-path", self.private,
                        "--authorized-users-path", self.users] + list(more))
        served.wait_listening(port)
        return served, port

    def client(self, program, port, user, password, *more):
        login = ["--username", user, "--rsa-public-key-path", self.public] if user else []
        return run([program, "-c", "127.0.0.1", "-p", port, "-n", "64K"] + login +
                   list(more), env={"IPERF3_PASSWORD": password})

    def let_in(self, done):
        self.assertEqual(done.code, 0, done)
        self.assertEqual(done.stderr, "", done)
        self.assertIn("iperf Done", done.stdout)

    def refused(self, done):
        self.assertEqual(done.code, 1, done)
        self.assertIn("test authorization failed", done.stderr, done)
        self.assertNotIn("iperf Done", done.stdout)

    def test_ours_both_paddings(self):
        mine = tool("iperf3")
        for padding in ([], ["--use-pkcs1-padding"]):
            with self.subTest(padding=padding):
                _, port = self.server(mine, *padding)
                self.let_in(self.client(mine, port, "anna", "secret", *padding))
                self.let_in(self.client(mine, port, "ben", "with blank", *padding))
                for user, password in (("anna", "Secret"), ("carl", "secret"),
                                       ("anna", ""), (None, "")):
                    self.refused(self.client(mine, port, user, password, *padding))
                self.let_in(self.client(mine, port, "anna", "secret", *padding))

    def test_paddings_that_differ(self):
        mine = tool("iperf3")
        _, port = self.server(mine)
        self.refused(self.client(mine, port, "anna", "secret", "--use-pkcs1-padding"))
        _, port = self.server(mine, "--use-pkcs1-padding")
        self.refused(self.client(mine, port, "anna", "secret"))

    def test_upstream_server(self):
        mine, theirs = tool("iperf3"), upstream("iperf3")
        _, port = self.server(theirs)
        self.let_in(self.client(mine, port, "anna", "secret", "--use-pkcs1-padding"))
        self.refused(self.client(mine, port, "anna", "Secret", "--use-pkcs1-padding"))
        self.refused(self.client(mine, port, "anna", "secret"))
        self.refused(self.client(mine, port, None, ""))
        self.let_in(self.client(mine, port, "anna", "secret", "--use-pkcs1-padding"))

    def test_upstream_client(self):
        mine, theirs = tool("iperf3"), upstream("iperf3")
        served, port = self.server(mine, "--use-pkcs1-padding")
        self.let_in(self.client(theirs, port, "anna", "secret"))
        self.refused(self.client(theirs, port, "anna", "Secret"))
        self.refused(self.client(theirs, port, None, ""))
        self.let_in(self.client(theirs, port, "anna", "secret"))
        self.assertEqual(served.stderr.count("test authorization failed"), 2, served)
        self.assertNotIn("secret", served.stdout + served.stderr)

    def test_one_off_server_waits_on(self):
        """A failed login is not the one test that -1 serves."""
        mine = tool("iperf3")
        served, port = self.server(mine, "-1")
        self.refused(self.client(mine, port, "anna", "Secret"))
        self.let_in(self.client(mine, port, "anna", "secret"))
        self.assertEqual(served.wait(10), 0, served)

    def test_users_file_is_read_each_time(self):
        mine = tool("iperf3")
        _, port = self.server(mine)
        self.refused(self.client(mine, port, "late", "pass"))
        with open(self.users, "a") as f:
            f.write("late,%s\n" % hashlib.sha256(b"{late}pass").hexdigest())
        self.let_in(self.client(mine, port, "late", "pass"))

    def test_json(self):
        mine = tool("iperf3")
        _, port = self.server(mine)
        done = self.client(mine, port, "anna", "wrong", "-J")
        self.assertEqual(done.code, 1, done)
        self.assertEqual(document(self, done, "client")["error"], "test authorization failed")
        self.assertEqual(done.stderr, "", done)


if __name__ == "__main__":
    unittest.main()
