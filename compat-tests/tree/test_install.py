# SPDX-License-Identifier: BSD-2-Clause
"""make install puts programs and manuals where it is told, uninstall leaves nothing, and
dist packs the tree."""

import os
import stat
import subprocess
import tarfile
import tempfile
import unittest

from harness import ROOT, TestCase
from make import make, manual, programs


def files_below(root):
    return {os.path.relpath(os.path.join(folder, name), root)
            for folder, _, files in os.walk(root) for name in files}


class Install(TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.dest = temp.name

    def wanted(self, prefix="usr/local", suffix="", man="share/man"):
        files = set()
        for name, where in programs().items():
            files.add("%s/%s/%s%s" % (prefix, where, name, suffix))
            page = manual(name)
            if page:
                files.add("%s/%s/man%s/%s%s.%s" % (
                    prefix, man, page[-1], name, suffix, page[-1]))
        if not files:
            self.skipTest("no program yet")
        return files

    def both_ways(self, wanted, *settings):
        make("install", "DESTDIR=" + self.dest, *settings)
        self.assertEqual(files_below(self.dest), wanted)
        for name in wanted:
            mode = stat.S_IMODE(os.stat(os.path.join(self.dest, name)).st_mode)
            self.assertEqual(mode, 0o644 if "/man/" in name else 0o755, name)
        make("uninstall", "DESTDIR=" + self.dest, *settings)
        self.assertEqual(files_below(self.dest), set())

    def test_default_places(self):
        self.both_ways(self.wanted())

    def test_prefix_and_suffix(self):
        self.both_ways(self.wanted("usr", "-ng"), "PREFIX=/usr", "SUFFIX=-ng")

    def test_own_places(self):
        wanted = {name.replace("usr/local/bin", "b").replace("usr/local/sbin", "s/s")
                  .replace("usr/local/share/man", "m/man") for name in self.wanted()}
        self.both_ways(wanted, "BINDIR=/b", "SBINDIR=/s/s", "MANDIR=/m/man")

    def test_uninstall_leaves_others(self):
        self.wanted()
        make("install", "DESTDIR=" + self.dest)
        other = os.path.join(self.dest, "usr/local/bin/other")
        os.makedirs(os.path.dirname(other), exist_ok=True)
        open(other, "w").close()
        make("uninstall", "DESTDIR=" + self.dest)
        self.assertEqual(files_below(self.dest), {"usr/local/bin/other"})

    def test_dist(self):
        if subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            self.skipTest("not in a repository")
        make("dist", "DISTDIR=" + self.dest)
        name, = os.listdir(self.dest)
        with tarfile.open(os.path.join(self.dest, name)) as tar:
            names = tar.getnames()
        top = name[:-len(".tar.gz")]
        self.assertRegex(top, r"^netclassics-\d+\.\d+\.\d+$")
        for path in ("GNUmakefile", "LICENSE", ".ci/need", "common/err.h",
                     "compat-tests/run"):
            self.assertIn("%s/%s" % (top, path), names)


if __name__ == "__main__":
    unittest.main()
