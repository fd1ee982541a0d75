#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
. "$DEMO/lib.sh"

title "iperf3: how fast is this path?"

port=$(free_port)
say "The server serves one test after the other:"
typed "iperf3 -s -p $port &"
"$BIN/iperf3" -s -p "$port" >server 2>&1 &
remember $!
wait_port "$port"

say "The client sends for two seconds over two connections:"
show "$BIN/iperf3" -c 127.0.0.1 -p "$port" -t 2 -P 2
echo
say "What the server saw of it:"
grep SUM server >sums
indented sums
echo

say "UDP at a rate, as JSON, made into one line:"
typed "iperf3 -c 127.0.0.1 -p $port -u -b 50M -l 1400 -t 1 -J >result.json"
"$BIN/iperf3" -c 127.0.0.1 -p "$port" -u -b 50M -l 1400 -t 1 -J >result.json
awk -F'[:,\t ]+' '
	/"sum":/ { inside = 1 }
	inside && /"bits_per_second"/ { rate = $3 / 1e6 }
	inside && /"jitter_ms"/ { jitter = $3 }
	inside && /"lost_packets"/ { lost = $3 }
	inside && /"packets"/ { packets = $3 }
	inside && /"sender"/ { inside = 0 }
	END {
		printf "    %.1f Mbit/s, %d of %d datagrams lost, jitter %.3f ms\n",
			rate, lost, packets, jitter
	}' result.json
