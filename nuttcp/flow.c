/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "mono.h"
#include "tcpinfo.h"

#define SPIN_NS (20 * NS_PER_US)

int nut_flow_init(struct nut_flow *f, const struct nut_flow_conf *c, struct err *e)
{
	*f = (struct nut_flow){.c = *c, .n = (unsigned)c->p->nstream};
	f->group_fd = f->event_fd = -1;
	ticker_start(&f->ticker, 0, 0);
	f->work.fd = f->over.fd = -1;
	for (unsigned k = 0; k < NUT_STREAMS_MAX; k++)
		f->listener[k] = f->fd[k] = -1;
	pthread_mutex_init(&f->lock, NULL);
	if (stopper_init(&f->work, e) < 0 || stopper_init(&f->over, e) < 0)
		return -1;
	f->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return f->event_fd < 0 ? err_sys(e, "eventfd") : 0;
}

void nut_flow_close(struct nut_flow *f)
{
	for (unsigned k = 0; k < NUT_STREAMS_MAX; k++) {
		if (f->listener[k] >= 0)
			close(f->listener[k]);
		if (f->fd[k] >= 0)
			close(f->fd[k]);
	}
	if (f->group_fd >= 0)
		close(f->group_fd);
	if (f->event_fd >= 0)
		close(f->event_fd);
	stopper_free(&f->work);
	stopper_free(&f->over);
	pthread_mutex_destroy(&f->lock);
}

/* ---- the thread ---- */

static void wake_owner(struct nut_flow *f)
{
	const uint64_t one = 1;

	if (write(f->event_fd, &one, sizeof(one)) < 0) {
		/* Full means that it is awake already. */
	}
}

void nut_flow_begin(struct nut_flow *f, uint64_t at_ns)
{
	nut_flow_tcp(f, &f->tcp_before);
	f->begin_wall_ns = wall_now_ns();
	f->before = cpuuse_now();
	if (at_ns && at_ns < f->before.at_ns)
		f->before.at_ns = at_ns;
	f->begin_ns = f->before.at_ns;
	wake_owner(f);
}

void nut_flow_end(struct nut_flow *f, uint64_t at_ns)
{
	f->after = cpuuse_now();
	f->after.at_ns = at_ns > f->before.at_ns ? at_ns : f->before.at_ns;
	f->end_ns = f->after.at_ns;
}

static void *run(void *arg)
{
	struct nut_flow *f = arg;
	struct err e = {.code = ERR_NONE};
	int rc;

	/* Sleeps end when they should: the default slack is 50 us. */
	prctl(PR_SET_TIMERSLACK, 1);
	if (f->c.p->udp)
		rc = f->c.transmit ? nut_udp_send(f, &e) : nut_udp_recv(f, &e);
	else
		rc = f->c.transmit ? nut_tcp_send(f, &e) : nut_tcp_recv(f, &e);
	if (rc < 0)
		f->error = e;
	f->finished = 1;
	wake_owner(f);
	return NULL;
}

int nut_flow_start(struct nut_flow *f, struct err *e)
{
	int error;

	f->idle_since_ns = mono_now_ns();
	error = pthread_create(&f->thread, NULL, run, f);
	if (error) {
		errno = error;
		return err_sys(e, "pthread_create");
	}
	f->running = true;
	return 0;
}

void nut_flow_join(struct nut_flow *f)
{
	if (f->running)
		pthread_join(f->thread, NULL);
	f->running = false;
}

int nut_flow_pause(struct nut_flow *f, uint64_t ns)
{
	for (;;) {
		uint64_t now = mono_now_ns();
		struct pollfd p = {.fd = f->work.fd, .events = POLLIN};
		struct timespec ts;

		if (stopper_tripped(&f->work))
			return -1;
		if (now >= ns)
			return 0;
		if (f->c.spin)
			continue;
		ts = (struct timespec){.tv_sec = (time_t)((ns - now) / NS_PER_S),
				       .tv_nsec = (long)((ns - now) % NS_PER_S)};
		ppoll(&p, 1, &ts, NULL);
	}
}

uint64_t nut_flow_bytes(const struct nut_flow *f)
{
	uint64_t buflen = (uint64_t)f->c.p->buflen_bytes;
	uint64_t n = f->c.p->nbuf;

	if (n == NUT_NBUF_UNLIMITED || n > UINT64_MAX / buflen)
		return UINT64_MAX;
	return n * buflen;
}

void nut_flow_tcp(const struct nut_flow *f, struct nut_tcp *t)
{
	*t = (struct nut_tcp){.streams = f->n};
	if (f->c.p->udp)
		return;
	for (unsigned k = 0; k < f->n; k++) {
		struct tcp_stat s;

		if (f->fd[k] < 0 || tcpinfo_get(f->fd[k], &s) < 0 ||
		    !(s.have & TCP_HAVE_BASE))
			return;
		t->retrans_by[k] = s.retransmits - f->tcp_before.retrans_by[k];
		t->cwnd_kb_by[k] =
			(int64_t)s.snd_cwnd_segs *
			(f->mss_bytes ? f->mss_bytes : (int64_t)s.snd_mss_bytes) / 1024;
		t->retrans += t->retrans_by[k];
		t->cwnd_kb += t->cwnd_kb_by[k];
	}
	t->have_retrans = t->have_cwnd = true;
}

/* ---- the owner's side ---- */

static uint64_t received(struct nut_flow *f)
{
	uint64_t bytes;

	if (!f->c.p->udp)
		return counter_get(&f->count.bytes);
	pthread_mutex_lock(&f->lock);
	bytes = f->live.bytes;
	pthread_mutex_unlock(&f->lock);
	return bytes;
}

static uint64_t to_ns(double s)
{
	return s > 0 ? (uint64_t)(s * 1e9) : 0;
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The first moment at which something is to be looked at. */
static uint64_t next_ns(struct nut_flow *f, const struct nut_wait *w)
{
	uint64_t begin = f->begin_ns;
	uint64_t at = w->until_ns;

	if (!f->c.transmit && w->idle_s > 0)
		at = sooner(at, f->idle_check_ns);
	if (!begin)
		return at;
	if (!f->c.transmit && f->c.p->interval_s > 0 && !f->end_ns) {
		if (f->ticker.start_ns != begin) {
			ticker_start(&f->ticker, begin, to_ns(f->c.p->interval_s));
			f->tick_ns = begin;
		}
		at = sooner(at, f->ticker.next_ns);
	}
	if (f->c.transmit && f->c.p->timeout_s > 0 && !f->limited)
		at = sooner(at, begin + to_ns(f->c.p->timeout_s));
	return at;
}

static bool idle(struct nut_flow *f, double idle_s, uint64_t now)
{
	uint64_t bytes;

	if (f->c.transmit || idle_s <= 0 || now < f->idle_check_ns)
		return false;
	bytes = received(f);
	if (bytes != f->idle_bytes) {
		f->idle_bytes = bytes;
		f->idle_since_ns = now;
	}
	f->idle_check_ns = now + to_ns(idle_s / 8);
	return now - f->idle_since_ns >= to_ns(idle_s);
}

static bool over_limit(struct nut_flow *f, uint64_t now)
{
	if (!f->c.transmit || f->limited || f->c.p->timeout_s <= 0 || !f->begin_ns)
		return false;
	return now >= f->begin_ns + to_ns(f->c.p->timeout_s);
}

static void swallow(int fd)
{
	uint64_t count;

	if (read(fd, &count, sizeof(count)) < 0) {
		/* Nobody had written: fine too. */
	}
}

enum { POLL_EVENT, POLL_USER, POLL_CTL, POLLS };

static void sleep_on(struct nut_flow *f, struct pollfd p[static POLLS], uint64_t until_ns)
{
	uint64_t now = mono_now_ns();
	uint64_t left = until_ns > now ? until_ns - now : 0;
	struct timespec ts = {.tv_sec = (time_t)(left / NS_PER_S),
			      .tv_nsec = (long)(left % NS_PER_S)};

	if (ppoll(p, POLLS, until_ns == MONO_NEVER ? NULL : &ts, NULL) < 0) {
		for (int i = 0; i < POLLS; i++)
			p[i].revents = 0;
	}
	if (p[POLL_EVENT].revents)
		swallow(f->event_fd);
}

static void keep_limit(struct nut_flow *f, uint64_t now)
{
	if (!over_limit(f, now))
		return;
	f->limited = true;
	/* UDP's thread looks at the clock itself. */
	if (!f->c.p->udp)
		stopper_trip(&f->work, NUT_STOP_LIMIT);
}

enum nut_event nut_flow_wait(struct nut_flow *f, const struct nut_wait *w)
{
	int user = f->c.user && !w->no_user ? f->c.user->fd : -1;

	if (f->idle_check_ns == 0)
		f->idle_check_ns = f->idle_since_ns + to_ns(w->idle_s / 8);
	for (;;) {
		struct pollfd p[POLLS] = {
			{.fd = f->event_fd, .events = POLLIN},
			{.fd = user, .events = POLLIN},
			{.fd = w->ctl_fd, .events = POLLIN | POLLPRI},
		};
		uint64_t now;

		sleep_on(f, p, next_ns(f, w));
		now = mono_now_ns();
		keep_limit(f, now);
		/* An interval that ended before the test did is reported. */
		if (f->begin_ns && !f->end_ns && ticker_due(&f->ticker, now))
			return NUT_TICK;
		if (f->finished)
			return NUT_DONE;
		if (p[POLL_USER].revents)
			return NUT_USER;
		if (p[POLL_CTL].revents)
			return NUT_CTL;
		if (idle(f, w->idle_s, now))
			return NUT_IDLE;
		if (now >= w->until_ns)
			return NUT_UNTIL;
	}
}

/* ---- figures ---- */

void nut_spread_add(struct nut_spread_sum *s, double ms)
{
	if (s->count == 0 || ms < s->min_ms)
		s->min_ms = ms;
	if (s->count == 0 || ms > s->max_ms)
		s->max_ms = ms;
	s->sum_ms += ms;
	s->count++;
}

static struct nut_spread spread(const struct nut_spread_sum *s)
{
	return (struct nut_spread){
		.have = s->count > 0,
		.min_ms = s->min_ms,
		.avg_ms = s->count ? s->sum_ms / (double)s->count : 0,
		.max_ms = s->max_ms,
	};
}

/* What was lost between two states. */
static void span_loss(struct nut_span *s, double buflen)
{
	double sent = (double)s->sent_bytes;
	double lost = sent - (double)s->bytes;

	s->pkts = (int64_t)(sent / buflen);
	s->drops = (int64_t)(lost / buflen);
	s->loss = sent > 0 ? lost / sent : 0;
}

void nut_flow_interval(struct nut_flow *f, struct nut_interval *i)
{
	uint64_t now = mono_now_ns();
	double buflen = (double)f->c.p->buflen_bytes;
	struct nut_live live;

	pthread_mutex_lock(&f->lock);
	live = f->live;
	f->live.jitter = f->live.owd = (struct nut_spread_sum){.count = 0};
	pthread_mutex_unlock(&f->lock);
	*i = (struct nut_interval){.have_loss = f->c.p->udp && buflen >= 32};
	i->total.seconds = ns_to_s(now - f->begin_ns);
	i->total.bytes = f->c.p->udp ? live.bytes : counter_get(&f->count.bytes);
	i->total.sent_bytes = live.newest;
	i->now.seconds = ns_to_s(now - f->tick_ns);
	i->now.bytes = i->total.bytes - f->at_tick.bytes;
	i->now.sent_bytes = i->total.sent_bytes - f->at_tick.sent_bytes;
	span_loss(&i->now, buflen);
	span_loss(&i->total, buflen);
	i->jitter = spread(&live.jitter);
	i->owd = spread(&live.owd);
	i->have_retrans = live.have_tcp && !(f->c.p->format & NUT_NORETRANS);
	i->retrans_total = live.retrans;
	i->retrans = live.retrans - f->retrans_at_tick;
	i->have_cwnd = i->have_retrans && live.cwnd_kb > 0 &&
		       f->c.peer_version >= NUT_SINCE_CWND &&
		       !(f->c.p->format & NUT_NOCWND);
	i->cwnd_kb = live.cwnd_kb;
	f->at_tick = i->total;
	f->retrans_at_tick = live.retrans;
	f->tick_ns = now;
}

void nut_flow_result(struct nut_flow *f, struct nut_result *r)
{
	struct cpuuse used = cpuuse_since(&f->before, &f->after);

	*r = (struct nut_result){.calls = counter_get(&f->count.calls)};
	if (!f->begin_ns)
		used = (struct cpuuse){.at_ns = 0};
	nut_result_own(r,
		       f->c.p->udp && !f->c.transmit ? f->live.bytes
						     : counter_get(&f->count.bytes),
		       &used);
	r->rtt_ms = f->rtt_ms;
	if (f->c.transmit)
		r->tcp = f->tcp;
	if (f->c.p->do_jitter)
		r->jitter = spread(&f->live.jitter_all);
	if (f->c.p->do_owd)
		r->owd = spread(&f->live.owd_all);
}
