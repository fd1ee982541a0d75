/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The test at the client. The receiver's figures are the result: when this end
 * transmits, they come as text over the control connection. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "client.h"
#include "mono.h"
#include "request.h"
#include "sockio.h"

#define SERVER_NS    (60 * NS_PER_S) /* between two lines of its report */
#define INTERRUPT_NS (2 * NS_PER_S)  /* the same after an interrupt */
#define STOP_NS      (NS_PER_S / 2)  /* for a server to stop by itself */
#define LATE_NS      (10 * NS_PER_S) /* for data after the server's report */
#define TEXT_MOST    (1024 * 1024)   /* a longer report is none */
#define LATE_UDP_NS  (300 * NS_PER_MS)

/* ---- the server's text ---- */

static void own_columns(struct nut_client *c, struct nut_flow *f, struct nut_interval *i)
{
	struct nut_tcp t;

	*i = (struct nut_interval){.have_loss = false};
	if (!f || f->n > 1 || c->own.udp || c->own.format & NUT_NORETRANS ||
	    c->own.buflen_bytes < 32)
		return;
	nut_flow_tcp(f, &t);
	i->have_retrans = t.have_retrans;
	i->retrans = t.retrans - c->retrans_at_relay;
	i->have_cwnd = t.have_cwnd && !(c->own.format & NUT_NOCWND);
	i->cwnd_kb = t.cwnd_kb;
	c->retrans_at_relay = t.retrans;
}

static bool notable(const char *line)
{
	return strstr(line, "Warning") || strstr(line, "Error") || strstr(line, "Debug");
}

static void relay(struct nut_client *c, struct nut_flow *f, const char *line)
{
	struct nut_report *r = c->report;
	struct nut_interval own;

	if (strncmp(line, "nuttcp-", 7) == 0) {
		nut_result_line(&c->server, line);
		if (c->conf->verbose || notable(line))
			r->how->server_line(r, line);
		return;
	}
	own_columns(c, f, &own);
	r->how->relay(r, line, own.have_retrans ? &own : NULL);
}

static void take_line(struct nut_client *c, struct nut_flow *f, const char *line)
{
	bool relaying = c->conf->interval_s > 0 && nut_transmits(c->conf) && !c->done;

	if (strncmp(line, "DONE", 4) == 0) {
		c->done = true;
		return;
	}
	if (relaying) {
		relay(c, f, line);
		return;
	}
	nut_result_line(&c->server, line);
	if (!c->conf->verbose && notable(line))
		c->report->how->server_line(c->report, line);
	if (c->text_bytes < TEXT_MOST)
		c->text_bytes += (size_t)fprintf(c->store, "%s\n", line);
}

/* What is there now. Returns -1 at the end of the connection. */
static int take_lines(struct nut_client *c, struct nut_flow *f)
{
	char line[NUT_LINE_MAX];
	int rc;

	while ((rc = nut_ctl_try(&c->ctl, line)) > 0)
		take_line(c, f, line);
	return rc;
}

/* ---- while the data flows ---- */

struct loop {
	struct nut_client *c;
	struct nut_flow *f;
	struct nut_wait w;
	bool interrupted, idle;
};

static void on_user(struct loop *l)
{
	const struct sigaction once = {.sa_handler = SIG_DFL};

	l->interrupted = true;
	l->w.no_user = true;
	l->c->report->how->interrupted(l->c->report);
	/* A second one kills. */
	sigaction(SIGINT, &once, NULL);
	if (l->f->c.transmit) {
		stopper_trip(&l->f->work, NUT_STOP_USER);
		return;
	}
	/* The server stops when it sees this; if it does not soon, we do. */
	shutdown(l->c->ctl.fd, SHUT_WR);
	l->w.until_ns = mono_now_ns() + STOP_NS;
}

static void on_ctl_sending(struct loop *l)
{
	struct nut_client *c = l->c;

	if (nut_ctl_abort(&c->ctl))
		stopper_trip(&l->f->work, NUT_STOP_GONE);
	if (take_lines(c, l->f) < 0) {
		l->w.ctl_fd = -1;
		/* Whether or not it left a report: nobody receives any more. */
		stopper_trip(&l->f->work, NUT_STOP_GONE);
		stopper_trip(&l->f->over, NUT_STOP_GONE);
	} else if (c->done) {
		stopper_trip(&l->f->work, NUT_STOP_GONE);
	}
}

static void on_ctl_receiving(struct loop *l)
{
	uint64_t now = mono_now_ns();

	/* The server has sent all it wants to send. */
	l->w.ctl_fd = -1;
	if (!l->f->ctl_end_ns)
		l->f->ctl_end_ns = now;
	if (!l->interrupted)
		l->w.until_ns = now + (l->f->c.p->udp ? LATE_UDP_NS : LATE_NS);
}

/* The rest, up to the end. */
static void take_report(struct loop *l, uint64_t patience_ns)
{
	struct nut_client *c = l->c;
	char line[NUT_LINE_MAX];
	struct err e;

	for (;;) {
		struct stopper *stop = l->interrupted ? NULL : c->stop;
		int rc = nut_ctl_line(&c->ctl, line, mono_now_ns() + patience_ns, stop,
				      &e);

		if (rc > 0 && c->text_bytes < TEXT_MOST) {
			take_line(c, l->f, line);
		} else if (rc < 0 && e.code == ERR_STOPPED) {
			on_user(l);
			patience_ns = INTERRUPT_NS;
		} else {
			return;
		}
	}
}

static void run_loop(struct loop *l)
{
	struct nut_report *r = l->c->report;
	struct nut_interval i;

	for (;;) {
		switch (nut_flow_wait(l->f, &l->w)) {
		case NUT_DONE:
			return;
		case NUT_TICK:
			if (l->interrupted)
				break;
			nut_flow_interval(l->f, &i);
			r->how->interval(r, &i);
			break;
		case NUT_CTL:
			if (l->f->c.transmit)
				on_ctl_sending(l);
			else
				on_ctl_receiving(l);
			break;
		case NUT_USER:
			on_user(l);
			break;
		case NUT_IDLE:
			l->idle = true;
			stopper_trip(&l->f->work, NUT_STOP_IDLE);
			l->w.idle_s = 0;
			break;
		case NUT_UNTIL:
			l->w.until_ns = MONO_NEVER;
			stopper_trip(&l->f->work, NUT_STOP_GONE);
			break;
		}
	}
}

/* ---- before and after ---- */

static int open_failed(struct nut_client *c, struct err *e)
{
	struct nut_report *r = c->report;

	/* The server may know better. */
	if (e->code != ERR_STOPPED)
		take_lines(c, NULL);
	if (e->code == ERR_TIMEOUT && strcmp(e->what, "accept") == 0) {
		r->how->error_out(r, "Error: accept() timeout");
		if (r->how == &nut_report_text)
			r->how->note(r,
				     "nuttcp: the server could not connect back to this "
				     "host: a firewall? try -F");
	} else if (e->code == ERR_STOPPED) {
		r->how->interrupted(r);
	} else {
		r->how->error(r, e);
	}
	return NUT_FAILED;
}

static const char *reason(const struct loop *l)
{
	if (l->interrupted)
		return "interrupted";
	return "done";
}

static int finish(struct loop *l)
{
	struct nut_client *c = l->c;
	struct nut_report *r = c->report;
	bool sends = l->f->c.transmit;
	struct nut_result own;
	struct nut_end end = {.flow = l->f, .own = &own, .interrupted = l->interrupted};

	nut_flow_result(l->f, &own);
	if (l->f->error.code != ERR_NONE && !(l->interrupted && c->server.known)) {
		if (l->f->error.code == ERR_TIMEOUT) {
			char text[sizeof(l->f->error.text) + 8];

			snprintf(text, sizeof(text), "Error: %s", l->f->error.text);
			r->how->error_out(r, text);
		} else {
			r->how->error(r, &l->f->error);
		}
		return NUT_FAILED;
	}
	if (l->idle) {
		r->how->error_out(r, "Error: not receiving data from server");
		return NUT_FAILED;
	}
	if (!c->server.known && !l->interrupted) {
		r->how->error_out(r, "Error: not receiving server info");
		return NUT_FAILED;
	}
	fflush(c->store);
	end.tx = sends ? &own : &c->server;
	end.rx = sends ? &c->server : &own;
	end.server_text = c->text;
	end.reason = reason(l);
	r->how->end(r, &end);
	return NUT_OK;
}

static int transfer(struct nut_client *c, struct nut_flow *f)
{
	struct loop l = {
		.c = c,
		.f = f,
		.w = {.ctl_fd = c->ctl.fd,
		      .idle_s = nut_request_idle_s(c->conf, &c->own),
		      .until_ns = MONO_NEVER},
	};
	struct err e;

	if (nut_flow_start(f, &e) < 0)
		return open_failed(c, &e);
	run_loop(&l);
	nut_flow_join(f);
	if (c->own.udp && f->c.transmit)
		shutdown(c->ctl.fd, SHUT_WR);
	/* With our end broken, or the server gone, there is little to wait for. */
	take_report(&l, l.interrupted || f->error.code != ERR_NONE || l.idle
				? INTERRUPT_NS
				: SERVER_NS);
	return finish(&l);
}

int nut_client_run(struct nut_client *c)
{
	const struct nut_conf *conf = c->conf;
	const struct nut_flow_conf fc =
		nut_client_flow(c, conf->dest.data, conf->dest.count);
	struct nut_flow *f = malloc(sizeof(*f));
	struct err e;
	int rc;

	if (!f)
		return NUT_FAILED;
	if (nut_flow_init(f, &fc, &e) < 0) {
		rc = open_failed(c, &e);
		goto out;
	}
	c->report->how->head(c->report);
	if (nut_flow_open_passive(f, &e) < 0 || nut_flow_open(f, &e) < 0) {
		rc = open_failed(c, &e);
		goto out;
	}
	c->report->how->connected(c->report, f);
	if (c->report->how == &nut_report_text)
		nut_text_window_warning(c->report->err, &c->report->text, f);
	rc = transfer(c, f);
out:
	nut_flow_close(f);
	free(f);
	return rc;
}

/* ---- without a server ---- */

int nut_client_classic(struct nut_client *c)
{
	const struct nut_conf *conf = c->conf;
	struct nut_flow_conf fc = nut_client_flow(c, conf->dest.data, conf->dest.count);
	struct nut_flow *f = malloc(sizeof(*f));
	struct nut_result own, none = {.known = false};
	struct loop l = {.c = c, .f = f, .w = {.ctl_fd = -1, .until_ns = MONO_NEVER}};
	struct nut_end end = {
		.own = &own, .tx = &own, .rx = &none, .classic = true, .server_text = ""};
	struct err e;
	int rc = NUT_FAILED;

	if (!f)
		return NUT_FAILED;
	c->own.win_bytes = conf->win_bytes;
	fc.family = conf->family;
	fc.classic = true;
	if (nut_flow_init(f, &fc, &e) < 0 || nut_flow_open(f, &e) < 0) {
		c->report->how->error(c->report, &e);
		goto out;
	}
	c->report->how->head(c->report);
	c->report->how->connected(c->report, f);
	if (nut_flow_start(f, &e) < 0)
		goto out;
	run_loop(&l);
	nut_flow_join(f);
	if (f->error.code != ERR_NONE) {
		c->report->how->error(c->report, &f->error);
		goto out;
	}
	nut_flow_result(f, &own);
	own.tcp = (struct nut_tcp){.have_retrans = false};
	own.rtt_ms = 0;
	end.flow = f;
	end.reason = reason(&l);
	c->report->how->end(c->report, &end);
	rc = NUT_OK;
out:
	nut_flow_close(f);
	free(f);
	return rc;
}
