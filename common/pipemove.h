/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bytes from a descriptor into a TCP socket, and from a TCP socket into a descriptor:
 * every byte, in order, whatever the descriptors are (pipe, file, terminal, socket,
 * non-blocking or not). Without a block size given by hand the kernel moves the pages
 * itself where it can (splice(2), sendfile(2)) and read and write do the rest.
 *
 * Both wait in poll(2) only, so that a stopper ends them and a slow reader merely slows
 * them down. A reader that has gone is an error with the next byte, not before: tar
 * leaves when it has seen the end of the archive. */
#ifndef PIPEMOVE_H
#define PIPEMOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "counters.h"
#include "err.h"
#include "stopper.h"

#define PIPEMOVE_BUF_BYTES (128u * 1024)
/* What we ask the kernel to make pipes hold. */
#define PIPEMOVE_PIPE_BYTES (1024 * 1024)

struct pipemove {
	int sock; /* connected TCP socket; becomes non-blocking. For get and put any
		   * socket, or -1: it is only watched for errors */
	int fd;   /* the other side */
	/* 0: move as much at a time as is quick. Else one read and one write of at most
	 * so many bytes each time. */
	size_t block_bytes;
	/* Receiving: collect block_bytes (or to the end) before writing. */
	bool full_blocks;
	bool timed; /* keep the counters' times, for --why */
	/* bytes: delivered to the other side. calls: network reads (receiving, also the
	 * one at end of file) or writes. */
	struct counters *count;
	struct stopper *stop; /* may be NULL */
	/* private; false at the start */
	bool no_nowait, discard_input;
};

/* Until end of file of fd: all of it was taken by the kernel for sending. What the peer
 * sends meanwhile is read and dropped, lest both wait for ever. Returns 0, or -1 with e
 * filled (what "IO"). */
int pipemove_send(struct pipemove *m, struct err *e);

/* Until end of file of the socket: all of it was written to fd. Returns 0, or -1 with e
 * filled (what "IO"). After an error of the network, what had come before it has been
 * written. */
int pipemove_recv(struct pipemove *m, struct err *e);

/* One piece, for transfers that pipemove_send and pipemove_recv do not cover: a read of
 * what is there, up to len bytes (returns them, 0 at end of file, -1 with e filled), and
 * a write of all len bytes (counted; returns 0, or -1 with e filled). */
ssize_t pipemove_get(struct pipemove *m, void *buf, size_t len, struct err *e);
int pipemove_put(struct pipemove *m, const void *buf, size_t len, struct err *e);

#endif
