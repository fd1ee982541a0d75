/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The client's side of the control connection, up to OK. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "mono.h"
#include "request.h"
#include "sock.h"

#define CONNECT_NS (30 * NS_PER_S)
#define ANSWER_NS  (60 * NS_PER_S) /* a server may wait for its data port */
#define RETRIES    10
#define RETRY_NS   (NS_PER_S / 2)

static int say(struct nut_client *c, const struct err *e)
{
	char text[NUT_HOST_MAX + 256];
	const char *reason = strstr(e->text, ": ");

	if (e->code == ERR_STOPPED) {
		c->report->how->failed(c->report, "interrupted");
	} else if (strcmp(e->what, "bad hostname") == 0) {
		snprintf(text, sizeof(text), "bad hostname or address: %s: %s",
			 reason ? reason + 2 : e->text, c->conf->dest.control);
		c->report->how->failed(c->report, text);
	} else {
		c->report->how->error(c->report, e);
	}
	return -1;
}

/* ---- the connection ---- */

static int dial(struct nut_client *c, struct err *e)
{
	const struct nut_conf *conf = c->conf;
	char copy[NUT_HOST_MAX];
	const struct sock_req req = {
		.host = nut_dest_host(conf->dest.control, copy, sizeof(copy),
				      conf->family),
		.port = (uint16_t)conf->ctlport,
		.family = conf->family,
		.type = SOCK_STREAM,
		.bind_port = (uint16_t)conf->ctl_srcport,
		.stop = c->stop,
	};
	socklen_t len = sizeof(c->ctl_mss_bytes);

	c->ctl = (struct nut_ctl){.fd = sock_connect(&req, CONNECT_NS, e)};
	if (c->ctl.fd < 0)
		return -1;
	nut_ctl_guard(c->ctl.fd);
	addr_local(c->ctl.fd, &c->local, NULL);
	addr_peer(c->ctl.fd, &c->peer, NULL);
	c->report->text.family = addr_family(&c->peer);
	c->report->text.address = addr_host(&c->peer, c->peer_host);
	if (getsockopt(c->ctl.fd, IPPROTO_TCP, TCP_MAXSEG, &c->ctl_mss_bytes, &len) < 0)
		c->ctl_mss_bytes = 0;
	return 0;
}

static int dial_again(struct nut_client *c, struct err *e)
{
	int tries = c->conf->retry ? RETRIES : 1;

	while (dial(c, e) < 0) {
		if (--tries == 0 ||
		    (e->sys_errno != ECONNREFUSED && e->sys_errno != ECONNRESET))
			return -1;
		if (sock_wait(-1, 0, mono_now_ns() + RETRY_NS, c->stop, e) < 0 &&
		    e->code == ERR_STOPPED)
			return -1;
	}
	return 0;
}

/* What needs a server, as the message names it; NULL: a classic transfer would do. */
static const char *needs_server(const struct nut_conf *c)
{
	return c->third            ? "3rd party nuttcp"
	       : c->traceroute     ? "traceroute option"
	       : c->ttl            ? "multicast"
	       : c->udp            ? "UDP transfers"
	       : c->interval_s > 0 ? "interval option"
	       : c->flip           ? "flip option"
				   : NULL;
}

static int refused(struct nut_client *c, const struct err *e)
{
	const struct nut_conf *conf = c->conf;
	const char *what = needs_server(conf);
	bool parse = conf->format & NUT_PARSE;
	char text[NUT_HOST_MAX + 512];

	if (e->code == ERR_RESOLVE || e->code == ERR_STOPPED)
		return say(c, e);
	if (conf->as_third) {
		snprintf(text, sizeof(text),
			 "3rd party connect failed: %s\n"
			 "3rd party nuttcp only supported for client/server mode",
			 e->text);
		c->report->how->failed(c->report, text);
		return -1;
	}
	if (what) {
		snprintf(text, sizeof(text),
			 "connect failed: %s\n%s only supported for client/server mode",
			 e->text, what);
		c->report->how->failed(c->report, text);
		return -1;
	}
	if (conf->receive || conf->json || e->sys_errno != ECONNREFUSED)
		return say(c, e);
	/* Never in silence: which port refused, then the words that everybody knows. */
	snprintf(text, sizeof(text),
		 parse ? "nuttcp-t: Info=\"control_port_%d_of_%s:_connection_refused\"\n"
			 "nuttcp-t: "
			 "Info=\"attempting_to_switch_to_deprecated_classic_mode\"\n"
			 "nuttcp-t: "
			 "Info=\"will_use_less_reliable_transmitter_side_statistics\""
		       : "nuttcp-t: Info: control port %d of %s: connection refused\n"
			 "nuttcp-t: Info: attempting to switch to deprecated \"classic\" "
			 "mode\n"
			 "nuttcp-t: Info: will use less reliable transmitter side "
			 "statistics",
		 (int)conf->ctlport, conf->dest.control);
	c->report->how->note(c->report, text);
	return 1;
}

/* ---- the conversation ---- */

/* Next line of the answer: 1, or 0 when the server has hung up. */
static int answer(struct nut_client *c, char *line, struct err *e)
{
	return nut_ctl_line(&c->ctl, line, mono_now_ns() + ANSWER_NS, c->stop, e);
}

static int hung_up(struct nut_client *c)
{
	c->report->how->error_out(c->report, "error from server");
	if (c->report->how == &nut_report_text)
		c->report->how->failed(c->report, "server aborted connection");
	return -1;
}

/* The lines of an error block; the first has been read. */
static int refusal(struct nut_client *c, char *line)
{
	char text[NUT_LINE_MAX] = "server ";
	struct err e;

	if (strcmp(line, "KO") != 0)
		strlcat(text, line, sizeof(text));
	for (bool first = strcmp(line, "KO") == 0; answer(c, line, &e) > 0;
	     first = false) {
		if (strcmp(line, "KO") == 0)
			break;
		if (!first)
			strlcat(text, "\n", sizeof(text));
		strlcat(text, line, sizeof(text));
	}
	if (c->report->how == &nut_report_json) {
		c->report->how->failed(c->report, text);
		return -1;
	}
	c->report->how->error_out(c->report, "error from server");
	c->report->how->failed(c->report, text);
	return -1;
}

/* A server that does not know HELO: connect again and ask in the oldest form. */
static int ask_old(struct nut_client *c, char *line, struct err *e)
{
	while (strncmp(line, "KO", 2) != 0) {
		if (answer(c, line, e) <= 0)
			return hung_up(c);
	}
	close(c->ctl.fd);
	c->server_version = 0;
	return dial(c, e) < 0 ? say(c, e) : 0;
}

static int hello(struct nut_client *c, struct err *e)
{
	char line[NUT_LINE_MAX];
	int rc;

	if (nut_ctl_send(&c->ctl, "HELO nuttcp v" NUT_VERSION_TEXT "\n", c->stop, e) < 0)
		return say(c, e);
	rc = answer(c, line, e);
	if (rc < 0)
		return say(c, e);
	if (rc == 0)
		return hung_up(c);
	c->server_version = nut_helo_parse(line);
	return c->server_version < 0 ? ask_old(c, line, e) : 0;
}

static void fragment_warning(struct nut_client *c)
{
	const struct nut_conf *conf = c->conf;
	int64_t mss = c->ctl_mss_bytes > 0 ? c->ctl_mss_bytes : 1448;
	char text[160];

	if (!conf->udp || conf->third || c->request.buflen_bytes <= mss + 24)
		return;
	snprintf(text, sizeof(text),
		 "nuttcp-%c: Warning: IP frags or no data reception since buflen=%lld > "
		 "ctlconnmss=%lld",
		 conf->receive ? 'r' : 't', (long long)c->request.buflen_bytes,
		 (long long)mss);
	c->report->how->note(c->report, text);
}

static int request(struct nut_client *c, struct err *e)
{
	char line[NUT_LINE_MAX];
	int rc;

	if (c->request.nbuf == 0) {
		c->report->how->failed(
			c->report, "invalid nbuf = 0: fewer bytes than one buffer (-l)");
		return -1;
	}
	if (nut_params_print(&c->request, c->server_version, line, sizeof(line)) < 0) {
		c->report->how->failed(c->report, "request too long");
		return -1;
	}
	if (nut_ctl_send(&c->ctl, line, c->stop, e) < 0)
		return say(c, e);
	rc = answer(c, line, e);
	if (rc < 0)
		return say(c, e);
	if (rc == 0)
		return hung_up(c);
	rc = nut_ok_parse(line);
	if (rc < 0)
		return refusal(c, line);
	return 0;
}

int nut_client_ask(struct nut_client *c)
{
	const struct nut_conf *conf = c->conf;
	struct err e;
	bool too_new;

	if (dial_again(c, &e) < 0)
		return refused(c, &e);
	c->request = nut_request(conf, c->ctl_mss_bytes);
	c->own = c->request;
	c->own.win_bytes = conf->win_bytes;
	if (hello(c, &e) < 0)
		return -1;
	too_new = nut_request_too_new(conf, c->server_version, c->report->out);
	fragment_warning(c);
	if (request(c, &e) < 0)
		return -1;
	return too_new ? -1 : 0;
}
