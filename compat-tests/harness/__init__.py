# SPDX-License-Identifier: BSD-2-Clause
"""What all black-box tests share. A test module starts like this:

    import unittest
    from harness import TestCase, free_port, run, start, tool, upstream

    class Loopback(TestCase):
        def test_one(self):
            port = free_port()
            server = start([tool("ttcp"), "-r", "-s", "-p", port])
            server.wait_listening(port)
            done = run([tool("ttcp"), "-t", "-s", "-p", port, "127.0.0.1"])
            self.assertEqual(done.code, 0, done)

    if __name__ == "__main__":
        unittest.main()

compat-tests/run finds and runs the modules; one alone: compat-tests/run LAYER -k PATTERN.
A module may set, at the left margin:

    ALONE = True     it measures: nothing else runs at the same time
    BOUND_S = 300    the whole module must end in this time (120 when not set)

Whatever start(), Netns() and the peers opened during a test is closed when the test ends,
however it ends; what setUpClass opened is closed when the module ends, or earlier with
cls.addClassCleanup(x.close).
"""

from .capture import Capture
from .case import TestCase, golden, long_test
from .cleanup import close_since, mark
from .netns import Netns, need_netns
from .peers import TcpListener, UdpPeer, connect_tcp, read_exactly, send_slowly
from .ports import free_port
from .process import (Process, fd_count, is_listening, rss_kib, run, start,
                      wait_until)
from .programs import (BUILD, KIND, ROOT, SANITIZED, need_program, need_root, tool,
                       upstream)
from .text import shape

__all__ = [
    "BUILD", "Capture", "KIND", "Netns", "Process", "ROOT", "SANITIZED", "TcpListener",
    "TestCase", "UdpPeer", "close_since", "connect_tcp", "fd_count", "free_port", "golden",
    "is_listening", "long_test", "mark", "need_netns", "need_program", "need_root",
    "read_exactly", "rss_kib", "run", "send_slowly", "shape", "start", "tool", "upstream",
    "wait_until",
]
