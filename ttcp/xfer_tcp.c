/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The four TCP transfers: memory or pipe, out or in. The wire carries the payload and
 * nothing else; the end of the transfer is the end of the stream. */
#include "run.h"

#include <unistd.h>

#include "mono.h"
#include "mover.h"
#include "pipemove.h"

/* A peer that keeps its side open has had all it will read after this much silence. */
#define QUIET_NS (5 * NS_PER_S)

/* So many buffers' worth in one read where -l does not say. */
#define RX_BUFS 16

/* One block a call. */
static struct mover_tx tx_of(struct ttcp_run *t, size_t block_bytes)
{
	return (struct mover_tx){
		.fd = t->fd,
		.block = t->buf,
		.block_bytes = block_bytes,
		.call_bytes = block_bytes,
		.discard_input = true,
		.count = &t->count,
		.stop = t->stop,
	};
}

static int send_memory(struct ttcp_run *t, struct err *e)
{
	const struct ttcp_conf *c = t->conf;
	struct mover_tx tx = tx_of(t, (size_t)c->buf_bytes);

	if (!c->buf_given && !c->nodelay && !c->pause_us)
		tx.call_bytes = MOVER_CALL_BYTES;
	if (!c->pause_us)
		return mover_tx_run(&tx, c->buf_bytes * c->buf_count, e);
	for (uint64_t i = 0; i < c->buf_count; i++) {
		if (ttcp_pause(t, e) < 0 || mover_tx_run(&tx, c->buf_bytes, e) < 0)
			return -1;
	}
	return 0;
}

static int recv_memory(struct ttcp_run *t, struct err *e)
{
	const struct ttcp_conf *c = t->conf;
	struct mover_rx rx = {
		.fd = t->fd,
		.buf = t->buf,
		.buf_bytes = t->buf_bytes,
		.bufs_a_call = c->buf_given ? 1 : RX_BUFS,
		.collect = !c->buf_given && !c->sockbuf_bytes,
		.touch = c->touch,
		.count = &t->count,
		.stop = t->stop,
	};

	return mover_rx_run(&rx, UINT64_MAX, e) < 0 ? -1 : 0;
}

static struct pipemove pipe_of(struct ttcp_run *t, int fd)
{
	const struct ttcp_conf *c = t->conf;

	return (struct pipemove){
		.sock = t->fd,
		.fd = fd,
		.block_bytes = c->buf_given || c->full_blocks ? (size_t)c->buf_bytes : 0,
		.full_blocks = c->full_blocks,
		.count = &t->count,
		.stop = t->stop,
	};
}

static int send_paused(struct ttcp_run *t, struct pipemove *m, struct err *e)
{
	for (;;) {
		ssize_t n = pipemove_get(m, t->buf, (size_t)t->conf->buf_bytes, e);
		struct mover_tx tx;

		if (n <= 0)
			return (int)n;
		tx = tx_of(t, (size_t)n);
		if (ttcp_pause(t, e) < 0 || mover_tx_run(&tx, (uint64_t)n, e) < 0)
			return -1;
	}
}

static int transmit(struct ttcp_run *t, struct err *e)
{
	struct pipemove m = pipe_of(t, STDIN_FILENO);
	int rc;

	ttcp_clock_start(t);
	if (t->conf->memory)
		rc = send_memory(t, e);
	else
		rc = t->conf->pause_us ? send_paused(t, &m, e) : pipemove_send(&m, e);
	/* The figures are those of the last write; what follows only makes sure that the
	 * peer gets it all. */
	ttcp_clock_stop(t);
	return rc < 0 ? -1 : sock_finish(t->fd, QUIET_NS, MONO_NEVER, t->stop, e);
}

static int receive(struct ttcp_run *t, struct err *e)
{
	struct pipemove m = pipe_of(t, STDOUT_FILENO);
	int rc;

	ttcp_clock_start(t);
	rc = t->conf->memory ? recv_memory(t, e) : pipemove_recv(&m, e);
	ttcp_clock_stop(t);
	if (rc < 0 || t->conf->memory)
		return rc;
	/* Some file systems tell only here that the data did not fit. */
	return close(STDOUT_FILENO) < 0 ? err_sys(e, "IO") : 0;
}

int ttcp_tcp(struct ttcp_run *t, struct err *e)
{
	return t->conf->role == TTCP_TRANSMIT ? transmit(t, e) : receive(t, e);
}
