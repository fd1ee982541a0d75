/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"

#include <string.h>

static void text_head(struct nut_report *r)
{
	if (r->conf->verbose)
		nut_text_head(&r->text);
}

static void text_connected(struct nut_report *r, const struct nut_flow *f)
{
	if (r->conf->verbose)
		nut_text_connected(&r->text, f);
	fflush(r->out);
}

static void text_interval(struct nut_report *r, const struct nut_interval *i)
{
	nut_text_interval(&r->text, i);
	fflush(r->out);
}

static void text_relay(struct nut_report *r, const char *line,
		       const struct nut_interval *own)
{
	nut_text_relay(&r->text, line, own);
	fflush(r->out);
}

/* "nuttcp-r: ..." becomes "nuttcp-r-ID: ..." */
static void server_line(const struct nut_report *r, const char *line, size_t len)
{
	const char *ident = r->text.ident;

	if (ident[0] && len > 9 && strncmp(line, "nuttcp-", 7) == 0 && line[8] == ':')
		fprintf(r->out, "%.8s-%s%.*s\n", line, ident, (int)(len - 8), line + 8);
	else
		fprintf(r->out, "%.*s\n", (int)len, line);
}

static void text_server_line(struct nut_report *r, const char *line)
{
	server_line(r, line, strlen(line));
	fflush(r->out);
}

static void text_interrupted(struct nut_report *r)
{
	fputs("\n*** transfer interrupted ***\n", r->out);
	fflush(r->out);
}

static void text_note(struct nut_report *r, const char *text)
{
	fprintf(r->err, "%s\n", text);
}

static void text_error(struct nut_report *r, const struct err *e)
{
	nut_text_error(r->err, &r->text, e);
}

static void text_error_out(struct nut_report *r, const char *text)
{
	fprintf(r->out, "nuttcp-%c%s%s: v" NUT_VERSION_TEXT ": %s\n",
		r->text.transmit ? 't' : 'r', r->text.ident[0] ? "-" : "", r->text.ident,
		text);
	fflush(r->out);
}

static void text_failed(struct nut_report *r, const char *text)
{
	fprintf(r->err, "%s\n", text);
}

/* The server's own report, its lines about CPU time only for -vv. */
static void server_text(const struct nut_report *r, const struct nut_end *e)
{
	const struct nut_params *p = r->text.p;
	const char *line = e->server_text;

	while (*line) {
		size_t len = strcspn(line, "\n");
		char copy[NUT_LINE_MAX];

		snprintf(copy, sizeof(copy), "%.*s", (int)len, line);
		if (r->text.cpu_lines ||
		    (!strstr(copy, "KB/cpu") && !strstr(copy, "KB_per_cpu")))
			server_line(r, line, len);
		if (p->udp && r->text.transmit && strstr(copy, "real") &&
		    strstr(copy, "seconds") && e->rx->known)
			nut_text_udp_loss(&r->text, e->tx, e->rx);
		line += len + (line[len] == '\n');
	}
}

static void text_end(struct nut_report *r, const struct nut_end *e)
{
	bool loss = r->text.p->udp && !r->text.transmit && e->tx->known;

	if (r->conf->verbose)
		nut_text_block(&r->text, e->own, loss ? e->tx : NULL);
	if (r->conf->result_line)
		nut_text_result(&r->text, e->tx, e->rx);
	if (r->conf->verbose && e->server_text && e->server_text[0]) {
		fputc('\n', r->out);
		server_text(r, e);
	}
	fflush(r->out);
}

const struct nut_reporter nut_report_text = {
	.head = text_head,
	.connected = text_connected,
	.interval = text_interval,
	.relay = text_relay,
	.server_line = text_server_line,
	.interrupted = text_interrupted,
	.note = text_note,
	.error = text_error,
	.error_out = text_error_out,
	.failed = text_failed,
	.end = text_end,
};
