/* SPDX-License-Identifier: BSD-2-Clause
 *
 * TCP payload in bulk: out of one block of memory, into one buffer.
 *
 * The sender hands the same block to the kernel many times in one call, straight out of
 * the processor's cache; the receiver reads several buffers' worth in one call and, when
 * data comes fast, lets the kernel collect (SO_RCVLOWAT) so that it is woken less often.
 * Every byte is still copied to and from user space.
 *
 * Neither ever sits in a call that it cannot leave. The sender offers what the socket
 * takes at once and waits in poll(2); the receiver's collecting calls end after
 * MOVER_COLLECT_NS at the latest. So byte counts are never late on a slow path, and a
 * stopper ends both at once. Both work on blocking and non-blocking sockets. */
#ifndef MOVER_H
#define MOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "counters.h"
#include "err.h"
#include "stopper.h"

#define MOVER_IOV_MAX    128
#define MOVER_CALL_BYTES (1024u * 1024) /* a good most for one send call */
#define MOVER_BUF_BYTES  (128u * 1024)  /* a good receive buffer: stays in the L2 cache */
#define MOVER_COLLECT_NS (10 * UINT64_C(1000000))

/* What a call is, for struct counters: one hand-over to or from the kernel. The sender
 * counts a hand-over when all of it was taken, however often the socket had to be waited
 * for on the way, as a blocking write(2) does; the receiver counts each read, and the one
 * that returns end of file. */

struct mover_tx {
	/* set by the caller before mover_tx_run() */
	int fd;
	const void *block;
	size_t block_bytes;
	size_t call_bytes;  /* most for one call; <= block_bytes: one block a call */
	bool discard_input; /* read and drop what the peer sends, lest both wait for ever
			     */
	bool timed;         /* keep counters' call_ns and call_since_ns, for --why */
	struct counters *count;
	struct stopper *stop; /* may be NULL */
	/* private; zero at the start */
	size_t offset; /* of the next byte within the block */
};

/* Send bytes more (UINT64_MAX: until stopped), from where the last run ended. Returns 0
 * when all of them were taken by the kernel, or -1 with e filled (ERR_STOPPED, ERR_SYS).
 */
int mover_tx_run(struct mover_tx *t, uint64_t bytes, struct err *e);

struct mover_rx {
	/* set by the caller before mover_rx_run() */
	int fd;
	void *buf;
	size_t buf_bytes;
	unsigned bufs_a_call; /* 1: read(buf_bytes); n: up to n into the same buffer */
	bool collect; /* may use SO_RCVLOWAT; not with a receive buffer set by hand */
	bool no_copy; /* MSG_TRUNC: drop the payload inside the kernel */
	bool touch;   /* read every byte once (cache effects) */
	bool timed;
	struct counters *count;
	struct stopper *stop; /* may be NULL */
	/* private; zero at the start */
	int lowat_bytes;
	uint64_t window_ns, window_bytes;
};

/* Receive until end of file or until at least bytes more have come (UINT64_MAX: no
 * limit). Returns 1 at end of file, 0 at the limit, -1 with e filled. */
int mover_rx_run(struct mover_rx *r, uint64_t bytes, struct err *e);

#endif
