/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The summary of the text reporter. A client shows both sides of each stream; a server
 * only its own, as it prints before the client told its figures.
 *
 *   [ ID] Interval           Transfer     Bitrate         Retr
 *   [  5]   0.00-2.00   sec  10.3 GBytes  44.4 Gbits/sec    2            sender
 *   [  5]   0.00-2.00   sec  10.3 GBytes  44.4 Gbits/sec                  receiver
 */
#include "report_text.h"

#include <inttypes.h>
#include <math.h>

#include "units_format.h"

/* One direction's streams, or its sum, as both are printed the same way. */
struct line {
	int number;  /* 0 = SUM */
	bool sender; /* the local side sends */
};

static void heading(struct i3_text *t, const struct i3_end *e)
{
	const char *rest = "";

	if (i3_text_udp(t))
		rest = "         Jitter    Lost/Total Datagrams";
	for (size_t k = 0; k < e->stream_count; k++) {
		const struct i3_stream_end *s = &e->streams[k];

		if (s->sent.has_retransmits && (s->sender || t->c->role == I3_CLIENT))
			rest = "         Retr";
	}
	i3_text_line(t, "[ ID]%s Interval           Transfer     Bitrate%s",
		     t->test->bidir ? "[Role]" : "", rest);
}

static void not_available(struct i3_text *t, const struct line *l, const char *side)
{
	if (l->number > 0)
		i3_text_line(t, "[%3d] (%s statistics not available)", l->number, side);
	else
		i3_text_line(t, "[SUM] (%s statistics not available)", side);
}

static void tcp_view(struct i3_text *t, const char *row, const struct line *l,
		     const struct i3_view *v, const char *side)
{
	if (!v->has_retransmits)
		i3_text_line(t, "%s                  %s", row, side);
	else
		i3_text_line(t, "%s  %3" PRIu64 "            %s%s", row, v->retransmits,
			     l->number > 0 ? "" : " ", side);
}

static void udp_view(struct i3_text *t, const char *row, const struct i3_view *v,
		     const char *side)
{
	if (v->lost_unknown && v->lost > 0)
		i3_text_line(t, "%s  %5.3f ms  Unknown/%" PRIu64 "  %s", row,
			     v->jitter_s * 1e3, v->packets, side);
	else
		i3_text_line(t, "%s  %5.3f ms  %" PRIu64 "/%" PRIu64 " (%.2g%%)  %s", row,
			     v->jitter_s * 1e3, v->lost, v->packets,
			     i3_percent(v->lost, v->packets), side);
}

/* The row of one side; is_sender tells which of both v is. */
static void view_row(struct i3_text *t, const struct i3_end *e, const struct line *l,
		     const struct i3_view *v, bool is_sender)
{
	const char *side = is_sender ? "sender" : "receiver";
	uint64_t end_ns = i3_view_end_ns(e, v);
	struct i3_view shown = *v;
	char row[I3_TEXT_ROW_MAX];

	/* What a sender cannot know of the way is 0. */
	if (is_sender) {
		shown.jitter_s = 0;
		shown.lost = 0;
		shown.lost_unknown = false;
	} else {
		shown.has_retransmits = false;
	}
	i3_text_row(t,
		    &(struct i3_text_row){
			    .number = l->number,
			    .sender = l->sender,
			    .end_ns = end_ns,
			    .bytes = v->bytes,
			    .bps = i3_bps(v->bytes, i3_seconds(end_ns)),
		    },
		    row, sizeof(row));
	if (i3_text_udp(t))
		udp_view(t, row, &shown, side);
	else
		tcp_view(t, row, l, &shown, side);
}

static void side_lines(struct i3_text *t, const struct i3_end *e, const struct line *l,
		       const struct i3_view *v, bool is_sender)
{
	bool own = l->sender == is_sender;
	bool server = t->c->role == I3_SERVER;

	if (own || !server)
		view_row(t, e, l, v, is_sender);
	if (!own && server && t->c->verbose && (l->number > 0 || !i3_text_udp(t)))
		not_available(t, l, is_sender ? "sender" : "receiver");
	/* The row of zeros is iperf3's; this says that they are none. */
	if (!server && !v->known)
		not_available(t, l, is_sender ? "sender" : "receiver");
}

static void order_lines(struct i3_text *t, const struct i3_end *e,
			const struct i3_stream_end *s)
{
	const struct i3_view *v = &s->received;
	double end_s = i3_seconds(i3_view_end_ns(e, v));
	char id[I3_TEXT_ID_MAX];

	if (s->sender || !v->known || !v->has_order)
		return;
	/* It says SUM, though it is one stream's: so does iperf3. */
	i3_text_id(t, 0, s->sender, id, sizeof(id));
	if (v->reordered > 0)
		i3_text_line(t,
			     "%s %4.1f-%4.1f sec  %" PRIu64
			     " datagrams received out-of-order",
			     id, 0.0, end_s, v->reordered);
	if (v->duplicates > 0)
		i3_text_line(
			t, "%s %4.1f-%4.1f sec  %" PRIu64 " duplicate datagrams received",
			id, 0.0, end_s, v->duplicates);
}

static void file_line(struct i3_text *t, const struct i3_stream_end *s)
{
	char moved[UNITS_FORMAT_MAX], size[UNITS_FORMAT_MAX];

	if (!s->file)
		return;
	units_format(moved, sizeof(moved), (double)s->file_bytes, 'A', &units_iperf3);
	units_format(size, sizeof(size), (double)s->file_size, 'A', &units_iperf3);
	i3_text_line(t, "        Sent %s / %s (%.0f%%) of %s", moved, size,
		     floor(i3_percent(s->file_bytes, s->file_size)), s->file);
}

static void stream_lines(struct i3_text *t, const struct i3_end *e,
			 const struct i3_stream_end *s)
{
	const struct line l = {s->number, s->sender};

	side_lines(t, e, &l, &s->sent, true);
	if (i3_text_udp(t))
		order_lines(t, e, s);
	file_line(t, s);
	side_lines(t, e, &l, &s->received, false);
}

static void cpu_line(struct i3_text *t, const struct i3_end *e, bool sends)
{
	i3_text_line(t,
		     "CPU Utilization: local/%s %.1f%% (%.1f%%u/%.1f%%s), remote/%s "
		     "%.1f%% (%.1f%%u/%.1f%%s)",
		     sends ? "sender" : "receiver", e->local.total, e->local.user,
		     e->local.system, sends ? "receiver" : "sender", e->remote.total,
		     e->remote.user, e->remote.system);
}

static void verbose_lines(struct i3_text *t, const struct i3_end *e, bool sends)
{
	const char *snd = sends ? e->local_congestion : e->remote_congestion;
	const char *rcv = sends ? e->remote_congestion : e->local_congestion;

	/* A pure receiver has none. */
	if (sends)
		cpu_line(t, e, true);
	if (sends && t->test->bidir)
		cpu_line(t, e, false);
	if (t->test->protocol != I3_TCP)
		return;
	if (*snd)
		i3_text_line(t, "snd_tcp_congestion %s", snd);
	if (*rcv)
		i3_text_line(t, "rcv_tcp_congestion %s", rcv);
}

void i3_text_end(struct i3_text *t, const struct i3_end *e)
{
	i3_text_line(t, I3_SEPARATOR);
	if (t->c->verbose)
		i3_text_line(t, "Test Complete. Summary Results:");
	heading(t, e);
	for (int d = I3_C2S; d <= I3_S2C; d++) {
		const struct i3_sum_end *sum = &e->sum[d];
		const struct line l = {0, sum->sender};

		if (!sum->present)
			continue;
		for (size_t k = 0; k < e->stream_count; k++) {
			if ((int)e->streams[k].direction == d)
				stream_lines(t, e, &e->streams[k]);
		}
		if (i3_text_sums(t)) {
			side_lines(t, e, &l, &sum->sent, true);
			side_lines(t, e, &l, &sum->received, false);
		}
		if (t->c->verbose)
			verbose_lines(t, e, sum->sender);
	}
}
