/* SPDX-License-Identifier: BSD-2-Clause */
#include "guests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mono.h"

#define LEAVE_NS NS_PER_S          /* for a guest that was turned away to see it */
#define DEAF_NS  (200 * NS_PER_MS) /* between two looks for a free descriptor */

int i3_guests_init(struct i3_guests *g, int listener)
{
	*g = (struct i3_guests){
		.listener = listener, .second = -1, .mode = I3_GUESTS_QUEUE};
	g->list = calloc(I3_GUESTS_MAX, sizeof(*g->list));
	return g->list ? 0 : -1;
}

static void drop_ready(struct i3_guests *g)
{
	for (size_t i = 0; i < g->ready_count; i++)
		close(g->ready[i]);
	g->ready_count = 0;
}

void i3_guests_free(struct i3_guests *g)
{
	for (size_t i = 0; i < g->count; i++)
		close(g->list[i].fd);
	drop_ready(g);
	free(g->list);
	g->list = NULL;
	g->count = 0;
}

/* Say no. The connection stays open until the peer has seen it: closing it with the
 * peer's cookie unread would turn the farewell into a reset. */
static void turn_away(struct i3_guest *v)
{
	const signed char denied = I3_ACCESS_DENIED;

	v->leaving = true;
	v->since_ns = mono_now_ns();
	if (send(v->fd, &denied, 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		/* Gone already. */
	}
	shutdown(v->fd, SHUT_WR);
}

static void forget(struct i3_guests *g, size_t i)
{
	g->count--;
	memmove(&g->list[i], &g->list[i + 1], (g->count - i) * sizeof(*g->list));
}

/* Has told its cookie, and nothing more is to be read from it now. */
static bool complete(const struct i3_guest *v)
{
	return v->got == I3_COOKIE_BYTES && !v->leaving;
}

/* A guest with its cookie: a stream, or a client. Returns true when it has left the
 * list. */
static bool sort_out(struct i3_guests *g, size_t i)
{
	struct i3_guest *v = &g->list[i];

	if (g->mode == I3_GUESTS_BUSY)
		turn_away(v);
	if (g->mode != I3_GUESTS_STREAMS || !i3_cookie_equal(v->cookie, g->cookie) ||
	    g->ready_count == 2 * I3_STREAMS_MAX)
		return false;
	g->ready[g->ready_count++] = v->fd;
	forget(g, i);
	return true;
}

void i3_guests_set(struct i3_guests *g, enum i3_guests_mode mode, const char *cookie)
{
	g->mode = mode;
	if (mode != I3_GUESTS_STREAMS)
		drop_ready(g);
	if (cookie)
		memcpy(g->cookie, cookie, I3_COOKIE_BYTES);
	if (mode == I3_GUESTS_QUEUE)
		return;
	for (size_t i = 0; i < g->count;) {
		struct i3_guest *v = &g->list[i];

		if (mode == I3_GUESTS_BUSY && !v->leaving)
			turn_away(v);
		if (!complete(v) || !sort_out(g, i))
			i++;
	}
}

size_t i3_guests_fds(const struct i3_guests *g, struct pollfd *fds)
{
	size_t n = 0;

	bool deaf = g->deaf_until_ns > mono_now_ns();

	fds[n++] = (struct pollfd){.fd = deaf ? -1 : g->listener, .events = POLLIN};
	fds[n++] = (struct pollfd){.fd = deaf ? -1 : g->second, .events = POLLIN};
	for (size_t i = 0; i < g->count; i++)
		if (!complete(&g->list[i]))
			fds[n++] = (struct pollfd){.fd = g->list[i].fd, .events = POLLIN};
	return n;
}

static void welcome(struct i3_guests *g, int listener, uint64_t now_ns)
{
	/* Bounded, so that a flood of connections cannot keep the server here. */
	for (int i = 0; i < I3_GUESTS_MAX; i++) {
		struct sockaddr_storage ss;
		socklen_t len = sizeof(ss);
		int fd = accept4(listener, (struct sockaddr *)&ss, &len, SOCK_CLOEXEC);

		if (fd < 0 && (errno == EMFILE || errno == ENFILE) && g->count > 0) {
			/* Out of descriptors: the one that has waited longest makes room.
			 */
			close(g->list[0].fd);
			forget(g, 0);
			continue;
		}
		if (fd < 0 && (errno == EMFILE || errno == ENFILE))
			/* Nobody to send away: look again in a while, not at once. */
			g->deaf_until_ns = now_ns + DEAF_NS;
		if (fd < 0)
			return;
		if (g->count == I3_GUESTS_MAX) {
			/* The oldest has had its time. */
			close(g->list[0].fd);
			forget(g, 0);
		}
		g->list[g->count++] = (struct i3_guest){
			.fd = fd,
			.from = addr_of((struct sockaddr *)&ss, len),
			.since_ns = now_ns,
		};
		if (g->mode == I3_GUESTS_BUSY)
			turn_away(&g->list[g->count - 1]);
	}
}

/* Read what there is of the cookie. Returns false when the guest has gone. */
static bool hear(struct i3_guest *v)
{
	char waste[4096];
	ssize_t n;

	if (v->leaving)
		n = recv(v->fd, waste, sizeof(waste), MSG_DONTWAIT);
	else
		n = recv(v->fd, v->cookie + v->got, I3_COOKIE_BYTES - v->got,
			 MSG_DONTWAIT);
	if (n > 0 && !v->leaving)
		v->got += (size_t)n;
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static uint64_t patience_end(const struct i3_guest *v)
{
	return v->since_ns + (v->leaving ? LEAVE_NS : I3_GUEST_NS);
}

void i3_guests_serve(struct i3_guests *g, const struct pollfd *fds, size_t count,
		     uint64_t now_ns)
{
	for (size_t i = 0; i < g->count;) {
		struct i3_guest *v = &g->list[i];
		bool here = true;

		if (!complete(v))
			here = hear(v) && now_ns < patience_end(v);
		if (!here) {
			close(v->fd);
			forget(g, i);
		} else if (!complete(v) || !sort_out(g, i)) {
			i++;
		}
	}
	if (count > 0 && fds[0].revents)
		welcome(g, g->listener, now_ns);
	if (count > 1 && g->second >= 0 && fds[1].revents)
		welcome(g, g->second, now_ns);
}

uint64_t i3_guests_deadline(const struct i3_guests *g)
{
	uint64_t first = g->deaf_until_ns > mono_now_ns() ? g->deaf_until_ns : MONO_NEVER;

	for (size_t i = 0; i < g->count; i++)
		if (!complete(&g->list[i]) && patience_end(&g->list[i]) < first)
			first = patience_end(&g->list[i]);
	return first;
}

bool i3_guests_waiting(const struct i3_guests *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (complete(&g->list[i]))
			return true;
	return false;
}

bool i3_guests_take(struct i3_guests *g, struct i3_guest *out)
{
	for (size_t i = 0; i < g->count; i++) {
		if (!complete(&g->list[i]))
			continue;
		*out = g->list[i];
		forget(g, i);
		return true;
	}
	return false;
}
