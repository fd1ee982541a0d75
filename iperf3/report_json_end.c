/* SPDX-License-Identifier: BSD-2-Clause
 *
 * "end" of the JSON document.
 *
 * Some members look odd and are iperf3's: "sender" says whether the local side sends, in
 * the receiver's object too; a TCP receiver's "seconds" is the local duration while its
 * "end" and rate are the receiver's; UDP's "sum" has the sender's bytes and rate with the
 * receiver's time. */
#include "report_json.h"

#include <math.h>

#include "jsonw.h"

/* start end seconds bytes bits_per_second; the rate is over rate_s. */
static void span(struct cJSON *o, double end_s, double seconds, uint64_t bytes,
		 double rate_s)
{
	jsonw_num(o, "start", 0);
	jsonw_num(o, "end", end_s);
	jsonw_num(o, "seconds", seconds);
	jsonw_u64(o, "bytes", bytes);
	jsonw_num(o, "bits_per_second", i3_bps(bytes, rate_s));
}

static void unknown(struct cJSON *o, const struct i3_view *sent,
		    const struct i3_view *received)
{
	if (sent && !sent->known)
		jsonw_bool(o, "sender_known", false);
	if (received && !received->known)
		jsonw_bool(o, "receiver_known", false);
}

/* ---- TCP and SCTP ---- */

static struct cJSON *tcp_sender(const struct i3_end *e, const struct i3_stream_end *s)
{
	const struct i3_view *v = &s->sent;
	double end_s = i3_seconds(i3_view_end_ns(e, v));
	struct cJSON *o = jsonw_object();

	jsonw_i64(o, "socket", s->number);
	span(o, end_s, end_s, v->bytes, end_s);
	if (v->has_retransmits) {
		jsonw_u64(o, "retransmits", v->retransmits);
		jsonw_u64(o, "reorder", v->reorder);
		jsonw_u64(o, "max_snd_cwnd", v->max_cwnd_bytes);
		jsonw_u64(o, "max_snd_wnd", v->max_snd_wnd_bytes);
		jsonw_u64(o, "max_rtt", v->max_rtt_us);
		jsonw_u64(o, "min_rtt", v->min_rtt_us);
		jsonw_u64(o, "mean_rtt", v->mean_rtt_us);
	}
	jsonw_bool(o, "sender", s->sender);
	unknown(o, v, NULL);
	return o;
}

static struct cJSON *tcp_receiver(const struct i3_end *e, const struct i3_stream_end *s)
{
	const struct i3_view *v = &s->received;
	double end_s = i3_seconds(i3_view_end_ns(e, v));
	double local_s = i3_seconds(i3_view_end_ns(e, s->sender ? &s->sent : v));
	struct cJSON *o = jsonw_object();

	jsonw_i64(o, "socket", s->number);
	span(o, end_s, local_s, v->bytes, end_s);
	jsonw_bool(o, "sender", s->sender);
	unknown(o, NULL, v);
	return o;
}

static struct cJSON *diskfile(const struct i3_stream_end *s)
{
	uint64_t sent = s->sender ? s->file_bytes : s->sent.bytes;
	uint64_t received = s->sender ? s->received.bytes : s->file_bytes;
	struct cJSON *o = jsonw_object();

	jsonw_u64(o, "sent", sent);
	jsonw_u64(o, "received", received);
	jsonw_u64(o, "size", s->file_size);
	jsonw_num(o, "percent_sent", floor(i3_percent(sent, s->file_size)));
	jsonw_num(o, "percent_received", floor(i3_percent(received, s->file_size)));
	jsonw_str(o, "filename", s->file);
	return o;
}

static struct cJSON *tcp_stream(const struct i3_end *e, const struct i3_stream_end *s)
{
	struct cJSON *o = jsonw_object();

	jsonw_add(o, "sender", tcp_sender(e, s));
	if (s->file)
		jsonw_add(o, "diskfile", diskfile(s));
	jsonw_add(o, "receiver", tcp_receiver(e, s));
	return o;
}

static struct cJSON *tcp_sum(const struct i3_end *e, const struct i3_sum_end *sum,
			     bool received)
{
	const struct i3_view *v = received ? &sum->received : &sum->sent;
	double end_s = i3_seconds(i3_view_end_ns(e, v));
	struct cJSON *o = jsonw_object();

	span(o, end_s, end_s, v->bytes, end_s);
	if (!received && v->has_retransmits)
		jsonw_u64(o, "retransmits", v->retransmits);
	jsonw_bool(o, "sender", sum->sender);
	unknown(o, received ? NULL : v, received ? v : NULL);
	return o;
}

/* ---- UDP ---- */

/* jitter_ms ... lost_percent: what v lost of so many packets. */
static void udp_losses(struct cJSON *o, const struct i3_view *v, uint64_t packets)
{
	jsonw_num(o, "jitter_ms", v->jitter_s * 1e3);
	jsonw_u64(o, "lost_packets", v->lost);
	jsonw_u64(o, "packets", packets);
	/* Never above 100, whatever the peer counted. */
	jsonw_num(o, "lost_percent",
		  i3_percent(v->lost, packets < v->lost ? v->lost : packets));
}

/* Keys of ours, after all of iperf3's. */
static void udp_extra(struct cJSON *o, const struct i3_view *received)
{
	if (received->known && received->has_order) {
		jsonw_u64(o, "reordered", received->reordered);
		jsonw_u64(o, "duplicates", received->duplicates);
	}
	if (received->lost_unknown)
		jsonw_bool(o, "lost_includes_omitted", true);
}

/* The number that the losses are part of: as iperf3 has it, those sent when they are
 * known. But losses of all time must not be compared with the datagrams of a part of it.
 */
static uint64_t packets_of(const struct i3_view *sent, const struct i3_view *received)
{
	bool all_time = received->lost_unknown || sent->packets == 0;

	return all_time ? received->packets : sent->packets;
}

static struct cJSON *udp_stream(const struct i3_end *e, const struct i3_stream_end *s)
{
	double end_s = i3_seconds(i3_view_end_ns(e, &s->sent));
	struct cJSON *o = jsonw_object();
	struct cJSON *udp = jsonw_object();

	jsonw_i64(udp, "socket", s->number);
	span(udp, end_s, end_s, s->sent.bytes, end_s);
	udp_losses(udp, &s->received, packets_of(&s->sent, &s->received));
	jsonw_u64(udp, "out_of_order", s->received.reordered);
	jsonw_bool(udp, "sender", s->sender);
	udp_extra(udp, &s->received);
	unknown(udp, &s->sent, &s->received);
	jsonw_add(o, "udp", udp);
	return o;
}

/* "sum": the sender's bytes, the receiver's time and losses. */
static struct cJSON *udp_sum(const struct i3_end *e, const struct i3_sum_end *sum)
{
	double end_s = i3_seconds(i3_view_end_ns(e, &sum->received));
	double sent_s = i3_seconds(i3_view_end_ns(e, &sum->sent));
	struct cJSON *o = jsonw_object();

	span(o, end_s, end_s, sum->sent.bytes, sent_s);
	udp_losses(o, &sum->received, packets_of(&sum->sent, &sum->received));
	jsonw_bool(o, "sender", sum->sender);
	udp_extra(o, &sum->received);
	unknown(o, &sum->sent, &sum->received);
	return o;
}

static struct cJSON *udp_side(const struct i3_end *e, const struct i3_sum_end *sum,
			      bool received)
{
	const struct i3_view nothing_lost = {.known = true};
	const struct i3_view *v = received ? &sum->received : &sum->sent;
	double end_s = i3_seconds(i3_view_end_ns(e, v));
	struct cJSON *o = jsonw_object();

	span(o, end_s, end_s, v->bytes, end_s);
	udp_losses(o, received ? v : &nothing_lost, v->packets);
	jsonw_bool(o, "sender", !received);
	if (received)
		udp_extra(o, v);
	unknown(o, received ? NULL : v, received ? v : NULL);
	return o;
}

/* ---- all ---- */

static void sums(struct cJSON *o, const struct i3_end *e, const struct i3_sum_end *sum,
		 bool udp, bool second)
{
	if (udp)
		jsonw_add(o, second ? "sum_bidir_reverse" : "sum", udp_sum(e, sum));
	jsonw_add(o, second ? "sum_sent_bidir_reverse" : "sum_sent",
		  udp ? udp_side(e, sum, false) : tcp_sum(e, sum, false));
	jsonw_add(o, second ? "sum_received_bidir_reverse" : "sum_received",
		  udp ? udp_side(e, sum, true) : tcp_sum(e, sum, true));
}

static struct cJSON *cpu(const struct i3_end *e)
{
	struct cJSON *o = jsonw_object();

	jsonw_num(o, "host_total", e->local.total);
	jsonw_num(o, "host_user", e->local.user);
	jsonw_num(o, "host_system", e->local.system);
	jsonw_num(o, "remote_total", e->remote.total);
	jsonw_num(o, "remote_user", e->remote.user);
	jsonw_num(o, "remote_system", e->remote.system);
	if (!e->remote_known)
		jsonw_bool(o, "remote_known", false);
	return o;
}

static void congestion(struct cJSON *o, const struct i3_end *e)
{
	bool sends = e->streams[e->stream_count - 1].sender;
	const char *snd = sends ? e->local_congestion : e->remote_congestion;
	const char *rcv = sends ? e->remote_congestion : e->local_congestion;

	if (*snd)
		jsonw_str(o, "sender_tcp_congestion", snd);
	if (*rcv)
		jsonw_str(o, "receiver_tcp_congestion", rcv);
}

struct cJSON *i3_json_end(const struct i3_end *e, const struct i3_test *test)
{
	bool udp = test->protocol == I3_UDP;
	struct cJSON *o = jsonw_object();
	struct cJSON *streams = jsonw_array();

	for (size_t k = 0; k < e->stream_count; k++) {
		const struct i3_stream_end *s = &e->streams[k];

		jsonw_add(streams, NULL, udp ? udp_stream(e, s) : tcp_stream(e, s));
	}
	jsonw_add(o, "streams", streams);
	sums(o, e, &e->sum[test->reverse ? I3_S2C : I3_C2S], udp, false);
	if (test->bidir)
		sums(o, e, &e->sum[I3_S2C], udp, true);
	jsonw_add(o, "cpu_utilization_percent", cpu(e));
	if (test->protocol == I3_TCP)
		congestion(o, e);
	return o;
}
