/* SPDX-License-Identifier: BSD-2-Clause */
#include "ctl.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guests.h"
#include "mono.h"
#include "proto.h"
#include "sock.h"

#define PIECE_BYTES     65536 /* of a JSON text; memory grows by what has come */
#define OWN_MAX         4
#define PATIENCE_NS     (1200 * NS_PER_MS) /* for a silent peer while others wait */
#define CLOSE_QUIET_NS  (500 * NS_PER_MS)
#define CLOSE_HURRY_NS  (100 * NS_PER_MS) /* while others wait */
#define CLOSE_CLIENT_NS (2 * NS_PER_S)

static uint64_t soonest(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* When the wait must end for the sake of the guests. */
static uint64_t guests_limit(const struct i3_ctl *c, uint64_t patience_ns)
{
	uint64_t limit;

	if (!c->guests)
		return MONO_NEVER;
	limit = i3_guests_deadline(c->guests);
	return i3_guests_waiting(c->guests) ? soonest(limit, patience_ns) : limit;
}

static size_t ready_count(const struct pollfd *fds, size_t count)
{
	size_t ready = 0;

	for (size_t i = 0; i < count; i++)
		ready += fds[i].revents != 0;
	return ready;
}

int i3_ctl_poll(struct i3_ctl *c, struct pollfd *own, size_t count, uint64_t deadline_ns,
		uint64_t patience_ns, struct err *e)
{
	struct pollfd fds[OWN_MAX + 1 + I3_GUESTS_MAX + 2];
	size_t guests_at = count + 1;

	for (;;) {
		uint64_t now = mono_now_ns();
		uint64_t until = soonest(deadline_ns, guests_limit(c, patience_ns));
		size_t guests = 0, ready;
		int n;

		if (stopper_tripped(c->stop))
			return err_set(e, ERR_STOPPED, "wait", "stopped");
		memcpy(fds, own, count * sizeof(*own));
		fds[count] = (struct pollfd){.fd = c->stop->fd, .events = POLLIN};
		if (c->guests)
			guests = i3_guests_fds(c->guests, fds + guests_at);
		n = poll(fds, count + 1 + guests, mono_poll_ms(until, now));
		if (n < 0 && errno != EINTR)
			return err_sys(e, "poll");
		if (n < 0)
			continue;
		now = mono_now_ns();
		if (c->guests)
			i3_guests_serve(c->guests, fds + guests_at, guests, now);
		memcpy(own, fds, count * sizeof(*own));
		ready = ready_count(own, count);
		if (ready)
			return (int)ready;
		if (now >= deadline_ns || (c->guests && c->guests->ready_count))
			return 0;
		if (c->guests && i3_guests_waiting(c->guests) && now >= patience_ns)
			return 0;
	}
}

/* Wait for the control connection alone. */
static int wait_fd(struct i3_ctl *c, short events, uint64_t deadline_ns,
		   uint64_t patience_ns, struct err *e)
{
	struct pollfd own = {.fd = c->fd, .events = events};
	int n = i3_ctl_poll(c, &own, 1, deadline_ns, patience_ns, e);

	if (n == 0) {
		errno = ETIMEDOUT;
		err_sys(e, "wait");
		e->code = ERR_TIMEOUT;
	}
	return n > 0 ? 0 : -1;
}

int i3_ctl_read(struct i3_ctl *c, void *buf, size_t len, uint64_t deadline_ns,
		struct err *e)
{
	const uint64_t patience_ns = mono_now_ns() + PATIENCE_NS;
	char *at = buf;

	while (len > 0) {
		ssize_t n = recv(c->fd, at, len, MSG_DONTWAIT);

		if (n == 0)
			return err_set(e, ERR_PEER, "read", "closed");
		if (n > 0) {
			at += n;
			len -= (size_t)n;
			continue;
		}
		if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
			return err_sys(e, "read");
		if (wait_fd(c, POLLIN, deadline_ns, patience_ns, e) < 0)
			return -1;
	}
	return 0;
}

int i3_ctl_write(struct i3_ctl *c, const void *buf, size_t len, struct err *e)
{
	const uint64_t now = mono_now_ns();
	const char *at = buf;

	while (len > 0) {
		ssize_t n = send(c->fd, at, len, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n >= 0) {
			at += n;
			len -= (size_t)n;
			continue;
		}
		if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
			return err_sys(e, "write");
		if (wait_fd(c, POLLOUT, now + I3_CTL_STEP_NS, now + PATIENCE_NS, e) < 0)
			return -1;
	}
	return 0;
}

static void trace(const struct i3_ctl *c, const char *what, const char *text)
{
	if (c->trace)
		c->trace(c->trace_arg, what, text);
}

int i3_ctl_send_state(struct i3_ctl *c, int state, struct i3_fault *f)
{
	signed char byte = (signed char)state;
	char buf[32];
	struct err e;

	trace(c, "send state", i3_state_name(state, buf, sizeof(buf)));
	if (i3_ctl_write(c, &byte, 1, &e) == 0)
		return 0;
	return e.code == ERR_STOPPED ? -1 : i3_fault_err(f, I3_F_SEND_MESSAGE, &e);
}

int i3_ctl_read_state(struct i3_ctl *c, int *state, uint64_t deadline_ns,
		      struct i3_fault *f)
{
	signed char byte;
	char buf[32];
	struct err e;

	if (i3_ctl_read(c, &byte, 1, deadline_ns, &e) < 0) {
		if (e.code == ERR_STOPPED)
			return -1;
		return e.code == ERR_PEER ? i3_fault(f, I3_F_CTRL_CLOSE)
					  : i3_fault_err(f, I3_F_RECV_MESSAGE, &e);
	}
	/* Two states are negative, and char is unsigned on some machines.
	 * NOLINTNEXTLINE(bugprone-signed-char-misuse,cert-str34-c) */
	*state = (signed char)byte;
	trace(c, "received state", i3_state_name(byte, buf, sizeof(buf)));
	return 0;
}

int i3_ctl_send_json(struct i3_ctl *c, const char *text, int number, struct i3_fault *f)
{
	size_t len = text ? strlen(text) : 0;
	unsigned char head[4];
	struct err e;

	if (!text) {
		errno = ENOMEM;
		return i3_fault_sys(f, number);
	}
	trace(c, "send JSON", text);
	i3_be32_put(head, (uint32_t)len);
	if (i3_ctl_write(c, head, sizeof(head), &e) == 0 &&
	    i3_ctl_write(c, text, len, &e) == 0)
		return 0;
	return e.code == ERR_STOPPED ? -1 : i3_fault_err(f, number, &e);
}

/* len bytes, the buffer growing as they come. */
static char *read_text(struct i3_ctl *c, size_t len, uint64_t deadline_ns, struct err *e)
{
	char *text = NULL;

	for (size_t got = 0; got < len;) {
		size_t piece = len - got < PIECE_BYTES ? len - got : PIECE_BYTES;
		char *more = realloc(text, got + piece + 1);

		if (!more) {
			err_sys(e, "realloc");
			free(text);
			return NULL;
		}
		text = more;
		if (i3_ctl_read(c, text + got, piece, deadline_ns, e) < 0) {
			free(text);
			return NULL;
		}
		got += piece;
		text[got] = '\0';
	}
	return text;
}

char *i3_ctl_read_json(struct i3_ctl *c, size_t max, size_t *len, int number,
		       struct i3_fault *f)
{
	const uint64_t deadline_ns = mono_now_ns() + I3_CTL_JSON_NS;
	unsigned char head[4];
	char *text = NULL;
	struct err e;

	err_clear(&e);
	if (i3_ctl_read(c, head, sizeof(head), mono_now_ns() + I3_CTL_STEP_NS, &e) == 0) {
		*len = i3_be32_get(head);
		if (*len == 0 || *len > max)
			err_set(&e, ERR_PEER, "length", "JSON of %zu bytes", *len);
		else
			text = read_text(c, *len, deadline_ns, &e);
	}
	if (text)
		trace(c, "received JSON", text);
	else if (e.code != ERR_STOPPED)
		i3_fault_err(f, number, &e);
	return text;
}

void i3_ctl_send_error(struct i3_ctl *c, const struct i3_fault *cause)
{
	unsigned char msg[I3_SERVER_ERROR_BYTES];

	trace(c, "send state", "SERVER_ERROR");
	i3_server_error_put(msg, cause->number, cause->sys_errno);
	if (c->fd >= 0 &&
	    send(c->fd, msg, sizeof(msg), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		/* The client will see the end of the connection instead. */
	}
}

void i3_ctl_close(struct i3_ctl *c)
{
	uint64_t now = mono_now_ns();
	char waste[4096];
	struct err e;

	if (c->fd < 0)
		return;
	shutdown(c->fd, SHUT_WR);
	/* A peer that closes too sees everything; one that doesn't is not waited for
	 * long. */
	for (uint64_t until = now + (c->guests ? CLOSE_QUIET_NS : CLOSE_CLIENT_NS);;) {
		ssize_t n = recv(c->fd, waste, sizeof(waste), MSG_DONTWAIT);

		if (n == 0 ||
		    (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
			break;
		if (mono_now_ns() >= until)
			break;
		if (n < 0 && wait_fd(c, POLLIN, until, now + CLOSE_HURRY_NS, &e) < 0)
			break;
	}
	close(c->fd);
	c->fd = -1;
}

static int set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

int i3_ctl_setup(int fd, const struct i3_ctl_opts *o, struct i3_fault *f)
{
	if (o->no_delay && set(fd, IPPROTO_TCP, TCP_NODELAY, 1) < 0)
		return i3_fault_sys(f, I3_F_SET_NODELAY);
	if (o->user_timeout_ms &&
	    set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, (int)o->user_timeout_ms) < 0)
		return i3_fault_sys(f, I3_F_SET_USER_TIMEOUT);
	if (!o->keepalive)
		return 0;
	if (set(fd, SOL_SOCKET, SO_KEEPALIVE, 1) < 0)
		return i3_fault_sys(f, I3_F_SET_KEEPALIVE);
	if (o->idle_s && set(fd, IPPROTO_TCP, TCP_KEEPIDLE, o->idle_s) < 0)
		return i3_fault_sys(f, I3_F_KEEPALIVE_IDLE);
	if (o->intvl_s && set(fd, IPPROTO_TCP, TCP_KEEPINTVL, o->intvl_s) < 0)
		return i3_fault_sys(f, I3_F_KEEPALIVE_INTVL);
	if (o->count && set(fd, IPPROTO_TCP, TCP_KEEPCNT, o->count) < 0)
		return i3_fault_sys(f, I3_F_KEEPALIVE_COUNT);
	return 0;
}
