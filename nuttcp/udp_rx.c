/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The receiving thread, UDP. BOD1 (of an old peer BOD0) or the first data starts the
 * clock; EOD0 stops it, but late data counts; EOD1 .. EOD4 end the test. With every mark
 * of the end lost, the control connection tells of it: the transmitter closes its half
 * 2 s after EOD0. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "data.h"
#include "flow.h"
#include "mono.h"
#include "sockopt.h"
#include "udpbatch.h"
#include "udpio.h"

#define EOD_NS  (500 * NS_PER_MS)
#define LAST_NS (4 * EOD_NS) /* from the end of the data to the last mark */
#define MAX_UDP 65536

struct receiver {
	struct nut_flow *f;
	struct udp_rx *rx;
	bool one_bod, counts, timed, many, ended;
	bool met[NUT_STREAMS_MAX];
	uint64_t now_ns;  /* arrival of the batch or datagram at hand */
	uint64_t last_ns; /* of the last data */
	uint64_t end_ns;  /* by a mark */
	/* counters: of this thread alone until they are published */
	uint64_t bytes, newest, previous;
	bool have_newest, swapped;
	double gap_ms;
	uint64_t arrived_ns; /* of the datagram before */
	int64_t wall_offset_ns;
	unsigned char buf[MAX_UDP];
};

static void begin(struct receiver *r)
{
	if (!r->f->begin_ns)
		nut_flow_begin(r->f, r->now_ns);
}

static void on_mark(struct receiver *r, enum nut_mark mark)
{
	if (mark == NUT_BOD0 && !r->one_bod)
		return;
	if (mark == NUT_BOD0 || mark == NUT_BOD1) {
		begin(r);
		return;
	}
	/* Of another test, whose end came late; ours has not begun. */
	if (!r->f->begin_ns)
		return;
	if (mark == NUT_EOD) {
		r->end_ns = r->now_ns;
		r->f->end_ns = r->now_ns; /* no interval after this */
		return;
	}
	r->ended = true;
	if (r->end_ns)
		return;
	r->end_ns = r->now_ns;
	if (mark != NUT_OTHER)
		r->end_ns -= (uint64_t)(mark - NUT_EOD) * EOD_NS;
}

static void on_times(struct receiver *r, const unsigned char *data, size_t len,
		     uint64_t count)
{
	const struct nut_params *p = r->f->c.p;
	struct nut_live *l = &r->f->live;
	uint64_t wall_us = (r->now_ns + (uint64_t)r->wall_offset_ns) / NS_PER_US;
	uint64_t sent_us = nut_data_time(data, len, wall_us);
	bool in_order = !(p->do_jitter & NUT_IGNORE_OOO) || count == r->previous + len;

	pthread_mutex_lock(&r->f->lock);
	if (p->do_jitter && r->arrived_ns && in_order) {
		double ms = fabs((double)(int64_t)(r->now_ns - r->arrived_ns) / 1e6 -
				 r->gap_ms);

		nut_spread_add(&l->jitter, ms);
		nut_spread_add(&l->jitter_all, ms);
	}
	if (p->do_owd && sent_us) {
		double ms = (double)(int64_t)(wall_us - sent_us) / 1e3;

		nut_spread_add(&l->owd, ms);
		nut_spread_add(&l->owd_all, ms);
	}
	pthread_mutex_unlock(&r->f->lock);
	r->arrived_ns = r->now_ns;
	r->previous = count;
}

static void on_datagram(void *arg, const unsigned char *data, size_t len)
{
	struct receiver *r = arg;
	enum nut_mark mark = nut_mark_of(data, len);
	uint64_t count = 0;

	if (mark != NUT_DATA) {
		on_mark(r, mark);
		return;
	}
	begin(r);
	r->bytes += len;
	r->last_ns = r->now_ns;
	if (r->counts && len >= NUT_HEAD_BYTES) {
		count = nut_data_count(data, !r->have_newest, &r->swapped);
		/* By the largest, so that a late one is no loss. A leap that no path
		 * makes is nonsense. */
		if (!r->have_newest ||
		    (count > r->newest && count - r->newest < UINT64_C(1) << 50))
			r->newest = count;
		r->have_newest = true;
	}
	if (r->timed)
		on_times(r, data, len, count);
}

static void publish(struct receiver *r)
{
	pthread_mutex_lock(&r->f->lock);
	r->f->live.bytes = r->bytes;
	r->f->live.newest = r->newest;
	pthread_mutex_unlock(&r->f->lock);
	if (r->end_ns && r->last_ns > r->end_ns)
		r->end_ns = r->last_ns;
}

/* From the first datagram on the socket belongs to its sender, and others may bind the
 * port. */
static void meet(struct receiver *r, unsigned k)
{
	struct nut_flow *f = r->f;
	struct addr from = {.len = sizeof(from.ss)};
	unsigned char data[NUT_MARK_BYTES + 1];
	ssize_t n = recvfrom(f->fd[k], data, sizeof(data), MSG_DONTWAIT | MSG_PEEK,
			     (struct sockaddr *)&from.ss, &from.len);
	enum nut_mark mark = n < 0 ? NUT_OTHER : nut_mark_of(data, (size_t)n);

	if (n < 0 || f->c.p->ttl)
		return;
	if (mark >= NUT_EOD) {
		/* Left over from another test. */
		recv(f->fd[k], data, sizeof(data), MSG_DONTWAIT);
		return;
	}
	if (connect(f->fd[k], (struct sockaddr *)&from.ss, from.len) < 0)
		return;
	r->met[k] = true;
	nut_flow_unlock(f, k);
}

/* Until the clock has begun, and where each datagram's time counts: one by one, with the
 * kernel's time of arrival, so that a late wake-up moves nothing. */
static int take_one(struct receiver *r, int fd, struct err *e)
{
	ssize_t len = udp_recv(fd, r->buf, sizeof(r->buf), r->now_ns, NULL, NULL,
			       &r->now_ns, e);

	if (len < 0)
		return e->code == ERR_TIMEOUT ? 0 : -1;
	on_datagram(r, r->buf, (size_t)len);
	return 1;
}

/* From now on many at a time. */
static void take_many(struct receiver *r)
{
	for (unsigned k = 0; k < r->f->n; k++) {
		sockopt_int(r->f->fd[k], SOL_SOCKET, SO_TIMESTAMPNS, 0, "", NULL);
		udp_rx_join(r->f->fd[k]);
	}
	r->many = true;
}

/* Everything that waits on stream k. */
static int take(struct receiver *r, unsigned k, struct err *e)
{
	struct nut_flow *f = r->f;

	if (!r->met[k] && !f->c.p->ttl) {
		meet(r, k);
		if (!r->met[k])
			return 0;
	}
	for (int i = 0; i < 64 && !r->ended; i++) {
		int n;

		if (!r->many && !r->timed && f->begin_ns)
			take_many(r);
		r->now_ns = mono_now_ns();
		if (r->many)
			n = udp_rx_recv(r->rx, f->fd[k], on_datagram, r);
		else
			n = take_one(r, f->fd[k], e);
		if (n < 0 && (r->many ? errno : e->sys_errno) == ECONNREFUSED)
			continue;
		if (n < 0)
			return r->many ? err_sys(e, "IO") : -1;
		if (n == 0)
			break;
		counter_add(&f->count.calls, 1);
		counter_add(&f->count.pkts, (uint64_t)n);
		publish(r);
	}
	return 0;
}

static int run(struct receiver *r, struct err *e)
{
	struct nut_flow *f = r->f;
	struct pollfd p[NUT_STREAMS_MAX + 1];

	for (unsigned k = 0; k < f->n; k++)
		p[k] = (struct pollfd){.fd = f->fd[k], .events = POLLIN};
	p[f->n] = (struct pollfd){.fd = f->work.fd, .events = POLLIN};
	while (!r->ended) {
		bool stopped;

		if (poll(p, f->n + 1, -1) < 0 && errno != EINTR)
			return err_sys(e, "poll");
		/* What has come already counts. */
		stopped = stopper_tripped(&f->work);
		for (unsigned k = 0; k < f->n && !r->ended; k++) {
			if (p[k].revents && take(r, k, e) < 0)
				return -1;
		}
		if (stopped)
			return 0;
	}
	return 0;
}

/* When the data ended, as far as it can be known. */
static uint64_t end_of(const struct receiver *r)
{
	const struct nut_flow *f = r->f;
	uint64_t now = mono_now_ns(), guess = now;
	uint64_t limit = f->begin_ns + (uint64_t)(f->c.p->timeout_s * 1e9);

	if (r->end_ns)
		return r->end_ns > r->last_ns ? r->end_ns : r->last_ns;
	if (f->ctl_end_ns)
		guess = f->ctl_end_ns - LAST_NS;
	else if (f->c.p->timeout_s > 0 && limit < now)
		guess = limit;
	if (guess > now || guess < f->begin_ns)
		guess = now;
	return guess > r->last_ns ? guess : r->last_ns;
}

static int prepare(struct receiver *r, struct nut_flow *f, struct err *e)
{
	const struct nut_params *p = f->c.p;

	r->f = f;
	r->one_bod = f->c.peer_version < NUT_SINCE_BOD1;
	r->timed = p->do_jitter || p->do_owd;
	r->counts = p->interval_s > 0 || p->do_jitter & NUT_IGNORE_OOO;
	if (p->rate_kbps > 0)
		r->gap_ms = (double)p->buflen_bytes * 8 / (double)p->rate_kbps;
	r->wall_offset_ns = (int64_t)(wall_now_ns() - mono_now_ns());
	for (unsigned k = 0; k < f->n; k++)
		udp_stamp(f->fd[k], NULL);
	r->rx = udp_rx_new(e);
	return r->rx ? 0 : -1;
}

int nut_udp_recv(struct nut_flow *f, struct err *e)
{
	static const struct receiver none;
	struct receiver *r = malloc(sizeof(*r));
	int rc;

	if (!r)
		return err_sys(e, "malloc");
	*r = none;
	rc = prepare(r, f, e);
	if (rc == 0)
		rc = run(r, e);
	publish(r);
	if (!f->begin_ns) {
		/* Nothing came at all: the time since we began to wait. */
		nut_flow_begin(f, f->idle_since_ns);
	}
	nut_flow_end(f, end_of(r));
	udp_rx_free(r->rx);
	free(r);
	return rc;
}
