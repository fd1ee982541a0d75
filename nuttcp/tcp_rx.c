/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The receiving thread, TCP. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "data.h"
#include "flow.h"
#include "mono.h"
#include "mover.h"
#include "payload.h"
#include "pipemove.h"

#define BUFS_A_CALL 4
#define FRESH_NS    (5 * NS_PER_MS)
#define MOST_BLOCKS 1024

struct receiver {
	struct nut_flow *f;
	struct mover_rx mover;
	void *buf, *base;
	size_t buflen;
	struct nut_tcp_head head;
	bool first, heads, times;
};

/* ---- one stream ---- */

static void take_head(struct receiver *r, const unsigned char *head)
{
	uint32_t retrans, cwnd_kb;

	if (!r->heads)
		return;
	if (r->first) {
		r->first = false;
		r->head = nut_data_first(head);
		r->heads = r->head.known;
		cwnd_kb = 0;
		retrans = 0;
	} else {
		nut_data_tcp(head, &r->head, &retrans, &cwnd_kb);
	}
	pthread_mutex_lock(&r->f->lock);
	r->f->live.have_tcp = r->heads;
	r->f->live.host_wide = r->head.host_wide;
	/* Of an old client the first buffers have -1 there. */
	if (retrans != UINT32_MAX)
		r->f->live.retrans = retrans;
	if (r->f->c.peer_version >= NUT_SINCE_CWND && cwnd_kb != NUT_MAGIC_RETRANS)
		r->f->live.cwnd_kb = cwnd_kb;
	pthread_mutex_unlock(&r->f->lock);
}

static void take_time(struct receiver *r, const unsigned char *head, size_t len)
{
	uint64_t now_us = wall_now_ns() / NS_PER_US;
	uint64_t sent_us = nut_data_time(head, len, now_us);
	double ms = ((double)(int64_t)(now_us - sent_us)) / 1e3;

	if (!r->times || !sent_us)
		return;
	pthread_mutex_lock(&r->f->lock);
	nut_spread_add(&r->f->live.owd, ms);
	nut_spread_add(&r->f->live.owd_all, ms);
	pthread_mutex_unlock(&r->f->lock);
}

/* Read the head of every n-th buffer apart, and the rest in bulk. */
static int run_heads(struct receiver *r, struct err *e)
{
	size_t len = r->buflen < NUT_HEAD_BYTES ? r->buflen : NUT_HEAD_BYTES;
	unsigned char head[NUT_HEAD_BYTES] = {0};
	uint64_t blocks = 1;

	while (r->heads || r->times) {
		struct mover_rx m = r->mover;
		uint64_t from_ns = mono_now_ns(), rest;
		int rc;

		m.buf = head;
		m.buf_bytes = len;
		m.bufs_a_call = 1;
		m.collect = false; /* but what is collected already stays so */
		/* In pieces: each read goes where the one before ended. */
		for (size_t got = 0; got < len;) {
			uint64_t before = counter_get(&r->f->count.bytes);

			m.buf = head + got;
			m.buf_bytes = len - got;
			rc = mover_rx_run(&m, 1, e);
			if (rc != 0)
				return rc;
			got += (size_t)(counter_get(&r->f->count.bytes) - before);
		}
		r->mover.lowat_bytes = m.lowat_bytes;
		take_head(r, head);
		rest = blocks * r->buflen - len;
		if (rest > 0 && (rc = mover_rx_run(&r->mover, rest, e)) != 0)
			return rc;
		take_time(r, head, len);
		if (r->times)
			continue;
		if (mono_now_ns() - from_ns < FRESH_NS / 2)
			blocks = blocks < MOST_BLOCKS ? blocks * 2 : blocks;
		else
			blocks = 1;
	}
	return mover_rx_run(&r->mover, UINT64_MAX, e);
}

/* ---- several streams: whichever has something ---- */

/* Returns 1 when the stream has ended, 0 when not, -1 with errno. */
static int read_stream(struct receiver *r, int fd)
{
	struct iovec iov[BUFS_A_CALL];
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = BUFS_A_CALL};
	ssize_t n;

	for (int i = 0; i < BUFS_A_CALL; i++)
		iov[i] = (struct iovec){r->buf, MOVER_BUF_BYTES};
	n = recvmsg(fd, &msg, MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	counter_add(&r->f->count.calls, 1);
	counter_add(&r->f->count.bytes, (uint64_t)n);
	return n == 0;
}

static int run_many(struct receiver *r, struct err *e)
{
	struct nut_flow *f = r->f;
	struct pollfd p[NUT_STREAMS_MAX + 1];
	unsigned left = f->n;
	int rc = 0;

	for (unsigned k = 0; k < f->n; k++)
		p[k] = (struct pollfd){.fd = f->fd[k], .events = POLLIN};
	p[f->n] = (struct pollfd){.fd = f->work.fd, .events = POLLIN};
	while (left > 0) {
		if (poll(p, f->n + 1, -1) < 0 && errno != EINTR)
			return err_sys(e, "poll");
		if (stopper_tripped(&f->work))
			return err_set(e, ERR_STOPPED, "IO", "stopped");
		for (unsigned k = 0; k < f->n; k++) {
			int end = p[k].revents ? read_stream(r, p[k].fd) : 0;

			if (end == 0)
				continue;
			if (end < 0)
				rc = err_sys(e, "IO");
			p[k].fd = -1;
			p[k].revents = 0;
			left--;
		}
	}
	return rc;
}

/* ---- standard output ---- */

/* The next buflen bytes of a stream, or what there is up to its end. */
static ssize_t read_full(struct pipemove *m, unsigned char *buf, size_t len,
			 struct err *e)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = pipemove_get(m, buf + got, len - got, e);

		if (n < 0)
			return -1;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

/* The transmitter deals out buffers in turn, so they are collected in turn. */
static int run_pipe(struct receiver *r, struct err *e)
{
	struct nut_flow *f = r->f;
	struct pipemove out = {.sock = f->fd[0],
			       .fd = f->c.pipe_fd,
			       .count = &f->count,
			       .stop = &f->work};
	unsigned char *buf;
	int rc = 0;

	if (f->n == 1)
		return pipemove_recv(&out, e);
	buf = malloc(r->buflen);
	if (!buf)
		return err_sys(e, "malloc");
	out.sock = -1;
	for (unsigned k = 0;; k = (k + 1) % f->n) {
		struct pipemove in = {
			.sock = -1, .fd = f->fd[k], .count = &f->count, .stop = &f->work};
		ssize_t n = read_full(&in, buf, r->buflen, e);

		if (n < 0 || (n > 0 && pipemove_put(&out, buf, (size_t)n, e) < 0))
			rc = -1;
		counter_add(&f->count.calls, 1);
		if (n <= 0 || rc < 0)
			break;
	}
	free(buf);
	return rc;
}

int nut_tcp_recv(struct nut_flow *f, struct err *e)
{
	const struct nut_params *p = f->c.p;
	struct receiver r = {.f = f, .buflen = (size_t)p->buflen_bytes, .first = true};
	int rc;

	r.heads = p->interval_s > 0 && f->n == 1 && r.buflen >= NUT_HEAD_BYTES &&
		  !(p->format & NUT_NORETRANS);
	r.times = p->do_owd && f->n == 1 && r.buflen >= NUT_STAMP_BYTES;
	r.buf = payload_alloc(MOVER_BUF_BYTES, 4096, 0, &r.base, e);
	if (!r.buf)
		return -1;
	r.mover = (struct mover_rx){
		.fd = f->fd[0],
		.buf = r.buf,
		.buf_bytes = MOVER_BUF_BYTES,
		.bufs_a_call = BUFS_A_CALL,
		.collect = p->win_bytes == 0,
		.count = &f->count,
		.stop = &f->work,
	};
	nut_flow_begin(f, 0);
	if (f->c.pipe_fd >= 0)
		rc = run_pipe(&r, e);
	else if (f->n > 1)
		rc = run_many(&r, e);
	else
		rc = run_heads(&r, e);
	nut_flow_end(f, mono_now_ns());
	free(r.base);
	return rc < 0 && e->code != ERR_STOPPED ? -1 : 0;
}
