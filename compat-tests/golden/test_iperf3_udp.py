# SPDX-License-Identifier: BSD-2-Clause
"""UDP tests print iperf3's lines."""

from golden.iperf3_compare import add_tests

Cases = add_tests("udp-")
