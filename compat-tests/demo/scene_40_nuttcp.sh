#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
. "$DEMO/lib.sh"

title "nuttcp: throughput and loss, agreed on with a server"

control=$(free_port)
data=$((control + 1))

say "A server for any number of clients, here in the foreground:"
typed "nuttcp -S -P $control"
"$BIN/nuttcp" -S --nofork -P "$control" &
remember $!
wait_port "$control"

say "Two seconds of TCP, a line each half second:"
show "$BIN/nuttcp" -P"$control" -p"$data" -T2 -i0.5 127.0.0.1
echo
say "UDP at 50 Mbps in bursts of 20 packets, the server sends:"
show "$BIN/nuttcp" -u -r -Ri50m/20 -T1 -l1024 -P"$control" -p"$data" 127.0.0.1
echo
say "The same words for scripts:"
show "$BIN/nuttcp" -fparse -n1000 -P"$control" -p"$data" 127.0.0.1
