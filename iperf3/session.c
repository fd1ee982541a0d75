/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Setting up a test: payload, sockets, streams. */
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "mono.h"
#include "payload.h"
#include "sock.h"

#define UDP_RCVBUF (4 * 1024 * 1024)

struct i3_session *i3_session_new(const struct i3_conf *conf, struct i3_reporter *report,
				  struct i3_test *test)
{
	struct i3_session *s = calloc(1, sizeof(*s));

	if (!s) {
		i3_test_free(test);
		return NULL;
	}
	s->conf = conf;
	s->report = report;
	s->role = conf->role;
	s->test = *test;
	s->ctl.fd = -1;
	s->shared.block_fd = -1;
	s->shared.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->shared.test = &s->test;
	s->shared.role = s->role;
	if (s->shared.wake_fd < 0) {
		i3_session_free(s);
		return NULL;
	}
	s->cpu_start = cpuuse_now();
	s->cpu_end = s->cpu_start;
	return s;
}

void i3_session_free(struct i3_session *s)
{
	if (!s)
		return;
	i3_workers_stop(&s->tx);
	i3_workers_stop(&s->rx);
	for (size_t n = 0; n < s->stream_count; n++)
		i3_stream_free(s->streams[n]);
	if (s->shared.wake_fd >= 0)
		close(s->shared.wake_fd);
	if (s->shared.block_fd >= 0)
		close(s->shared.block_fd);
	if (s->ctl.fd >= 0)
		close(s->ctl.fd);
	i3_results_free(&s->peer);
	i3_test_free(&s->test);
	free(s->rate_ring);
	free(s->block);
	free(s);
}

/* The block as a file that sendfile() reads from. */
static int open_block_file(struct i3_session *s)
{
	const size_t len = s->test.block_bytes;

	s->shared.block_fd = memfd_create("iperf3", MFD_CLOEXEC);
	for (size_t at = 0; s->shared.block_fd >= 0 && at < len;) {
		ssize_t n = write(s->shared.block_fd, s->block + at, len - at);

		if (n <= 0)
			return i3_fault_sys(&s->fault, I3_F_INIT_STREAM);
		at += (size_t)n;
	}
	return s->shared.block_fd < 0 ? i3_fault_sys(&s->fault, I3_F_INIT_STREAM) : 0;
}

static int prepare_block(struct i3_session *s)
{
	const struct i3_test *t = &s->test;
	struct err e;

	s->block = malloc(t->block_bytes);
	if (!s->block)
		return i3_fault_sys(&s->fault, I3_F_INIT_STREAM);
	if (payload_fill(s->block, t->block_bytes,
			 t->repeating_payload ? PAYLOAD_DIGITS : PAYLOAD_RANDOM, &e) < 0)
		return i3_fault_err(&s->fault, I3_F_INIT_STREAM, &e);
	s->shared.block = s->block;
	if (t->zerocopy && t->protocol == I3_TCP && !s->conf->file &&
	    i3_test_sends(t, s->role))
		return open_block_file(s);
	return 0;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / 2 / b ? UINT64_MAX / 2 : a * b;
}

/* What is granted to senders and awaited by receivers, in bytes or, for UDP, datagrams.
 */
static void prepare_limits(struct i3_session *s)
{
	const struct i3_test *t = &s->test;
	const bool udp = t->protocol == I3_UDP;
	/* Exact to the byte; datagrams are never cut short. */
	uint64_t send = UINT64_MAX, want = UINT64_MAX;

	if (t->bytes) {
		send = udp ? (t->bytes - 1) / t->block_bytes + 1 : t->bytes;
		want = t->bytes;
	} else if (t->blocks) {
		send = udp ? t->blocks : times(t->blocks, t->block_bytes);
		want = send;
	}
	/* A server that sends may only stop by itself when nothing gets lost and both
	 * sides count the same bytes; else the client waits for ever. */
	if (s->role == I3_SERVER && (udp || t->omit_s || t->bidir))
		send = UINT64_MAX;
	/* A server that receives leaves the end to the client, but knows what to wait for
	 * then. */
	if (s->role == I3_SERVER && (t->omit_s || t->bidir))
		want = UINT64_MAX;
	atomic_store(&s->shared.left, send);
	s->shared.want = want;
	atomic_store(&s->shared.counting, t->omit_s == 0);
}

int i3_session_prepare(struct i3_session *s)
{
	const struct i3_test *t = &s->test;

	s->shared.one_block_a_call = s->conf->block_given || t->window_bytes ||
				     t->block_bytes != I3_TCP_BLOCK ||
				     t->protocol != I3_TCP;
	/* --gsro asks for it; else it helps where nothing spaces the datagrams. */
	s->shared.offload = t->protocol == I3_UDP && !s->conf->no_gso;
	prepare_limits(s);
	return prepare_block(s);
}

size_t i3_session_streams(const struct i3_session *s)
{
	return s->test.parallel * (s->test.bidir ? 2u : 1u);
}

enum i3_direction i3_session_direction(const struct i3_session *s, size_t index)
{
	if (s->test.bidir)
		return index < s->test.parallel ? I3_C2S : I3_S2C;
	return s->test.reverse ? I3_S2C : I3_C2S;
}

struct sock_opts i3_session_sock_opts(const struct i3_session *s)
{
	const struct i3_test *t = &s->test;

	return (struct sock_opts){
		.sndbuf_bytes = t->window_bytes,
		.rcvbuf_bytes = t->window_bytes,
		.nodelay = t->nodelay && t->protocol == I3_TCP,
		.dont_fragment = t->dont_fragment && t->protocol == I3_UDP,
		.tos = t->tos,
		.mss_bytes = t->protocol == I3_TCP ? t->mss_bytes : 0,
		.congestion = t->protocol == I3_TCP ? t->congestion : NULL,
		.bind_dev = s->role == I3_CLIENT ? s->conf->bind_dev : NULL,
		.max_pacing_bps = t->fq_rate_bps,
		.user_timeout_ms = t->protocol == I3_TCP ? s->conf->snd_timeout_ms : 0,
	};
}

int i3_session_sock_fault(struct i3_session *s, int number, const struct err *e)
{
	static const struct {
		const char *what;
		int number;
	} map[] = {
		{"setsockopt: sndbuf", I3_F_SET_BUF},
		{"setsockopt: rcvbuf", I3_F_SET_BUF},
		{"setsockopt: nodelay", I3_F_SET_NODELAY},
		{"setsockopt: mss", I3_F_SET_MSS},
		{"setsockopt: tos", I3_F_SET_TOS},
		{"setsockopt: dont fragment", I3_F_DONT_FRAGMENT},
		{"setsockopt: congestion", I3_F_SET_CONGESTION},
		{"setsockopt: pacing", I3_F_SET_PACING},
		{"setsockopt: user timeout", I3_F_SET_USER_TIMEOUT},
		{"setsockopt: bind device", I3_F_BIND_DEV},
		{"setsockopt: sctp init", I3_F_SCTP_INIT},
		{"flow label", I3_F_SET_FLOW},
	};

	for (size_t i = 0; i < ARRAY_LEN(map); i++)
		if (strcmp(e->what, map[i].what) == 0)
			number = map[i].number;
	return i3_fault_err(&s->fault, number, e);
}

int i3_session_check_window(struct i3_session *s, int fd)
{
	const int asked = s->test.window_bytes;

	if (asked && (sock_sndbuf_bytes(fd) < asked || sock_rcvbuf_bytes(fd) < asked))
		return i3_fault(&s->fault, I3_F_SET_BUF2);
	return 0;
}

static void tell_connected(struct i3_session *s, const struct i3_stream *st)
{
	struct i3_conn c = {
		.number = st->number,
		.direction = st->direction,
		.sender = st->sender,
	};
	struct addr a;

	if (addr_local(st->fd, &a, NULL) == 0) {
		addr_host(&a, c.local_host);
		c.local_port = addr_port(&a);
	}
	if (addr_peer(st->fd, &a, NULL) == 0) {
		addr_host(&a, c.remote_host);
		c.remote_port = addr_port(&a);
	}
	s->report->ops->connected(s->report, &c);
}

/* A datagram that no buffer can hold never leaves, or never arrives. */
static void check_buffer(struct i3_session *s, const char *which, int bytes)
{
	char text[128];

	if (bytes < 0 || s->test.block_bytes <= (uint32_t)bytes)
		return;
	snprintf(text, sizeof(text), "Block size %u > %s socket buffer size %d",
		 s->test.block_bytes, which, bytes);
	s->report->ops->fault(s->report, I3_TROUBLE_WARNING, text, NULL);
}

static void prepare_udp(struct i3_session *s, struct i3_stream *st)
{
	check_buffer(s, "sending", sock_sndbuf_bytes(st->fd));
	check_buffer(s, "receiving", sock_rcvbuf_bytes(st->fd));
	if (st->sender)
		return;
	if (!s->test.window_bytes)
		sock_grow_rcvbuf(st->fd, UDP_RCVBUF);
	if (s->shared.offload)
		udp_rx_join(st->fd);
}

int i3_session_add(struct i3_session *s, int fd)
{
	const size_t n = s->stream_count;
	struct i3_stream *st = i3_stream_new(
		&s->shared, fd, n, i3_session_direction(s, n), s->conf->file, &s->fault);

	if (!st)
		return -1;
	s->streams[s->stream_count++] = st;
	if (s->test.protocol == I3_UDP)
		prepare_udp(s, st);
	tell_connected(s, st);
	return 0;
}

int i3_session_odd_state(struct i3_session *s)
{
	switch (s->state) {
	case I3_CLIENT_TERMINATE:
		return i3_fault(&s->fault, I3_F_CLIENT_TERM);
	case I3_IPERF_DONE:
		/* So clients up to 3.12 leave that could not open a stream. */
		return i3_fault(&s->fault, I3_F_CTRL_CLOSE);
	default:
		return i3_fault(&s->fault, I3_F_MESSAGE);
	}
}
