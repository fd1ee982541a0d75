/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mono.h"
#include "mover.h"
#include "payload.h"
#include "tcpinfo.h"

/* The first sign that the name was good. Until now a signal has ended the program at
 * once, since nothing stops the resolver; from here on there is a report to be given. */
static void begin(struct ttcp_run *t)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	stopper_on_signals(t->stop, signals, ARRAY_LEN(signals), NULL);
	t->report->how->begin(t->report);
	t->begun = true;
}

static void on_step(void *arg, enum sock_step step)
{
	struct ttcp_run *t = arg;
	unsigned bit = 1u << step;

	if (!t->begun)
		begin(t);
	/* Once only, however many addresses the host has. */
	if (!(t->told & bit))
		t->report->how->step(t->report, step);
	t->told |= bit;
}

void ttcp_warn(struct ttcp_run *t, const struct err *e)
{
	t->warning = *e;
	t->report->how->warn(t->report, e);
}

static void on_warn(void *arg, const struct err *e)
{
	ttcp_warn(arg, e);
}

/* Linux keeps twice what was asked for, but bounds it silently. */
static void check_buffer(struct ttcp_run *t)
{
	bool sends = t->conf->role == TTCP_TRANSMIT;
	int got = sends ? sock_sndbuf_bytes(t->fd) : sock_rcvbuf_bytes(t->fd);
	struct err e;

	t->sockbuf_bytes = got > 0 ? (uint64_t)got : 0;
	if (!t->conf->sockbuf_bytes || got < 0 ||
	    t->sockbuf_bytes / 2 >= t->conf->sockbuf_bytes)
		return;
	err_set(&e, ERR_UNSUPPORTED, sends ? "sndbuf" : "rcvbuf",
		"the kernel bounds it to %d bytes", got / 2);
	ttcp_warn(t, &e);
}

static struct sock_req request(struct ttcp_run *t)
{
	const struct ttcp_conf *c = t->conf;
	bool sends = c->role == TTCP_TRANSMIT;

	return (struct sock_req){
		.host = ttcp_connects(c) ? c->host : NULL,
		.port = c->port,
		.family = c->family,
		.type = c->udp ? SOCK_DGRAM : SOCK_STREAM,
		.backlog = 1,
		.opts = {.sndbuf_bytes = sends ? (int)c->sockbuf_bytes : 0,
			 .rcvbuf_bytes = sends ? 0 : (int)c->sockbuf_bytes,
			 .nodelay = c->nodelay && !c->udp,
			 .so_debug = c->debug && !c->udp,
			 .bind_dev = c->device},
		.stop = t->stop,
		.step = on_step,
		.warn = on_warn,
		.arg = t,
	};
}

/* One sender only: with the listener gone, a second one is refused instead of being
 * taken into the queue and lost. */
static int open_passive(struct ttcp_run *t, const struct sock_req *req, struct err *e)
{
	int listener = sock_listen(req, e);
	int fd;

	if (listener < 0 || t->conf->udp)
		return listener;
	fd = sock_accept(listener, MONO_NEVER, t->stop, &t->peer, e);
	close(listener);
	if (fd < 0)
		return -1;
	t->report->how->accepted(t->report, &t->peer);
	return fd;
}

static int open_data(struct ttcp_run *t, struct err *e)
{
	const struct sock_req req = request(t);

	if (!ttcp_connects(t->conf))
		return open_passive(t, &req, e);
	t->fd = sock_connect(&req, 0, e);
	if (t->fd >= 0 && addr_peer(t->fd, &t->peer, NULL) < 0)
		t->peer = (struct addr){0};
	return t->fd;
}

void ttcp_clock_start(struct ttcp_run *t)
{
	t->start_wall_ns = wall_now_ns();
	t->before = cpuuse_now();
	t->after = t->before;
}

void ttcp_clock_stop(struct ttcp_run *t)
{
	t->after = cpuuse_now();
	tcpinfo_get(t->fd, &t->tcp);
}

int ttcp_pause(const struct ttcp_run *t, struct err *e)
{
	uint64_t until_ns = mono_now_ns() + t->conf->pause_us * NS_PER_US;

	while (mono_sleep_until_ns(until_ns) < 0) {
		if (stopper_tripped(t->stop))
			return err_set(e, ERR_STOPPED, "IO", "stopped");
	}
	return 0;
}

static const char *exit_reason(const struct ttcp_run *t, const struct err *e)
{
	if (e->code == ERR_NONE)
		return "done";
	if (e->code == ERR_STOPPED)
		/* NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread */
		return strsignal(stopper_reason(t->stop));
	return "error";
}

static void tell_end(struct ttcp_run *t, const struct err *e)
{
	const struct ttcp_conf *c = t->conf;
	struct counted n = counters_read(&t->count);
	struct ttcp_end end = {
		.used = cpuuse_since(&t->before, &t->after),
		.max_rss_kib = cpuuse_max_rss_kib(),
		.buf = t->buf,
		.error = *e,
		.warning = t->warning,
		.sockbuf_bytes = t->sockbuf_bytes,
	};
	char host[ADDR_HOST_MAX];

	end.result = (struct result){
		.tool = "ttcp",
		.version = NETCLASSICS_VERSION,
		.role = c->role == TTCP_TRANSMIT ? "sender" : "receiver",
		.start_wall_ns = t->start_wall_ns,
		.host = ttcp_connects(c) ? c->host
			: t->peer.len    ? addr_host(&t->peer, host)
					 : NULL,
		.port = c->port,
		.protocol = c->udp ? "udp" : "tcp",
		.total = {.to_ns = end.used.at_ns,
			  .bytes = n.bytes,
			  .calls = n.calls,
			  .pkts = n.pkts,
			  .tcp = t->tcp,
			  .flags = SAMPLE_FINAL |
				   (c->role == TTCP_TRANSMIT ? SAMPLE_SENDER : 0u)},
		.cpu_user_ns = end.used.user_ns,
		.cpu_system_ns = end.used.system_ns,
		.exit_reason = exit_reason(t, e),
	};
	t->report->how->end(t->report, &end);
}

static int transfer(struct ttcp_run *t, struct err *e)
{
	int rc;

	if (!t->conf->udp)
		rc = ttcp_tcp(t, e);
	else if (t->conf->role == TTCP_TRANSMIT)
		rc = ttcp_udp_send(t, e);
	else
		rc = ttcp_udp_recv(t, e);
	/* As every ttcp calls it, whichever call it was. */
	if (rc < 0)
		strlcpy(e->what, "IO", sizeof(e->what));
	return rc;
}

/* What failed must not end as a good transfer does, or the other end believes that all
 * was delivered: so it gets a reset. Only a transmitter that is stopped says goodbye, as
 * that is how endless input is ended. */
static void close_data(const struct ttcp_run *t, const struct err *e)
{
	const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
	bool goodbye = e->code == ERR_STOPPED && t->conf->role == TTCP_TRANSMIT;

	if (e->code != ERR_NONE && !goodbye)
		setsockopt(t->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(t->fd);
}

static size_t buf_bytes(const struct ttcp_conf *c)
{
	size_t least = 0;

	/* A datagram must never be cut short, whatever -l says; and what is thrown away
	 * may be read in larger pieces when -l says nothing. */
	if (c->role == TTCP_RECEIVE)
		least = c->udp ? TTCP_DATAGRAM_MAX : c->buf_given ? 0 : MOVER_BUF_BYTES;
	return c->buf_bytes > least ? (size_t)c->buf_bytes : least;
}

int ttcp_run(const struct ttcp_conf *conf, const struct ttcp_report *report,
	     struct stopper *stop)
{
	struct ttcp_run t = {.conf = conf, .report = report, .stop = stop, .fd = -1};
	struct err e = {.code = ERR_NONE};
	int rc = -1;

	t.buf_bytes = buf_bytes(conf);
	t.buf = payload_alloc(t.buf_bytes, (size_t)conf->align_bytes,
			      (size_t)conf->offset_bytes, &t.buf_base, &e);
	if (t.buf && payload_fill(t.buf, t.buf_bytes, PAYLOAD_PRINTABLE, &e) == 0) {
		t.fd = open_data(&t, &e);
		if (t.fd >= 0) {
			check_buffer(&t);
			rc = transfer(&t, &e);
		}
	}
	if (rc == 0)
		err_clear(&e); /* of an address that did not answer, say */
	tell_end(&t, &e);
	if (t.fd >= 0)
		close_data(&t, &e);
	free(t.buf_base);
	if (rc == 0)
		return TTCP_OK;
	return e.code == ERR_STOPPED ? TTCP_SIGNAL + stopper_reason(stop) : TTCP_FAILED;
}
