# SPDX-License-Identifier: BSD-2-Clause
"""Asking the makefile, for the tests of this folder."""

import os

from harness import KIND, ROOT, run

# What "make check" was told must not leak into the makes of the tests.
CLEAN = {"MAKEFLAGS": "", "MFLAGS": "", "MAKELEVEL": "", "DESTDIR": "", "BUILD": KIND}


def make(*words, timeout=300):
    """Run make in this tree, for the build under test."""
    done = run(["make", "-C", ROOT, "--no-print-directory", "-j2", "BUILD=" + KIND,
                *words], env=CLEAN, timeout=timeout)
    if done.code:
        raise AssertionError(done)
    return done.stdout


def programs():
    """name -> "bin" or "sbin" of what this build installs."""
    lines = [line.split() for line in make("-s", "programs").splitlines()]
    return {words[1]: words[2] for words in lines
            if len(words) == 3 and words[0] == "program"}


def manual(name):
    """The path of a program's manual, or None."""
    for section in "123456789":
        path = os.path.join(ROOT, "man", "%s.%s" % (name, section))
        if os.path.exists(path):
            return path
    return None
