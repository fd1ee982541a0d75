/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The report as one JSON object in one line. Nothing is written before the end. */
#include "report.h"

#include "jsonw.h"

static void json_nothing(const struct ttcp_report *r)
{
	(void)r;
}

static void json_step(const struct ttcp_report *r, enum sock_step step)
{
	(void)r, (void)step;
}

static void json_accepted(const struct ttcp_report *r, const struct addr *from)
{
	(void)r, (void)from;
}

static void json_warn(const struct ttcp_report *r, const struct err *e)
{
	(void)r, (void)e;
}

static void fault(struct cJSON *o, const char *key, const struct err *e)
{
	char text[sizeof(e->what) + sizeof(e->text) + 2];

	if (e->code == ERR_NONE)
		return;
	snprintf(text, sizeof(text), "%s: %s", e->what, e->text);
	jsonw_str(o, key, text);
}

static void json_end(const struct ttcp_report *r, const struct ttcp_end *end)
{
	const struct ttcp_conf *c = r->conf;
	struct cJSON *o = result_json(&end->result);

	jsonw_u64(o, "buffer_bytes", c->buf_bytes);
	if (c->role == TTCP_TRANSMIT && c->memory)
		jsonw_u64(o, "buffers", c->buf_count);
	jsonw_str(o, c->role == TTCP_TRANSMIT ? "source" : "sink",
		  c->memory                  ? "memory"
		  : c->role == TTCP_TRANSMIT ? "stdin"
					     : "stdout");
	if (c->sockbuf_bytes)
		jsonw_u64(o, "socket_buffer_asked_bytes", c->sockbuf_bytes);
	if (end->result.start_wall_ns) {
		if (end->sockbuf_bytes)
			jsonw_u64(o, "socket_buffer_bytes", end->sockbuf_bytes);
		jsonw_u64(o, "io_calls", end->result.total.calls);
		jsonw_u64(o, "max_rss_bytes", end->max_rss_kib * 1024);
	}
	fault(o, "warning", &end->warning);
	if (end->error.code != ERR_STOPPED)
		fault(o, "error", &end->error);
	jsonw_print(r->out, o, true);
	jsonw_free(o);
}

const struct ttcp_reporter ttcp_report_json = {
	.begin = json_nothing,
	.step = json_step,
	.accepted = json_accepted,
	.warn = json_warn,
	.end = json_end,
};
