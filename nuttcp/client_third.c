/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The client that only watches: a server runs a client for it, or traceroute. */
#include <string.h>

#include "client.h"
#include "mono.h"
#include "trace.h"

/* The longest silence between two lines. */
static uint64_t patience_ns(const struct nut_conf *c)
{
	double s = c->interval_s > 0  ? c->interval_s
		   : c->timeout_s > 0 ? c->timeout_s
				      : 7200;
	double more = c->idle_max_s > 60 ? c->idle_max_s : 60;

	return (uint64_t)((s + more) * 1e9);
}

/* A line that only a finished test prints. */
static bool is_result(const char *line)
{
	if (strstr(line, "TX") && strstr(line, "Mbps"))
		return true;
	return strstr(line, "real seconds") || strstr(line, "real_seconds=");
}

int nut_client_relay(struct nut_client *c)
{
	const struct nut_conf *conf = c->conf;
	struct nut_report *r = c->report;
	char line[NUT_LINE_MAX];
	bool result = false;
	struct err e = {.code = ERR_NONE};
	int rc;

	if (conf->traceroute && !conf->third) {
		nut_trace(conf->dest.control, addr_family(&c->peer), conf->ttl > 0,
			  r->out);
		fputc('\n', r->out);
	}
	for (;;) {
		rc = nut_ctl_line(&c->ctl, line, mono_now_ns() + patience_ns(conf),
				  c->stop, &e);
		if (rc <= 0 || strcmp(line, "DONE") == 0)
			break;
		result = result || is_result(line);
		if (conf->ident[0] && line[0])
			fprintf(r->out, "%s: ", conf->ident);
		fprintf(r->out, "%s\n", line);
		fflush(r->out);
	}
	if (rc < 0 && e.code == ERR_STOPPED) {
		r->how->interrupted(r);
		return NUT_OK;
	}
	if (rc <= 0) {
		r->how->error_out(r, "Error: not receiving server info");
		return NUT_FAILED;
	}
	/* The other client's exit status does not travel; its result does. */
	return result || conf->traceroute ? NUT_OK : NUT_FAILED;
}
