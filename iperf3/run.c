/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The transfer: from TEST_RUNNING to its end. Everything here is on the main thread: it
 * waits for the control connection, the workers' eventfd and the next point in time. */
#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mono.h"
#include "session.h"
#include "sock.h"

#define GUARD_NS         (40 * NS_PER_S)   /* a client that does not end its test */
#define FAILURE_NS       (300 * NS_PER_MS) /* for the control connection to say why */
#define DELIVERY_LOOK_NS NS_PER_MS
#define DELIVERY_REST_NS (3 * NS_PER_MS) /* for the peer to read what it has got */
#define DELIVERY_MAX_NS  (10 * NS_PER_S) /* without progress */

static uint64_t soonest(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool limited(const struct i3_session *s)
{
	return s->test.bytes || s->test.blocks || s->conf->file;
}

/* ---- points in time ---- */

static uint64_t time_ns(const struct i3_session *s)
{
	return s->test.time_s * NS_PER_S;
}

/* When the client's clock ends the test; MONO_NEVER without a limit of time. */
static uint64_t end_at(const struct i3_session *s)
{
	if (!s->test.time_s)
		return MONO_NEVER;
	return s->begin_ns + s->test.omit_s * NS_PER_S + time_ns(s);
}

static uint64_t omit_at(const struct i3_session *s)
{
	return s->omitting ? s->begin_ns + s->test.omit_s * NS_PER_S : MONO_NEVER;
}

/* A server that reports at the very end of the test waits a little for the client to end
 * it, so that no second row of some microseconds follows. */
static uint64_t tick_at(const struct i3_session *s)
{
	uint64_t next = s->ticker.next_ns;
	uint64_t end = end_at(s);

	if (s->role == I3_SERVER && !s->omitting && next != MONO_NEVER &&
	    end != MONO_NEVER && next + s->ticker.period_ns / 20 >= end &&
	    next <= end + s->ticker.period_ns / 20)
		return next + s->ticker.period_ns / 2;
	return next;
}

static uint64_t guard_at(const struct i3_session *s)
{
	if (s->role != I3_SERVER || !s->test.time_s)
		return MONO_NEVER;
	return mono_add_ns(end_at(s), GUARD_NS);
}

static uint64_t silence_at(const struct i3_session *s)
{
	if (!i3_test_receives(&s->test, s->role))
		return MONO_NEVER;
	return s->heard_ns + s->conf->rcv_timeout_ms * NS_PER_MS;
}

static uint64_t next_event(const struct i3_session *s, uint64_t now_ns)
{
	uint64_t t = soonest(soonest(tick_at(s), omit_at(s)),
			     soonest(guard_at(s), silence_at(s)));

	if (s->role == I3_CLIENT)
		t = soonest(t, end_at(s));
	if (s->rate_ring)
		t = soonest(t, s->rate_ticker.next_ns);
	if (s->failed_ns)
		t = soonest(t, s->failed_ns + FAILURE_NS);
	if (s->delivering_ns)
		t = soonest(t, now_ns + DELIVERY_LOOK_NS);
	return t;
}

/* ---- checks ---- */

static uint64_t bytes_of(const struct i3_session *s, bool sent, bool received)
{
	uint64_t sum = 0;

	for (size_t n = 0; n < s->stream_count; n++)
		if (s->streams[n]->sender ? sent : received)
			sum += counter_get(&s->streams[n]->count.bytes);
	return sum;
}

/* Nothing came for --rcv-timeout? */
static bool silent(struct i3_session *s, uint64_t now_ns)
{
	uint64_t bytes;

	if (now_ns < silence_at(s))
		return false;
	bytes = bytes_of(s, false, true);
	if (bytes == s->heard_bytes)
		return true;
	s->heard_bytes = bytes;
	s->heard_ns = now_ns;
	return false;
}

/* More than --server-bitrate-limit over the last intervals? */
static bool too_fast(struct i3_session *s, uint64_t now_ns)
{
	uint64_t bytes, sum = 0;
	size_t slots;
	double bps;

	if (!s->rate_ring || !ticker_due(&s->rate_ticker, now_ns))
		return false;
	bytes = bytes_of(s, true, true);
	s->rate_ring[s->rate_count++ % s->rate_slots] = bytes - s->rate_last_bytes;
	s->rate_last_bytes = bytes;
	if (s->rate_count < s->rate_slots)
		return false;
	slots = s->rate_slots;
	for (size_t i = 0; i < slots; i++)
		sum += s->rate_ring[i];
	bps = (double)sum * 8 / ((double)slots * ns_to_s(s->rate_ticker.period_ns));
	if (bps <= (double)s->conf->server_rate_limit_bps)
		return false;
	s->measured_bps = bps;
	return true;
}

/* The error of the first broken stream, 0 = none. */
static int stream_error(const struct i3_session *s, bool *sender)
{
	for (size_t n = 0; n < s->stream_count; n++) {
		int error = atomic_load(&s->streams[n]->failed);

		*sender = s->streams[n]->sender;
		if (error)
			return error;
	}
	return 0;
}

/* Has the peer closed all that was to bring data? */
static bool all_closed(const struct i3_session *s)
{
	size_t receivers = 0;

	for (size_t n = 0; n < s->stream_count; n++) {
		receivers += !s->streams[n]->sender;
		if (!s->streams[n]->sender && !atomic_load(&s->streams[n]->ended))
			return false;
	}
	return receivers > 0;
}

/* Can the test not go on? The control connection may say better why: give it a moment. */
static bool broken(struct i3_session *s, uint64_t now_ns)
{
	bool sender = false;
	int error = stream_error(s, &sender);

	if (!error && !all_closed(s))
		return false;
	if (!s->failed_ns)
		s->failed_ns = now_ns;
	if (now_ns < s->failed_ns + FAILURE_NS)
		return false;
	errno = error;
	if (error)
		i3_fault_sys(&s->fault, sender ? I3_F_STREAM_WRITE : I3_F_STREAM_READ);
	else
		i3_fault(&s->fault, I3_F_STREAM_CLOSE);
	return true;
}

static uint64_t unsent_bytes(const struct i3_session *s)
{
	uint64_t sum = 0;

	for (size_t n = 0; n < s->stream_count; n++) {
		int bytes = 0;

		if (s->streams[n]->sender &&
		    ioctl(s->streams[n]->fd, SIOCOUTQ, &bytes) == 0)
			sum += (uint64_t)bytes;
	}
	return sum;
}

/* All that was to be sent is with the kernel: wait until it is with the peer, so that the
 * end of the test doesn't overtake the data. */
static bool delivered(struct i3_session *s, uint64_t now_ns)
{
	uint64_t left = unsent_bytes(s);

	if (!s->delivering_ns || left < s->undelivered_bytes) {
		s->delivering_ns = now_ns;
		s->undelivered_bytes = left;
	}
	if (left == 0 && !s->delivered_ns)
		s->delivered_ns = now_ns;
	if (s->delivered_ns)
		return now_ns >= s->delivered_ns + DELIVERY_REST_NS;
	return now_ns >= s->delivering_ns + DELIVERY_MAX_NS;
}

static bool limit_reached(struct i3_session *s, uint64_t now_ns)
{
	if (s->role != I3_CLIENT || s->omitting || !limited(s))
		return false;
	if (atomic_load(&s->shared.got_all))
		return true;
	return s->tx.count && atomic_load(&s->shared.sending) == 0 && !s->failed_ns &&
	       delivered(s, now_ns);
}

/* ---- the loop ---- */

static void begin(struct i3_session *s)
{
	const uint64_t now = mono_now_ns();
	const double limit_s = s->conf->server_rate_limit_s;
	double interval_s = s->conf->interval_s;

	s->begin_ns = s->origin_ns = s->last_ns = s->heard_ns = now;
	s->shared.begin_ns = now;
	s->running = true;
	s->omitting = s->test.omit_s > 0;
	ticker_start(&s->ticker, now, (uint64_t)(interval_s * 1e9));
	if (s->role != I3_SERVER || !s->conf->server_rate_limit_bps)
		return;
	if (!(interval_s > 0))
		interval_s = limit_s > 0 ? limit_s : 1;
	s->rate_slots = (size_t)(limit_s / interval_s + 0.5);
	if (s->rate_slots < 1)
		s->rate_slots = 1;
	s->rate_ring = calloc(s->rate_slots, sizeof(*s->rate_ring));
	ticker_start(&s->rate_ticker, now, (uint64_t)(interval_s * 1e9));
}

static int start_workers(struct i3_session *s)
{
	struct i3_stream *tx[I3_ALL_STREAMS], *rx[I3_ALL_STREAMS];
	size_t sends = 0, receives = 0;

	for (size_t n = 0; n < s->stream_count; n++) {
		if (s->streams[n]->sender)
			tx[sends++] = s->streams[n];
		else
			rx[receives++] = s->streams[n];
	}
	atomic_store(&s->shared.sending, (unsigned)sends);
	if (i3_workers_start(&s->rx, rx, receives, s->role == I3_SERVER, &s->fault) < 0)
		return -1;
	return i3_workers_start(&s->tx, tx, sends, false, &s->fault);
}

static void end_omit(struct i3_session *s, uint64_t now_ns)
{
	if (s->conf->interval_s > 0)
		i3_tally_interval(s, now_ns, true);
	else
		for (size_t n = 0; n < s->stream_count; n++)
			i3_stream_read(s->streams[n], &s->streams[n]->last);
	i3_tally_omit_end(s, now_ns);
	atomic_store(&s->shared.counting, true);
	ticker_start(&s->ticker, now_ns, s->ticker.period_ns);
}

/* What is due now? Returns true when the test ends, *ending says how. */
static bool due(struct i3_session *s, uint64_t now_ns, enum i3_ending *ending)
{
	*ending = I3_END_FAULT;
	if (broken(s, now_ns))
		return true;
	if (now_ns >= omit_at(s))
		end_omit(s, now_ns);
	if (limit_reached(s, now_ns)) {
		*ending = I3_END_LIMIT;
		return true;
	}
	if (s->role == I3_CLIENT && now_ns >= end_at(s)) {
		*ending = I3_END_TIME;
		return true;
	}
	if (now_ns >= guard_at(s))
		return i3_fault(&s->fault, I3_F_SERVER_EXPIRED) < 0;
	if (silent(s, now_ns))
		return i3_fault(&s->fault, I3_F_NO_MESSAGE) < 0;
	if (now_ns >= tick_at(s) && ticker_due(&s->ticker, now_ns))
		i3_tally_interval(s, now_ns, false);
	if (too_fast(s, now_ns))
		return i3_fault(&s->fault, I3_F_TOTAL_RATE) < 0;
	return false;
}

static enum i3_ending read_control(struct i3_session *s)
{
	if (i3_ctl_read_state(&s->ctl, &s->state, mono_now_ns() + I3_CTL_STEP_NS,
			      &s->fault) == 0)
		return I3_END_STATE;
	return s->fault.number ? I3_END_FAULT : I3_END_SIGNAL;
}

enum i3_ending i3_session_run(struct i3_session *s)
{
	enum i3_ending ending;
	struct err e;

	begin(s);
	if (start_workers(s) < 0)
		return I3_END_FAULT;
	for (;;) {
		uint64_t now = mono_now_ns();
		struct pollfd own[] = {
			{.fd = s->ctl.fd, .events = POLLIN},
			{.fd = s->shared.wake_fd, .events = POLLIN},
		};
		uint64_t count;

		if (due(s, now, &ending))
			return ending;
		if (i3_ctl_poll(&s->ctl, own, 2, next_event(s, now), MONO_NEVER, &e) <
		    0) {
			if (e.code == ERR_STOPPED)
				return I3_END_SIGNAL;
			i3_fault_err(&s->fault, I3_F_SELECT, &e);
			return I3_END_FAULT;
		}
		if (own[1].revents &&
		    read(s->shared.wake_fd, &count, sizeof(count)) < 0) {
			/* Somebody was faster: fine. */
		}
		if (own[0].revents)
			return read_control(s);
	}
}

void i3_session_stop(struct i3_session *s)
{
	uint64_t now;

	if (!s->running || s->ended)
		return;
	s->ended = true;
	i3_workers_stop(&s->tx);
	if (s->role == I3_SERVER)
		i3_workers_stop(&s->rx);
	now = mono_now_ns();
	s->end_ns = s->delivered_ns ? s->delivered_ns : now;
	if (s->end_ns < s->last_ns)
		s->end_ns = s->last_ns;
	s->cpu_end = cpuuse_now();
	i3_tally_interval(s, s->end_ns, true);
}

int i3_session_close_files(struct i3_session *s)
{
	int error = 0;

	for (size_t n = 0; n < s->stream_count; n++) {
		struct i3_stream *st = s->streams[n];

		if (st->file_errno)
			error = st->file_errno;
		/* Some file systems tell only here that the data did not fit. */
		if (st->file_fd >= 0 && close(st->file_fd) < 0 && !st->sender)
			error = errno;
		st->file_fd = -1;
	}
	if (!error)
		return 0;
	errno = error;
	return i3_fault_sys(&s->fault, I3_F_STREAM_READ);
}

void i3_session_report_end(struct i3_session *s, bool interrupted)
{
	struct i3_end e;

	if (!s->ended)
		return;
	i3_tally_end(s, &e);
	e.interrupted = interrupted;
	s->report->ops->end(s->report, &e);
}
