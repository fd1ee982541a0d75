# SPDX-License-Identifier: BSD-2-Clause
"""The short form of the tour of the known answers (lab tour --short), a test for each row.
The whole one is test_tour_full."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from tour import catalogue, judge  # noqa: E402
from tour.bench import Bench  # noqa: E402
from tour.row import NOISY, OFF, Row  # noqa: E402
from tour.testing import Rows, add_rows  # noqa: E402

ALONE = True  # it measures
BOUND_S = 240


@add_rows
class Short(Rows):
    short, attempts, patience_s = True, 3, 120

    def test_wrong_path_is_never_right(self):
        row, = catalogue.rows(only=["iperf3 -u -b 15M"])
        wrong = Row("wrong", row.tool, row.measure, row.expect,
                    change={"router:server": "every=1000"})
        outcome = judge.take(wrong, Bench(short=True), attempts=3)
        self.assertIn(outcome.verdict, (OFF, NOISY))
        self.assertGreater(outcome.measured["lost_share"], 0)


if __name__ == "__main__":
    unittest.main()
