# SPDX-License-Identifier: BSD-2-Clause
"""Every option that a program takes is in its manual, and the reverse."""

import re
import unittest

from harness import TestCase, run, tool
from make import manual, programs


def dumped(text):
    """Options of --dump-options as it prints them, as {"-p", "--port"}: those that must
    be in the manual, and those that may be (not shown in the help either)."""
    must, may = set(), set()
    for line in text.splitlines():
        letter, name, _, _, help_text = line.split("\t", 4)
        names = {"-" + letter} if letter != "-" else set()
        if name != "-":
            # Of a tool whose options are words with one dash: "-wb".
            names.add(name if name.startswith("-") else "--" + name)
        (may if help_text == "-" else must).update(names)
    return must, may


def in_manual(text):
    """Options that have an item of their own: ".It Fl p , Fl -port Ar number"."""
    found = set()
    for line in re.findall(r"^\.It\s+(.*)$", text, re.M):
        flag = any_flag = False
        for word in line.split():
            word = word.replace("\\-", "-").replace("\\&", "")
            if re.match(r"^[A-Z][a-z]$", word):  # the next macro
                flag = word == "Fl"
                any_flag = any_flag or flag
            elif word in (",", "|"):  # "Fl p , -port" goes on after it
                flag = any_flag
            elif flag:
                found.add("-" + word)
    return found


def differences(dump, page):
    must, may = dumped(dump)
    there = in_manual(page)
    return (["%s has no .It Fl in the manual" % o for o in sorted(must - there)] +
            ["%s is in the manual only" % o for o in sorted(there - must - may)])


class Options(TestCase):
    def test_manuals(self):
        missing = []
        for name in programs():
            with self.subTest(name):
                path = manual(name)
                if path is None:
                    missing.append(name)
                    continue
                done = run([tool(name), "--dump-options"])
                self.assertEqual(done.code, 0, done)
                with open(path) as f:
                    found = differences(done.stdout, f.read())
                if found:
                    self.fail("\n" + "\n".join(found))
        if missing:
            self.skipTest("no manual yet: " + " ".join(missing))

    DUMP = ("p\tport\tPORT\t0\tport to use\nq\tquiet\t-\t0\t-\n"
            "-\tjson\t-\t0\tas JSON\nP\t-\tPORT\t0\tsame as -p\n")
    PAGE = (".It Fl p , Fl -port Ar PORT\n.It Fl \\-json\n.It Fl P Ns Ar PORT\n"
            ".It Dv OTHER\n.It 0\n")

    def test_same(self):
        self.assertEqual(differences(self.DUMP, self.PAGE), [])
        self.assertEqual(differences(self.DUMP, self.PAGE + ".It Fl q , -quiet\n"), [])
        self.assertEqual(in_manual('.It Fl 4\n.It Fl -a-b Ns = Ns Ar x\n.It Fl ?\n'),
                         {"-4", "--a-b", "-?"})

    def test_each_difference(self):
        self.assertEqual(differences(self.DUMP, self.PAGE.replace("Fl \\-json", "Fl x")),
                         ["--json has no .It Fl in the manual",
                          "-x is in the manual only"])
        self.assertEqual(differences(self.DUMP, self.PAGE.replace(" , Fl -port", "")),
                         ["--port has no .It Fl in the manual"])
        self.assertEqual(differences(self.DUMP + "z\t-\t-\t0\tnew\n", self.PAGE),
                         ["-z has no .It Fl in the manual"])


if __name__ == "__main__":
    unittest.main()
