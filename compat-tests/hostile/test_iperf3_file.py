# SPDX-License-Identifier: BSD-2-Clause
"""iperf3 -F into a file that does not take all: both ends say so."""

import json
import unittest

from harness import TestCase, free_port, run, start, tool


class FullDisk(TestCase):
    def one(self, server_options, client_options):
        port = free_port()
        server = start([tool("iperf3"), "-s", "-1", "-p", port] + server_options)
        server.wait_listening(port)
        client = run([tool("iperf3"), "-c", "127.0.0.1", "-p", port, "-n", "100K"] +
                     client_options)
        server.wait()
        return server, client

    def test_on_the_server(self):
        server, client = self.one(["-F", "/dev/full"], [])
        self.assertEqual(client.code, 1, client)
        self.assertIn("SERVER ERROR", client.stderr)
        for text in (client.stderr, server.stderr):
            self.assertIn("No space left on device", text)

    def test_on_the_server_with_json(self):
        server, client = self.one(["-F", "/dev/full", "-J"], ["-J"])
        self.assertEqual(client.code, 1, client)
        for text in (client.stdout, server.stdout):
            self.assertIn("No space left on device", json.loads(text)["error"])

    def test_on_the_client(self):
        _, client = self.one([], ["-R", "-F", "/dev/full"])
        self.assertEqual(client.code, 1, client)
        self.assertIn("No space left on device", client.stderr)


if __name__ == "__main__":
    unittest.main()
