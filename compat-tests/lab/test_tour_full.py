# SPDX-License-Identifier: BSD-2-Clause
"""The tour of the known answers, whole: a test for each row, some ten minutes in all."""

import os
import sys
import unittest

from harness import long_test

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from tour.testing import Rows, add_rows  # noqa: E402

ALONE = True  # it measures
BOUND_S = 2400


@long_test
@add_rows
class Full(Rows):
    patience_s = 1500


if __name__ == "__main__":
    unittest.main()
