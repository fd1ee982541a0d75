# SPDX-License-Identifier: BSD-2-Clause
"""ttcp as a pipe: when both ends report success, what came out is what went in, to the
byte, whatever the two descriptors are and whatever happens meanwhile."""

import fcntl
import os
import pty
import random
import signal
import socket
import tempfile
import termios
import threading
import time
import tty
import unittest

from harness import (TcpListener, TestCase, free_port, need_program, need_root, run,
                     start, tool, wait_until)
from harness.ttcp import Report, receiver, send, sender_argv, start_sender

SIZES = (0, 1, 4095, 65537)
MIB = 1 << 20
F_SETPIPE_SZ, F_GETPIPE_SZ = 1031, 1032
BLOCKS = (  # options of the sender, of the receiver
    ((), ()),
    (("-l", 1000), ("-l", 777)),
    ((), ("-B",)),
    (("-l", 8192), ("-B", "-l", 10000)),
    (("-D", "-l", "1M"), ("-l", 1 << 16)),
)


def random_bytes(size):
    return random.Random(size).randbytes(size)


class Endless:
    """A long stream that any piece of can be made again: blocks of random bytes, each from
    another place and with its number before it."""

    BLOCK = 1 << 18

    def __init__(self):
        self.base = random_bytes(2 * self.BLOCK)

    def block(self, number):
        at = number * 7919 % self.BLOCK
        return b"%016d" % number + self.base[at:at + self.BLOCK - 16]

    def write(self, fd, size):
        """Write the first size bytes, then close."""
        try:
            for number in range(-(-size // self.BLOCK)):
                data = memoryview(self.block(number))[:size - number * self.BLOCK]
                while data:
                    data = data[os.write(fd, data):]
        except OSError:
            pass  # the other end has gone; the test looks at that
        finally:
            os.close(fd)

    def check(self, fd, pause=None):
        """Read to the end; returns how many bytes came, or fails at the first wrong one.
        pause(bytes so far) is called after each block."""
        got = 0
        with open(fd, "rb", buffering=0, closefd=False) as f:
            while True:
                data, want = bytearray(), self.block(got // self.BLOCK)
                while len(data) < len(want):
                    piece = f.read(len(want) - len(data))
                    if not piece:
                        break
                    data += piece
                if data != want[:len(data)]:
                    raise AssertionError("wrong byte after %d" % got)
                got += len(data)
                if len(data) < len(want):
                    return got
                if pause:
                    pause(got)


class Feeder(threading.Thread):
    """Does fn(*args) besides; end() gives its result or raises its error."""

    def __init__(self, fn, *args):
        super().__init__(daemon=True)
        self.fn, self.args, self.result, self.error = fn, args, None, None
        self.start()

    def run(self):
        try:
            self.result = self.fn(*self.args)
        except BaseException as e:
            self.error = e

    def end(self, timeout=60):
        """Wait for its result."""
        self.join(timeout)
        if self.is_alive():
            raise AssertionError("does not end")
        if self.error:
            raise self.error
        return self.result


class PipeCase(TestCase):
    def pair(self, send_options=(), receive_options=(), **ends):
        """Both programs between two pipes of ours: self.into, self.out are our ends."""
        out_r, out_w = os.pipe()
        in_r, in_w = os.pipe()
        self.r = receiver(*receive_options, stdout=out_w, **ends)
        self.t = start_sender(self.r.port, *send_options, stdin=in_r, **ends)
        os.close(out_w)
        os.close(in_r)
        self.into, self.out = in_w, out_r
        self.addCleanup(self.close_out)

    def close_out(self):
        if self.out >= 0:
            os.close(self.out)
        self.out = -1

    def connected(self):
        self.t.wait_line("connect$")
        self.r.wait_line("accept from")

    def both_well(self, size, timeout=30):
        codes = self.t.wait(timeout), self.r.wait(timeout)
        self.assertEqual(codes, (0, 0), "%s\n%s" % (self.t, self.r))
        self.assertEqual((Report(self.t).bytes, Report(self.r).bytes), (size, size))

    def stream(self, size, pause=None):
        """A stream of size bytes through the pair, in the background."""
        stream = Endless()
        self.writer = Feeder(stream.write, self.into, size)
        self.reader = Feeder(stream.check, self.out, pause)

    def stream_well(self, size, timeout=60):
        self.writer.end(timeout)
        self.assertEqual(self.reader.end(timeout), size)
        self.both_well(size)


class Sizes(PipeCase):
    def test_all_sizes_and_blocks(self):
        for options in BLOCKS:
            for size in SIZES + (200000,):
                with self.subTest(options=options, size=size):
                    data = random_bytes(size)
                    self.r = receiver(*options[1])
                    done = send(self.r.port, *options[0], stdin=data)
                    self.assertEqual((self.r.wait(), done.code), (0, 0), done)
                    self.assertEqual(self.r.out_bytes, data)
                    self.assertEqual(done.stdout, "")
                    self.assertEqual((Report(done).bytes, Report(self.r).bytes),
                                     (size, size))

    def test_a_gibibyte(self):
        self.pair()
        self.stream(1 << 30)
        self.stream_well(1 << 30)

    def test_a_gibibyte_in_blocks(self):
        self.pair(("-l", "64K"), ("-B", "-l", "100K"))
        self.stream(1 << 30)
        self.stream_well(1 << 30)


class Troubles(PipeCase):
    """Stalls, signals and tiny buffers: nothing is lost."""

    def each(self, size=24 * MIB, pause=None):
        """Yields with a stream under way, for each kind of block."""
        for options in BLOCKS[:1] + BLOCKS[3:]:
            with self.subTest(options=options):
                self.pair(*options)
                self.connected()
                self.stream(size, pause)
                yield
                self.stream_well(size)

    def test_a_slow_reader(self):
        stalls = {1: 1, 40: 0.3, 41: 0.3}

        def pause(got):
            time.sleep(stalls.get(got // Endless.BLOCK, 0.005))
        for _ in self.each(24 * MIB, pause):
            pass

    def test_stopped_and_continued(self):
        for _ in self.each(64 * MIB, lambda got: time.sleep(0.002)):
            for _ in range(3):
                for process in (self.t, self.r):
                    process.send_signal(signal.SIGSTOP)
                    time.sleep(0.05)
                    process.send_signal(signal.SIGCONT)
                    time.sleep(0.02)
            self.t.send_signal(signal.SIGSTOP)
            self.r.send_signal(signal.SIGSTOP)
            time.sleep(0.1)
            self.r.send_signal(signal.SIGCONT)
            self.t.send_signal(signal.SIGCONT)

    def storm(self):
        """Signals to both until the reader has almost all: the end of a program in a storm
        is not looked at, as sanitizers do not bear it. SIGALRM has a handler, so that calls
        are interrupted in earnest."""
        while self.reader.is_alive() and self.so_far < 0.9 * self.size:
            for process in (self.t, self.r):
                for number in (signal.SIGALRM, signal.SIGWINCH, signal.SIGCONT):
                    if process.code is None:
                        process.send_signal(number)
            time.sleep(0.0005)

    def slowly(self, got):
        self.so_far = got
        time.sleep(0.002)

    def test_a_storm_of_signals(self):
        self.size, self.so_far = 48 * MIB, 0
        for _ in self.each(self.size, self.slowly):
            self.storm()
            self.so_far = 0

    def test_a_storm_of_signals_and_blocking_sockets(self):
        for options in BLOCKS:
            with self.subTest(options=options):
                self.size, self.so_far = 6 * MIB, 0
                (from_us, stdin), (stdout, to_us) = socket.socketpair(), socket.socketpair()
                self.addCleanup(to_us.close)
                self.r = receiver(*options[1], stdout=stdout)
                self.t = start_sender(self.r.port, *options[0], stdin=stdin)
                stdin.close()
                stdout.close()
                self.connected()
                self.into, self.out = from_us.detach(), os.dup(to_us.fileno())
                self.stream(self.size, self.slowly)
                self.storm()
                self.stream_well(self.size)
                self.close_out()

    def test_pipes_of_one_page(self):
        for options in BLOCKS[:1] + BLOCKS[3:]:
            with self.subTest(options=options):
                self.pair(*options)
                self.connected()
                for fd in (self.into, self.out):
                    if not options[0]:  # it is made larger at the start
                        wait_until(lambda: fcntl.fcntl(fd, F_GETPIPE_SZ) == MIB)
                    fcntl.fcntl(fd, F_SETPIPE_SZ, 4096)
                self.stream(4 * MIB)
                self.stream_well(4 * MIB)

    def test_pieces_of_every_size(self):
        # Both pipes hold many short pieces.
        for options in BLOCKS:
            with self.subTest(options=options):
                self.pair(*options)
                data, at = random_bytes(300000), 0
                reader = Feeder(read_all, self.out)
                pick = random.Random(3)
                while at < len(data):
                    at += os.write(self.into, data[at:at + pick.randrange(1, 3000)])
                os.close(self.into)
                self.assertEqual(reader.end(), data)
                self.both_well(len(data))


def read_all(fd):
    pieces = []
    while True:
        piece = os.read(fd, 1 << 16)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)


class Failures(PipeCase):
    """What cannot be delivered is never a success, and what was is as reported."""

    def prefix(self, data, size=None):
        """What came is the start of what was sent, and as much as was reported."""
        stream = b"".join(Endless().block(n) for n in range(len(data) // Endless.BLOCK + 1))
        self.assertTrue(stream.startswith(data))
        if size is not None:
            self.assertEqual(len(data), size)

    def broken(self, process, *reasons):
        self.assertEqual(process.wait(10), 1, process)
        report = Report(process)
        self.assertRegex(report.before, r"\nttcp-[tr]: IO: (%s)\n$" % "|".join(reasons))
        return report

    PIPE, FULL = r"Broken pipe\nerrno=32", r"No space left on device\nerrno=28"
    RESET = r"Connection reset by peer\nerrno=104"

    def test_the_reader_closes_early(self):
        for options in BLOCKS:
            with self.subTest(options=options):
                out_r, out_w = os.pipe()
                self.r = receiver(*options[1], stdout=out_w)
                os.close(out_w)
                with open("/dev/zero", "rb") as endless:
                    self.t = start_sender(self.r.port, *options[0], stdin=endless)
                self.assertEqual(len(os.read(out_r, 10)), 10)
                os.close(out_r)
                self.broken(self.r, self.PIPE)
                self.broken(self.t, self.PIPE, self.RESET)

    def test_the_reader_closes_in_silence(self):
        for options in BLOCKS:
            for more in (b"", b"x", bytes(100000)):
                with self.subTest(options=options, more=len(more)):
                    self.pair(*options)
                    self.connected()
                    os.write(self.into, b"x" * 1000)
                    if "-B" not in options[1]:
                        self.assertEqual(read_size(self.out, 1000), b"x" * 1000)
                    self.close_out()
                    time.sleep(0.02)
                    os.write(self.into, more)
                    os.close(self.into)
                    if not more and "-B" not in options[1]:
                        # It had read all: as tar does, it may leave early.
                        self.both_well(1000)
                        continue
                    self.broken(self.r, self.PIPE)
                    self.broken(self.t, self.PIPE, self.RESET)

    def full_disk(self, options, redirect):
        """A receiver into a file system of 1 MiB; returns what the file holds at the end."""
        need_root()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        out = folder.name + "/copy"
        script = ("mount -t tmpfs -o size=1m none /mnt && { \"$@\" %s/mnt/f; code=$?; "
                  "cat /mnt/f >%s; exit $code; }" % (redirect, out))
        self.r = receiver(*options[1], wrap=["unshare", "-m", "sh", "-c", script, "sh"])
        with open("/dev/zero", "rb") as endless:
            self.t = start_sender(self.r.port, *options[0], stdin=endless)
        report = self.broken(self.r, self.FULL)
        self.broken(self.t, self.PIPE, self.RESET)
        with open(out, "rb") as f:
            data = f.read()
        self.assertEqual(data, bytes(len(data)))
        self.assertEqual(len(data), report.bytes)
        self.assertGreater(len(data), 1000000)

    def test_the_disk_is_full(self):
        need_program("unshare")
        for options in BLOCKS:
            for redirect in (">", ">>"):
                with self.subTest(options=options, redirect=redirect):
                    self.full_disk(options, redirect)

    def test_a_device_that_is_full(self):
        for options in BLOCKS:
            for size in (1, 100000):
                with self.subTest(options=options, size=size):
                    with open("/dev/full", "wb") as full:
                        self.r = receiver(*options[1], stdout=full)
                    done = send(self.r.port, *options[0], stdin=bytes(size))
                    self.broken(self.r, self.FULL)
                    self.assertEqual(Report(self.r).bytes, 0)
                    # However few bytes: the sender is told.
                    self.assertEqual(done.code, 1, done)

    def test_a_file_that_may_not_grow(self):
        need_program("prlimit")
        for options in BLOCKS:
            with self.subTest(options=options), tempfile.TemporaryFile() as f:
                self.r = receiver(*options[1], stdout=f, wrap=["prlimit", "--fsize=100000"])
                with open("/dev/zero", "rb") as endless:
                    self.t = start_sender(self.r.port, *options[0], stdin=endless)
                self.broken(self.r, r"File too large\nerrno=27")
                self.broken(self.t, self.PIPE, self.RESET)
                self.assertEqual(os.fstat(f.fileno()).st_size, 100000)
                self.assertEqual(Report(self.r).bytes, 100000)

    def test_a_file_that_may_not_be_written(self):
        with tempfile.NamedTemporaryFile() as f, open(f.name, "rb") as wrong:
            self.r = receiver(stdout=wrong)
            done = send(self.r.port, stdin=b"x")
        self.broken(self.r, r"Bad file descriptor\nerrno=9")
        self.assertEqual(done.code, 1, done)

    def test_stdin_that_cannot_be_read(self):
        for path, reason in (("/tmp", r"Is a directory\nerrno=21"),
                             ("/proc/self/mem", r"Input/output error\nerrno=5")):
            for options in ((), ("-l", 1000)):
                self.r = receiver(*options)
                wrong = os.open(path, os.O_RDONLY)
                done = start_sender(self.r.port, *options, stdin=wrong)
                os.close(wrong)
                self.broken(done, reason)
                self.broken(self.r, self.RESET)  # this was no end of file

    def test_the_sender_is_killed(self):
        # No receiver can tell that from an end: what came is a start of it, no more.
        for options in BLOCKS[:1] + BLOCKS[3:]:
            with self.subTest(options=options):
                self.pair(*options)
                Feeder(Endless().write, self.into, 1 << 30)
                reader = Feeder(read_all, self.out)
                self.connected()
                time.sleep(0.05)
                self.t.send_signal(signal.SIGKILL)
                self.t.wait()
                data = reader.end()
                self.assertIn(self.r.wait(10), (0, 1), self.r)
                self.prefix(data, Report(self.r).bytes)
                self.assertGreater(len(data), 0)

    def test_the_receiver_is_killed(self):
        for options in BLOCKS[:1] + BLOCKS[3:]:
            with self.subTest(options=options):
                self.pair(*options)
                Feeder(Endless().write, self.into, 1 << 30)
                reader = Feeder(read_all, self.out)
                self.connected()
                time.sleep(0.05)
                self.r.send_signal(signal.SIGKILL)
                self.prefix(reader.end())
                self.broken(self.t, self.PIPE, self.RESET)

    def test_the_receiver_is_killed_with_the_last_bytes(self):
        # They are in its kernel and its pipe; the sender was about to be content.
        self.pair()
        self.connected()
        self.r.send_signal(signal.SIGSTOP)
        os.write(self.into, b"x")
        os.close(self.into)
        wait_until(lambda: unread(self.r.port) > 0)
        self.r.send_signal(signal.SIGKILL)
        self.broken(self.t, self.PIPE, self.RESET)

    def test_stopped_by_a_signal(self):
        for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130),
                             (signal.SIGHUP, 129)):
            for victim in "tr":
                for options in BLOCKS[:1] + BLOCKS[3:4]:
                    with self.subTest(number=number, victim=victim, options=options):
                        self.pair(*options)
                        Feeder(Endless().write, self.into, 1 << 30)
                        # The reader stalls: both ends wait.
                        self.prefix(os.read(self.out, 1000))
                        time.sleep(0.1)
                        process = {"t": self.t, "r": self.r}[victim]
                        began = time.monotonic()
                        self.assertEqual(process.stop(number), code, process)
                        self.assertLess(time.monotonic() - began, 1)
                        if victim == "r":
                            self.broken(self.t, self.PIPE, self.RESET)
                            self.assertGreater(Report(self.r).bytes, 1000)
                        else:
                            self.assertGreaterEqual(Report(self.t).bytes, 1000)
                            data = read_all(self.out)
                            self.r.wait()
                            self.assertEqual(len(data) + 1000, Report(self.r).bytes)

    def test_stopped_with_a_slow_reader(self):
        # One that does read, but so little at a time that a buffer takes minutes.
        for options in BLOCKS:
            with self.subTest(options=options):
                ours, theirs = socket.socketpair()
                self.addCleanup(theirs.close)
                with ours:
                    self.r = receiver(*options[1], stdout=ours)
                with open("/dev/zero", "rb") as endless:
                    self.t = start_sender(self.r.port, *options[0], stdin=endless)
                done = threading.Event()
                drops = Feeder(drip, theirs, done)
                time.sleep(0.2)
                began = time.monotonic()
                self.assertEqual(self.r.stop(), 143, self.r)
                self.assertLess(time.monotonic() - began, 1.5)
                done.set()
                drops.end()
                self.broken(self.t, self.PIPE, self.RESET)


def drip(sock, done):
    """Read very slowly until done is set."""
    sock.settimeout(0.1)
    while not done.is_set():
        try:
            if not sock.recv(1024):
                return
        except (socket.timeout, ConnectionResetError):
            pass
        time.sleep(0.01)


def feed(pipe, data):
    try:
        pipe.write(data)
        pipe.close()
    except OSError:
        pass


def unread(port):
    """Bytes in the receive queues of connections to a local port."""
    total = 0
    for path in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(path) as f:
            for words in map(str.split, f):
                if words[1].endswith(":%04X" % port) and words[3] != "0A":
                    total += int(words[4].partition(":")[2], 16)
    return total


class Descriptors(PipeCase):
    """Whatever stdin and stdout are."""

    DATA = random_bytes(300001)
    OPTIONS = ((), ("-l", 1000), ("-l", 1 << 20))

    def from_fd(self, fd, want=None, feeder=None, options=()):
        """Send what fd gives."""
        with self.subTest(options=options):
            before = fcntl.fcntl(fd, fcntl.F_GETFL)
            self.r = receiver()
            self.t = start_sender(self.r.port, *options, stdin=fd)
            if feeder:
                feeder()
            self.assertEqual((self.t.wait(), self.r.wait()), (0, 0),
                             "%s\n%s" % (self.t, self.r))
            self.assertEqual(self.r.out_bytes, self.DATA if want is None else want)
            # Others may share it.
            self.assertEqual(fcntl.fcntl(fd, fcntl.F_GETFL), before)

    def test_from_a_file(self):
        with tempfile.TemporaryFile() as f:
            f.write(self.DATA)
            for options in self.OPTIONS:
                f.seek(0)
                self.from_fd(f.fileno(), options=options)
                # From where it stands; and it stands at the end now.
                self.assertEqual(os.lseek(f.fileno(), 0, os.SEEK_CUR), len(self.DATA))
                f.seek(1234)
                self.from_fd(f.fileno(), self.DATA[1234:], options=options)

    def test_from_a_file_of_the_kernel(self):
        # These have no length.
        for path in ("/proc/version", "/sys/kernel/mm/transparent_hugepage/enabled"):
            if not os.path.exists(path):
                continue
            for options in self.OPTIONS:
                with open(path, "rb") as f:
                    want = f.read()
                    f.seek(0)
                    self.from_fd(f.fileno(), want, options=options)

    def test_from_a_pipe(self):
        for flags in (0, os.O_NONBLOCK):
            for options in self.OPTIONS:
                r, w = os.pipe()
                fcntl.fcntl(r, fcntl.F_SETFL, flags)
                writer = Feeder(write_all, w, self.DATA)
                self.from_fd(r, options=options)
                writer.end()
                os.close(r)

    def test_from_a_socket(self):
        for flags in (0, os.O_NONBLOCK):
            for options in self.OPTIONS:
                for maker in (socket.socketpair, tcp_pair):
                    r, w = maker()
                    with r:
                        fcntl.fcntl(r, fcntl.F_SETFL, os.O_RDWR | flags)
                        writer = Feeder(write_all, w.detach(), self.DATA)
                        self.from_fd(r.fileno(), options=options)
                        writer.end()

    def test_from_a_terminal(self):
        text = b"".join(b"line %d\n" % n for n in range(2000))

        for flags in (0, os.O_NONBLOCK):
            for options in self.OPTIONS:
                master, slave = pty.openpty()
                attributes = termios.tcgetattr(slave)
                attributes[3] &= ~termios.ECHO
                termios.tcsetattr(slave, termios.TCSANOW, attributes)
                fcntl.fcntl(slave, fcntl.F_SETFL, os.O_RDWR | flags)
                self.from_fd(slave, text, lambda: write_all(os.dup(master), text + b"\x04"),
                             options)
                os.close(master)
                os.close(slave)

    def test_from_a_device(self):
        self.from_fd(os.open("/dev/null", os.O_RDONLY), b"")

    def to_fd(self, fd, reader, options=(), want=None):
        """Receive into fd (which is closed); reader() tells what came out."""
        with self.subTest(options=options):
            keep, before = os.dup(fd), fcntl.fcntl(fd, fcntl.F_GETFL)
            self.r = receiver(*options, stdout=fd)
            os.close(fd)
            reading = Feeder(reader)
            done = send(self.r.port, stdin=self.DATA)
            self.assertEqual((done.code, self.r.wait()), (0, 0), "%s\n%s" % (done, self.r))
            self.assertEqual(fcntl.fcntl(keep, fcntl.F_GETFL), before)
            os.close(keep)
            self.assertEqual(reading.end(), self.DATA if want is None else want)

    def test_to_a_file(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = folder.name + "/f"
        for options in self.OPTIONS + (("-B",),):
            for flags, before in ((os.O_TRUNC, b""), (os.O_APPEND, b"earlier"), (0, b"")):
                with open(path, "wb") as f:
                    f.write(before)
                self.to_file(path, flags, options, before)

    def to_file(self, path, flags, options, before):
        with self.subTest(options=options, flags=flags):
            with open(os.open(path, os.O_WRONLY | flags), "wb") as f:
                self.r = receiver(*options, stdout=f)
            done = send(self.r.port, stdin=self.DATA)
            self.assertEqual((done.code, self.r.wait()), (0, 0), done)
            with open(path, "rb") as f:
                self.assertEqual(f.read(), before + self.DATA)

    def test_to_the_middle_of_a_file(self):
        with tempfile.TemporaryFile() as f:
            f.write(b"x" * 400000)
            f.flush()
            for options in self.OPTIONS:
                os.lseek(f.fileno(), 5, os.SEEK_SET)
                self.r = receiver(*options, stdout=f)
                done = send(self.r.port, stdin=self.DATA)
                self.assertEqual((done.code, self.r.wait()), (0, 0), done)
                self.assertEqual(os.pread(f.fileno(), 400001, 0), b"x" * 5 + self.DATA +
                                 b"x" * (400000 - 5 - len(self.DATA)))

    def test_to_a_pipe(self):
        for flags in (0, os.O_NONBLOCK):
            for options in self.OPTIONS + (("-B",),):
                r, w = os.pipe()
                fcntl.fcntl(w, fcntl.F_SETFL, flags)
                self.to_fd(w, lambda: read_all(r), options)
                os.close(r)

    def test_to_a_socket(self):
        for flags in (0, os.O_NONBLOCK):
            for options in self.OPTIONS + (("-B",),):
                for maker in (socket.socketpair, tcp_pair):
                    r, w = maker()
                    with r:
                        fcntl.fcntl(w, fcntl.F_SETFL, os.O_RDWR | flags)
                        self.to_fd(w.detach(), lambda: read_all(r.fileno()), options)

    def test_to_a_terminal(self):
        for flags in (0, os.O_NONBLOCK):
            for options in self.OPTIONS:
                master, slave = pty.openpty()
                tty.setraw(slave)
                fcntl.fcntl(slave, fcntl.F_SETFL, os.O_RDWR | flags)
                self.to_fd(slave, lambda: read_size(master, len(self.DATA)), options)
                os.close(master)

    @staticmethod
    def without(redirect):
        """The command that closes descriptors and runs another."""
        return ["sh", "-c", "exec \"$@\" " + redirect, "sh"]

    def test_closed_stdin(self):
        for options in self.OPTIONS:
            self.r = receiver()
            self.t = start(self.without("<&-") + sender_argv(self.r.port, *options))
            self.assertEqual(self.t.wait(5), 1, self.t)
            self.assertRegex(Report(self.t).before,
                             r"\nttcp-t: IO: Bad file descriptor\nerrno=9\n$")
            self.r.wait()
        # Where it is not needed it is not missed.
        self.r = receiver("-s")
        self.t = start(self.without("<&-") + sender_argv(self.r.port, "-s", "-n", 10))
        self.assertEqual((self.t.wait(), self.r.wait()), (0, 0))

    def test_closed_stdout(self):
        for options in self.OPTIONS + (("-B",),):
            self.r = receiver(*options, wrap=self.without(">&-"))
            done = send(self.r.port, stdin=b"x")
            self.assertEqual((self.r.wait(), done.code), (1, 1), self.r)
            self.assertRegex(Report(self.r).before,
                             r"\nttcp-r: IO: Bad file descriptor\nerrno=9\n$")
        self.r = receiver("-s", wrap=self.without(">&-"))
        done = send(self.r.port, stdin=b"x")
        self.assertEqual((self.r.wait(), done.code), (0, 0), self.r)

    def test_closed_stderr(self):
        self.r = receiver(wrap=self.without("2>&-"))
        self.t = start(self.without("2>&-") + sender_argv(self.r.port), stdin="pipe")
        self.t.stdin.write(self.DATA)
        self.t.stdin.close()
        self.assertEqual((self.t.wait(), self.r.wait()), (0, 0))
        self.assertEqual(self.r.out_bytes, self.DATA)

    def test_all_closed(self):
        self.r = receiver("-s", wrap=self.without("<&- >&- 2>&-"))
        self.t = start(self.without("<&- >&- 2>&-") + sender_argv(self.r.port, "-s", "-n", 10))
        self.assertEqual((self.t.wait(), self.r.wait()), (0, 0))

    def test_the_reports_reader_has_gone(self):
        # The payload is what matters.
        self.r = receiver()
        r, w = os.pipe()
        os.close(r)
        self.t = start_sender(self.r.port, stdin="pipe", stderr=w)
        os.close(w)
        self.t.stdin.write(self.DATA)
        self.t.stdin.close()
        self.assertEqual((self.t.wait(), self.r.wait()), (0, 0))
        self.assertEqual(self.r.out_bytes, self.DATA)


def write_all(fd, data):
    with open(fd, "wb", buffering=0) as f:
        data = memoryview(data)
        while data:
            data = data[f.write(data):]


def read_size(fd, size):
    data = b""
    while len(data) < size:
        data += os.read(fd, 1 << 16)
    return data


def tcp_pair():
    listener = TcpListener()
    one = socket.create_connection(("127.0.0.1", listener.port))
    other = listener.accept()
    other.setblocking(True)
    return other, one


class Uses(PipeCase):
    """What people do with it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source, self.copy = folder.name + "/a", folder.name + "/b"
        os.makedirs(self.source + "/sub/empty")
        os.mkdir(self.copy)
        for n, size in enumerate(SIZES + (1000003,)):
            with open("%s/sub/%d" % (self.source, n), "wb") as f:
                f.write(random_bytes(size))
        os.symlink("sub/1", self.source + "/link")

    def test_tar(self):
        ttcp = tool("ttcp")
        for options in ("", "-B", "-B -l 10240", "-l 100"):
            with self.subTest(options=options):
                port = free_port()
                r = start(["sh", "-c", "%s -r -p %d %s | tar xpf - -C %s" % (
                    ttcp, port, options, self.copy)])
                r.wait_listening(port)
                t = run(["sh", "-c", "tar cf - -C %s . | %s -t -p %d 127.0.0.1" % (
                    self.source, ttcp, port)])
                self.assertEqual((r.wait(), t.code), (0, 0), "%s\n%s" % (r, t))
                self.assertEqual(r.stdout + t.stdout, "")
                done = run(["diff", "-r", "--no-dereference", self.source, self.copy])
                self.assertEqual((done.code, done.stdout), (0, ""), done)
                run(["rm", "-r", self.copy])
                os.mkdir(self.copy)

    def test_a_relay(self):
        data = random_bytes(MIB + 1)
        last = receiver()
        port = free_port()
        relay = start(["sh", "-c", "%s -r -p %d | %s -t -p %d 127.0.0.1" % (
            tool("ttcp"), port, tool("ttcp"), last.port)])
        relay.wait_listening(port)
        done = send(port, stdin=data)
        self.assertEqual((done.code, relay.wait(), last.wait()), (0, 0, 0), relay)
        self.assertEqual(last.out_bytes, data)


if __name__ == "__main__":
    unittest.main()
