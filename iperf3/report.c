/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "mono.h"

const char *i3_version_text(void)
{
	return "iperf " I3_COMPAT_VERSION "+netclassics-" NETCLASSICS_VERSION;
}

void i3_system_text(char *buf, size_t cap)
{
	struct utsname u;

	if (uname(&u) < 0)
		memset(&u, 0, sizeof(u));
	snprintf(buf, cap, "%s %s %s %s %s", u.sysname, u.nodename, u.release, u.version,
		 u.machine);
}

void i3_time_text(uint64_t wall_ns, char *buf, size_t cap)
{
	static const char *const days[] = {"Sun", "Mon", "Tue", "Wed",
					   "Thu", "Fri", "Sat"};
	static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
					     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	time_t t = (time_t)(wall_ns / NS_PER_S);
	struct tm tm;

	if (!gmtime_r(&t, &tm))
		memset(&tm, 0, sizeof(tm));
	snprintf(buf, cap, "%s, %02d %s %d %02d:%02d:%02d GMT", days[tm.tm_wday],
		 tm.tm_mday, months[tm.tm_mon], tm.tm_year + 1900, tm.tm_hour, tm.tm_min,
		 tm.tm_sec);
}

/* ---- sums ---- */

static void add_row(struct i3_row *sum, const struct i3_row *r)
{
	sum->bytes += r->bytes;
	sum->has_retransmits &= r->has_retransmits;
	sum->retransmits += r->retransmits;
	sum->packets += r->packets;
	sum->lost += r->lost;
	sum->duplicates += r->duplicates;
	sum->reordered += r->reordered;
	sum->jitter_s += r->jitter_s;
}

void i3_interval_sums(struct i3_interval *i)
{
	for (int d = I3_C2S; d <= I3_S2C; d++) {
		struct i3_row *sum = &i->sum[d];
		unsigned streams = 0;

		memset(sum, 0, sizeof(*sum));
		for (size_t k = 0; k < i->row_count; k++) {
			const struct i3_row *r = &i->rows[k];

			if ((int)r->direction != d)
				continue;
			if (streams++ == 0) {
				sum->direction = r->direction;
				sum->sender = r->sender;
				sum->omitted = r->omitted;
				sum->start_ns = r->start_ns;
				sum->end_ns = r->end_ns;
				sum->has_retransmits = r->has_retransmits;
			}
			add_row(sum, r);
		}
		i->has_sum[d] = streams > 0;
		if (streams > 0)
			sum->jitter_s /= streams;
	}
}

/* The first stream is the sum to begin with. */
static void add_view(struct i3_view *sum, const struct i3_view *v, bool first)
{
	if (first) {
		*sum = *v;
		return;
	}
	sum->known &= v->known;
	if (v->end_ns > sum->end_ns)
		sum->end_ns = v->end_ns;
	sum->bytes += v->bytes;
	sum->has_retransmits &= v->has_retransmits;
	sum->retransmits += v->retransmits;
	sum->packets += v->packets;
	sum->lost += v->lost;
	sum->lost_unknown |= v->lost_unknown;
	sum->has_order &= v->has_order;
	sum->duplicates += v->duplicates;
	sum->reordered += v->reordered;
	sum->jitter_s += v->jitter_s;
}

static void finish_view(struct i3_view *sum, unsigned streams)
{
	if (!sum->known) {
		*sum = (struct i3_view){.known = false};
		return;
	}
	sum->jitter_s /= streams;
	/* Figures of one connection have no sum. */
	sum->has_tcp = false;
	sum->max_cwnd_bytes = sum->max_snd_wnd_bytes = 0;
	sum->max_rtt_us = sum->min_rtt_us = sum->mean_rtt_us = sum->reorder = 0;
}

void i3_end_sums(struct i3_end *e)
{
	for (int d = I3_C2S; d <= I3_S2C; d++) {
		struct i3_sum_end *sum = &e->sum[d];

		memset(sum, 0, sizeof(*sum));
		for (size_t k = 0; k < e->stream_count; k++) {
			const struct i3_stream_end *s = &e->streams[k];

			if ((int)s->direction != d)
				continue;
			add_view(&sum->sent, &s->sent, !sum->present);
			add_view(&sum->received, &s->received, !sum->present);
			sum->present = true;
			sum->sender = s->sender;
			sum->streams++;
		}
		finish_view(&sum->sent, sum->streams);
		finish_view(&sum->received, sum->streams);
	}
}

/* ---- what is shown of a number ---- */

static uint64_t whole_us(uint64_t ns)
{
	return (ns + NS_PER_US / 2) / NS_PER_US;
}

double i3_seconds(uint64_t ns)
{
	return (double)whole_us(ns) / 1e6;
}

double i3_row_seconds(const struct i3_row *r)
{
	uint64_t from = whole_us(r->start_ns), to = whole_us(r->end_ns);

	return to > from ? (double)(float)((double)(to - from) / 1e6) : 0;
}

uint64_t i3_view_end_ns(const struct i3_end *e, const struct i3_view *v)
{
	return v->known ? v->end_ns : e->duration_ns;
}

double i3_bps(uint64_t bytes, double seconds)
{
	return seconds > 0 ? (double)bytes * 8 / seconds : 0;
}

double i3_percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}
