/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The client's report as one JSON object in one line, printed at the end. */
#include "report.h"

#include <string.h>

#include "jsonw.h"
#include "mono.h"
#include "result.h"
#include "tcpinfo.h"

static void json_nothing(struct nut_report *r)
{
	(void)r;
}

static void json_connected(struct nut_report *r, const struct nut_flow *f)
{
	(void)r, (void)f;
}

static void put_spread(struct cJSON *to, const struct nut_spread *s,
		       const char *const keys[3])
{
	if (!s->have)
		return;
	jsonw_num(to, keys[0], s->min_ms);
	jsonw_num(to, keys[1], s->avg_ms);
	jsonw_num(to, keys[2], s->max_ms);
}

static const char *const jitter_keys[3] = {"jitter_min_ms", "jitter_avg_ms",
					   "jitter_max_ms"};
static const char *const owd_keys[3] = {"owd_min_ms", "owd_avg_ms", "owd_max_ms"};

static void json_interval(struct nut_report *r, const struct nut_interval *i)
{
	struct cJSON *o = jsonw_object();

	if (!r->intervals)
		r->intervals = jsonw_array();
	jsonw_num(o, "seconds", i->now.seconds);
	if (i->total.seconds > 0)
		jsonw_num(o, "end", i->total.seconds);
	jsonw_u64(o, "bytes", i->now.bytes);
	if (i->now.seconds > 0)
		jsonw_num(o, "bits_per_second",
			  (double)i->now.bytes * 8 / i->now.seconds);
	if (i->have_loss) {
		jsonw_i64(o, "lost", i->now.drops);
		jsonw_i64(o, "datagrams", i->now.pkts);
		jsonw_num(o, "loss_percent", i->now.loss * 100);
	}
	if (i->have_retrans)
		jsonw_i64(o, "retransmits", i->retrans);
	if (i->have_cwnd)
		jsonw_i64(o, "cwnd_bytes", i->cwnd_kb * 1024);
	put_spread(o, &i->jitter, jitter_keys);
	put_spread(o, &i->owd, owd_keys);
	jsonw_add(r->intervals, NULL, o);
}

static void json_relay(struct nut_report *r, const char *line,
		       const struct nut_interval *own)
{
	struct nut_interval i;

	if (!nut_interval_line(line, &i))
		return;
	if (own) {
		i.have_retrans = own->have_retrans;
		i.retrans = own->retrans;
		i.have_cwnd = own->have_cwnd;
		i.cwnd_kb = own->cwnd_kb;
	}
	json_interval(r, &i);
}

static void json_line(struct nut_report *r, const char *line)
{
	(void)r, (void)line;
}

/* Both members of an error without a test. */
static void json_failed(struct nut_report *r, const char *text)
{
	struct cJSON *o = jsonw_object();
	char copy[1024];

	/* Lines become one. */
	strlcpy(copy, text, sizeof(copy));
	for (char *p = strchr(copy, '\n'); p; p = strchr(p, '\n'))
		*p = ' ';
	jsonw_str(o, "tool", "nuttcp");
	jsonw_str(o, "version", NETCLASSICS_VERSION);
	jsonw_str(o, "role", nut_transmits(r->conf) ? "sender" : "receiver");
	jsonw_str(o, "host", r->conf->host);
	jsonw_str(o, "exit_reason", "error");
	jsonw_str(o, "error", copy);
	jsonw_print(r->out, o, true);
	jsonw_free(o);
	jsonw_free(r->intervals);
	r->intervals = NULL;
}

static void json_error(struct nut_report *r, const struct err *e)
{
	char text[sizeof(e->what) + sizeof(e->text) + 2];

	snprintf(text, sizeof(text), "%s%s%s", e->what, e->what[0] ? ": " : "", e->text);
	json_failed(r, text);
}

static void json_error_out(struct nut_report *r, const char *text)
{
	json_failed(r, text);
}

/* The peer's text has two decimals of the seconds, but four of megabytes and rate. */
static double seconds(const struct nut_result *r)
{
	if (r->exact || r->megabytes <= 0 || r->mbps <= 0)
		return r->seconds;
	return r->megabytes * 8 * 1.048576 / r->mbps;
}

/* A rounded figure that means the same as the exact one is that one. */
static uint64_t bytes(const struct nut_result *r, const struct nut_result *other)
{
	double apart = r->megabytes - other->megabytes;

	if (!r->exact && other->exact && apart < 0.0001 && apart > -0.0001)
		return other->bytes;
	return r->bytes;
}

static struct cJSON *side(const struct nut_result *s)
{
	struct cJSON *o = jsonw_object();

	jsonw_num(o, "seconds", seconds(s));
	if (s->exact)
		jsonw_u64(o, "bytes", s->bytes);
	else
		jsonw_num(o, "megabytes", s->megabytes);
	jsonw_num(o, "bits_per_second", s->mbps * 1e6);
	if (s->have_cpu)
		jsonw_i64(o, "cpu_percent", s->cpu_percent);
	return o;
}

static void put_tcp(struct cJSON *o, const struct nut_tcp *t)
{
	struct cJSON *list = jsonw_array();

	if (t->have_retrans)
		jsonw_i64(o, "retransmits", t->retrans);
	if (t->have_cwnd)
		jsonw_i64(o, "cwnd_bytes", t->cwnd_kb * 1024);
	for (unsigned k = 0; t->streams > 1 && k < t->streams; k++) {
		struct cJSON *s = jsonw_object();

		jsonw_i64(s, "retransmits", t->retrans_by[k]);
		if (t->have_cwnd)
			jsonw_i64(s, "cwnd_bytes", t->cwnd_kb_by[k] * 1024);
		jsonw_add(list, NULL, s);
	}
	if (t->streams > 1)
		jsonw_add(o, "streams", list);
	else
		jsonw_free(list);
}

static void put_loss(struct cJSON *o, const struct nut_params *p, const struct nut_end *e)
{
	int64_t drops, pkts;
	double loss;

	if (!p->udp || !e->tx->known || !e->rx->known)
		return;
	nut_udp_loss(e->tx, e->rx, p->buflen_bytes, &drops, &pkts, &loss);
	jsonw_i64(o, "lost", drops);
	jsonw_i64(o, "datagrams", pkts);
	jsonw_num(o, "loss_percent", loss * 100);
}

static struct result shared(const struct nut_report *r, const struct nut_end *e)
{
	const struct nut_result *got = e->rx->known ? e->rx : e->tx;
	struct result s = {
		.tool = "nuttcp",
		.version = NETCLASSICS_VERSION,
		.role = r->text.transmit ? "sender" : "receiver",
		.start_wall_ns = e->flow->begin_wall_ns,
		.host = r->conf->host,
		.port = (uint16_t)r->text.p->port,
		.protocol = r->text.p->udp ? "udp" : "tcp",
		.total = {.to_ns = (uint64_t)(seconds(got) * 1e9),
			  .bytes = bytes(got, e->tx),
			  .flags = SAMPLE_FINAL |
				   (r->text.transmit ? (unsigned)SAMPLE_SENDER : 0u)},
		.cpu_user_ns = e->own->used.user_ns,
		.cpu_system_ns = e->own->used.system_ns,
		.exit_reason = e->reason,
	};

	if (!r->text.p->udp && e->flow->fd[0] >= 0)
		tcpinfo_get(e->flow->fd[0], &s.total.tcp);
	return s;
}

static void json_end(struct nut_report *r, const struct nut_end *e)
{
	const struct nut_params *p = r->text.p;
	const struct result s = shared(r, e);
	struct cJSON *o = result_json(&s);
	double rtt_ms = e->tx->rtt_ms > 0 ? e->tx->rtt_ms : e->rx->rtt_ms;

	jsonw_i64(o, "buffer_bytes", p->buflen_bytes);
	jsonw_i64(o, "stream_count", p->nstream);
	if (p->rate_kbps > 0 && p->rate_kbps < NUT_RATE_UNLIMITED)
		jsonw_u64(o, "rate_limit_bits_per_second", p->rate_kbps * 1000);
	if (rtt_ms > 0)
		jsonw_num(o, "connect_rtt_us", rtt_ms * 1000);
	put_loss(o, p, e);
	put_spread(o, &e->rx->jitter, jitter_keys);
	put_spread(o, &e->rx->owd, owd_keys);
	if (e->tx->known) {
		struct cJSON *tx = side(e->tx);

		put_tcp(tx, &e->tx->tcp);
		jsonw_add(o, "sender", tx);
	}
	if (e->rx->known)
		jsonw_add(o, "receiver", side(e->rx));
	if (r->intervals)
		jsonw_add(o, "intervals", r->intervals);
	r->intervals = NULL;
	jsonw_print(r->out, o, true);
	jsonw_free(o);
}

const struct nut_reporter nut_report_json = {
	.head = json_nothing,
	.connected = json_connected,
	.interval = json_interval,
	.relay = json_relay,
	.server_line = json_line,
	.interrupted = json_nothing,
	.note = json_line,
	.error = json_error,
	.error_out = json_error_out,
	.failed = json_failed,
	.end = json_end,
};
