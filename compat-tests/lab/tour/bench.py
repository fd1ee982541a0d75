# SPDX-License-Identifier: BSD-2-Clause
"""What a row's measure() works with: a fresh path, and programs to run on it."""

import contextlib
import functools
import os
import shutil
import subprocess
import tempfile

from labkit import Lab, LabError, default_topology, ns
from labkit.topology import parse_topology

from .row import Skip

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
BUILD = os.environ.get("NETCLASSICS_BUILD") or os.path.join(ROOT, "build", "release")
SYSTEM = "/usr/bin:/usr/sbin:/bin:/sbin"

# Tools of this project; others (ping) belong to the system.
OURS = ("ttcp", "nuttcp", "iperf", "iperf3", "hping3", "pchar")
PATIENCE_S = 30


class Program:
    """path of a tool; kind is "ours", "upstream" or "system"."""

    def __init__(self, path, kind):
        self.path, self.kind = path, kind

    def as_dict(self):
        return {"path": self.path, "kind": self.kind}


def find(name, upstream_only=False, build=BUILD):
    """Ours when it is built, else the original when it is installed, else Skip."""
    if name not in OURS:
        path = shutil.which(name, path=SYSTEM)
        if not path:
            raise Skip("%s is not installed" % name)
        return Program(path, "system")
    path = os.path.join(build, "bin", name)
    if not upstream_only and os.access(path, os.X_OK):
        return Program(path, "ours")
    for folder in SYSTEM.split(os.pathsep) + os.get_exec_path():
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK) and not _names_us(path):
            return Program(path, "upstream")
    raise Skip("the original %s is not installed" % name if upstream_only else
               "%s is neither built nor installed" % name)


@functools.lru_cache(None)
def _names_us(path):
    """Ours may be installed under the same name; all of ours name the project."""
    with open(path, "rb") as f:
        return b"netclassics" in f.read()


class Bench:
    def __init__(self, short=False, upstream_only=False):
        self.short, self.upstream_only = short, upstream_only
        self.lab = None

    def find(self, name):
        return find(name, self.upstream_only)

    def seconds(self, full, short):
        """How long to measure."""
        return short if self.short else full

    @contextlib.contextmanager
    def path(self, row):
        """A lab as the row wants it. Reno is what every Linux allows in a namespace."""
        text = default_topology().text + "".join(
            "\nset %s %s" % (link, words) for link, words in row.change.items())
        with Lab(parse_topology(text), seed=row.seed, congestion="reno") as self.lab:
            yield self.lab

    def measure(self, row):
        """(what the row expects a value of, everything else). A tool that fails or hangs
        has measured nothing."""
        try:
            found = row.measure(self)
        except LabError as e:
            found = {"error": str(e)}
        if not self.lab.emulator.alive():
            raise LabError("the emulator died: %s" % self.lab.emulator.said())
        return ({k: found[k] for k in row.expect if k in found},
                {k: v for k, v in found.items() if k not in row.expect})

    # ---- programs on the path ----

    def argv(self, tool, words):
        return [self.find(tool).path] + [str(w) for w in words]

    def client(self, tool, *words, timeout=PATIENCE_S):
        """Run to the end; returns all it printed, as text. Its exit code is no matter:
        what it printed is."""
        done = self.lab.run("client", self.argv(tool, words), timeout=timeout)
        return done.stdout + done.stderr

    def start(self, tool, *words, **options):
        return self.lab.start("client", self.argv(tool, words), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, universal_newlines=True, **options)

    def serve(self, tool, *words):
        """A server that has opened its port; it ends with the path."""
        return Server(self.lab, self.argv(tool, words))

    def sysctl(self, name, value):
        """Set it in all nodes, for this path."""
        for node in self.lab.topology.nodes:
            ns.inside(self.lab.netns(node), lambda: ns.write_sysctl(name, value))

    def router(self, *words):
        """Run something in the router."""
        if not shutil.which(words[0]):
            raise Skip("%s is not installed" % words[0])
        done = self.lab.run("router", list(words))
        if done.returncode:
            raise LabError("%s: %s" % (words[0], done.stderr.strip() or "failed"))


class Server:
    def __init__(self, lab, argv):
        self._out = tempfile.TemporaryFile()
        self.process = lab.serve("server", argv, stdout=self._out, stderr=subprocess.STDOUT)

    def report(self):
        """What it printed, when it ended by itself."""
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise LabError("%s: no end within %g s" % (self.process.args[-1], PATIENCE_S)) \
                from None
        self._out.seek(0)
        return self._out.read().decode("utf-8", "replace")
