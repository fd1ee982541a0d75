/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The listener and the waiting; server_test.c does the rest. */
#include "server.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ctl.h"
#include "mono.h"
#include "server_test.h"
#include "sock.h"

static int open_listener(const struct i3_server *srv, struct err *e)
{
	const struct i3_conf *c = srv->conf;
	struct sock_req req = {
		.host = c->bind_host,
		.port = c->port,
		.family = c->family,
		.type = SOCK_STREAM,
		.backlog = I3_STREAMS_MAX,
		.opts = {.bind_dev = c->bind_dev},
	};

#ifdef IPPROTO_MPTCP
	if (c->test.mptcp)
		req.protocol = IPPROTO_MPTCP;
#endif
	return sock_listen(&req, e);
}

static void tell_interrupt(const struct i3_server *srv, struct i3_reporter *r)
{
	int signo = stopper_reason(srv->stop);
	char text[128];

	snprintf(text, sizeof(text), "the server has terminated by signal %s(%d)",
		 /* NOLINTNEXTLINE(concurrency-mt-unsafe): glibc keeps it per thread */
		 strsignal(signo), signo);
	r->ops->fault(r, I3_TROUBLE_INTERRUPT, text, NULL);
	r->ops->test_done(r, false);
}

/* Wait for a client with its cookie. Returns 1 for one, 0 when --idle-timeout has passed,
 * -1 for a signal. */
static int wait_client(const struct i3_server *srv, struct i3_guests *g,
		       struct i3_guest *guest)
{
	struct i3_ctl ctl = {.fd = -1, .stop = srv->stop, .guests = g};
	const unsigned idle_s = srv->conf->idle_timeout_s;
	uint64_t deadline = idle_s ? mono_now_ns() + idle_s * NS_PER_S : MONO_NEVER;
	struct pollfd none[1];
	struct err e;

	i3_guests_set(g, I3_GUESTS_QUEUE, NULL);
	while (!i3_guests_take(g, guest)) {
		if (i3_ctl_poll(&ctl, none, 0, deadline, 0, &e) < 0)
			return -1;
		if (mono_now_ns() >= deadline)
			return 0;
	}
	return 1;
}

enum next {
	NEXT_TEST,
	NEXT_IDLE, /* nobody came: listen anew */
	NEXT_EXIT,
};

static enum next serve_one(const struct i3_server *srv, struct i3_guests *g,
			   struct i3_reporter *r)
{
	struct i3_guest guest;
	enum i3_served served;
	int rc = wait_client(srv, g, &guest);

	if (rc < 0) {
		tell_interrupt(srv, r);
		return NEXT_EXIT;
	}
	if (rc == 0)
		return srv->conf->one_off ? NEXT_EXIT : NEXT_IDLE;
	served = i3_server_test(srv, g, &guest, r);
	if (served == I3_INTERRUPTED)
		return NEXT_EXIT;
	return srv->conf->one_off && served == I3_SERVED ? NEXT_EXIT : NEXT_TEST;
}

/* Until the listener is to be made anew. banners counts the tests; told: the banner of
 * the next one was printed already. */
static enum next serve(const struct i3_server *srv, int listener, unsigned *banners,
		       bool told, struct err *e)
{
	enum next next = NEXT_EXIT;
	struct i3_guests g;

	if (i3_guests_init(&g, listener) < 0) {
		err_sys(e, "calloc");
		return NEXT_EXIT;
	}
	do {
		struct i3_listening l = {.port = srv->conf->port,
					 .test_number = *banners + 1};
		struct i3_reporter *r = srv->reporter(srv->arg, e);

		if (!r)
			break;
		if (!told) {
			r->ops->begin(r);
			r->ops->listening(r, &l);
		}
		told = false;
		next = serve_one(srv, &g, r);
		if (next == NEXT_TEST)
			++*banners;
		r->ops->free(r);
	} while (next == NEXT_TEST);
	i3_guests_free(&g);
	return next;
}

int i3_server_run(const struct i3_server *srv)
{
	enum next next = NEXT_TEST;
	unsigned banners = 0;
	struct err e;

	do {
		int listener;

		err_clear(&e);
		listener = open_listener(srv, &e);
		if (listener < 0) {
			struct i3_reporter *r = srv->reporter(srv->arg, NULL);
			struct i3_fault f = {0};

			i3_fault_err(&f, I3_F_LISTEN, &e);
			if (r) {
				r->ops->fault(r, I3_TROUBLE_ERROR, f.text, &f);
				r->ops->fault(r, I3_TROUBLE_NOTE, "exiting", NULL);
				r->ops->test_done(r, false);
				r->ops->free(r);
			}
			return 1;
		}
		next = serve(srv, listener, &banners, next == NEXT_IDLE, &e);
		close(listener);
	} while (next == NEXT_IDLE);
	return e.code == ERR_NONE ? 0 : 1;
}
