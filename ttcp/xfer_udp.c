/* SPDX-License-Identifier: BSD-2-Clause
 *
 * UDP: datagrams of payload, and guards, which are datagrams of 4 bytes or fewer.
 *
 *   memory:  guard, data ... data, guard, clock stops, 4 guards
 *   pipe:            data ... data,        clock stops, 4 guards
 *
 * A guard is known by its size only. The receiver starts its clock at the first datagram
 * of any kind, and a guard after data is the end; so a lost guard costs nothing. Without
 * data the third guard is the end: one may have come twice. */
#include "run.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mono.h"
#include "pipemove.h"
#include "udpio.h"

#define GUARD_BYTES  4
#define LAST_GUARDS  4
#define EMPTY_GUARDS 3 /* so many are the end of nothing */
#define QUIET_NS     (100 * NS_PER_MS)
#define CATCH_UP_BUF (4 * 1024 * 1024)

static int send_one(struct ttcp_run *t, const void *buf, size_t len, struct err *e)
{
	uint64_t tries = 0;
	int rc = udp_send(t->fd, buf, len, t->stop, &tries, e);

	counter_add(&t->count.calls, tries);
	return rc;
}

static int send_data(struct ttcp_run *t, const void *buf, size_t len, struct err *e)
{
	if (t->conf->pause_us && ttcp_pause(t, e) < 0)
		return -1;
	if (send_one(t, buf, len, e) < 0)
		return -1;
	counter_add(&t->count.bytes, len);
	counter_add(&t->count.pkts, 1);
	return 0;
}

static int send_memory(struct ttcp_run *t, struct err *e)
{
	if (send_one(t, t->buf, GUARD_BYTES, e) < 0)
		return -1;
	for (uint64_t i = 0; i < t->conf->buf_count; i++) {
		if (stopper_tripped(t->stop))
			return err_set(e, ERR_STOPPED, "IO", "stopped");
		if (send_data(t, t->buf, (size_t)t->conf->buf_bytes, e) < 0)
			return -1;
	}
	return send_one(t, t->buf, GUARD_BYTES, e);
}

static struct pipemove pipe_of(struct ttcp_run *t, int fd)
{
	return (struct pipemove){
		.sock = t->fd, .fd = fd, .count = &t->count, .stop = t->stop};
}

/* The last datagram, when it had the size of a guard. */
struct small {
	bool held;
	char bytes[GUARD_BYTES];
};

/* Two equal datagrams of that size in a row would be the end for the receiver: the second
 * goes in two pieces. */
static int send_piece(struct ttcp_run *t, struct small *last, size_t len, struct err *e)
{
	const char *buf = t->buf;
	bool equal = last->held && memcmp(last->bytes, buf, GUARD_BYTES) == 0;

	last->held = len == GUARD_BYTES && !equal;
	if (len != GUARD_BYTES || !equal) {
		if (last->held)
			memcpy(last->bytes, buf, GUARD_BYTES);
		return send_data(t, buf, len, e);
	}
	if (send_data(t, buf, 1, e) < 0)
		return -1;
	return send_data(t, buf + 1, GUARD_BYTES - 1, e);
}

/* One datagram for each read of standard input, as large as the read. */
static int send_stdin(struct ttcp_run *t, struct small *last, struct err *e)
{
	struct pipemove m = pipe_of(t, STDIN_FILENO);

	for (;;) {
		ssize_t n = pipemove_get(&m, t->buf, (size_t)t->conf->buf_bytes, e);

		if (n <= 0)
			return (int)n;
		if (send_piece(t, last, (size_t)n, e) < 0)
			return -1;
	}
}

/* An ICMP error that is already there belongs to the data: nobody was listening. */
static int check_refused(struct ttcp_run *t, struct err *e)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (getsockopt(t->fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 && error == 0)
		return 0;
	if (error)
		errno = error;
	return err_sys(e, "IO");
}

int ttcp_udp_send(struct ttcp_run *t, struct err *e)
{
	const char *guard = " !\"#";
	struct small last = {.held = false};
	int rc;

	ttcp_clock_start(t);
	rc = t->conf->memory ? send_memory(t, e) : send_stdin(t, &last, e);
	ttcp_clock_stop(t);
	/* Without guards the receiver will know that this was not all. */
	if (rc < 0 || check_refused(t, e) < 0)
		return -1;
	/* Data that look like a guard must not be taken for the first of these. */
	if (last.held && memcmp(last.bytes, guard, GUARD_BYTES) == 0)
		guard = "~}|{";
	/* The receiver may be gone by now, as it should be: errors say nothing. But each
	 * came in place of a datagram. */
	for (int i = 0; i < LAST_GUARDS; i++) {
		if (send_one(t, guard, GUARD_BYTES, NULL) < 0)
			udp_send(t->fd, guard, GUARD_BYTES, t->stop, NULL, NULL);
	}
	return 0;
}

/* ---- receiving ---- */

struct udp_rx {
	struct ttcp_run *t;
	uint64_t idle_ns;
	uint64_t last_ns; /* when the last datagram had been dealt with */
	bool any, data;   /* has anything come; has payload come */
	int guards;       /* before the data */
	bool quiet;       /* nothing for a while: the clock was read */
	bool told_of_others;
	bool held; /* pipe: a 4-byte datagram that may be the first of the guards */
	char guard[GUARD_BYTES];
};

static int write_out(struct ttcp_run *t, const void *buf, size_t len, struct err *e)
{
	struct pipemove m = pipe_of(t, STDOUT_FILENO);

	if (pipemove_put(&m, buf, len, e) < 0)
		return -1;
	counter_add(&t->count.pkts, 1);
	return 0;
}

/* Memory: returns 1 at the end, 0 to go on. */
static int take(struct udp_rx *u, size_t len)
{
	if (len <= GUARD_BYTES)
		return u->data || ++u->guards == EMPTY_GUARDS;
	u->data = true;
	counter_add(&u->t->count.bytes, len);
	counter_add(&u->t->count.pkts, 1);
	return 0;
}

/* Pipe: there is no guard before the data, and 4 equal ones after it. A lone 4-byte
 * datagram is data. Returns 1 at the end, 0 to go on, -1 with e filled. */
static int deliver(struct udp_rx *u, size_t len, struct err *e)
{
	const char *buf = u->t->buf;
	bool small = len == GUARD_BYTES;

	if (small && u->held && memcmp(u->guard, buf, GUARD_BYTES) == 0)
		return 1;
	if (u->held && write_out(u->t, u->guard, GUARD_BYTES, e) < 0)
		return -1;
	u->held = small;
	u->data |= !small;
	if (!small)
		return write_out(u->t, buf, len, e);
	memcpy(u->guard, buf, GUARD_BYTES);
	return 0;
}

/* Only one sender counts: the first, or, as long as there was nothing but guards of one
 * that failed, the latest. The others are told of once. */
static bool from_sender(struct udp_rx *u, const struct addr *from)
{
	struct ttcp_run *t = u->t;
	char host[ADDR_HOST_MAX];
	struct err e;

	if (u->any && addr_equal(&t->peer, from))
		return true;
	if (!u->any || (!u->data && !u->held)) {
		t->peer = *from;
		u->any = false;
		u->guards = 0;
		counter_set(&t->count.calls, 0);
		return true;
	}
	if (!u->told_of_others) {
		err_set(&e, ERR_PEER, "IO",
			"datagrams from %s port %u: another sender was first",
			addr_host(from, host), (unsigned)addr_port(from));
		ttcp_warn(t, &e);
	}
	u->told_of_others = true;
	return false;
}

/* When to stop waiting for the next datagram: soon, to read the clock, or for good. */
static uint64_t next_look_ns(const struct udp_rx *u)
{
	if (!u->any)
		return MONO_NEVER;
	if (!u->quiet)
		return u->last_ns + QUIET_NS;
	return u->idle_ns ? u->last_ns + u->idle_ns : MONO_NEVER;
}

static int receive(struct udp_rx *u, struct err *e)
{
	struct ttcp_run *t = u->t;

	for (;;) {
		struct addr from;
		ssize_t n;
		int rc;

		n = udp_recv(t->fd, t->buf, TTCP_DATAGRAM_MAX, next_look_ns(u), t->stop,
			     &from, NULL, e);
		if (n < 0 && e->code == ERR_TIMEOUT && !u->quiet) {
			/* So much for the end, should nothing more come. */
			ttcp_clock_stop(t);
			u->quiet = true;
			continue;
		}
		if (n < 0)
			return -1;
		if (n == 0 || !from_sender(u, &from))
			continue; /* an empty datagram is nobody's end */
		if (!u->any)
			ttcp_clock_start(t);
		u->any = true;
		counter_add(&t->count.calls, 1);
		rc = t->conf->memory ? take(u, (size_t)n) : deliver(u, (size_t)n, e);
		if (rc != 0)
			return rc < 0 ? -1 : 0;
		u->last_ns = mono_now_ns();
		u->quiet = false;
	}
}

int ttcp_udp_recv(struct ttcp_run *t, struct err *e)
{
	struct udp_rx u = {.t = t, .idle_ns = (uint64_t)(t->conf->idle_s * 1e9)};
	int rc;

	if (!t->conf->sockbuf_bytes)
		sock_grow_rcvbuf(t->fd, CATCH_UP_BUF);
	rc = receive(&u, e);
	if (u.any && !u.quiet)
		ttcp_clock_stop(t);
	/* A wait in vain is no part of the transfer. */
	if (rc < 0 && u.last_ns)
		t->after.at_ns = u.last_ns;
	if (rc < 0 && e->code == ERR_TIMEOUT)
		err_set(e, ERR_TIMEOUT, "IO",
			"no data for %g s and no end marker: it was lost, or the sender "
			"died",
			t->conf->idle_s);
	if (rc == 0 && !t->conf->memory && close(STDOUT_FILENO) < 0)
		rc = err_sys(e, "IO");
	return rc;
}
