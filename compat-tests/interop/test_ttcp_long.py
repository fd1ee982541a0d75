# SPDX-License-Identifier: BSD-2-Clause
"""What takes ttcp minutes: counters beyond 32 bits, and the patience of a sender that has
all its bytes with the kernel."""

import time
import unittest

from harness import Netns, TestCase, long_test
from harness.ttcp import Report, receiver, send, start_sender
from test_ttcp_pipe import BLOCKS, MIB, Endless, PipeCase

BOUND_S = 900


@long_test
class Counters(PipeCase):
    def test_through_pipes(self):
        for options in BLOCKS[:1] + BLOCKS[3:]:
            with self.subTest(options=options):
                self.pair(*options, bound=300)
                self.stream(5 << 30)
                self.stream_well(5 << 30, timeout=300)

    def test_from_memory(self):
        ours = receiver("-s", bound=300)
        done = send(ours.port, "-s", "-n", 1 << 20, timeout=300)
        self.assertEqual((ours.wait(), done.code), (0, 0), done)
        self.assertEqual((Report(ours).bytes, Report(done).bytes), (8 << 30, 8 << 30))


@long_test
class Patience(PipeCase):
    def test_a_reader_that_pauses_for_minutes(self):
        # A tape is changed: everything is with the kernels, and the sender waits.
        self.pair(bound=400)
        self.stream(8 * MIB, lambda got: time.sleep(200 if got == Endless.BLOCK else 0))
        self.stream_well(8 * MIB, timeout=300)


@long_test
class Bound(TestCase):
    def test_the_path_is_cut_at_the_end(self):
        left, right = Netns("left"), Netns("right")
        left.link(right, "a", "b")
        left.address("a", "192.0.2.1/24")
        right.address("b", "192.0.2.2/24")
        left.rate("a", "1mbit")
        ours = receiver("-s", netns=right, bound=400)
        sender = start_sender(ours.port, "-s", "-n", 12, host="192.0.2.2", netns=left,
                              bound=400)
        ours.wait_line("accept")
        # No answers, and no news that there are none.
        right.tool("nft", "add table ip cut; add chain ip cut in { type filter hook input "
                          "priority 0; policy drop; }")
        self.assertEqual(sender.wait(300), 1, sender)
        self.assertRegex(Report(sender).before, r"\nttcp-t: IO: the peer has gone silent, with "
                                                r"\d+ bytes to go\n$")
        self.assertEqual(ours.stop(), 143)


if __name__ == "__main__":
    unittest.main()
