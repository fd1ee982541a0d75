/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Stands in until report_text.c and report_json.c exist. */
#include <stdlib.h>

#include "mono.h"
#include "report.h"

struct stub {
	struct i3_reporter base;
	const struct i3_sink *sink;
};

static FILE *out(struct i3_reporter *r)
{
	return ((struct stub *)r)->sink->out;
}

static void begin(struct i3_reporter *r)
{
	(void)r;
}

static void listening(struct i3_reporter *r, const struct i3_listening *l)
{
	fprintf(out(r), "Server listening on %u (test #%u)\n", l->port, l->test_number);
	fflush(out(r));
}

static void control(struct i3_reporter *r, const struct i3_control *c)
{
	(void)r, (void)c;
}

static void test_begin(struct i3_reporter *r, const struct i3_begin *b)
{
	fprintf(out(r), "host %s, port %u cookie %s mss %d\n", b->host, b->port,
		b->cookie, b->mss_bytes);
}

static void connected(struct i3_reporter *r, const struct i3_conn *c)
{
	fprintf(out(r), "[%3d] local %s port %u connected to %s port %u\n", c->number,
		c->local_host, c->local_port, c->remote_host, c->remote_port);
}

static void test_start(struct i3_reporter *r, const struct i3_start *s)
{
	fprintf(out(r), "start sndbuf %d rcvbuf %d gso %d gro %d\n", s->sndbuf_bytes,
		s->rcvbuf_bytes, s->gso, s->gro);
}

static void omit_end(struct i3_reporter *r)
{
	fprintf(out(r), "omit end\n");
}

static void row(FILE *f, const struct i3_row *r)
{
	double s = ns_to_s(r->end_ns - r->start_ns);

	fprintf(f,
		"[%3d] %s %.3f-%.3f bytes %llu %.3f Mbit/s retr %llu cwnd %llu pkts %llu "
		"lost "
		"%llu dup %llu ooo %llu jit %.6f%s\n",
		r->number, r->sender ? "TX" : "RX", ns_to_s(r->start_ns),
		ns_to_s(r->end_ns), (unsigned long long)r->bytes,
		s > 0 ? (double)r->bytes * 8e-6 / s : 0,
		(unsigned long long)r->retransmits, (unsigned long long)r->cwnd_bytes,
		(unsigned long long)r->packets, (unsigned long long)r->lost,
		(unsigned long long)r->duplicates, (unsigned long long)r->reordered,
		r->jitter_s, r->omitted ? " (omitted)" : "");
}

static void interval(struct i3_reporter *r, const struct i3_interval *i)
{
	for (size_t n = 0; n < i->row_count; n++)
		row(out(r), &i->rows[n]);
	for (int d = 0; d < 2; d++)
		if (i->has_sum[d] && i->row_count > 2)
			row(out(r), &i->sum[d]);
	fflush(out(r));
}

static void view(FILE *f, int number, const char *what, const struct i3_view *v)
{
	fprintf(f,
		"[%3d] %s known %d 0-%.3f bytes %llu %.3f Mbit/s retr %lld pkts %llu "
		"lost "
		"%llu%s dup %llu ooo %llu jit %.6f maxcwnd %llu rtt %u/%u/%u\n",
		number, what, v->known, ns_to_s(v->end_ns), (unsigned long long)v->bytes,
		v->end_ns ? (double)v->bytes * 8e3 / (double)v->end_ns : 0,
		v->has_retransmits ? (long long)v->retransmits : -1,
		(unsigned long long)v->packets, (unsigned long long)v->lost,
		v->lost_unknown ? "?" : "", (unsigned long long)v->duplicates,
		(unsigned long long)v->reordered, v->jitter_s,
		(unsigned long long)v->max_cwnd_bytes, v->min_rtt_us, v->mean_rtt_us,
		v->max_rtt_us);
}

static void end(struct i3_reporter *r, const struct i3_end *e)
{
	for (size_t n = 0; n < e->stream_count; n++) {
		view(out(r), e->streams[n].number, "sender", &e->streams[n].sent);
		view(out(r), e->streams[n].number, "receiver", &e->streams[n].received);
	}
	for (int d = 0; d < 2; d++)
		if (e->sum[d].present && e->stream_count > 1) {
			view(out(r), 0, "SUM sender", &e->sum[d].sent);
			view(out(r), 0, "SUM receiver", &e->sum[d].received);
		}
	fprintf(out(r), "cpu %.1f%% remote %.1f%% cc %s %s\n", e->local.total,
		e->remote.total, e->local_congestion, e->remote_congestion);
}

static void server_output(struct i3_reporter *r, const char *text, struct cJSON *json)
{
	(void)json;
	fprintf(out(r), "Server output:\n%s\n", text ? text : "JSON");
}

static void fault(struct i3_reporter *r, enum i3_trouble kind, const char *text,
		  const struct i3_fault *f)
{
	FILE *err = ((struct stub *)r)->sink->err;

	if (f && f->from_server)
		fprintf(err, "iperf3: SERVER ERROR - %s\n", text);
	fprintf(err, "%s%s\n",
		kind == I3_TROUBLE_ERROR       ? "iperf3: error - "
		: kind == I3_TROUBLE_INTERRUPT ? "iperf3: interrupt - "
		: kind == I3_TROUBLE_NOTE      ? "iperf3: "
					       : "warning: ",
		text);
}

static void debug(struct i3_reporter *r, int level, const char *text)
{
	(void)level;
	fprintf(out(r), "%s\n", text);
}

static void test_done(struct i3_reporter *r, bool ok)
{
	fprintf(out(r), "%s\n", ok ? "iperf Done." : "failed");
}

static void captured(struct i3_reporter *r, char **text, struct cJSON **json)
{
	(void)r;
	*text = NULL;
	*json = NULL;
}

static void free_stub(struct i3_reporter *r)
{
	free(r);
}

static struct i3_reporter *make(const struct i3_sink *sink)
{
	static const struct i3_report_ops ops = {
		begin,      listening, control,   test_begin, connected,
		test_start, omit_end,  interval,  end,        server_output,
		fault,      debug,     test_done, captured,   free_stub,
	};
	struct stub *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->base.ops = &ops;
	s->sink = sink;
	return &s->base;
}

__attribute__((weak)) struct i3_reporter *i3_report_text(const struct i3_conf *c,
							 const struct i3_sink *sink)
{
	(void)c;
	return make(sink);
}

__attribute__((weak)) struct i3_reporter *i3_report_json(const struct i3_conf *c,
							 const struct i3_sink *sink)
{
	(void)c;
	return make(sink);
}
