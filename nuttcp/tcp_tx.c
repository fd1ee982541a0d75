/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The transmitting thread, TCP. */
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "data.h"
#include "flow.h"
#include "mono.h"
#include "mover.h"
#include "pacer.h"
#include "payload.h"
#include "pipemove.h"
#include "sockio.h"

#define DEFAULT_BUFLEN (64 * 1024)     /* not asked for: several go in one call */
#define FRESH_NS       (5 * NS_PER_MS) /* how old the counters in the data may be */
#define SLICE_MOST     (64u * 1024 * 1024)
#define DRAIN_STEP_NS  NS_PER_MS
#define DRAIN_NS       (60 * NS_PER_S)
#define ABANDON_NS     (2 * NS_PER_S) /* after an interrupt */

struct sender {
	struct nut_flow *f;
	struct mover_tx mover[NUT_STREAMS_MAX];
	unsigned char *block;
	void *base;
	size_t buflen;
	bool counters; /* retransmissions and window inside the data */
	bool second;   /* the first buffer, with its magic number, is out */
	struct pacer pacer;
};

/* ---- what stands in the buffers ---- */

static void put_first(struct sender *s)
{
	const struct nut_flow *f = s->f;

	s->counters = f->n == 1 && s->buflen >= NUT_HEAD_BYTES &&
		      !(f->c.p->format & NUT_NORETRANS);
	if (s->counters && f->c.server)
		nut_data_put_tcp(s->block, s->buflen, 0, NUT_MAGIC_RETRANS);
}

static void put_next(struct sender *s)
{
	struct nut_flow *f = s->f;
	struct nut_tcp t;
	uint32_t second = f->c.server ? NUT_MAGIC_RETRANS : 0;

	if (f->c.p->do_owd)
		nut_data_put_time(s->block, s->buflen, wall_now_ns() / NS_PER_US);
	if (!s->second || !s->counters || f->c.p->interval_s <= 0) {
		s->second = true;
		return;
	}
	nut_flow_tcp(f, &t);
	if (f->c.peer_version >= NUT_SINCE_CWND)
		second = (uint32_t)t.cwnd_kb;
	nut_data_put_tcp(s->block, s->buflen, (uint32_t)t.retrans, second);
}

/* ---- one stream, as fast as it goes ---- */

/* In slices: between two of them the counters in the block are brought up to date. */
static int run_free(struct sender *s, uint64_t bytes, struct err *e)
{
	struct mover_tx *m = &s->mover[0];
	bool fresh = s->f->c.p->do_owd || (s->counters && s->f->c.p->interval_s > 0);
	uint64_t slice = s->buflen;

	while (bytes > 0) {
		uint64_t from_ns = mono_now_ns(), took_ns;
		uint64_t now = fresh && slice < bytes ? slice : bytes;

		put_next(s);
		if (mover_tx_run(m, now, e) < 0)
			return -1;
		if (bytes != UINT64_MAX)
			bytes -= now;
		took_ns = mono_now_ns() - from_ns;
		if (s->f->c.p->do_owd)
			continue;
		if (took_ns < FRESH_NS / 2 && slice < SLICE_MOST)
			slice *= 2;
		else if (took_ns > FRESH_NS * 2 && slice > s->buflen)
			slice = slice / 2 / s->buflen * s->buflen;
		if (slice < s->buflen)
			slice = s->buflen;
	}
	return 0;
}

/* ---- buffer by buffer: several streams, or a rate limit ---- */

static void start_pacer(struct sender *s)
{
	const struct nut_flow_conf *c = &s->f->c;
	double gap_ns = c->rate_bps > 0 ? (double)s->buflen * 8e9 / c->rate_bps : 0;
	unsigned burst = c->p->irate ? (unsigned)c->p->maxburst : 1;

	pacer_init(&s->pacer, gap_ns, burst,
		   c->p->irate ? (uint64_t)((1 + burst) * gap_ns) : MONO_NEVER);
	/* The first buffer leaves a gap after the start, but a burst begins at once. */
	pacer_start(&s->pacer, s->f->begin_ns + (burst == 1 ? (uint64_t)gap_ns : 0));
}

static int pace(struct sender *s, struct err *e)
{
	while (pacer_due(&s->pacer, mono_now_ns(), 1) == 0) {
		if (nut_flow_pause(s->f, pacer_next_ns(&s->pacer)) < 0)
			return err_set(e, ERR_STOPPED, "IO", "stopped");
	}
	pacer_sent(&s->pacer, 1);
	return 0;
}

static int run_turns(struct sender *s, uint64_t bytes, struct err *e)
{
	start_pacer(s);
	for (unsigned k = 0; bytes > 0; k = (k + 1) % s->f->n) {
		uint64_t now = s->buflen < bytes ? s->buflen : bytes;

		if (pace(s, e) < 0)
			return -1;
		put_next(s);
		if (mover_tx_run(&s->mover[k], now, e) < 0)
			return -1;
		if (bytes != UINT64_MAX)
			bytes -= now;
	}
	return 0;
}

/* ---- standard input ---- */

/* A full buffer, or what there is up to the end. */
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

static int run_pipe(struct sender *s, uint64_t bytes, struct err *e)
{
	struct nut_flow *f = s->f;
	struct pipemove m = {.sock = f->fd[0],
			     .fd = f->c.pipe_fd,
			     .count = &f->count,
			     .stop = &f->work};

	if (f->n == 1 && bytes == UINT64_MAX && f->c.rate_bps <= 0)
		return pipemove_send(&m, e);
	m.sock = -1;
	start_pacer(s);
	for (unsigned k = 0; bytes > 0; k = (k + 1) % f->n) {
		ssize_t n =
			read_full(&m, s->block, s->buflen < bytes ? s->buflen : bytes, e);

		if (n <= 0)
			return (int)n;
		if (pace(s, e) < 0 || sock_write(f->fd[k], s->block, (size_t)n,
						 MONO_NEVER, &f->work, e) < 0)
			return -1;
		counter_add(&f->count.bytes, (uint64_t)n);
		counter_add(&f->count.calls, 1);
		if (bytes != UINT64_MAX)
			bytes -= (uint64_t)n;
	}
	return 0;
}

/* ---- after the last write ---- */

/* Bytes that the peer has not acknowledged; a connection that is broken has none. */
static uint64_t unsent(int fd)
{
	struct pollfd p = {.fd = fd};
	int queued = 0;

	if (poll(&p, 1, 0) > 0 && p.revents & (POLLERR | POLLNVAL))
		return 0;
	return ioctl(fd, SIOCOUTQ, &queued) == 0 && queued > 0 ? (uint64_t)queued : 0;
}

static uint64_t all_unsent(const struct nut_flow *f)
{
	uint64_t sum = 0;

	for (unsigned k = 0; k < f->n; k++)
		sum += unsent(f->fd[k]);
	return sum;
}

static bool interrupted(const struct nut_flow *f)
{
	int reason = stopper_reason(&f->work);

	return (reason != 0 && reason != NUT_STOP_LIMIT) || stopper_tripped(f->c.user) ||
	       stopper_tripped(&f->over);
}

static void hang_up(int fd)
{
	const struct linger now = {.l_onoff = 1};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

/* Half close, then wait until the peer has everything: only then are retransmissions and
 * window final. */
static int drain(struct nut_flow *f, struct err *e)
{
	uint64_t began = mono_now_ns(), step = NS_PER_MS / 50;
	double rate = (double)counter_get(&f->count.bytes) /
		      (ns_to_s(f->end_ns - f->begin_ns) + 1e-6);
	uint64_t limit = DRAIN_NS;
	struct nut_tcp t;

	for (unsigned k = 0; k < f->n; k++)
		shutdown(f->fd[k], SHUT_WR);
	if (rate > 0)
		limit += (uint64_t)(2e9 * (double)all_unsent(f) / rate);
	for (;;) {
		uint64_t waited = mono_now_ns() - began;
		bool done = all_unsent(f) == 0;

		nut_flow_tcp(f, &t);
		if (t.have_retrans)
			f->tcp = t;
		if (done)
			return 0;
		if (waited > (interrupted(f) ? ABANDON_NS : limit))
			break;
		sock_wait(-1, 0, mono_now_ns() + step, NULL, NULL);
		if (step < DRAIN_STEP_NS)
			step *= 2;
	}
	for (unsigned k = 0; k < f->n; k++)
		hang_up(f->fd[k]);
	if (interrupted(f))
		return 0;
	return err_set(e, ERR_TIMEOUT, "", "timeout while draining socket send queue");
}

static int prepare(struct sender *s, struct nut_flow *f, struct err *e)
{
	s->f = f;
	s->buflen = (size_t)f->c.p->buflen_bytes;
	s->block = payload_alloc(s->buflen, 4096, 0, &s->base, e);
	if (!s->block)
		return -1;
	nut_data_fill(s->block, s->buflen);
	put_first(s);
	for (unsigned k = 0; k < f->n; k++)
		s->mover[k] = (struct mover_tx){
			.fd = f->fd[k],
			.block = s->block,
			.block_bytes = s->buflen,
			.call_bytes = s->buflen == DEFAULT_BUFLEN && f->n == 1 &&
						      !f->c.p->nodelay
					      ? MOVER_CALL_BYTES
					      : s->buflen,
			.count = &f->count,
			.stop = &f->work,
		};
	return 0;
}

int nut_tcp_send(struct nut_flow *f, struct err *e)
{
	struct sender *s = calloc(1, sizeof(*s));
	uint64_t bytes = nut_flow_bytes(f);
	int rc;

	if (!s)
		return err_sys(e, "calloc");
	rc = prepare(s, f, e);
	if (rc < 0)
		goto out;
	nut_flow_begin(f, 0);
	if (f->c.pipe_fd >= 0)
		rc = run_pipe(s, bytes, e);
	else if (f->n == 1 && f->c.rate_bps <= 0)
		rc = run_free(s, bytes, e);
	else
		rc = run_turns(s, bytes, e);
	nut_flow_end(f, mono_now_ns());
	nut_flow_tcp(f, &f->tcp);
	if (rc < 0 && e->code == ERR_STOPPED)
		rc = 0;
	if (rc == 0)
		rc = drain(f, e);
out:
	free(s->base);
	free(s);
	return rc;
}
