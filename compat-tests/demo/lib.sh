#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Read by every scene: . "$DEMO/lib.sh". The scene runs in an empty folder that is removed
# afterwards. $BIN holds the programs.
set -eu

started=

stop_all()
{
	# KILL as well: between fork and exec a shell's child loses other signals.
	for signal in TERM KILL; do
		for pid in $started; do
			if kill -s $signal "$pid" 2>/dev/null && [ $signal = TERM ]; then
				sleep 0.1
			fi
		done
	done
}
trap stop_all EXIT
trap 'exit 143' TERM INT

# title TEXT - the heading of a scene
title()
{
	printf '\n=== %s\n\n' "$*"
}

# say TEXT - a line of explanation
say()
{
	printf '# %s\n' "$*"
}

# typed WORDS - show what a person would type, with the programs by their names
typed()
{
	printf '$ %s\n' "$*" | sed "s|$BIN/||g"
}

# show COMMAND... - show a command and run it
show()
{
	typed "$*"
	"$@"
}

# indented FILE - show what a program wrote
indented()
{
	sed 's/^/    /' "$1"
}

# remember PID - a program in the background, ended with the scene
remember()
{
	started="$started $1"
}

# free_port - print a port that nobody listens on
free_port()
{
	n=0
	while [ $n -lt 100 ]; do
		port=$((20000 + ($$ * 7 + n * 131) % 12000))
		n=$((n + 1))
		if ! in_use "$port"; then
			echo "$port"
			return 0
		fi
	done
	return 1
}

in_use()
{
	cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 2>/dev/null |
		grep -q ":$(printf %04X "$1") "
}

# wait_port PORT - wait until a program listens on it, TCP or UDP, 5 seconds at most
wait_port()
{
	n=0
	until in_use "$1"; do
		n=$((n + 1))
		[ $n -lt 100 ] || { echo "nobody listens on port $1"; return 1; }
		sleep 0.05
	done
}
