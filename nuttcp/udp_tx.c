/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The transmitting thread, UDP: BOD0, 250 ms, BOD1, data, EOD0 .. EOD4 each 500 ms after
 * the one before. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "data.h"
#include "flow.h"
#include "mono.h"
#include "pacer.h"
#include "sockio.h"
#include "udpbatch.h"

#define BOD_NS     (250 * NS_PER_MS)
#define EOD_NS     (500 * NS_PER_MS)
#define NAP_NS     (200 * NS_PER_US)
#define CATCHUP_NS (2 * NS_PER_MS) /* a sleep may end so late */

struct sender {
	struct nut_flow *f;
	struct udp_tx tx[NUT_STREAMS_MAX];
	struct pacer pacer;
	bool counts, times;
	uint64_t bytes; /* sent */
	uint64_t until_ns;
};

static void mark(struct nut_flow *f, unsigned k, enum nut_mark m)
{
	unsigned char data[NUT_MARK_BYTES];

	nut_mark_put(m, data);
	/* Nobody there yet, or a full queue: the other marks will do. */
	if (send(f->fd[k], data, sizeof(data), MSG_DONTWAIT) < 0 &&
	    errno == ECONNREFUSED && send(f->fd[k], data, sizeof(data), MSG_DONTWAIT) < 0)
		return;
	counter_add(&f->count.calls, 1);
}

/* What goes into the next n datagrams of stream k. */
static void fill(struct sender *s, unsigned k, unsigned n)
{
	struct udp_tx *t = &s->tx[k];
	uint64_t wall_us = s->times ? wall_now_ns() / NS_PER_US : 0;

	for (unsigned i = 0; i < n; i++) {
		if (s->times)
			nut_data_put_time(udp_tx_at(t, i), t->len, wall_us);
		if (s->counts)
			nut_data_put_count(udp_tx_at(t, i), t->len,
					   s->bytes + (uint64_t)(i + 1) * t->len);
	}
}

/* Send n datagrams of stream k. Returns 0, or -1 with e filled. */
static int push(struct sender *s, unsigned k, unsigned n, struct err *e)
{
	struct nut_flow *f = s->f;
	struct udp_tx *t = &s->tx[k];
	int sent;

	fill(s, k, n);
	sent = udp_tx_send(t, n);
	if (sent < 0 && errno == EPERM)
		sent = 1; /* dropped by a packet filter of ours: lost like any other */
	else if (sent < 0 && (errno == ECONNREFUSED || errno == EHOSTUNREACH))
		return 0; /* what an earlier datagram met; the next call sends again */
	if (sent < 0)
		return err_sys(e, "IO");
	if (sent == 0)
		return sock_wait(t->fd, POLLOUT, s->until_ns, &f->work, e);
	counter_add(&f->count.calls, 1);
	counter_add(&f->count.pkts, (uint64_t)sent);
	s->bytes += (uint64_t)sent * t->len;
	counter_set(&f->count.bytes, s->bytes);
	pacer_sent(&s->pacer, (unsigned)sent);
	return 0;
}

/* Until the next datagram is due. */
static void nap(struct sender *s, uint64_t now)
{
	struct nut_flow *f = s->f;
	uint64_t next = pacer_next_ns(&s->pacer);

	/* Only -Ri promises single gaps: else fewer wake-ups. */
	if (!f->c.spin && !f->c.p->irate && next < now + NAP_NS)
		next = now + NAP_NS;
	nut_flow_pause(f, next < s->until_ns ? next : s->until_ns);
}

static int run(struct sender *s, uint64_t most, struct err *e)
{
	struct nut_flow *f = s->f;
	size_t len = s->tx[0].len;
	unsigned k = 0;

	while (s->bytes < most && !stopper_tripped(&f->work)) {
		uint64_t now = mono_now_ns();
		uint64_t left = most == UINT64_MAX ? UINT64_MAX : (most - s->bytes) / len;
		unsigned due = pacer_due(&s->pacer, now, s->tx[k].most);
		uint64_t before = s->bytes;

		if (now >= s->until_ns || left == 0)
			break;
		if (due == 0) {
			nap(s, now);
			continue;
		}
		if (push(s, k, due < left ? due : (unsigned)left, e) < 0)
			return e->code == ERR_STOPPED || e->code == ERR_TIMEOUT ? 0 : -1;
		if (s->bytes != before)
			k = (k + 1) % f->n;
	}
	return 0;
}

static void start_pacer(struct sender *s)
{
	const struct nut_flow_conf *c = &s->f->c;
	bool instant = c->p->irate != 0;
	double gap_ns = c->rate_bps > 0 ? (double)c->p->buflen_bytes * 8e9 / c->rate_bps
					: 0;
	unsigned burst = instant ? (unsigned)c->p->maxburst : 1;
	uint64_t catchup_ns = (uint64_t)((1 + burst) * gap_ns);

	if (!c->spin && catchup_ns < CATCHUP_NS)
		catchup_ns = CATCHUP_NS;
	pacer_init(&s->pacer, gap_ns, burst, instant ? catchup_ns : MONO_NEVER);
	/* The first datagram leaves a gap after the start, but a burst begins at once. */
	pacer_start(&s->pacer, s->f->begin_ns + (burst == 1 ? (uint64_t)gap_ns : 0));
}

/* Sleep until ns unless the receiver has its result already. */
static bool pause_over(struct nut_flow *f, uint64_t ns)
{
	return sock_wait(-1, 0, ns, &f->over, NULL) == 0 || !stopper_tripped(&f->over);
}

static void say_end(struct sender *s)
{
	struct nut_flow *f = s->f;
	uint64_t end_ns;

	mark(f, 0, NUT_EOD);
	end_ns = mono_now_ns();
	nut_flow_end(f, end_ns);
	for (unsigned i = 1; i < NUT_EODS; i++) {
		if (!pause_over(f, end_ns + i * EOD_NS))
			return;
		mark(f, i % f->n, (enum nut_mark)(NUT_EOD + i));
	}
}

static int prepare(struct sender *s, struct nut_flow *f, struct err *e)
{
	size_t len = (size_t)f->c.p->buflen_bytes;
	bool free_run = f->c.rate_bps <= 0;
	bool timed = f->c.p->do_jitter || f->c.p->do_owd;

	s->f = f;
	s->counts = len >= NUT_HEAD_BYTES &&
		    (f->c.p->interval_s > 0 || f->c.p->do_jitter & NUT_IGNORE_OOO);
	s->times = f->c.p->do_owd != 0;
	for (unsigned k = 0; k < f->n; k++) {
		/* Where time is measured, datagrams leave one by one; where a rate is
		 * kept, whole but as many in a call as are due. */
		unsigned most = timed || f->n > 1 ? 1 : UDPBATCH_GSO_MAX;
		int fd = f->group_fd >= 0 ? f->group_fd : f->fd[k];

		if (udp_tx_init(&s->tx[k], fd, len, most, free_run && most > 1, e) < 0)
			return -1;
		for (unsigned i = 0; i < s->tx[k].most; i++)
			nut_data_fill(udp_tx_at(&s->tx[k], i), len);
	}
	return 0;
}

int nut_udp_send(struct nut_flow *f, struct err *e)
{
	struct sender *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_sys(e, "calloc");
	rc = prepare(s, f, e);
	if (rc < 0)
		goto out;
	mark(f, 0, NUT_BOD0);
	nut_flow_pause(f, mono_now_ns() + BOD_NS);
	if (f->c.peer_version >= NUT_SINCE_BOD1)
		mark(f, 0, NUT_BOD1);
	nut_flow_begin(f, 0);
	s->until_ns = f->c.p->timeout_s > 0
			      ? f->begin_ns + (uint64_t)(f->c.p->timeout_s * 1e9)
			      : MONO_NEVER;
	start_pacer(s);
	rc = run(s, nut_flow_bytes(f), e);
	say_end(s);
out:
	for (unsigned k = 0; k < f->n; k++)
		udp_tx_free(&s->tx[k]);
	free(s);
	return rc;
}
