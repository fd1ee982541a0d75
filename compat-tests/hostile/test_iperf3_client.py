# SPDX-License-Identifier: BSD-2-Clause
"""An iperf3 client and servers that answer late, never, or with something else, at each
step of the control connection: a bounded wait, clear words, exit code 1, and with -J a
valid document that holds the same words."""

import concurrent.futures
import json
import socket
import struct
import time
import unittest

from harness import (SANITIZED, TestCase, UdpPeer, free_port, run, send_slowly, start, tool,
                     upstream)
from iperf3_peer import (ACCESS_DENIED, ANSWER, CREATE_STREAMS, DISPLAY_RESULTS,
                         EXCHANGE_RESULTS, HELLO, SERVER_ERROR, SERVER_TERMINATE,
                         TEST_RUNNING, TEST_START, Server, datagram, framed, read_json,
                         results, state_byte)

BOUND_S = 300
SLOW = 3 if SANITIZED else 1
STEP_S, LONG_S = 10, 30  # what the client waits for one answer, for a long one
QUICK_S = 3

CLOSED = "control socket has closed unexpectedly"
UNKNOWN = (r"received an unknown control message \(ensure other side is iperf3 and not "
           r"iperf\)")
NO_ANSWER = (r"unable to receive control message - port may not be available, the other "
             r"side may have stopped running, etc\.: Connection timed out")
RESULTS = "unable to receive results: "
BUSY = r"the server is busy running a test\. try again later"


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def after_cookie(step):
    """A server that does this when it has the cookie."""
    return lambda s: step(s.accept())


def after_params(step):
    return lambda s: step(s.accept().take_params())


def after_streams(step):
    return lambda s: step(s.accept().take_params().take_streams())


def running(step):
    return lambda s: step(s.begin())


def at_end(step):
    def steps(s):
        s.begin().until_end()
        step(s)
    return steps


def at_results(step):
    """The client has sent its results."""
    def steps(s):
        s.begin().until_end()
        s.send_state(EXCHANGE_RESULTS)
        read_json(s.control)
        step(s)
    return steps


def says(data, hold=True):
    """A step: send this, and then nothing more."""
    def step(s):
        s.send(data)
        if hold:
            s.hold()
        else:
            s.control.close()
    return step


def state(*states):
    return says(b"".join(state_byte(x) for x in states))


def answers(text):
    """Results like these."""
    return at_results(says(framed(text)))


def without(key, of_stream=False):
    text = results(1)
    del (text["streams"][0] if of_stream else text)[key]
    return text


def never(s):
    s.hold()


def close(s):
    s.control.close()


def drop(s):
    reset(s.control)


def drip(s):
    """Results of 1000 bytes, of which one comes now and then."""
    s.send(struct.pack(">I", 1000))
    for _ in range(200):
        s.send(b" ")
        time.sleep(0.2)


def no_listener(s):
    s.listener.close()
    s.send_state(CREATE_STREAMS)
    s.hold()


def error(number, sys_errno=0):
    return state_byte(SERVER_ERROR) + struct.pack(">II", number, sys_errno)


def close_streams(s):
    for stream in s.streams:
        stream.close()
    s.hold()


def reset_streams(s):
    for stream in s.streams:
        reset(stream)
    s.hold()


# What the server does, what the client says, and how long it may take.
CASES = {
    "silence": (after_cookie(never), NO_ANSWER, STEP_S + 2),
    "closes": (after_cookie(close), CLOSED, QUICK_S),
    "resets": (after_cookie(drop), "unable to receive control message.*Connection reset",
               QUICK_S),
    "state 99": (after_cookie(state(99)), UNKNOWN, QUICK_S),
    "state 0": (after_cookie(state(0)), UNKNOWN, QUICK_S),
    "web server": (after_cookie(says(b"HTTP/1.1 400 Bad Request\r\n\r\n", False)), UNKNOWN,
                   QUICK_S),
    "ssh server": (after_cookie(says(b"SSH-2.0-OpenSSH_9.2p1\r\n")), UNKNOWN, QUICK_S),
    "busy": (after_cookie(state(ACCESS_DENIED)), BUSY, QUICK_S),
    "busy and gone": (after_cookie(says(state_byte(ACCESS_DENIED), False)), BUSY, QUICK_S),
    "error": (after_cookie(says(error(6), False)),
              "invalid number of parallel streams .min = 1, max = 128.", QUICK_S),
    "error with errno": (after_cookie(says(error(104, 24))),
                         "unable to accept connection from client(, errno)?: Too many open "
                         "files", QUICK_S),
    "error without end": (after_cookie(says(state_byte(SERVER_ERROR) + b"\0\0")), CLOSED,
                          STEP_S + 2),
    "error without errno": (after_cookie(says(error(142)[:5], False)),
                            "test authorization failed", QUICK_S),
    "error of no meaning": (after_cookie(says(error(9999))), "int_errno=9999", QUICK_S),
    "error of a huge number": (after_cookie(says(error(0xffffffff, 0xffffffff))),
                               "int_errno=-1", QUICK_S),
    "streams before parameters": (after_cookie(state(CREATE_STREAMS)), UNKNOWN, QUICK_S),
    "everything before parameters": (
        after_cookie(state(TEST_START, TEST_RUNNING, EXCHANGE_RESULTS, DISPLAY_RESULTS)),
        UNKNOWN, QUICK_S),

    "silence after parameters": (after_params(never), NO_ANSWER, STEP_S + 2),
    "closes after parameters": (after_params(close), CLOSED, QUICK_S),
    "start without streams": (after_params(state(TEST_START)), UNKNOWN, QUICK_S),
    "results without streams": (after_params(state(EXCHANGE_RESULTS)), UNKNOWN, QUICK_S),
    "refuses the login": (after_params(says(error(142))), "test authorization failed",
                          QUICK_S),
    "no stream accepted": (after_params(no_listener),
                           "unable to connect stream: Connection refused", QUICK_S),
    "only no": (after_params(lambda s: (s.send_state(CREATE_STREAMS),
                                        s.send_state(ACCESS_DENIED), s.hold())),
                BUSY, QUICK_S),

    "never starts": (after_streams(never), NO_ANSWER, LONG_S + 2),
    "never runs": (after_streams(state(TEST_START)), NO_ANSWER, STEP_S + 2),
    "runs without start": (after_streams(state(TEST_RUNNING)), UNKNOWN, QUICK_S),
    "streams closed at once": (after_streams(lambda s: (
        s.send_state(TEST_START, TEST_RUNNING), close_streams(s))),
        "unable to write to stream socket: (Connection reset by peer|Broken pipe)", QUICK_S),

    "reads nothing": (running(never), NO_ANSWER, LONG_S + 4),
    "closes while it runs": (running(close), CLOSED, QUICK_S),
    "resets while it runs": (running(drop), "Connection reset by peer", QUICK_S),
    "resets the streams": (running(reset_streams),
                           "unable to write to stream socket: Connection reset by peer",
                           QUICK_S),
    "expires": (running(says(error(160))), "server test duration expired.*", QUICK_S),
    "terminates": (running(state(SERVER_TERMINATE)), "the server has terminated", QUICK_S),
    "unknown while it runs": (running(state(77)), UNKNOWN, QUICK_S),
    "results while it runs": (running(state(EXCHANGE_RESULTS)), UNKNOWN, QUICK_S),

    "silence at the end": (at_end(never), NO_ANSWER, LONG_S + 4),
    "closes at the end": (at_end(close), CLOSED, QUICK_S),
    "display without results": (at_end(state(DISPLAY_RESULTS)), UNKNOWN, QUICK_S),
    "error at the end": (at_end(says(error(117))), "unable to receive results", QUICK_S),

    "no results": (at_results(never), RESULTS, STEP_S + 4),
    "closes without results": (at_results(close), RESULTS, QUICK_S),
    "half a length": (at_results(says(b"\0\0")), RESULTS, STEP_S + 4),
    "results of no length": (answers(b""), RESULTS, QUICK_S),
    "results of 4 GB": (at_results(says(b"\xff\xff\xff\xff{}")), RESULTS, QUICK_S),
    "results cut short": (at_results(says(struct.pack(">I", 5000) + b"{", False)), RESULTS,
                          QUICK_S),
    "results that never end": (at_results(says(struct.pack(">I", 5000) + b"{")), RESULTS,
                               LONG_S + 4),
    "results in drops": (at_results(drip), RESULTS, LONG_S + 4),
    "results of noise": (answers(b"\xff\x00\x80" * 100), RESULTS, QUICK_S),
    "results of 100000 levels": (answers(b"[" * 100000), RESULTS, QUICK_S),
    "results in a list": (answers(b"[]"), RESULTS, QUICK_S),
    "results of nothing": (answers({}), RESULTS, QUICK_S),
    "results without streams": (answers(without("streams")), RESULTS, QUICK_S),
    "results without a CPU": (answers(without("cpu_util_total")), RESULTS, QUICK_S),
    "results without bytes": (answers(without("bytes", True)), RESULTS, QUICK_S),
    "results with text for bytes": (answers(results(1, streams=[dict(
        results(1)["streams"][0], bytes="many")])), RESULTS, QUICK_S),
    "results of 5000 streams": (answers(results(5000)), RESULTS, QUICK_S),
    "results of another stream": (answers(results(2)), "stream has an invalid id", QUICK_S),
    "results, but no display": (answers(results(1)), NO_ANSWER, LONG_S + 4),
    "results and a refusal": (at_results(lambda s: (s.send(framed(results(1)) + error(208)),
                                                    s.hold())),
                              "stream has an invalid id", QUICK_S),
}


class Steps(TestCase):
    def ask(self, steps, more, timeout=60):
        """Run a client against such a server; returns its Result, .seconds from the
        connection on."""
        server = Server(steps)
        return run([tool("iperf3"), "-c", "127.0.0.1", "-p", server.port, "-b", "4M", "-l",
                    "8K"] + ([] if "-n" in more or "-t" in more else ["-t", 1]) + more,
                   timeout=timeout)

    def failed(self, done, words, seconds):
        self.assertEqual(done.code, 1, done)
        self.assertLess(done.seconds, 1 + seconds * SLOW, done)
        if "-J" in done.argv:
            self.assertEqual(done.stderr, "", done)
            document = json.loads(done.stdout)
            self.assertRegex(document["error"], "^.*%s" % words, done)
            for key in ("start", "intervals", "end"):
                self.assertIn(key, document)
        else:
            lines = done.stderr.splitlines()
            self.assertRegex(lines[-1], "^iperf3: error - .*%s" % words, done)
            self.assertLessEqual(len(lines), 2, done)
            if len(lines) == 2:
                self.assertRegex(lines[0], "^iperf3: SERVER ERROR - .*%s" % words, done)
            self.assertNotIn("iperf Done", done.stdout)

    def test_every_step(self):
        jobs = [(name, more) for name in CASES for more in ([], ["-J"])]
        # Most of them wait.
        with concurrent.futures.ThreadPoolExecutor(12 if SANITIZED else 24) as pool:
            futures = [(job, pool.submit(self.ask, CASES[job[0]][0], job[1])) for job in
                       sorted(jobs, key=lambda j: -CASES[j[0]][2])]
            for (name, more), future in futures:
                with self.subTest(name, more=more):
                    self.failed(future.result(), *CASES[name][1:])

    def test_interval_lines_before_the_error(self):
        """What was measured until then is not lost."""
        def steps(s):
            s.begin()
            s.drain_for(1.3)
            s.send_state(SERVER_TERMINATE)
            s.hold()
        done = self.ask(steps, ["-t", 5, "-i", 1])
        self.failed(done, "the server has terminated", QUICK_S)
        self.assertRegex(done.stdout, r"\n\[  5\]   0\.00-1\.\d\d .*KBytes")
        self.assertRegex(done.stdout, r" sender\n")
        done = self.ask(steps, ["-t", 5, "-i", 1, "-J"])
        self.failed(done, "the server has terminated", QUICK_S)
        document = json.loads(done.stdout)
        self.assertGreaterEqual(len(document["intervals"]), 1)
        self.assertGreater(document["end"]["sum_sent"]["bytes"], 0)

    def test_json_stream(self):
        for steps, words in ((after_cookie(close), CLOSED), (running(close), CLOSED),
                             (answers({}), RESULTS)):
            done = self.ask(steps, ["--json-stream"])
            self.assertEqual((done.code, done.stderr), (1, ""), done)
            events = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual([e["event"] for e in events][-2:], ["error", "end"], done)
            self.assertRegex(events[-2]["data"], words)

    def test_reverse(self):
        for steps, more, words, seconds in (
                (running(close_streams), [], "stream socket has closed unexpectedly", 3),
                (running(reset_streams), [],
                 "unable to read from stream socket: Connection reset by peer", 3),
                (running(never), ["--rcv-timeout", 500, "-t", 20],
                 "idle timeout for receiving data", 3)):
            with self.subTest(words):
                self.failed(self.ask(steps, ["-R"] + more), words, seconds)
                self.failed(self.ask(steps, ["-R", "-J"] + more), words, seconds)

    def test_reverse_without_data(self):
        """Nothing comes, but the server ends well: zero is the answer."""
        def steps(s):
            s.begin().until_end()
            s.finish(results(1, sender_has_retransmits=1))
            s.hold()
        done = self.ask(steps, ["-R", "-J"])
        self.assertEqual(done.code, 0, done)
        self.assertEqual(json.loads(done.stdout)["end"]["sum_received"]["bytes"], 0)

    def good(self, s):
        s.begin()
        got = s.until_end()
        text = results(1, sender_has_retransmits=-1)
        text["streams"][0].update(bytes=sum(got), retransmits=-1)
        s.finish(text)
        s.hold()

    def test_good_server(self):
        """The hand-made server itself is one that a client gets along with."""
        done = self.ask(self.good, [])
        self.assertEqual((done.code, done.stderr), (0, ""), done)
        self.assertIn("iperf Done", done.stdout)

    def test_byte_at_a_time(self):
        def steps(s):
            s.begin()
            got = s.until_end()
            text = results(1, sender_has_retransmits=-1)
            text["streams"][0].update(bytes=sum(got), retransmits=-1)
            s.send_state(EXCHANGE_RESULTS)
            read_json(s.control)
            send_slowly(s.control, framed(text) + state_byte(DISPLAY_RESULTS), 1, 0.002)
            s.hold()
        done = self.ask(steps, [])
        self.assertEqual((done.code, done.stderr), (0, ""), done)

    def test_all_states_at_once(self):
        """TEST_START and TEST_RUNNING with CREATE_STREAMS, before the streams are there."""
        def steps(s):
            s.accept().take_params().send_state(CREATE_STREAMS, TEST_START, TEST_RUNNING)
            s.streams.append(s.listener.accept())
            s.until_end()
            s.finish(results(1, sender_has_retransmits=-1))
            s.hold()
        done = self.ask(steps, [])
        self.assertEqual(done.code, 0, done)

    def test_server_that_never_closes(self):
        """After the results nothing more is needed of it."""
        def steps(s):
            s.begin().until_end()
            s.finish(results(1, sender_has_retransmits=-1))
            time.sleep(10)
        done = self.ask(steps, [])
        self.assertEqual(done.code, 0, done)
        self.assertLess(done.seconds, 1 + 3 * SLOW)

    def test_slow_but_sure(self):
        """Each answer takes two seconds."""
        def steps(s):
            s.accept()
            time.sleep(2)
            s.take_params()
            time.sleep(2)
            s.take_streams()
            time.sleep(2)
            s.send_state(TEST_START, TEST_RUNNING)
            s.until_end()
            time.sleep(2)
            s.send_state(EXCHANGE_RESULTS)
            read_json(s.control)
            time.sleep(2)
            s.send(framed(results(1, sender_has_retransmits=-1)))
            time.sleep(2)
            s.send_state(DISPLAY_RESULTS)
            s.hold()
        done = self.ask(steps, [])
        self.assertEqual(done.code, 0, done)

    def lies(self, **of_stream):
        text = results(1, sender_has_retransmits=-1)
        text["streams"][0].update(of_stream)
        return json.dumps(text).replace("Infinity", "1e99999").encode()

    def test_absurd_results(self):
        """No number that a server tells makes the output nonsense."""
        jobs = []
        for value in (-1, -1e300, 1e300, (1 << 64) - 1, 1e99999):
            for key in ("bytes", "retransmits", "jitter", "errors", "packets", "end_time",
                        "start_time", "omitted_errors", "omitted_packets"):
                for more in (["-J"], []):
                    jobs.append((key, value, more))

        def one(job):
            text = self.lies(**{job[0]: job[1]})

            def steps(s):
                s.begin().until_end()
                s.finish(text)
                s.hold()
            return self.ask(steps, job[2] + ["-n", "8K"])

        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            for job, done in zip(jobs, pool.map(one, jobs)):
                with self.subTest(job=job):
                    if job[0].startswith("omitted"):  # one without the other
                        self.assertEqual(done.code, 1, done)
                        continue
                    self.assertEqual(done.code, 0, done)
                    self.assertNotRegex(done.stdout, r"(?i)\b-?(nan|inf)\b")
                    if "-J" in done.argv:
                        self.finite(json.loads(done.stdout))

    def finite(self, value):
        if isinstance(value, dict):
            for item in value.values():
                self.finite(item)
        elif isinstance(value, list):
            for item in value:
                self.finite(item)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            self.assertLess(abs(value), 1e30)

    def test_old_server(self):
        """Numbers of -1 without a sign, no times, no omitted counts."""
        text = results(1, sender_has_retransmits=18446744073709551615)
        text["streams"][0]["retransmits"] = 18446744073709551615
        for key in ("start_time", "end_time"):
            del text["streams"][0][key]

        def steps(s):
            s.begin().until_end()
            s.finish(text)
            s.hold()
        done = self.ask(steps, ["-J"])
        self.assertEqual(done.code, 0, done)
        self.assertNotIn("18446744073709551615", done.stdout)

    def test_server_output(self):
        """Whatever is in there: the client's own document stays valid."""
        for name, value in (("server_output_text", "a\x1b[2J\0b\n" * 1000),
                            ("server_output_text", "x" * 3000000),
                            ("server_output_text", 7), ("server_output_text", None),
                            ("server_output_json", []), ("server_output_json", "text"),
                            ("server_output_json", {"a": [1e99999, None, {"b": {}}]}),
                            ("server_output_json", {"k%d" % i: i for i in range(20000)})):
            text = results(1, sender_has_retransmits=-1)
            text[name] = value
            raw = json.dumps(text).replace("Infinity", "1e99999").encode()

            def steps(s):
                s.begin().until_end()
                s.finish(raw)
                s.hold()
            for more in (["-J"], []):
                with self.subTest(name, more=more):
                    done = self.ask(steps, ["--get-server-output", "-n", "8K"] + more)
                    self.assertEqual(done.code, 0, done.stderr)
                    self.assertNotIn("\x1b", done.stdout)
                    if more:
                        self.finite(json.loads(done.stdout))


class Others(TestCase):
    """Servers that are not iperf3."""

    def test_iperf2(self):
        port = free_port()
        start([upstream("iperf"), "-s", "-p", port]).wait_listening(port)
        kinds = ([], ["-u"], ["-R"])
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            all_done = list(pool.map(lambda more: run(
                [tool("iperf3"), "-c", "127.0.0.1", "-p", port] + more, timeout=20), kinds))
        for done in all_done:
            self.assertEqual(done.code, 1, done)
            self.assertLess(done.seconds, STEP_S + 2 * SLOW)
            self.assertIn("(ensure other side is iperf3 and not iperf)", done.stderr, done)

    def test_connect_timeout(self):
        """A listener whose queue is full answers nothing at all."""
        with socket.socket() as full:
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            port = full.getsockname()[1]
            waiting = [socket.socket() for _ in range(4)]
            for s in waiting:
                s.setblocking(False)
                s.connect_ex(("127.0.0.1", port))
            done = run([tool("iperf3"), "-c", "127.0.0.1", "-p", port, "--connect-timeout",
                        "400"])
            for s in waiting:
                s.close()
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.stderr, "^iperf3: error - unable to connect to server - .*"
                                      "timed out\n$")
        self.assertLess(done.seconds, 2 * SLOW, done)


class Udp(TestCase):
    """The hello of a UDP stream and what may come instead of an answer."""

    def ask(self, answer, more=(), timeout=60):
        """answer(peer, server) plays the UDP side of the server."""
        def steps(s):
            peer = UdpPeer(port=s.port)
            s.accept().take_params()
            s.send_state(CREATE_STREAMS)
            answer(peer, s)
            s.send_state(TEST_START, TEST_RUNNING)
            s.until_end()
            text = results(s.params["parallel"], sender_has_retransmits=-1)
            s.finish(text)
            s.hold()
        server = Server(steps)
        return run([tool("iperf3"), "-c", "127.0.0.1", "-p", server.port, "-u", "-t", 1,
                    "-l", 1000] + list(more), timeout=timeout)

    def good(self, answer, *more):
        done = self.ask(answer, more)
        self.assertEqual((done.code, done.stderr), (0, ""), done)

    def test_all_answers(self):
        """Those of all versions and byte orders."""
        for word in (ANSWER, HELLO, b"\xb1\x68\xde\x3a", b"\x3a\xde\x68\xb1"):
            def answer(peer, s):
                self.assertEqual(peer.receive(), HELLO)
                peer.send(word)
            self.good(answer)

    def test_lost_hello(self):
        """The first ones never arrive."""
        def answer(peer, s):
            for _ in range(3):
                peer.receive()
            peer.send(ANSWER)
        self.good(answer)

    def test_lost_answer(self):
        def answer(peer, s):
            peer.receive()
            time.sleep(0.1)
            peer.receive()
            peer.send(ANSWER)
        self.good(answer)

    def test_late_answer(self):
        def answer(peer, s):
            peer.receive()
            time.sleep(2)
            peer.send(ANSWER)
        self.good(answer)

    def test_noise_before_the_answer(self):
        def answer(peer, s):
            peer.receive()
            for data in (b"", b"x", b"9999", b"x" * 1400, b"\0" * 4):
                peer.send(data)
            peer.send(ANSWER)
        self.good(answer)

    def test_data_before_the_answer(self):
        """-R: datagrams overtake the answer."""
        def answer(peer, s):
            peer.receive()
            for n in range(1, 20):
                peer.send(datagram(n))
            peer.send(ANSWER)
        self.good(answer, "-R")

    def test_answer_of_a_stranger(self):
        """A connected socket hears its server alone."""
        def answer(peer, s):
            peer.receive()
            UdpPeer("127.0.0.2").send(ANSWER, peer.sender)
            peer.send(ANSWER)
        self.good(answer)

    def test_several_streams(self):
        def answer(peer, s):
            for _ in range(3):
                self.assertEqual(peer.receive(), HELLO)
                peer.send(ANSWER)
        self.good(answer, "-P", "3")

    def failed(self, words, seconds, *jobs):
        """Each job is an answer() and options; all run at the same time."""
        jobs = [(answer, options + more) for answer, options in jobs
                for more in ([], ["-J"])]
        with concurrent.futures.ThreadPoolExecutor(len(jobs)) as pool:
            for (_, options), done in zip(jobs, pool.map(lambda j: self.ask(*j), jobs)):
                self.assertEqual(done.code, 1, done)
                self.assertLess(done.seconds, seconds * SLOW, done)
                text = (json.loads(done.stdout)["error"] if "-J" in options
                        else done.stderr)
                self.assertRegex(text, words)

    def test_no_answer(self):
        """Silence, noise, or an ICMP error for each hello: 15 seconds."""
        def never(peer, s):
            s.hold()

        def noise(peer, s):
            try:
                while True:
                    peer.receive()
                    peer.send(b"noise")
            except OSError:
                pass

        def no_socket(peer, s):
            peer.close()
            s.hold()
        self.failed("unable to read from stream socket: Connection timed out", 18,
                    (never, []), (noise, []), (no_socket, []), (never, ["-R"]),
                    (never, ["-P", "2"]))

    def test_control_closes(self):
        def answer(peer, s):
            peer.receive()
            s.control.close()
            raise OSError("done")
        self.failed(CLOSED, 3, (answer, []), (answer, ["-P", "2"]), (answer, ["-R"]))

    def test_error_instead(self):
        def answer(peer, s):
            peer.receive()
            s.send_error(204, 110)
            s.hold()
        self.failed("unable to accept stream connection: Connection timed out", 3,
                    (answer, []), (answer, ["-P", "2"]), (answer, ["-R"]))


if __name__ == "__main__":
    unittest.main()
