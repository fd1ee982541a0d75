# SPDX-License-Identifier: BSD-2-Clause
"""ttcp against the plain 8K loop that it has always been."""

import os

from harness import BUILD, free_port, tool
from paired import Row, transfer

PLAIN = os.path.join(BUILD, "bin", "plain")


def memory(block, total):
    """-t -s to -r -s; block None: no -l, 8K on both."""
    def run(path, who):
        port = free_port()
        if who == "theirs":
            size = block or 8192
            return transfer(path, [PLAIN, "recv", str(port), str(size)],
                            [PLAIN, "send", path.host, str(port), str(size), str(total)],
                            port)
        length = ["-l", str(block)] if block else []
        common = ["-s", "-p", str(port), "--json"] + length
        count = str(total // (block or 8192))
        return transfer(path, [tool("ttcp"), "-r"] + common,
                        [tool("ttcp"), "-t", "-n", count] + common + [path.host], port)
    return run


def pipe(total, block=None):
    """head | ttcp -t to ttcp -r > /dev/null."""
    def run(path, who):
        port = free_port()
        source = ["head", "-c", str(total), "/dev/zero"]
        if who == "theirs":
            size = str(block or 8192)
            return transfer(path, [PLAIN, "out", str(port), size],
                            [PLAIN, "in", path.host, str(port), size], port, stdin=source)
        common = ["-p", str(port), "--json"] + (["-l", str(block)] if block else [])
        return transfer(path, [tool("ttcp"), "-r"] + common,
                        [tool("ttcp"), "-t"] + common + [path.host], port, stdin=source)
    return run


def rows(path):
    gib = 1 << 30
    if path.kind == "veth":
        yield Row("ttcp -s, default 8K blocks", memory(None, 2 * gib), {"rate": 4, "cpu": 4})
    else:
        yield Row("ttcp -s, default 8K blocks", memory(None, 2 * gib), {})
    yield Row("ttcp -s -l 64K", memory(65536, 4 * gib), {"rate": 1.0})
    yield Row("ttcp pipe, default", pipe(2 * gib), {"rate": 1.7, "cpu": 1.7})
    yield Row("ttcp pipe -l 8K", pipe(2 * gib, 8192), {"rate": 1.0})
