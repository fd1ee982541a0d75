# SPDX-License-Identifier: BSD-2-Clause
"""The rows of the tour as tests: one method for each. A row that could not be judged is
skipped, with the reason; it neither passes nor fails."""

import re
import time
import unittest

from harness import SANITIZED, TestCase, need_root

from . import catalogue, judge
from .bench import Bench
from .row import NOISY, OFF, SKIPPED


class Rows(TestCase):
    """short: which form; attempts of a row; patience_s: no second attempt after it, and no
    row at all half a minute later."""

    short, attempts, patience_s = False, 5, 1e9
    began = None

    def setUp(self):
        need_root()
        if SANITIZED:
            self.skipTest("a sanitizer slows the emulator")
        if type(self).began is None:
            type(self).began = time.monotonic()
        if time.monotonic() > self.began + self.patience_s + 30:
            self.skipTest("machine too noisy: the time went to rows before this")

    def take(self, row):
        outcome = judge.take(row, Bench(self.short), self.attempts,
                             self.began + self.patience_s)
        if outcome.verdict == OFF:
            self.fail("%s\n%s" % (outcome.reason, "\n".join("%s: expected %s (%s)" % (
                k, e.show(k), e.how) for k, e in row.expect.items())))
        if outcome.verdict in (NOISY, SKIPPED):
            raise unittest.SkipTest("%s: %s: %s" % (row.name, outcome.verdict,
                                                    outcome.reason))


def add_rows(case):
    """Class decorator."""
    for number, row in enumerate(catalogue.rows(case.short)):
        def test(self, row=row):
            self.take(row)
        name = re.sub(r"\W+", "_", row.name).strip("_")
        setattr(case, "test_%02d_%s" % (number, name), test)
    return case
