/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The text reporter: all lines but the interval rows and the summary. */
#include "report_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jsonw.h"
#include "mono.h"

#define RULE "-----------------------------------------------------------"

static struct i3_text *text_of(struct i3_reporter *r)
{
	return (struct i3_text *)r;
}

/* ---- lines ---- */

/* strftime of now, "" without --timestamps. */
static const char *stamp(const struct i3_text *t, char *buf, size_t cap)
{
	time_t now = (time_t)(wall_now_ns() / NS_PER_S);
	struct tm tm;

	buf[0] = '\0';
	/* The format is the user's own. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (t->c->timestamps && localtime_r(&now, &tm) &&
	    strftime(buf, cap, t->c->timestamp_format, &tm) == 0)
		buf[0] = '\0';
#pragma GCC diagnostic pop
	return buf;
}

static void put(const struct i3_text *t, const char *text)
{
	if (t->sink->out)
		fputs(text, t->sink->out);
	if (t->copy)
		fputs(text, t->copy);
}

/* Bytes of the character at s that terminals obey in UTF-8: C1 controls, and those that
 * are invisible or turn the direction of writing. 0 = it is none. */
static size_t steering(const unsigned char *s)
{
	if (s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f)
		return 2;
	if (s[0] != 0xe2)
		return 0;
	if (s[1] == 0x80 &&
	    ((s[2] >= 0x8b && s[2] <= 0x8f) || (s[2] >= 0xa8 && s[2] <= 0xae)))
		return 3;
	return s[1] == 0x81 && s[2] >= 0xa0 && s[2] <= 0xaf ? 3 : 0;
}

/* A peer's words must not steer the terminal. */
static void disarm(char *line)
{
	while (*line) {
		unsigned char c = (unsigned char)*line;
		size_t len = steering((const unsigned char *)line);

		if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			len = 1;
		memset(line, '?', len);
		line += len ? len : 1;
	}
}

void i3_text_line(struct i3_text *t, const char *fmt, ...)
{
	char when[256];
	char *line = NULL;
	va_list ap;

	put(t, stamp(t, when, sizeof(when)));
	if (t->c->role == I3_CLIENT && t->c->test.title) {
		put(t, t->c->test.title);
		put(t, ":  ");
	}
	va_start(ap, fmt);
	if (vasprintf(&line, fmt, ap) < 0)
		line = NULL;
	va_end(ap);
	if (line)
		disarm(line);
	put(t, line ? line : "(out of memory)");
	put(t, "\n");
	free(line);
}

/* Lines become visible at once, also in a pipe: no call ends with lines in the buffer. */
static void flush(const struct i3_text *t)
{
	if (t->sink->out)
		fflush(t->sink->out);
}

/* ---- before the first byte ---- */

static void drop_copy(struct i3_text *t)
{
	if (t->copy)
		fclose(t->copy);
	free(t->copy_text);
	t->copy = NULL;
	t->copy_text = NULL;
}

static void text_begin(struct i3_reporter *r)
{
	struct i3_text *t = text_of(r);
	char system[512];

	drop_copy(t);
	t->test = NULL;
	t->heading_done = t->block_done = false;
	if (!t->c->verbose)
		return;
	i3_system_text(system, sizeof(system));
	i3_text_line(t, "%s", i3_version_text());
	i3_text_line(t, "%s", system);
	flush(t);
}

static void text_listening(struct i3_reporter *r, const struct i3_listening *l)
{
	struct i3_text *t = text_of(r);

	i3_text_line(t, RULE);
	i3_text_line(t, "Server listening on %u (test #%u)", (unsigned)l->port,
		     l->test_number);
	i3_text_line(t, RULE);
	flush(t);
}

static void text_control(struct i3_reporter *r, const struct i3_control *c)
{
	struct i3_text *t = text_of(r);
	FILE *out = t->sink->out;

	if (!t->c->verbose || !out)
		return;
	if (c->mss_bytes > 0)
		fprintf(out, "Control connection MSS %d\n", c->mss_bytes);
	if (c->udp_block_bytes > 0)
		fprintf(out, "Setting UDP block size to %" PRIu32 "\n",
			c->udp_block_bytes);
	if (c->keepalive)
		fprintf(out,
			"Control connection TCP Keepalive "
			"TCP_KEEPIDLE/TCP_KEEPINTVL/TCP_KEEPCNT are set to %d/%d/%d\n",
			c->keepalive_idle_s, c->keepalive_intvl_s, c->keepalive_count);
	flush(t);
}

static void verbose_begin(struct i3_text *t, const struct i3_begin *b)
{
	i3_text_line(t, "      Cookie: %.*s", I3_COOKIE_BYTES - 1, b->cookie);
	if (b->test->protocol == I3_TCP && b->test->mss_bytes > 0)
		i3_text_line(t, "      TCP MSS: %d", b->test->mss_bytes);
	else if (b->test->protocol == I3_TCP)
		i3_text_line(t, "      TCP MSS: %d (default)", b->mss_bytes);
	if (b->test->rate_bps > 0)
		i3_text_line(t, "      Target Bitrate: %" PRIu64, b->test->rate_bps);
}

static void text_test_begin(struct i3_reporter *r, const struct i3_begin *b)
{
	struct i3_text *t = text_of(r);
	bool client = b->role == I3_CLIENT;
	char when[64];

	drop_copy(t);
	t->test = b->test;
	t->heading_done = t->block_done = false;
	if (!client && b->test->get_server_output)
		t->copy = open_memstream(&t->copy_text, &t->copy_len);
	if (t->c->verbose) {
		i3_time_text(b->wall_ns, when, sizeof(when));
		i3_text_line(t, "Time: %s", when);
	}
	if (client)
		i3_text_line(t, "Connecting to host %s, port %u", b->host,
			     (unsigned)b->port);
	else
		i3_text_line(t, "Accepted connection from %s, port %u", b->host,
			     (unsigned)b->port);
	if (client && b->test->reverse)
		i3_text_line(t, "Reverse mode, remote host %s is sending", b->host);
	if (t->c->verbose)
		verbose_begin(t, b);
	flush(t);
}

static void text_connected(struct i3_reporter *r, const struct i3_conn *c)
{
	struct i3_text *t = text_of(r);

	i3_text_line(t, "[%3d] local %s port %u connected to %s port %u", c->number,
		     c->local_host, (unsigned)c->local_port, c->remote_host,
		     (unsigned)c->remote_port);
	flush(t);
}

static const char *protocol_name(const struct i3_test *test)
{
	return test->protocol == I3_UDP   ? "UDP"
	       : test->protocol == I3_TCP ? "TCP"
					  : "SCTP";
}

static void text_test_start(struct i3_reporter *r, const struct i3_start *s)
{
	struct i3_text *t = text_of(r);
	const struct i3_test *test = t->test;
	char until[64];

	if (!t->c->verbose || !test)
		return;
	if (s->gso || s->gro)
		i3_text_line(t, "      UDP offload: GSO %s, GRO %s",
			     s->gso ? "on" : "off", s->gro ? "on" : "off");
	if (test->bytes > 0)
		snprintf(until, sizeof(until), "%" PRIu64 " bytes to send", test->bytes);
	else if (test->blocks > 0)
		snprintf(until, sizeof(until), "%" PRIu64 " blocks to send",
			 test->blocks);
	else
		snprintf(until, sizeof(until), "%u second test", test->time_s);
	i3_text_line(t,
		     "Starting Test: protocol: %s, %u streams, %" PRIu32
		     " byte blocks, omitting %u seconds, %s, tos %d",
		     protocol_name(test), test->parallel, test->block_bytes, test->omit_s,
		     until, test->tos);
	flush(t);
}

/* ---- while it runs, and the result ---- */

static void text_omit_end(struct i3_reporter *r)
{
	struct i3_text *t = text_of(r);

	/* With interval rows, "(omitted)" tells the same. */
	if (t->c->verbose && t->c->interval_s <= 0)
		i3_text_line(t, "Finished omit period, starting real test");
	flush(t);
}

static void text_interval(struct i3_reporter *r, const struct i3_interval *i)
{
	struct i3_text *t = text_of(r);

	if (t->test && i->row_count > 0)
		i3_text_interval(t, i);
	flush(t);
}

static void text_end(struct i3_reporter *r, const struct i3_end *e)
{
	struct i3_text *t = text_of(r);

	if (t->test && e->stream_count > 0)
		i3_text_end(t, e);
	flush(t);
}

static void text_server_output(struct i3_reporter *r, const char *text,
			       struct cJSON *json)
{
	struct i3_text *t = text_of(r);
	char *buf = NULL;
	size_t len;
	FILE *f;

	/* One prefix before it all, as iperf3 does: the lines may have their own. */
	if (text)
		i3_text_line(t, "\nServer output:\n%s", text);
	f = json ? open_memstream(&buf, &len) : NULL;
	if (f) {
		jsonw_print(f, json, false);
		fclose(f);
	}
	if (buf && len > 0) {
		buf[len - 1] = '\0'; /* the line brings its newline */
		i3_text_line(t, "\nServer JSON output:\n%s", buf);
	}
	free(buf);
	jsonw_free(json);
	flush(t);
}

static void text_test_done(struct i3_reporter *r, bool ok)
{
	struct i3_text *t = text_of(r);

	if (ok && t->c->role == I3_CLIENT) {
		i3_text_line(t, "%s", "");
		i3_text_line(t, "iperf Done.");
	}
	drop_copy(t);
	t->test = NULL;
	flush(t);
}

/* ---- trouble ---- */

static void text_fault(struct i3_reporter *r, enum i3_trouble kind, const char *text,
		       const struct i3_fault *f)
{
	struct i3_text *t = text_of(r);
	FILE *err = t->sink->err;
	char when[256], buf[64], words[128];

	flush(t);
	if (!err)
		return;
	stamp(t, when, sizeof(when));
	if (kind == I3_TROUBLE_ERROR && f && f->from_server) {
		fprintf(err, "%siperf3: SERVER ERROR - %s", when,
			i3_fault_text(f->number, buf, sizeof(buf)));
		if (f->sys_errno)
			fprintf(err, ", errno: %s",
				strerror_r(f->sys_errno, words, sizeof(words)));
		fputc('\n', err);
	}
	if (kind == I3_TROUBLE_WARNING)
		fprintf(err, "warning: %s\n", text);
	else
		fprintf(err, "%siperf3: %s%s\n", when,
			kind == I3_TROUBLE_ERROR       ? "error - "
			: kind == I3_TROUBLE_INTERRUPT ? "interrupt - "
						       : "",
			text);
	fflush(err);
}

static void text_debug(struct i3_reporter *r, int level, const char *text)
{
	struct i3_text *t = text_of(r);

	if (level <= t->c->debug)
		i3_text_line(t, "%s", text);
	flush(t);
}

static void text_captured(struct i3_reporter *r, char **text, struct cJSON **json)
{
	struct i3_text *t = text_of(r);

	*json = NULL;
	*text = NULL;
	if (t->copy && fflush(t->copy) == 0)
		*text = strdup(t->copy_text);
}

static void text_free(struct i3_reporter *r)
{
	if (!r)
		return;
	drop_copy(text_of(r));
	free(r);
}

static const struct i3_report_ops text_ops = {
	.begin = text_begin,
	.listening = text_listening,
	.control = text_control,
	.test_begin = text_test_begin,
	.connected = text_connected,
	.test_start = text_test_start,
	.omit_end = text_omit_end,
	.interval = text_interval,
	.end = text_end,
	.server_output = text_server_output,
	.fault = text_fault,
	.debug = text_debug,
	.test_done = text_test_done,
	.captured = text_captured,
	.free = text_free,
};

struct i3_reporter *i3_report_text(const struct i3_conf *c, const struct i3_sink *sink)
{
	struct i3_text *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->base.ops = &text_ops;
	t->c = c;
	t->sink = sink;
	return &t->base;
}
