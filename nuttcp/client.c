/* SPDX-License-Identifier: BSD-2-Clause */
#include "client.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "request.h"

int nut_client(const struct nut_conf *conf, struct nut_report *report,
	       struct stopper *stop)
{
	struct nut_client *c = calloc(1, sizeof(*c));
	int asked, rc = NUT_FAILED;

	if (!c)
		return NUT_FAILED;
	c->conf = conf;
	c->report = report;
	c->stop = stop;
	c->ctl.fd = -1;
	report->text = (struct nut_text){
		.out = report->out,
		.transmit = nut_transmits(conf),
		.ident = conf->ident,
		.host = conf->host,
		.cpu_lines = conf->verbose >= 2,
		.by_stream_retrans = conf->by_stream_retrans,
		.by_stream_cwnd = conf->by_stream_cwnd,
		.blank_first = conf->interval_s > 0 || conf->brief < 0,
		.priority_given = conf->priority_given,
		.priority = (int)conf->priority,
		.affinity = (int)conf->affinity,
	};
	report->text.p = &c->own;
	c->request = nut_request(conf, 0);
	c->own = c->request;
	c->store = open_memstream(&c->text, &c->text_size);
	if (!c->store)
		goto out;
	asked = nut_client_ask(c);
	if (asked > 0)
		rc = nut_client_classic(c);
	else if (asked == 0 && (conf->third || conf->traceroute))
		rc = nut_client_relay(c);
	else if (asked == 0)
		rc = nut_client_run(c);
out:
	if (c->store)
		fclose(c->store);
	free(c->text);
	if (c->ctl.fd >= 0)
		close(c->ctl.fd);
	free(c);
	return rc;
}

struct nut_flow_conf nut_client_flow(struct nut_client *c, const char *const *host,
				     unsigned count)
{
	const struct nut_conf *conf = c->conf;

	return (struct nut_flow_conf){
		.p = &c->own,
		.transmit = nut_transmits(conf),
		.peer_version = c->server_version,
		.family = addr_family(&c->peer),
		.rate_bps = nut_request_rate_bps(conf, &c->own),
		.spin = conf->spin,
		.pipe_fd = !conf->pipe           ? -1
			   : nut_transmits(conf) ? STDIN_FILENO
						 : STDOUT_FILENO,
		.so_debug = conf->so_debug,
		.lock_fd = -1,
		.ctl_fd = -1,
		.host = host,
		.host_count = count,
		.local = c->local,
		.peer = c->peer,
		.user = c->stop,
	};
}
