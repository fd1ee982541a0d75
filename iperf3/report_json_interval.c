/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One element of "intervals" of the JSON document. */
#include "report_json.h"

#include "jsonw.h"

static void tcp_sender(struct cJSON *o, const struct i3_row *r, bool sum)
{
	jsonw_u64(o, "retransmits", r->retransmits);
	if (sum)
		return;
	jsonw_u64(o, "snd_cwnd", r->cwnd_bytes);
	jsonw_u64(o, "snd_wnd", r->snd_wnd_bytes);
	jsonw_u64(o, "rtt", r->rtt_us);
	jsonw_u64(o, "rttvar", r->rttvar_us);
	jsonw_u64(o, "pmtu", r->pmtu_bytes);
	jsonw_u64(o, "reorder", r->reorder);
}

static void udp_receiver(struct cJSON *o, const struct i3_row *r)
{
	jsonw_num(o, "jitter_ms", r->jitter_s * 1e3);
	jsonw_u64(o, "lost_packets", r->lost);
	jsonw_u64(o, "packets", r->packets);
	jsonw_num(o, "lost_percent", i3_percent(r->lost, r->packets));
}

static struct cJSON *row(const struct i3_row *r, bool udp, bool sum)
{
	double seconds = i3_row_seconds(r);
	struct cJSON *o = jsonw_object();

	if (!sum)
		jsonw_i64(o, "socket", r->number);
	jsonw_num(o, "start", i3_seconds(r->start_ns));
	jsonw_num(o, "end", i3_seconds(r->end_ns));
	jsonw_num(o, "seconds", seconds);
	jsonw_u64(o, "bytes", r->bytes);
	jsonw_num(o, "bits_per_second", i3_bps(r->bytes, seconds));
	if (udp && r->sender)
		jsonw_u64(o, "packets", r->packets);
	else if (udp)
		udp_receiver(o, r);
	else if (r->sender && r->has_retransmits)
		tcp_sender(o, r, sum);
	jsonw_bool(o, "omitted", r->omitted);
	jsonw_bool(o, "sender", r->sender);
	if (udp && !r->sender) {
		jsonw_u64(o, "reordered", r->reordered);
		jsonw_u64(o, "duplicates", r->duplicates);
	}
	return o;
}

struct cJSON *i3_json_interval(const struct i3_interval *i, const struct i3_test *test)
{
	bool udp = test->protocol == I3_UDP;
	struct cJSON *o = jsonw_object();
	struct cJSON *streams = jsonw_array();

	for (size_t k = 0; k < i->row_count; k++)
		jsonw_add(streams, NULL, row(&i->rows[k], udp, false));
	jsonw_add(o, "streams", streams);
	if (test->bidir) {
		jsonw_add(o, "sum", row(&i->sum[I3_C2S], udp, true));
		jsonw_add(o, "sum_bidir_reverse", row(&i->sum[I3_S2C], udp, true));
	} else {
		jsonw_add(o, "sum",
			  row(&i->sum[test->reverse ? I3_S2C : I3_C2S], udp, true));
	}
	return o;
}
