# SPDX-License-Identifier: BSD-2-Clause
"""What went over a device, as bytes.

    capture = Capture(ns, "lo", "udp port 5001")
    ...
    for packet in capture.packets():      # IP packets, without the Ethernet header
"""

import os
import re
import struct
import sys
import tempfile

from . import cleanup
from .process import wait_until
from .programs import need_program

# A frame of the type that is left for experiments says that all before it was written.
MARK_TYPE = 0x88B5
SEND_MARK = ("import socket, sys; s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); "
             "s.bind((sys.argv[1], 0)); "
             "s.send(b'\\xff' * 6 + bytes(6) + b'\\x88\\xb5' + sys.argv[2].encode())")


class Capture:
    """tcpdump on an Ethernet-like device of a namespace (lo and veth are), from now on.
    Packets are cut after snap_bytes. A packet that tcpdump could not take in time fails
    the test, since nobody knows then what went over the device."""

    def __init__(self, netns, device, expression="", snap_bytes=4096):
        self.netns, self.device = netns, device
        handle, self.path = tempfile.mkstemp(suffix=".pcap")
        os.close(handle)
        self.tcpdump = None
        cleanup.opened(self)
        wanted = "ether proto 0x%x" % MARK_TYPE
        if expression:
            wanted = "(%s) or %s" % (expression, wanted)
        self.tcpdump = netns.start([
            # The ring has places of snap_bytes; 32 MiB are enough of them for a busy machine.
            need_program("tcpdump"), "-n", "-U", "-s", snap_bytes, "-B", 32768,
            "--immediate-mode", "-Z", "root", "-i", device, "-w", self.path,
            *([wanted] if expression else [])], bound=300)
        self.tcpdump.wait_line("listening on")
        self.marks = 0

    def packets(self):
        """All IP packets until now, in order."""
        self.marks += 1
        mark = "mark %d of netclassics " % self.marks
        self.netns.run([sys.executable, "-c", SEND_MARK, self.device, mark])
        frames = wait_until(lambda: self._until(mark.encode()), 10, "what was captured")
        return [frame[14:] for frame in frames
                if frame[12:14] in (b"\x08\x00", b"\x86\xdd")]

    def _until(self, mark):
        frames = list(read_frames(self.path))
        return frames if any(mark in f[14:60] for f in frames) else None

    def close(self):
        # tcpdump was started later, so it has ended by now.
        if os.path.exists(self.path):
            os.unlink(self.path)
        lost = r"^[1-9]\d* packets? dropped by kernel"
        if self.tcpdump and re.search(lost, self.tcpdump.stderr, re.M):
            raise AssertionError("packets were lost: %s" % self.tcpdump)


def read_frames(path):
    """The whole frames of a capture file; one that is still being written is left out."""
    with open(path, "rb") as f:
        data = f.read()
    order = ">" if data[:4] in (b"\xa1\xb2\xc3\xd4", b"\xa1\xb2\x3c\x4d") else "<"
    at = 24
    while at + 16 <= len(data):
        size, = struct.unpack(order + "I", data[at + 8:at + 12])
        if at + 16 + size > len(data):
            return
        yield data[at + 16:at + 16 + size]
        at += 16 + size
