/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows of the text reporter: what all begin with, and the block of an interval.
 *
 *   [ ID] Interval           Transfer     Bitrate         Retr  Cwnd
 *   [  5]   0.00-1.00   sec  4.82 GBytes  41.3 Gbits/sec    0   1023 KBytes (omitted)
 */
#include "report_text.h"

#include <inttypes.h>

#include "units_format.h"

const char *i3_text_id(const struct i3_text *t, int number, bool sender, char *buf,
		       size_t cap)
{
	char id[16];

	if (number > 0)
		snprintf(id, sizeof(id), "%3d", number);
	else
		snprintf(id, sizeof(id), "SUM");
	if (t->test->bidir)
		snprintf(buf, cap, "[%s][%s-%c]", id, sender ? "TX" : "RX",
			 t->c->role == I3_CLIENT ? 'C' : 'S');
	else
		snprintf(buf, cap, "[%s]", id);
	return buf;
}

const char *i3_text_row(const struct i3_text *t, const struct i3_text_row *r, char *buf,
			size_t cap)
{
	char id[I3_TEXT_ID_MAX], amount[UNITS_FORMAT_MAX], rate[UNITS_FORMAT_MAX];

	units_format(amount, sizeof(amount), (double)r->bytes, 'A', &units_iperf3);
	units_format(rate, sizeof(rate), r->bps / 8,
		     (char)(t->c->format ? t->c->format : 'a'), &units_iperf3);
	snprintf(buf, cap, "%s %6.2f-%-6.2f sec  %ss  %ss/sec",
		 i3_text_id(t, r->number, r->sender, id, sizeof(id)),
		 i3_seconds(r->start_ns), i3_seconds(r->end_ns), amount, rate);
	return buf;
}

/* Does a row of this side count retransmissions? */
static bool counts_retransmits(const struct i3_interval *i)
{
	for (size_t k = 0; k < i->row_count; k++) {
		if (i->rows[k].sender && i->rows[k].has_retransmits)
			return true;
	}
	return false;
}

static void heading(struct i3_text *t, const struct i3_interval *i)
{
	const char *rest = "";

	if (!i3_text_udp(t))
		rest = counts_retransmits(i) ? "         Retr  Cwnd" : "";
	else if (i->rows[0].sender && !t->test->bidir)
		rest = "         Total Datagrams";
	else
		rest = "         Jitter    Lost/Total Datagrams";
	i3_text_line(t, "[ ID]%s Interval           Transfer     Bitrate%s",
		     t->test->bidir ? "[Role]" : "", rest);
}

static void tcp_row(struct i3_text *t, const char *row, const struct i3_row *r, bool sum,
		    const char *trailer)
{
	char cwnd[UNITS_FORMAT_MAX];

	if (!r->sender || !r->has_retransmits) {
		i3_text_line(t, "%s                  %s", row, trailer);
		return;
	}
	if (sum) {
		i3_text_line(t, "%s  %3" PRIu64 "             %s", row, r->retransmits,
			     trailer);
		return;
	}
	units_format(cwnd, sizeof(cwnd), (double)r->cwnd_bytes, 'A', &units_iperf3);
	i3_text_line(t, "%s  %3" PRIu64 "   %ss       %s", row, r->retransmits, cwnd,
		     trailer);
}

static void udp_row(struct i3_text *t, const char *row, const struct i3_row *r,
		    const char *trailer)
{
	/* In bidir, datagrams sent stand below those received. */
	if (r->sender)
		i3_text_line(t, "%s %s %" PRIu64 "  %s", row,
			     t->test->bidir ? "          " : "", r->packets, trailer);
	else
		i3_text_line(t, "%s  %5.3f ms  %" PRIu64 "/%" PRIu64 " (%.2g%%)  %s", row,
			     r->jitter_s * 1e3, r->lost, r->packets,
			     i3_percent(r->lost, r->packets), trailer);
}

static void interval_row(struct i3_text *t, const struct i3_row *r, bool sum)
{
	const char *trailer = r->omitted ? "(omitted)" : "";
	char row[I3_TEXT_ROW_MAX];

	i3_text_row(t,
		    &(struct i3_text_row){
			    .number = sum ? 0 : r->number,
			    .sender = r->sender,
			    .start_ns = r->start_ns,
			    .end_ns = r->end_ns,
			    .bytes = r->bytes,
			    .bps = i3_bps(r->bytes, i3_row_seconds(r)),
		    },
		    row, sizeof(row));
	if (i3_text_udp(t))
		udp_row(t, row, r, trailer);
	else
		tcp_row(t, row, r, sum, trailer);
}

void i3_text_interval(struct i3_text *t, const struct i3_interval *i)
{
	if (!t->heading_done)
		heading(t, i);
	t->heading_done = true;
	if (i3_text_sums(t) && t->block_done)
		i3_text_line(t, I3_SEPARATOR);
	t->block_done = true;
	for (int d = I3_C2S; d <= I3_S2C; d++) {
		for (size_t k = 0; k < i->row_count; k++) {
			if ((int)i->rows[k].direction == d)
				interval_row(t, &i->rows[k], false);
		}
		if (i3_text_sums(t) && i->has_sum[d])
			interval_row(t, &i->sum[d], true);
	}
}
