/* SPDX-License-Identifier: BSD-2-Clause */
#include "serve.h"

#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "flow.h"
#include "mono.h"
#include "request.h"
#include "sockio.h"
#include "text.h"
#include "trace.h"

#define ASK_NS      (15 * NS_PER_S)  /* for a client to say what it wants */
#define READY_NS    (50 * NS_PER_MS) /* for it to bind its UDP port */
#define GONE_TCP_NS (2 * NS_PER_S)   /* for its last data, when it has hung up */
#define GONE_UDP_NS (100 * NS_PER_MS)
#define OVERTIME_S  5 /* beyond --max-time */

struct session {
	const struct nut_serve *s;
	struct nut_ctl ctl;
	struct nut_params p;
	struct addr local, peer;
	char peer_host[ADDR_HOST_MAX];
	struct nut_text text;
	FILE *out; /* to the client */
};

/* ---- error blocks ---- */

static void refuse(const struct session *s, const char *text)
{
	char block[NUT_LINE_MAX + 512];

	snprintf(block, sizeof(block), "KO\n%sKO\n", text);
	nut_ctl_send(&s->ctl, block, s->s->stop, NULL);
}

static void refuse_line(const struct session *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void refuse_line(const struct session *s, const char *fmt, ...)
{
	char text[NUT_LINE_MAX + 256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	refuse(s, text);
}

static void refuse_data_port(const struct session *s, const struct err *e)
{
	const char *call = strcmp(e->what, "socket") == 0   ? "socket()"
			   : strcmp(e->what, "bind") == 0   ? "bind()"
			   : strcmp(e->what, "listen") == 0 ? "listen()"
							    : "setsockopt()";

	refuse_line(s,
		    "nuttcp-%c: v" NUT_VERSION_TEXT ": Error: %s on data stream failed\n"
		    "Error: %s\n%s",
		    s->p.trans ? 'r' : 't', call, e->text,
		    s->p.port == 5001 && e->sys_errno == EADDRINUSE
			    ? "Info: Possible collision with iperf server\n"
			    : "");
}

/* ---- what the client wants ---- */

static int ask_line(struct session *s, char *line, uint64_t deadline_ns)
{
	struct err e;

	return nut_ctl_line(&s->ctl, line, deadline_ns, s->s->stop, &e);
}

static int parse(struct session *s, const char *line)
{
	if (nut_params_parse(line, &s->p) == 0)
		return 0;
	refuse_line(s,
		    "nuttcp-t: v" NUT_VERSION_TEXT ": error scanning parameters\n"
		    "may be using older client version than server\n%.3000s\n",
		    line);
	return -1;
}

/* HELO and the parameter line; a very old client sends the latter at once. */
static int hear(struct session *s)
{
	uint64_t deadline_ns = mono_now_ns() + ASK_NS;
	char line[NUT_LINE_MAX];

	if (ask_line(s, line, deadline_ns) <= 0) {
		refuse(s, "nuttcp-r: v" NUT_VERSION_TEXT ": no nuttcp HELO message\n");
		return -1;
	}
	if (nut_helo_parse(line) < 0)
		return parse(s, line);
	nut_ctl_send(&s->ctl, "HELO nuttcp v" NUT_VERSION_TEXT "\n", s->s->stop, NULL);
	if (ask_line(s, line, deadline_ns) <= 0) {
		refuse(s, "nuttcp-r: v" NUT_VERSION_TEXT ": no nuttcp parameters\n");
		return -1;
	}
	return parse(s, line);
}

static int pin(const struct session *s)
{
	cpu_set_t set;

	if (s->p.affinity < 0 || s->p.thirdparty[0])
		return 0;
	CPU_ZERO(&set);
	if (s->p.affinity < CPU_SETSIZE)
		CPU_SET((size_t)s->p.affinity, &set);
	if (sched_setaffinity(0, sizeof(set), &set) == 0)
		return 0;
	refuse_line(s,
		    "nuttcp-%c: v" NUT_VERSION_TEXT
		    ": couldn't change server CPU affinity\n"
		    "srvr_affinity = %lld\n",
		    s->p.trans ? 'r' : 't', (long long)s->p.affinity);
	return -1;
}

static int agree(struct session *s)
{
	const struct nut_conf *c = s->s->conf;
	char text[512];

	if (s->p.thirdparty[0] && c->no3rdparty) {
		refuse(s, "doesn't allow 3rd party nuttcp\n");
		return -1;
	}
	if (c->pipe && s->p.udp) {
		refuse(s, "option \"-s\" not supported for UDP\n");
		return -1;
	}
	if (nut_params_check(&s->p, addr_port(&s->local), text, sizeof(text)) < 0 ||
	    nut_serve_limits(c, &s->p, text, sizeof(text)) < 0) {
		refuse(s, text);
		return -1;
	}
	return pin(s);
}

static void say_ok(const struct session *s)
{
	nut_ctl_send(&s->ctl, "OK v" NUT_VERSION_TEXT "\n", s->s->stop, NULL);
}

/* ---- the test ---- */

static void client_gone(struct nut_flow *f, struct nut_wait *w)
{
	uint64_t now = mono_now_ns();

	w->ctl_fd = -1;
	if (f->c.transmit) {
		stopper_trip(&f->work, NUT_STOP_GONE);
		stopper_trip(&f->over, NUT_STOP_GONE);
		return;
	}
	/* What it sent last may still be on its way. */
	if (!f->ctl_end_ns)
		f->ctl_end_ns = now;
	w->until_ns = now + (f->c.p->udp ? GONE_UDP_NS : GONE_TCP_NS);
}

static void run_loop(struct session *s, struct nut_flow *f)
{
	struct nut_wait w = {
		.ctl_fd = s->ctl.fd,
		.idle_s = nut_request_idle_s(s->s->conf, &s->p),
		.until_ns = MONO_NEVER,
	};
	struct nut_interval i;

	if (s->s->conf->limits.duration_s > 0)
		w.until_ns =
			mono_now_ns() +
			(uint64_t)((s->s->conf->limits.duration_s + OVERTIME_S) * 1e9);
	for (;;) {
		switch (nut_flow_wait(f, &w)) {
		case NUT_DONE:
			return;
		case NUT_TICK:
			nut_flow_interval(f, &i);
			nut_text_interval(&s->text, &i);
			fflush(s->out);
			break;
		case NUT_CTL:
			client_gone(f, &w);
			break;
		case NUT_IDLE:
			w.idle_s = 0;
			stopper_trip(&f->work, NUT_STOP_IDLE);
			if (s->p.udp && s->p.interval_s <= 0 &&
			    s->p.vers >= NUT_SINCE_BOD1)
				send(s->ctl.fd, "A", 1,
				     MSG_OOB | MSG_DONTWAIT | MSG_NOSIGNAL);
			break;
		case NUT_USER:
			w.no_user = true;
			stopper_trip(&f->work, NUT_STOP_GONE);
			stopper_trip(&f->over, NUT_STOP_GONE);
			break;
		case NUT_UNTIL:
			/* With the client gone there is nobody to tell. */
			if (w.ctl_fd >= 0)
				fprintf(s->out,
					"nuttcp-%c: Warning: ended after %g s, the limit "
					"of this server\n",
					s->text.transmit ? 't' : 'r',
					s->s->conf->limits.duration_s);
			w.until_ns = MONO_NEVER;
			stopper_trip(&f->work, NUT_STOP_GONE);
			stopper_trip(&f->over, NUT_STOP_GONE);
			break;
		}
	}
}

static void report(struct session *s, struct nut_flow *f)
{
	struct nut_result r;

	nut_flow_result(f, &r);
	if (!f->c.transmit && s->p.interval_s > 0)
		fputs("DONE\n", s->out);
	nut_text_block(&s->text, &r, NULL);
	fflush(s->out);
}

/* Data sockets were bound and OK was said. */
static void test(struct session *s, struct nut_flow *f)
{
	struct err e;

	nut_text_head(&s->text);
	if (s->p.udp && f->c.transmit)
		sock_wait(-1, 0, mono_now_ns() + READY_NS, s->s->stop, NULL);
	if (nut_flow_open(f, &e) < 0) {
		/* Nobody came: without a word, as ever. */
		if (strcmp(e.what, "accept") != 0)
			nut_text_error(s->out, &s->text, &e);
		fflush(s->out);
		return;
	}
	nut_text_connected(&s->text, f);
	nut_text_window_warning(s->s->err ? s->s->err : s->out, &s->text, f);
	if (nut_flow_start(f, &e) < 0)
		return;
	run_loop(s, f);
	nut_flow_join(f);
	/* A transmitter whose data did not get through has no figures. */
	if (f->c.transmit && f->error.code == ERR_TIMEOUT)
		return;
	report(s, f);
}

static void run_test(struct session *s)
{
	const char *const host[1] = {s->peer_host};
	bool transmit = nut_server_transmits(&s->p);
	const struct nut_flow_conf fc = {
		.p = &s->p,
		.server = true,
		.transmit = transmit,
		.peer_version = (int)s->p.vers,
		.family = addr_family(&s->peer),
		.rate_bps = s->p.rate_kbps >= NUT_RATE_UNLIMITED
				    ? 0
				    : (double)s->p.rate_kbps * 1000,
		.spin = s->s->conf->spin,
		.pipe_fd = !s->s->conf->pipe ? -1
			   : transmit        ? STDIN_FILENO
					     : STDOUT_FILENO,
		.shared = s->s->shared,
		.lock_fd = s->s->lock_fd,
		.ctl_fd = s->ctl.fd,
		.host = host,
		.host_count = 1,
		.local = s->local,
		.peer = s->peer,
		.user = s->s->stop,
	};
	struct nut_flow *f = malloc(sizeof(*f));
	struct err e;

	if (!f)
		return;
	s->text.transmit = transmit;
	if (nut_flow_init(f, &fc, &e) < 0 || nut_flow_open_passive(f, &e) < 0) {
		refuse_data_port(s, &e);
	} else {
		say_ok(s);
		test(s, f);
	}
	nut_flow_close(f);
	free(f);
}

/* ---- the session ---- */

/* A mapped address as the plain one that it stands for. */
static void unmap(struct addr *a)
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&a->ss;
	struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = six->sin6_port};

	if (a->ss.ss_family != AF_INET6 || addr_family(a) != AF_INET)
		return;
	memcpy(&four.sin_addr, six->sin6_addr.s6_addr + 12, sizeof(four.sin_addr));
	*a = addr_of((const struct sockaddr *)&four, sizeof(four));
}

static void relayed(struct session *s)
{
	say_ok(s);
	if (s->p.thirdparty[0]) {
		setvbuf(s->out, NULL, _IOLBF, 0);
		nut_serve_third(s->s, &s->p, s->out);
	} else {
		nut_trace(s->peer_host, addr_family(&s->peer), s->p.ttl > 0, s->out);
		fputc('\n', s->out);
	}
	fputs("DONE\n", s->out);
	fflush(s->out);
}

static void converse(struct session *s)
{
	if (!nut_serve_allowed(s->s->conf, &s->peer)) {
		refuse(s, "this server does not serve your address\n");
		return;
	}
	if (hear(s) < 0 || agree(s) < 0)
		return;
	if (s->p.thirdparty[0] || s->p.traceroute)
		relayed(s);
	else
		run_test(s);
}

void nut_serve(const struct nut_serve *serve)
{
	struct session *s = calloc(1, sizeof(*s));
	int fd = dup(serve->ctl_fd);

	if (!s || fd < 0)
		goto out;
	s->s = serve;
	s->ctl.fd = serve->ctl_fd;
	nut_ctl_guard(serve->ctl_fd);
	if (addr_local(serve->ctl_fd, &s->local, NULL) < 0 ||
	    addr_peer(serve->ctl_fd, &s->peer, NULL) < 0)
		goto out;
	unmap(&s->local);
	unmap(&s->peer);
	addr_host(&s->peer, s->peer_host);
	s->out = fdopen(fd, "w");
	if (!s->out)
		goto out;
	fd = -1;
	s->text = (struct nut_text){
		.out = s->out,
		.p = &s->p,
		.ident = "",
		.cpu_lines = true,
		.host = s->peer_host,
		.family = addr_family(&s->peer),
		.priority_given = serve->conf->priority_given,
		.priority = (int)serve->conf->priority,
		.affinity = -1,
	};
	converse(s);
out:
	if (fd >= 0)
		close(fd);
	if (s && s->out)
		fclose(s->out);
	nut_ctl_finish(serve->ctl_fd);
	free(s);
}
