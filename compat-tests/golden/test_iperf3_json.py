# SPDX-License-Identifier: BSD-2-Clause
"""JSON documents and streams have iperf3's keys, in its order and layout."""

from golden.iperf3_compare import add_tests

Cases = add_tests("json-", "no-server")
