# SPDX-License-Identifier: BSD-2-Clause
"""Every source file names its licence, is clean text and knows nothing of the machine it
was written on."""

import os
import re
import subprocess
import tempfile
import unittest

from harness import ROOT, TestCase

SKIP = {".git", "build", "dist", "__pycache__"}
LICENCE = "SPDX-License-Identifier: BSD-2-Clause"

# What programs print and what peers send is kept as it came.
AS_IT_CAME = re.compile(r"^compat-tests/(golden|parsers|fuzz/seeds)/.*(?<!\.py)$")

# Written in two halves, so that this file does not find itself.
MACHINE = re.compile("|".join(re.escape(a + b) for a, b in (
    ("/wo", "rk/"), ("/tmp", "/wt"), ("/tmp/", "brief"), ("/roo", "t/"), ("/home", "/"),
    ("deb.deb", "ian.org"), ("registry.n", "pmjs"))))


def files_of(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIP)
        for name in sorted(files):
            path = os.path.join(folder, name)
            if name != ".git" and not os.path.islink(path):
                yield os.path.relpath(path, root)


def ignored(root, paths):
    """Those that git ignores; none outside a repository (a release archive)."""
    done = subprocess.run(["git", "-C", root, "check-ignore", "--stdin"],
                          input="\n".join(paths).encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return set(done.stdout.decode().splitlines())


def faults_of(path, data):
    """Faults of one file, as "path:line: what"."""
    if AS_IT_CAME.match(path) or b"\0" in data:
        return []
    found = []
    lines = data.decode("utf-8", "replace").split("\n")
    if lines[-1] != "":
        found.append("%s:%d: no newline at the end" % (path, len(lines)))
    if path.endswith((".c", ".h")):
        if lines[0] != "/* %s */" % LICENCE and lines[0] != "/* " + LICENCE:
            found.append("%s:1: the first line is not /* %s" % (path, LICENCE))
    elif path.endswith((".py", ".sh")) or lines[0].startswith("#!"):
        if not any(line == "# " + LICENCE for line in lines[:3]):
            found.append("%s:1: no # %s at the top" % (path, LICENCE))
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            found.append("%s:%d: blank at the end of the line" % (path, number))
        if "\ufffd" in line:
            found.append("%s:%d: not UTF-8" % (path, number))
        word = MACHINE.search(line)
        if word:
            found.append("%s:%d: %s belongs to some machine" % (
                path, number, word.group(0)))
    return found


def check(root):
    paths = list(files_of(root))
    skip = ignored(root, paths)
    found = []
    for path in paths:
        if path not in skip:
            with open(os.path.join(root, path), "rb") as f:
                found += faults_of(path, f.read())
    return found


class Text(TestCase):
    def test_this_tree(self):
        faults = check(ROOT)
        if faults:
            self.fail("\n" + "\n".join(faults))

    def test_faults_are_found(self):
        c, sh = "/* %s */\n" % LICENCE, "#!/bin/sh\n# %s\n" % LICENCE
        machine = "cd /wo" + "rk/main\n"
        for path, text, want in (
            ("a.c", c + "int x;\n", []),
            ("a.h", "/* %s\n *\n * Why. */\n" % LICENCE, []),
            ("run", sh, []),
            ("README.md", "text\n", []),
            ("compat-tests/golden/a.out", "as it came \n" + machine, []),
            ("a.c", "int x;\n", ["a.c:1: the first line is"]),
            ("a.c", "\n" + c, ["a.c:1: the first line is"]),
            ("run", "#!/bin/sh\n", ["run:1: no # SPDX"]),
            ("a.py", "import os\n", ["a.py:1: no # SPDX"]),
            ("a.c", c + "int x; \n", ["a.c:2: blank at the end"]),
            ("a.c", c + "int x;\r\n", ["a.c:2: blank at the end"]),
            ("a.c", c + "int x;", ["a.c:2: no newline"]),
            ("README.md", machine, ["README.md:1: /wo"]),
            ("compat-tests/golden/test_a.py", "# %s\n" % LICENCE + machine,
             ["compat-tests/golden/test_a.py:2: /wo"]),
        ):
            found = faults_of(path, text.encode())
            self.assertEqual(len(found), len(want), (path, text, found))
            for have, start in zip(found, want):
                self.assertTrue(have.startswith(start), have)

    def test_a_bad_tree(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(root + "/build")
            for name in ("build/a.c", "b.c"):
                with open(os.path.join(root, name), "w") as f:
                    f.write("bad\n")
            self.assertEqual(len(check(root)), 1)


if __name__ == "__main__":
    unittest.main()
