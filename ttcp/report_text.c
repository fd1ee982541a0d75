/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The report as ttcp 1.12 lays it out, with the three decimals of its CERN variant. */
#include "report.h"

#include <inttypes.h>

#include "mono.h"
#include "units.h"

static char role_letter(const struct ttcp_report *r)
{
	return r->conf->role == TTCP_TRANSMIT ? 't' : 'r';
}

static void line(const struct ttcp_report *r, const char *text)
{
	fprintf(r->out, "ttcp-%c: %s\n", role_letter(r), text);
}

static void text_begin(const struct ttcp_report *r)
{
	const struct ttcp_conf *c = r->conf;

	fprintf(r->out,
		"ttcp-%c: buflen=%" PRIu64 ", nbuf=%" PRIu64 ", align=%" PRIu64
		"/%" PRIu64 ", port=%u",
		role_letter(r), c->buf_bytes, c->buf_count, c->align_bytes,
		c->offset_bytes, (unsigned)c->port);
	if (c->sockbuf_bytes)
		fprintf(r->out, ", sockbufsize=%" PRIu64, c->sockbuf_bytes);
	fprintf(r->out, "  %s", c->udp ? "udp" : "tcp");
	if (ttcp_connects(c))
		fprintf(r->out, "  -> %s", c->host);
	fputc('\n', r->out);
}

static void text_step(const struct ttcp_report *r, enum sock_step step)
{
	switch (step) {
	case SOCK_STEP_SOCKET:
		line(r, "socket");
		break;
	case SOCK_STEP_SNDBUF:
		line(r, "sndbuf");
		break;
	case SOCK_STEP_RCVBUF:
		line(r, "rcvbuf");
		break;
	case SOCK_STEP_NODELAY:
		line(r, "nodelay");
		break;
	case SOCK_STEP_CONNECT:
		if (!r->conf->udp)
			line(r, "connect");
		break;
	case SOCK_STEP_LISTEN:
		break;
	}
}

static void text_accepted(const struct ttcp_report *r, const struct addr *from)
{
	char host[ADDR_HOST_MAX];

	fprintf(r->out, "ttcp-%c: accept from %s\n", role_letter(r),
		addr_host(from, host));
}

static void text_warn(const struct ttcp_report *r, const struct err *e)
{
	fprintf(r->out, "ttcp-%c: warning: %s: %s\n", role_letter(r), e->what, e->text);
}

static void print_error(const struct ttcp_report *r, const struct err *e)
{
	if (e->code == ERR_NONE || e->code == ERR_STOPPED)
		return;
	fprintf(r->out, "ttcp-%c: %s: %s\n", role_letter(r), e->what, e->text);
	if (e->sys_errno)
		fprintf(r->out, "errno=%d\n", e->sys_errno);
}

/* The C shell's time format: user, system, real, percent, sizes, faults, switches. */
static void print_usage(const struct ttcp_report *r, const struct cpuuse *used,
			uint64_t max_rss_kib)
{
	uint64_t real_s = used->at_ns / NS_PER_S;
	uint64_t cpu_ns = used->user_ns + used->system_ns;

	fprintf(r->out,
		"ttcp-%c: %" PRIu64 ".%03" PRIu64 "user %" PRIu64 ".%03" PRIu64 "sys ",
		role_letter(r), used->user_ns / NS_PER_S,
		used->user_ns % NS_PER_S / NS_PER_MS, used->system_ns / NS_PER_S,
		used->system_ns % NS_PER_S / NS_PER_MS);
	if (real_s >= 3600)
		fprintf(r->out, "%" PRIu64 ":%02" PRIu64, real_s / 3600,
			real_s / 60 % 60);
	else
		fprintf(r->out, "%" PRIu64, real_s / 60);
	fprintf(r->out,
		":%02" PRIu64 "real %d%% 0i+0d %" PRIu64 "maxrss %" PRIu64 "+%" PRIu64
		"pf %" PRIu64 "+%" PRIu64 "csw\n",
		real_s % 60, (int)cpuuse_percent(cpu_ns, used->at_ns), max_rss_kib,
		used->major_faults, used->minor_faults, used->voluntary_switches,
		used->involuntary_switches);
}

static void text_end(const struct ttcp_report *r, const struct ttcp_end *end)
{
	const struct sample *s = &end->result.total;
	char letter = r->conf->unit;
	const char *unit = units_rate_name(letter);
	double bytes = (double)s->bytes;
	double calls = (double)s->calls;
	/* Never a division by zero: the classic program's own substitutes. */
	double real_s = end->used.at_ns ? ns_to_s(end->used.at_ns) : 0.001;
	double cpu_s = ns_to_s(end->used.user_ns + end->used.system_ns);

	print_error(r, &end->error);
	if (end->result.start_wall_ns == 0)
		return;
	if (cpu_s <= 0.0)
		cpu_s = 0.00001;
	fprintf(r->out, "ttcp-%c: %.0f bytes in %.3f real seconds = %.3f %s/sec +++\n",
		role_letter(r), bytes, real_s, units_rate(bytes / real_s, letter, 1024),
		unit);
	if (r->conf->verbose)
		fprintf(r->out,
			"ttcp-%c: %.0f bytes in %.3f CPU seconds = %.3f %s/cpu sec\n",
			role_letter(r), bytes, cpu_s,
			units_rate(bytes / cpu_s, letter, 1024), unit);
	fprintf(r->out,
		"ttcp-%c: %" PRIu64 " I/O calls, msec/call = %.3f, calls/sec = %.3f\n",
		role_letter(r), s->calls, s->calls ? 1000.0 * real_s / calls : 0.0,
		calls / real_s);
	print_usage(r, &end->used, end->max_rss_kib);
	if (r->conf->verbose)
		fprintf(r->out, "ttcp-%c: buffer address %p\n", role_letter(r), end->buf);
}

const struct ttcp_reporter ttcp_report_text = {
	.begin = text_begin,
	.step = text_step,
	.accepted = text_accepted,
	.warn = text_warn,
	.end = text_end,
};
