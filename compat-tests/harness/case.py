# SPDX-License-Identifier: BSD-2-Clause
"""The base class of black-box tests."""

import difflib
import os
import unittest

from . import cleanup, programs


class TestCase(unittest.TestCase):
    """Closes what the test opened, and fails it when a sanitizer found something."""

    maxDiff = None

    def run(self, result=None):
        # Registered before setUp runs, so called after everything else.
        self.addCleanup(_no_findings)
        self.addCleanup(cleanup.close_since, cleanup.mark())
        return super().run(result)


def _no_findings():
    text = programs.take_findings()
    if text:
        raise AssertionError("sanitizer:\n" + text)


def long_test(test):
    """Decorator of a test (or class) that runs only with LONG=1 (make check-long)."""
    test.long_test = True
    return test


def golden(test, path, text):
    """Compare text with a file, byte by byte, and show the difference.
    UPDATE_GOLDEN=1 writes the file instead: look at git diff afterwards."""
    if os.environ.get("UPDATE_GOLDEN"):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", newline="") as f:
            f.write(text)
        return
    try:
        with open(path, newline="") as f:
            want = f.read()
    except FileNotFoundError:
        test.fail("%s does not exist; UPDATE_GOLDEN=1 writes it:\n%s" % (path, text))
    if want != text:
        test.fail("\n" + "\n".join(repr(line) if line != line.rstrip() else line
                                   for line in difflib.unified_diff(
            want.splitlines(), text.splitlines(), path, "now", lineterm="")))
