# SPDX-License-Identifier: BSD-2-Clause
"""The manuals are clean for both formatters."""

import glob
import os
import tempfile
import unittest

from harness import ROOT, TestCase, need_program, run

GOOD = r'''.Dd January 1, 2025
.Dt THING 1
.Os
.Sh NAME
.Nm thing
.Nd does a thing
.Sh SYNOPSIS
.Nm
.Op Fl p Ar port
.Sh DESCRIPTION
It does a thing.
.Bl -tag -width Ds
.It Fl p Ar port
Where.
.El
'''


def complaints(path):
    """What mandoc and groff say about a manual."""
    found = []
    for argv in ([need_program("mandoc"), "-T", "lint", "-W", "warning", path],
                 [need_program("groff"), "-mdoc", "-Tutf8", "-ww", "-z", path]):
        done = run(argv)
        text = (done.stdout + done.stderr).strip()
        if done.code or text:
            found.append("%s: exit code %d\n%s" % (argv[0], done.code, text))
    return found


class Manuals(TestCase):
    def test_manuals(self):
        paths = sorted(glob.glob(os.path.join(ROOT, "man", "*.[1-9]")))
        if not paths:
            self.skipTest("no manual yet")
        for path in paths:
            with self.subTest(os.path.basename(path)):
                found = complaints(path)
                if found:
                    self.fail("\n" + "\n".join(found))

    def of_text(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".1") as f:
            f.write(text)
            f.flush()
            return complaints(f.name)

    def test_good(self):
        self.assertEqual(self.of_text(GOOD), [])

    def test_bad(self):
        self.assertTrue(self.of_text(GOOD.replace(".El\n", "")))
        self.assertTrue(self.of_text(GOOD.replace(".Sh NAME\n", "")))
        self.assertTrue(self.of_text(GOOD + ".Xy unknown\n"))


if __name__ == "__main__":
    unittest.main()
