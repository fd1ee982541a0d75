#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
. "$DEMO/lib.sh"

title "ttcp: copy a folder from one machine to another"

mkdir from to from/notes
seq 1 20000 >from/numbers
seq 1 300 | sed 's/.*/line & of a letter/' >from/notes/letter
head -c 5000000 /dev/urandom >from/random
port=$(free_port)

say "The receiver unpacks what arrives:"
typed "ttcp -r -p $port | tar -C to -xf -"
("$BIN/ttcp" -r -p "$port" 2>receiver | tar -C to -xf -) &
receiver=$!
remember $receiver
wait_port "$port"

say "The sender packs a folder:"
typed "tar -C from -cf - . | ttcp -t -p $port 127.0.0.1"
tar -C from -cf - . | "$BIN/ttcp" -t -p "$port" 127.0.0.1 2>sender

wait $receiver
echo
say "What the sender reports:"
indented sender
say "What the receiver reports:"
indented receiver
echo
show diff -r from to
say "No difference: the copy is the same, $(du -sk to | cut -f1) KiB."
