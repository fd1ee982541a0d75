/* SPDX-License-Identifier: BSD-2-Clause */
#include "server_streams.h"

#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guests.h"
#include "mono.h"
#include "sctp.h"
#include "sock.h"
#include "udp_open.h"

#define STREAMS_NS  (30 * NS_PER_S) /* for the client to open all of its streams */
#define PATIENCE_NS (1200 * NS_PER_MS)

const struct i3_ctl_opts i3_server_watch = {
	.no_delay = true,
	.keepalive = true,
	.idle_s = 5,
	.intvl_s = 2,
	.count = 3,
	.user_timeout_ms = 12000,
};

/* What must be known before the handshake goes onto the listener; back to 0 afterwards.
 */
static void listener_mss(struct i3_guests *g, int mss)
{
	if (setsockopt(g->listener, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss)) < 0) {
		/* It will be set on the stream itself. */
	}
}

static void warn_congestion(struct i3_session *s)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "TCP congestion control algorithm not supported: %.40s",
		 s->test.congestion);
	s->report->ops->fault(s->report, I3_TROUBLE_WARNING, text, NULL);
}

/* A client whose data connections are dead is to be noticed as soon as one whose control
 * connection is. */
static int watch_stream(struct i3_session *s, int fd)
{
	struct i3_ctl_opts o = i3_server_watch;

	if (s->test.protocol != I3_TCP)
		return 0;
	o.no_delay = s->test.nodelay;
	if (s->conf->snd_timeout_ms)
		o.user_timeout_ms = s->conf->snd_timeout_ms;
	return i3_ctl_setup(fd, &o, &s->fault);
}

static int set_up_stream(struct i3_session *s, int fd)
{
	struct sock_opts opts = i3_session_sock_opts(s);
	struct addr a;
	struct err e;

	opts.congestion = NULL;
	opts.mss_bytes = 0;
	if (addr_local(fd, &a, &e) < 0)
		return i3_fault_err(&s->fault, I3_F_STREAM_ACCEPT, &e);
	if (sock_apply(fd, a.ss.ss_family, &opts, &e) < 0)
		return i3_session_sock_fault(s, I3_F_STREAM_ACCEPT, &e);
	if (s->test.congestion && s->test.protocol == I3_TCP &&
	    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, s->test.congestion,
		       (socklen_t)strlen(s->test.congestion)) < 0)
		warn_congestion(s);
	if (watch_stream(s, fd) < 0)
		return -1;
	return i3_session_check_window(s, fd);
}

/* The client says something although it should be opening streams. */
static int early_word(struct i3_session *s)
{
	if (i3_ctl_read_state(&s->ctl, &s->state, mono_now_ns() + I3_CTL_STEP_NS,
			      &s->fault) < 0)
		return -1;
	return i3_session_odd_state(s);
}

/* Take the connections that have told the cookie of this test. */
static int take_ready(struct i3_session *s, struct i3_guests *g)
{
	for (size_t i = 0; i < g->ready_count; i++) {
		int fd = g->ready[i];

		if (s->stream_count == i3_session_streams(s)) {
			close(fd);
			continue;
		}
		if (set_up_stream(s, fd) < 0) {
			memmove(g->ready, g->ready + i,
				(g->ready_count - i) * sizeof(g->ready[0]));
			g->ready_count -= i;
			return -1;
		}
		g->ready[i] = -1;
		if (i3_session_add(s, fd) < 0) {
			memmove(g->ready, g->ready + i + 1,
				(g->ready_count - i - 1) * sizeof(g->ready[0]));
			g->ready_count -= i + 1;
			return -1;
		}
	}
	g->ready_count = 0;
	return 0;
}

static int accept_streams(struct i3_session *s)
{
	struct i3_guests *g = s->ctl.guests;
	const uint64_t deadline = mono_now_ns() + STREAMS_NS;
	uint64_t patience = mono_now_ns() + PATIENCE_NS;

	while (s->stream_count < i3_session_streams(s)) {
		struct pollfd own = {.fd = s->ctl.fd, .events = POLLIN};
		size_t before = s->stream_count;
		uint64_t now;
		struct err e;

		if (i3_ctl_poll(&s->ctl, &own, 1, deadline, patience, &e) < 0)
			return -1;
		if (take_ready(s, g) < 0)
			return -1;
		if (own.revents)
			return early_word(s);
		now = mono_now_ns();
		if (s->stream_count > before)
			patience = now + PATIENCE_NS;
		if (now >= deadline || (i3_guests_waiting(g) && now >= patience)) {
			errno = ETIMEDOUT;
			return i3_fault_sys(&s->fault, I3_F_STREAM_ACCEPT);
		}
	}
	return 0;
}

static int accept_udp(struct i3_session *s, int door)
{
	const uint64_t deadline = mono_now_ns() + STREAMS_NS;

	while (s->stream_count < i3_session_streams(s)) {
		int fd = i3_udp_door_wait(s, door, deadline);

		if (fd < 0 || i3_session_add(s, fd) < 0)
			return -1;
	}
	return 0;
}

int i3_server_streams(struct i3_session *s)
{
	struct i3_guests *g = s->ctl.guests;
	const bool udp = s->test.protocol == I3_UDP;
	int door = -1, rc;

	if (udp)
		door = i3_udp_door_open(s);
	else if (s->test.protocol == I3_SCTP)
		door = g->second = i3_sctp_listen(s);
	else if (s->test.mss_bytes)
		listener_mss(g, s->test.mss_bytes);
	if (door < 0 && s->test.protocol != I3_TCP)
		return -1;
	i3_guests_set(g, udp ? I3_GUESTS_QUEUE : I3_GUESTS_STREAMS, s->cookie);
	rc = i3_ctl_send_state(&s->ctl, I3_CREATE_STREAMS, &s->fault);
	if (rc == 0)
		rc = udp ? accept_udp(s, door) : accept_streams(s);
	g->second = -1;
	if (door >= 0)
		close(door);
	else if (s->test.mss_bytes)
		listener_mss(g, 0);
	return rc;
}
