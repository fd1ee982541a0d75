/* SPDX-License-Identifier: BSD-2-Clause */
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "mono.h"

#define MEGABYTE 1048576.0

static bool parse(const struct nut_text *t)
{
	return t->p->format & NUT_PARSE;
}

static char letter(const struct nut_text *t)
{
	return t->transmit ? 't' : 'r';
}

/* "nuttcp-t: " or "nuttcp-t-ID: " */
static void begin(const struct nut_text *t)
{
	fprintf(t->out, "nuttcp-%c%s%s: ", letter(t), t->ident[0] ? "-" : "", t->ident);
}

static void line(const struct nut_text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void line(const struct nut_text *t, const char *fmt, ...)
{
	va_list ap;

	begin(t);
	va_start(ap, fmt);
	vfprintf(t->out, fmt, ap);
	va_end(ap);
	fputc('\n', t->out);
}

static void ident(const struct nut_text *t)
{
	if (t->ident[0])
		fprintf(t->out, "%s: ", t->ident);
}

/* ---- columns of result and interval lines ---- */

/* Percent with two decimals, or five where two would hide it. */
static const char *percent(char buf[static 32], double loss, int width, bool always_long)
{
	double value = loss * 100;

	if (always_long || (value != 0 && value < 0.1))
		snprintf(buf, 32, "%*.5f", always_long || !width ? 0 : 7, value);
	else
		snprintf(buf, 32, "%*.2f", width, value);
	return buf;
}

static void spread_columns(const struct nut_text *t, const struct nut_spread *s,
			   int64_t which, const char *name, const char *key)
{
	const double value[3] = {s->min_ms, s->avg_ms, s->max_ms};
	static const char *const plain[3] = {"Min", "Avg", "Max"};
	static const char *const keys[3] = {"min", "avg", "max"};

	for (int k = 0; s->have && k < 3; k++) {
		if (!(which & 1 << k))
			continue;
		if (parse(t))
			fprintf(t->out, " ms%s%s=%.4f", keys[k], key, value[k]);
		else
			fprintf(t->out, " %.4f ms%s%s", value[k], plain[k], name);
	}
}

static void jitter_columns(const struct nut_text *t, const struct nut_spread *s)
{
	spread_columns(t, s, t->p->do_jitter, "Jitter", "jitter");
}

static void owd_columns(const struct nut_text *t, const struct nut_spread *s)
{
	spread_columns(t, s, t->p->do_owd, "OWD", "OWD");
}

static void list(FILE *out, const int64_t *by, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		fprintf(out, "%s%" PRId64, k ? "+" : "", by[k]);
}

/* ---- intervals ---- */

static double mbps(const struct nut_span *s)
{
	return s->seconds > 0 ? (double)s->bytes / s->seconds / 125000 : 0;
}

static void span_columns(const struct nut_text *t, const struct nut_span *s,
			 const char *prefix)
{
	double mb = (double)s->bytes / MEGABYTE;

	if (parse(t))
		fprintf(t->out, "%smegabytes=%.4f %sreal_sec=%.2f %srate_Mbps=%.4f",
			prefix, mb, prefix, s->seconds, prefix, mbps(s));
	else
		fprintf(t->out, "%10.4f MB / %6.2f sec = %9.4f Mbps", mb, s->seconds,
			mbps(s));
}

static void loss_columns(const struct nut_text *t, const struct nut_interval *i,
			 const struct nut_span *s)
{
	char buf[32];

	if (!i->have_loss)
		return;
	if (!(t->p->format & NUT_NODROPS))
		fprintf(t->out,
			parse(t) ? " drop=%" PRId64 " pkt=%" PRId64
				 : " %5" PRId64 " / %5" PRId64 " ~drop/pkt",
			s->drops, s->pkts);
	if (!(t->p->format & NUT_NOPERCENTLOSS))
		fprintf(t->out, parse(t) ? " data_loss=%s" : " %s ~%%loss",
			percent(buf, s->loss, 5, parse(t)));
}

static void own_tcp_columns(const struct nut_text *t, const struct nut_interval *i,
			    bool total)
{
	int64_t retrans = total ? i->retrans_total : i->retrans;

	if (!i->have_retrans)
		return;
	fprintf(t->out, parse(t) ? " retrans=%" PRId64 : " %5" PRId64 " retrans",
		retrans);
	if (i->have_cwnd)
		fprintf(t->out, parse(t) ? " cwnd=%" PRId64 : " %6" PRId64 " KB-cwnd",
			i->cwnd_kb);
}

static void sent_columns(const struct nut_text *t, const struct nut_interval *i)
{
	double now = (double)i->now.sent_bytes / MEGABYTE;
	double total = (double)i->total.sent_bytes / MEGABYTE;

	if (!(t->p->format & NUT_XMITSTATS) || !i->have_loss)
		return;
	fprintf(t->out, parse(t) ? " tx_megabytes=%.4f" : " Trans: %10.4f MB", now);
	if (t->p->format & NUT_RUNNINGTOTAL)
		fprintf(t->out, parse(t) ? " tx_total_megabytes=%.4f" : " Tot: %10.4f MB",
			total);
}

void nut_text_interval(const struct nut_text *t, const struct nut_interval *i)
{
	ident(t);
	span_columns(t, &i->now, "");
	loss_columns(t, i, &i->now);
	jitter_columns(t, &i->jitter);
	own_tcp_columns(t, i, false);
	owd_columns(t, &i->owd);
	if (t->p->format & NUT_RUNNINGTOTAL) {
		fputs(parse(t) ? " " : " Tot: ", t->out);
		span_columns(t, &i->total, parse(t) ? "total_" : "");
		loss_columns(t, i, &i->total);
		own_tcp_columns(t, i, true);
	}
	sent_columns(t, i);
	fputc('\n', t->out);
}

void nut_text_relay(const struct nut_text *t, const char *text,
		    const struct nut_interval *own)
{
	const char *cut, *resume;

	ident(t);
	if (!own || !nut_interval_cut(text, &cut, &resume)) {
		fprintf(t->out, "%s\n", text);
		return;
	}
	fprintf(t->out, "%.*s", (int)(cut - text), text);
	own_tcp_columns(t, own, false);
	fprintf(t->out, "%s\n", resume);
}

/* ---- the verbose result ---- */

/* As the C shell's time prints it. */
static void usage_line(const struct nut_text *t, const struct nut_result *r)
{
	const struct cpuuse *u = &r->used;
	uint64_t wall_s = u->at_ns / NS_PER_S;
	uint64_t user = u->user_ns / (NS_PER_S / 10),
		 sys = u->system_ns / (NS_PER_S / 10);
	char real[32];

	if (wall_s >= 3600)
		snprintf(real, sizeof(real), "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64,
			 wall_s / 3600, wall_s / 60 % 60, wall_s % 60);
	else
		snprintf(real, sizeof(real), "%" PRIu64 ":%02" PRIu64, wall_s / 60,
			 wall_s % 60);
	if (parse(t))
		line(t,
		     "stats=cpu user=%" PRIu64 ".%" PRIu64 " system=%" PRIu64 ".%" PRIu64
		     " elapsed=%s cpu=%d%% memory=0i+0d-%" PRIu64 "maxrss io=%" PRIu64
		     "+%" PRIu64 "pf swaps=%" PRIu64 "+%" PRIu64 "csw",
		     user / 10, user % 10, sys / 10, sys % 10, real, r->cpu_percent,
		     cpuuse_max_rss_kib() / 2, u->major_faults, u->minor_faults,
		     u->voluntary_switches, u->involuntary_switches);
	else
		line(t,
		     "%" PRIu64 ".%" PRIu64 "user %" PRIu64 ".%" PRIu64
		     "sys %sreal %d%% 0i+0d %" PRIu64 "maxrss %" PRIu64 "+%" PRIu64
		     "pf %" PRIu64 "+%" PRIu64 "csw",
		     user / 10, user % 10, sys / 10, sys % 10, real, r->cpu_percent,
		     cpuuse_max_rss_kib() / 2, u->major_faults, u->minor_faults,
		     u->voluntary_switches, u->involuntary_switches);
}

static void spread_line(const struct nut_text *t, const struct nut_spread *s,
			const char *name)
{
	if (!s->have)
		return;
	if (parse(t))
		line(t, "msmin%s=%.4f msavg%s=%.4f msmax%s=%.4f", name, s->min_ms, name,
		     s->avg_ms, name, s->max_ms);
	else
		line(t, "min-%s = %.4f ms, avg-%s = %.4f ms, max-%s = %.4f ms", name,
		     s->min_ms, name, s->avg_ms, name, s->max_ms);
}

static void tcp_line(const struct nut_text *t, const struct nut_tcp *tcp)
{
	const char *const open = parse(t) ? "" : " ( ", *const close = parse(t) ? ""
										: " )";

	if (!tcp->have_retrans || t->p->format & NUT_NORETRANS)
		return;
	begin(t);
	fprintf(t->out, parse(t) ? "retrans=%" PRId64 : "retrans = %" PRId64,
		tcp->retrans);
	if (tcp->streams > 1 && tcp->retrans > 0) {
		fputs(parse(t) ? " retrans_by_stream=" : open, t->out);
		list(t->out, tcp->retrans_by, tcp->streams);
		fputs(close, t->out);
	}
	if (tcp->have_cwnd && !(t->p->format & NUT_NOCWND)) {
		fprintf(t->out, parse(t) ? " cwnd=%" PRId64 : " cwnd = %" PRId64 " KB",
			tcp->cwnd_kb);
		if (tcp->streams > 1 && tcp->cwnd_kb > 0) {
			fputs(parse(t) ? " cwnd_by_stream=" : open, t->out);
			list(t->out, tcp->cwnd_kb_by, tcp->streams);
			fputs(close, t->out);
		}
	}
	fputc('\n', t->out);
}

void nut_text_udp_loss(const struct nut_text *t, const struct nut_result *tx,
		       const struct nut_result *rx)
{
	int64_t drops, pkts;
	double loss;
	char buf[32];

	nut_udp_loss(tx, rx, t->p->buflen_bytes, &drops, &pkts, &loss);
	fprintf(t->out, "nuttcp-r%s%s: ", t->ident[0] ? "-" : "", t->ident);
	fprintf(t->out,
		parse(t) ? "drop=%" PRId64 " pkt=%" PRId64 " data_loss=%s\n"
			 : "%" PRId64 " / %" PRId64 " drop/pkt %s%% data loss\n",
		drops, pkts, percent(buf, loss, 0, parse(t)));
}

void nut_text_block(const struct nut_text *t, const struct nut_result *r,
		    const struct nut_result *tx_for_loss)
{
	double cpu_s = ns_to_s(r->used.user_ns + r->used.system_ns);
	double calls = (double)r->calls;
	/* Thousandths of 1024: as it has always been printed. */
	double ms_per_call = calls > 0 ? 1024 * r->seconds / calls : 0;

	line(t,
	     parse(t) ? "megabytes=%.4f real_seconds=%.2f rate_KBps=%.2f rate_Mbps=%.4f"
		      : "%.4f MB in %.2f real seconds = %.2f KB/sec = %.4f Mbps",
	     r->megabytes, r->seconds, r->kbytes_ps, r->mbps);
	if (tx_for_loss)
		nut_text_udp_loss(t, tx_for_loss, r);
	spread_line(t, &r->jitter, "jitter");
	spread_line(t, &r->owd, "OWD");
	if (t->cpu_lines)
		line(t,
		     parse(t) ? "megabytes=%.4f cpu_seconds=%.2f KB_per_cpu_second=%.2f"
			      : "%.4f MB in %.2f CPU seconds = %.2f KB/cpu sec",
		     r->megabytes, cpu_s,
		     cpu_s > 0 ? (double)r->bytes / 1024 / cpu_s : 0.0);
	if (t->transmit && !t->p->udp)
		tcp_line(t, &r->tcp);
	line(t,
	     parse(t) ? "io_calls=%" PRIu64 " msec_per_call=%.2f calls_per_sec=%.2f"
		      : "%" PRIu64 " I/O calls, msec/call = %.2f, calls/sec = %.2f",
	     r->calls, ms_per_call, calls / r->seconds);
	usage_line(t, r);
}

/* ---- the result line ---- */

static void result_tcp_columns(const struct nut_text *t, const struct nut_tcp *tcp)
{
	const char *name = tcp->host_wide ? "host-retrans" : "retrans";
	bool by = t->by_stream_retrans && tcp->streams > 1 && tcp->retrans > 0;

	if (t->p->udp || !tcp->have_retrans || t->p->format & NUT_NORETRANS)
		return;
	if (parse(t))
		fprintf(t->out, " %s=%" PRId64 "%s", name, tcp->retrans,
			by ? " retrans_by_stream=" : "");
	else
		fprintf(t->out, " %" PRId64 "%s", tcp->retrans, by ? " = " : "");
	if (by)
		list(t->out, tcp->retrans_by, tcp->streams);
	if (!parse(t))
		fprintf(t->out, " %s", name);
	by = t->by_stream_cwnd && tcp->streams > 1;
	if (!tcp->have_cwnd || t->p->format & NUT_NOCWND)
		return;
	if (parse(t))
		fprintf(t->out, " cwnd=%" PRId64 "%s", tcp->cwnd_kb,
			by ? " cwnd_by_stream=" : "");
	else
		fprintf(t->out, " %" PRId64 "%s", tcp->cwnd_kb, by ? " = " : "");
	if (by)
		list(t->out, tcp->cwnd_kb_by, tcp->streams);
	if (!parse(t))
		fputs(" KB-cwnd", t->out);
}

static void result_udp_columns(const struct nut_text *t, const struct nut_result *tx,
			       const struct nut_result *rx)
{
	int64_t drops, pkts;
	double loss;
	char buf[32];

	if (!t->p->udp || !tx->known || !rx->known)
		return;
	nut_udp_loss(tx, rx, t->p->buflen_bytes, &drops, &pkts, &loss);
	if (!(t->p->format & NUT_NODROPS))
		fprintf(t->out,
			parse(t) ? " drop=%" PRId64 " pkt=%" PRId64
				 : " %" PRId64 " / %" PRId64 " drop/pkt",
			drops, pkts);
	if (!(t->p->format & NUT_NOPERCENTLOSS))
		fprintf(t->out, parse(t) ? " data_loss=%s" : " %s %%loss",
			percent(buf, loss, 0, parse(t)));
	if (t->p->format & NUT_XMITSTATS)
		fprintf(t->out, parse(t) ? " tx_megabytes=%.4f" : " Trans: %.4f MB",
			tx->megabytes);
}

static void cpu_column(const struct nut_text *t, const struct nut_result *r,
		       const char *end)
{
	if (!r->have_cpu)
		return;
	if (parse(t))
		fprintf(t->out, " %s_cpu=%d", strcmp(end, "TX") == 0 ? "tx" : "rx",
			r->cpu_percent);
	else
		fprintf(t->out, " %d %%%s", r->cpu_percent, end);
}

void nut_text_result(const struct nut_text *t, const struct nut_result *tx,
		     const struct nut_result *rx)
{
	/* What the receiver got is the result. */
	const struct nut_result *r = rx->known ? rx : tx;
	double rtt_ms = tx->rtt_ms > 0 ? tx->rtt_ms : rx->rtt_ms;

	if (t->blank_first)
		fputc('\n', t->out);
	ident(t);
	fprintf(t->out,
		parse(t) ? "megabytes=%.4f real_seconds=%.2f rate_Mbps=%.4f"
			 : "%10.4f MB / %6.2f sec = %9.4f Mbps",
		r->megabytes, r->seconds, r->mbps);
	cpu_column(t, tx, "TX");
	cpu_column(t, rx, "RX");
	result_udp_columns(t, tx, rx);
	jitter_columns(t, &rx->jitter);
	result_tcp_columns(t, &tx->tcp);
	if (!t->p->udp && t->p->format & NUT_RTT && rtt_ms > 0)
		fprintf(t->out, parse(t) ? " rtt_ms=%.2f" : " %.2f msRTT", rtt_ms);
	owd_columns(t, &rx->owd);
	fputc('\n', t->out);
}

void nut_text_error(FILE *out, const struct nut_text *t, const struct err *e)
{
	fprintf(out, "nuttcp-%c%s%s: v" NUT_VERSION_TEXT ": Error: %s%s%s\n", letter(t),
		t->ident[0] ? "-" : "", t->ident, e->what, e->what[0] ? ": " : "",
		e->text);
	if (e->sys_errno)
		fprintf(out, "errno=%d\n", e->sys_errno);
}
