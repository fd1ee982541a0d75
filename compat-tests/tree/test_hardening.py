# SPDX-License-Identifier: BSD-2-Clause
"""The programs are built with the usual defences: position independent, tables read-only
after start, no executable stack, checked libc calls and stacks."""

import glob
import os
import re
import tempfile
import unittest

from harness import BUILD, KIND, TestCase, need_program, run


def readelf(option, path):
    return run(["readelf", "-W", option, path], timeout=60).stdout


def weaknesses(path):
    """What a program lacks."""
    header, segments = readelf("-h", path), readelf("-l", path)
    dynamic, symbols = readelf("-d", path), readelf("--dyn-syms", path)
    found = []
    if not re.search(r"Type:\s+DYN", header) or "INTERP" not in segments:
        found.append("not position independent")
    if "GNU_RELRO" not in segments or not re.search(r"BIND_NOW|FLAGS.*\bNOW\b", dynamic):
        found.append("tables stay writable")
    if not re.search(r"GNU_STACK.*\bRW\b(?! *E)", segments):
        found.append("executable stack")
    if "TEXTREL" in dynamic:
        found.append("writable text")
    if "__stack_chk_fail" not in symbols:
        found.append("no stack protector")
    if not re.search(r"__\w+_chk\b", symbols.replace("__stack_chk_fail", "")):
        found.append("no _FORTIFY_SOURCE")
    return found


@unittest.skipUnless(KIND == "release", "of the release build only")
class Hardening(TestCase):
    def test_programs(self):
        paths = [p for p in sorted(glob.glob(os.path.join(BUILD, "bin", "*")))
                 if not os.path.basename(p).startswith(("fuzz_", "replay_"))]
        self.assertTrue(paths)
        for path in paths:
            with self.subTest(os.path.basename(path)):
                self.assertEqual(weaknesses(path), [])

    def test_a_weak_program(self):
        source = ('#include <stdio.h>\nint main(int c, char **v) { char b[9]; '
                  'snprintf(b, (size_t)c, "%s", v[0]); return puts(b); }\n')
        with tempfile.TemporaryDirectory() as folder:
            def build(*options):
                path = os.path.join(folder, "x")
                done = run([need_program("cc"), "-x", "c", "-O2", "-w", *options,
                            "-o", path, "-"], stdin=source)
                self.assertEqual(done.code, 0, done)
                return weaknesses(path)

            strong = ["-fPIE", "-pie", "-Wl,-z,relro,-z,now", "-fstack-protector-all",
                      "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"]
            self.assertEqual(build(*strong), [])
            for option, want in (
                ("-no-pie", "not position independent"),
                ("-Wl,-z,lazy", "tables stay writable"),
                ("-Wl,-z,norelro", "tables stay writable"),
                ("-Wl,-z,execstack", "executable stack"),
                ("-fno-stack-protector", "no stack protector"),
                ("-U_FORTIFY_SOURCE", "no _FORTIFY_SOURCE"),
            ):
                with self.subTest(option):
                    self.assertEqual(build(*strong, option), [want])


if __name__ == "__main__":
    unittest.main()
