/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Who connects to a server: a guest is a connection that has not told its cookie yet, or
 * a client whose turn has not come. Guests are served whenever the server waits for
 * anything, so that one that says nothing keeps nobody waiting. */
#ifndef I3_GUESTS_H
#define I3_GUESTS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "addr.h"
#include "proto.h"

#define I3_GUESTS_MAX 256
#define I3_GUEST_NS   (10 * UINT64_C(1000000000)) /* for the cookie */

enum i3_guests_mode {
	I3_GUESTS_QUEUE,   /* no test, or one that may still come to nothing: clients wait
			    */
	I3_GUESTS_STREAMS, /* guests with the cookie of the test are its streams; the
			    * others wait: there may be no test if its streams do not come
			    */
	I3_GUESTS_BUSY,    /* a test runs: everybody is told so at once */
};

struct i3_guest {
	int fd;
	struct addr from;
	uint64_t since_ns;
	size_t got;   /* bytes of the cookie */
	bool leaving; /* was turned away; open until it has seen that */
	char cookie[I3_COOKIE_BYTES];
};

struct i3_guests {
	int listener;
	int second; /* listener of SCTP streams, -1 = none; the caller's too */
	enum i3_guests_mode mode;
	char cookie[I3_COOKIE_BYTES]; /* of the test, for I3_GUESTS_STREAMS */
	struct i3_guest *list;        /* in order of arrival */
	size_t count;
	/* I3_GUESTS_STREAMS: connections of the test, to be taken by the server */
	int ready[2 * I3_STREAMS_MAX];
	size_t ready_count;
	uint64_t deaf_until_ns; /* out of descriptors: the listeners are left alone */
};

/* Returns 0 or -1 (memory). The listener stays the caller's. */
int i3_guests_init(struct i3_guests *g, int listener);
void i3_guests_free(struct i3_guests *g);

/* cookie is only used by I3_GUESTS_STREAMS. I3_GUESTS_BUSY turns away all who wait. */
void i3_guests_set(struct i3_guests *g, enum i3_guests_mode mode, const char *cookie);

/* For poll(2): fds of the listener and of guests whose cookie is incomplete. Returns how
 * many were filled (at most I3_GUESTS_MAX + 2). */
size_t i3_guests_fds(const struct i3_guests *g, struct pollfd *fds);
/* After poll(2): accept, read cookies, turn away. */
void i3_guests_serve(struct i3_guests *g, const struct pollfd *fds, size_t count,
		     uint64_t now_ns);
/* Earliest time at which a guest is given up. */
uint64_t i3_guests_deadline(const struct i3_guests *g);

/* Is there a client with a cookie that waits? */
bool i3_guests_waiting(const struct i3_guests *g);
/* The first client with a cookie; its socket and cookie are handed over. False = none. */
bool i3_guests_take(struct i3_guests *g, struct i3_guest *out);

#endif
