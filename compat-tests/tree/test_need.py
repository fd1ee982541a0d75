# SPDX-License-Identifier: BSD-2-Clause
""".ci/need asks for what is missing and for nothing else. The package programs here are
stand-ins."""

import os
import shutil
import tempfile
import unittest

from harness import ROOT, TestCase, run

NEED = os.path.join(ROOT, ".ci", "need")


class Need(TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.folder = temp.name
        for name in ("sh", "dirname", "grep", "sed", "mktemp", "rm", "cat", "env"):
            os.symlink(shutil.which(name), os.path.join(self.folder, name))
        self.stand_in("id", "echo 0")

    def stand_in(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as f:
            f.write("#!/bin/sh\n%s\n" % text)
        os.chmod(path, 0o755)

    def debian(self, missing=(), apt="exit 0"):
        """dpkg-query that misses some packages; apt-get that notes what it is told."""
        self.stand_in("dpkg-query", 'for last; do :; done; case " %s " in *" $last "*) '
                                    'exit 1;; esac; echo installed' % " ".join(missing))
        self.stand_in("apt-get", 'echo "$DEBIAN_FRONTEND $*" >>%s/log\n%s' % (
            self.folder, apt))

    def need(self, *sets):
        return run([NEED, *sets], env={"PATH": self.folder})

    def log(self):
        try:
            with open(self.folder + "/log") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def test_nothing_missing(self):
        self.debian()
        done = self.need("build", "test", "upstream", "lint")
        self.assertEqual((done.code, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.log(), "")

    def test_some_missing(self):
        self.debian(["make", "iperf3", "nuttcp"])
        done = self.need("build", "upstream")
        self.assertEqual((done.code, done.stdout, done.stderr),
                         (0, "installing: make iperf3 nuttcp\n", ""))
        update, install = self.log().splitlines()
        self.assertTrue(update.endswith(" update"), update)
        self.assertRegex(install, r"^noninteractive .* make iperf3 nuttcp$")

    def test_only_the_sets_asked_for(self):
        self.debian(["iperf3"])
        self.assertEqual(self.need("build", "test").stdout, "")

    def test_apt_fails(self):
        self.debian(["make"], 'case "$*" in *install*) echo broken; exit 100;; esac')
        done = self.need("build")
        self.assertEqual(done.code, 1)
        self.assertIn("broken", done.stderr)
        self.assertIn("could not install: make", done.stderr)

    def test_not_root(self):
        self.debian(["make"])
        self.stand_in("id", "echo 1000")
        done = self.need("build")
        self.assertEqual(done.code, 1)
        self.assertIn("be root or install sudo", done.stderr)
        self.stand_in("sudo", 'echo sudo >>%s/log; exec "$@"' % self.folder)
        self.assertEqual(self.need("build").code, 0)
        self.assertEqual(self.log().count("sudo\n"), 2)

    def test_no_debian(self):
        done = self.need("build")
        self.assertEqual(done.code, 1)
        self.assertIn("gcc libc6-dev make", done.stderr)

    def test_no_such_set(self):
        self.debian()
        self.assertEqual(self.need("bild").code, 1)


if __name__ == "__main__":
    unittest.main()
