# SPDX-License-Identifier: BSD-2-Clause
"""Signals, refusals, a busy server, several tests, log files, the server's output."""

from golden.iperf3_compare import add_tests

Cases = add_tests("client-", "server-", "logfile")
