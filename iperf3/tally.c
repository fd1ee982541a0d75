/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From counters to rows, results and ends: arithmetic only. */
#include <stdlib.h>
#include <string.h>

#include "mono.h"
#include "session.h"
#include "tcpinfo.h"

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static bool counts_retransmits(const struct i3_stream *s, const struct i3_reading *r)
{
	return s->sender && s->shared->test->protocol == I3_TCP && r->tcp.have;
}

static uint64_t cwnd_bytes(const struct tcp_stat *t)
{
	return (uint64_t)t->snd_cwnd_segs * t->snd_mss_bytes;
}

/* Largest and smallest of what TCP tells, for the end. */
static void keep_extremes(struct i3_stream *s, const struct tcp_stat *t)
{
	if (cwnd_bytes(t) > s->max_cwnd_bytes)
		s->max_cwnd_bytes = cwnd_bytes(t);
	if (t->snd_wnd_bytes > s->max_snd_wnd_bytes)
		s->max_snd_wnd_bytes = t->snd_wnd_bytes;
	if (t->rtt_us > s->max_rtt_us)
		s->max_rtt_us = t->rtt_us;
	if (t->rtt_us && (!s->min_rtt_us || t->rtt_us < s->min_rtt_us))
		s->min_rtt_us = t->rtt_us;
	s->rtt_sum_us += t->rtt_us;
	s->rtt_count++;
	s->reorder = t->reord_seen;
}

static void fill_row(struct i3_session *s, struct i3_stream *st,
		     const struct i3_reading *now, struct i3_row *row)
{
	const struct i3_reading *before = &st->last;

	*row = (struct i3_row){
		.number = st->number,
		.direction = st->direction,
		.sender = st->sender,
		.omitted = s->omitting,
		.start_ns = s->last_ns - s->origin_ns,
		.bytes = less(now->bytes, before->bytes),
		.packets = less(now->packets, before->packets),
		.lost = less(now->lost, before->lost),
		.duplicates = less(now->duplicates, before->duplicates),
		.reordered = less(now->reordered, before->reordered),
		.jitter_s = now->jitter_s,
	};
	if (row->lost > row->packets)
		row->lost = row->packets;
	if (!counts_retransmits(st, now))
		return;
	row->has_retransmits = true;
	row->retransmits = now->tcp.retransmits - before->tcp.retransmits;
	row->cwnd_bytes = cwnd_bytes(&now->tcp);
	row->snd_wnd_bytes = now->tcp.snd_wnd_bytes;
	row->rtt_us = now->tcp.rtt_us;
	row->rttvar_us = now->tcp.rttvar_us;
	row->pmtu_bytes = now->tcp.pmtu_bytes;
	row->reorder = now->tcp.reord_seen;
	if (!s->omitting)
		keep_extremes(st, &now->tcp);
}

/* A rest of an interval in which nothing happened, or that something cut short, is not
 * worth a line. */
static bool idle_rest(const struct i3_session *s, const struct i3_interval *i,
		      uint64_t span_ns)
{
	if (!i->last || (double)span_ns >= s->conf->interval_s * 1e8)
		return false;
	if (s->fault.number)
		return true;
	for (size_t n = 0; n < i->row_count; n++)
		if (i->rows[n].bytes)
			return false;
	return true;
}

void i3_tally_interval(struct i3_session *s, uint64_t now_ns, bool last)
{
	struct i3_interval i = {
		.rows = s->rows,
		.row_count = s->stream_count,
		.omitted = s->omitting,
		.last = last,
	};

	for (size_t n = 0; n < s->stream_count; n++) {
		struct i3_stream *st = s->streams[n];
		struct i3_reading r;

		i3_stream_read(st, &r);
		fill_row(s, st, &r, &s->rows[n]);
		s->rows[n].end_ns = less(now_ns, s->origin_ns);
		s->final[n] = r;
		st->last = r;
	}
	if (now_ns > s->last_ns && !idle_rest(s, &i, now_ns - s->last_ns)) {
		i3_interval_sums(&i);
		s->report->ops->interval(s->report, &i);
	}
	s->last_ns = now_ns;
}

void i3_tally_omit_end(struct i3_session *s, uint64_t now_ns)
{
	for (size_t n = 0; n < s->stream_count; n++) {
		struct i3_stream *st = s->streams[n];

		st->omitted = st->last;
		i3_stream_rebase(st, &st->omitted);
		st->last = st->omitted;
		/* These start anew in a receiver of UDP. */
		st->last.lost = st->last.duplicates = st->last.reordered = 0;
	}
	s->omitting = false;
	s->origin_ns = s->last_ns = now_ns;
	if (s->test.omit_s)
		s->report->ops->omit_end(s->report);
}

/* ---- the end ---- */

static void local_view(const struct i3_session *s, size_t n, struct i3_view *v)
{
	const struct i3_stream *st = s->streams[n];
	const struct i3_reading *r = &s->final[n];

	*v = (struct i3_view){
		.known = true,
		.end_ns = less(s->end_ns, s->origin_ns),
		.bytes = less(r->bytes, st->omitted.bytes),
		.packets = less(r->packets, st->omitted.packets),
		.lost = r->lost,
		.has_order = st->seen != NULL,
		.duplicates = r->duplicates,
		.reordered = r->reordered,
		.jitter_s = r->jitter_s,
	};
	if (!counts_retransmits(st, r))
		return;
	v->has_retransmits = true;
	v->retransmits = r->tcp.retransmits - st->omitted.tcp.retransmits;
	v->has_tcp = true;
	v->max_cwnd_bytes = st->max_cwnd_bytes;
	v->max_snd_wnd_bytes = st->max_snd_wnd_bytes;
	v->max_rtt_us = st->max_rtt_us;
	v->min_rtt_us = st->min_rtt_us;
	v->mean_rtt_us = st->rtt_count ? (uint32_t)(st->rtt_sum_us / st->rtt_count) : 0;
	v->reorder = st->reorder;
}

static uint64_t count_of(int64_t v)
{
	return v > 0 ? (uint64_t)v : 0;
}

/* What the peer told about this stream. */
static void peer_view(const struct i3_session *s, size_t n, struct i3_view *v)
{
	const struct i3_result_stream *r = NULL;
	const bool peer_sends = !s->streams[n]->sender;

	for (size_t i = 0; s->peer_known && i < s->peer.stream_count; i++)
		if (s->peer.streams[i].id == i3_stream_id(n))
			r = &s->peer.streams[i];
	*v = (struct i3_view){.known = r != NULL};
	v->end_ns = less(s->end_ns, s->origin_ns);
	if (!r)
		return;
	if (r->has_end && r->end_s > r->start_s)
		v->end_ns = (uint64_t)((r->end_s - r->start_s) * 1e9 + 0.5);
	v->bytes = r->bytes;
	v->packets = less(count_of(r->packets),
			  r->has_omitted ? count_of(r->omitted_packets) : 0);
	v->lost = less(count_of(r->errors),
		       r->has_omitted ? count_of(r->omitted_errors) : 0);
	if (v->lost > v->packets)
		v->lost = v->packets;
	v->lost_unknown = !r->has_omitted && s->test.omit_s && r->errors > 0;
	v->jitter_s = r->jitter_s;
	v->has_order = r->duplicates >= 0 && r->reordered >= 0;
	v->duplicates = count_of(r->duplicates);
	v->reordered = count_of(r->reordered);
	v->has_retransmits = peer_sends && s->peer.sender_has_retransmits == 1 &&
			     r->retransmits >= 0;
	v->retransmits = v->has_retransmits ? (uint64_t)r->retransmits : 0;
	if (!peer_sends)
		return;
	/* A sender knows nothing of losses. */
	v->lost = 0;
	v->lost_unknown = false;
	v->jitter_s = 0;
}

static const char *congestion(const struct i3_session *s, struct tcp_stat *t)
{
	if (s->test.protocol != I3_TCP || s->stream_count == 0 ||
	    tcpinfo_get(s->streams[s->stream_count - 1]->fd, t) < 0)
		return "";
	return t->congestion;
}

static struct i3_cpu cpu_of(const struct i3_session *s)
{
	struct cpuuse u = cpuuse_since(&s->cpu_start, &s->cpu_end);

	return (struct i3_cpu){
		.total = cpuuse_percent(u.user_ns + u.system_ns, u.at_ns),
		.user = cpuuse_percent(u.user_ns, u.at_ns),
		.system = cpuuse_percent(u.system_ns, u.at_ns),
	};
}

void i3_tally_end(struct i3_session *s, struct i3_end *e)
{
	struct tcp_stat t;

	*e = (struct i3_end){
		.duration_ns = less(s->end_ns, s->origin_ns),
		.streams = s->ends,
		.stream_count = s->stream_count,
		.local = cpu_of(s),
		.remote_known = s->peer_known,
	};
	for (size_t n = 0; n < s->stream_count; n++) {
		struct i3_stream *st = s->streams[n];
		struct i3_stream_end *end = &s->ends[n];

		*end = (struct i3_stream_end){
			.number = st->number,
			.direction = st->direction,
			.sender = st->sender,
		};
		local_view(s, n, st->sender ? &end->sent : &end->received);
		peer_view(s, n, st->sender ? &end->received : &end->sent);
		if (st->file_fd >= 0) {
			end->file = s->conf->file;
			end->file_bytes = counter_get(&st->file_bytes);
			end->file_size = st->sender ? st->file_size : end->file_bytes;
		}
	}
	strlcpy(e->local_congestion, congestion(s, &t), sizeof(e->local_congestion));
	if (s->peer_known) {
		e->remote = (struct i3_cpu){s->peer.cpu_total, s->peer.cpu_user,
					    s->peer.cpu_system};
		strlcpy(e->remote_congestion, s->peer.congestion,
			sizeof(e->remote_congestion));
	}
	i3_end_sums(e);
}

/* ---- the exchange ---- */

/* Clients before 3.14 take the losses for those after the omitted time, whatever they
 * are. */
static bool old_client(const struct i3_session *s)
{
	const char *v = s->test.peer_version;

	return s->role == I3_SERVER && v && strncmp(v, "3.", 2) == 0 &&
	       strtol(v + 2, NULL, 10) < 14;
}

static void result_stream(const struct i3_session *s, size_t n,
			  struct i3_result_stream *r)
{
	const struct i3_stream *st = s->streams[n];
	const struct i3_reading *f = &s->final[n];
	struct i3_view v;

	local_view(s, n, &v);
	*r = (struct i3_result_stream){
		.id = i3_stream_id(n),
		.bytes = v.bytes,
		.retransmits = v.has_retransmits ? (int64_t)v.retransmits : -1,
		.jitter_s = v.jitter_s,
		.errors = (int64_t)(st->omitted.lost + f->lost),
		.packets = (int64_t)f->packets,
		.has_omitted = true,
		.omitted_errors = (int64_t)st->omitted.lost,
		.omitted_packets = (int64_t)st->omitted.packets,
		.end_s = ns_to_s(v.end_ns),
		.has_end = true,
		.duplicates = v.has_order ? (int64_t)v.duplicates : -1,
		.reordered = v.has_order ? (int64_t)v.reordered : -1,
	};
	if (s->test.protocol != I3_UDP)
		r->packets = r->omitted_packets = 0;
	if (old_client(s)) {
		r->errors = (int64_t)f->lost;
		r->omitted_errors = 0;
	}
}

int i3_tally_results(struct i3_session *s, struct i3_results *r)
{
	struct i3_cpu cpu = cpu_of(s);
	struct tcp_stat t;
	bool counts = false;

	*r = (struct i3_results){
		.cpu_total = cpu.total,
		.cpu_user = cpu.user,
		.cpu_system = cpu.system,
		.stream_count = s->stream_count,
	};
	strlcpy(r->congestion, congestion(s, &t), sizeof(r->congestion));
	r->streams = calloc(s->stream_count + 1, sizeof(*r->streams));
	if (!r->streams)
		return -1;
	for (size_t n = 0; n < s->stream_count; n++) {
		result_stream(s, n, &r->streams[n]);
		counts = counts || counts_retransmits(s->streams[n], &s->final[n]);
	}
	r->sender_has_retransmits = !i3_test_sends(&s->test, s->role) ? -1 : counts;
	return 0;
}

int i3_tally_peer(struct i3_session *s, struct i3_results *r)
{
	for (size_t i = 0; i < r->stream_count; i++) {
		bool found = false;

		for (size_t n = 0; n < s->stream_count; n++)
			found = found || r->streams[i].id == i3_stream_id(n);
		if (!found) {
			i3_results_free(r);
			return i3_fault(&s->fault, I3_F_STREAM_ID);
		}
	}
	i3_results_free(&s->peer);
	s->peer = *r;
	s->peer_known = true;
	return 0;
}
