/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

const char *i3_version_text(void)
{
	return "iperf " I3_COMPAT_VERSION "+netclassics-" NETCLASSICS_VERSION;
}

void i3_system_text(char *buf, size_t cap)
{
	struct utsname u;

	buf[0] = '\0';
	if (uname(&u) == 0)
		snprintf(buf, cap, "%s %s %s %s %s", u.sysname, u.nodename, u.release,
			 u.version, u.machine);
}

void i3_interval_sums(struct i3_interval *i)
{
	unsigned count[2] = {0, 0};

	memset(i->sum, 0, sizeof(i->sum));
	i->has_sum[I3_C2S] = i->has_sum[I3_S2C] = false;
	for (size_t n = 0; n < i->row_count; n++) {
		const struct i3_row *r = &i->rows[n];
		struct i3_row *sum = &i->sum[r->direction];

		if (count[r->direction]++ == 0) {
			*sum = *r;
			sum->number = 0;
			i->has_sum[r->direction] = true;
			continue;
		}
		sum->bytes += r->bytes;
		sum->retransmits += r->retransmits;
		sum->has_retransmits = sum->has_retransmits && r->has_retransmits;
		sum->packets += r->packets;
		sum->lost += r->lost;
		sum->duplicates += r->duplicates;
		sum->reordered += r->reordered;
		sum->jitter_s += r->jitter_s;
	}
	for (int d = 0; d < 2; d++)
		if (count[d])
			i->sum[d].jitter_s /= count[d];
}

static void add_view(struct i3_view *sum, const struct i3_view *v, bool first)
{
	if (first) {
		*sum = *v;
		return;
	}
	sum->known = sum->known && v->known;
	if (v->end_ns > sum->end_ns)
		sum->end_ns = v->end_ns;
	sum->bytes += v->bytes;
	sum->has_retransmits = sum->has_retransmits && v->has_retransmits;
	sum->retransmits += v->retransmits;
	sum->packets += v->packets;
	sum->lost += v->lost;
	sum->lost_unknown = sum->lost_unknown || v->lost_unknown;
	sum->has_order = sum->has_order && v->has_order;
	sum->duplicates += v->duplicates;
	sum->reordered += v->reordered;
	sum->jitter_s += v->jitter_s;
}

void i3_end_sums(struct i3_end *e)
{
	memset(e->sum, 0, sizeof(e->sum));
	for (size_t n = 0; n < e->stream_count; n++) {
		const struct i3_stream_end *s = &e->streams[n];
		struct i3_sum_end *sum = &e->sum[s->direction];
		bool first = sum->streams++ == 0;

		sum->present = true;
		sum->sender = s->sender;
		add_view(&sum->sent, &s->sent, first);
		add_view(&sum->received, &s->received, first);
	}
	for (int d = 0; d < 2; d++)
		if (e->sum[d].streams)
			e->sum[d].received.jitter_s /= e->sum[d].streams;
}
