/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The control connection: states and JSON, with a bound on every wait. On a server each
 * wait also serves the guests (guests.h): whoever connects meanwhile is not kept waiting
 * by a silent peer. */
#ifndef I3_CTL_H
#define I3_CTL_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "fault.h"
#include "stopper.h"

struct i3_guests;

struct i3_ctl {
	int fd; /* -1 = none */
	struct stopper *stop;
	struct i3_guests *guests; /* NULL on a client */
	/* -d: told of each state and JSON text, sent or received. May be NULL. */
	void (*trace)(void *arg, const char *what, const char *text);
	void *trace_arg;
};

#define I3_CTL_STEP_NS (10 * UINT64_C(1000000000)) /* most for one answer of a peer */
#define I3_CTL_JSON_NS (30 * UINT64_C(1000000000)) /* most for one JSON text */
#define I3_RESULTS_MAX (64u * 1024 * 1024)         /* bytes of results, read in pieces */

/* Wait for one of own[0..count) until deadline_ns. Returns how many are ready, 0 at the
 * deadline (or earlier: a stream has come, a guest waits and patience_ns is
 * over), -1 with e filled:
 * ERR_STOPPED, ERR_SYS. patience_ns: a point in time, MONO_NEVER = guests must wait. */
int i3_ctl_poll(struct i3_ctl *c, struct pollfd *own, size_t count, uint64_t deadline_ns,
		uint64_t patience_ns, struct err *e);

/* Exactly len bytes. e: ERR_TIMEOUT, ERR_STOPPED, ERR_SYS, ERR_PEER (closed). */
int i3_ctl_read(struct i3_ctl *c, void *buf, size_t len, uint64_t deadline_ns,
		struct err *e);
int i3_ctl_write(struct i3_ctl *c, const void *buf, size_t len, struct err *e);

/* One state byte (enum i3_state). Faults: I3_F_SEND_MESSAGE; I3_F_CTRL_CLOSE,
 * I3_F_RECV_MESSAGE. When stopped by a signal: -1 and f untouched. */
int i3_ctl_send_state(struct i3_ctl *c, int state, struct i3_fault *f);
int i3_ctl_read_state(struct i3_ctl *c, int *state, uint64_t deadline_ns,
		      struct i3_fault *f);

/* A length and a JSON text. number: the fault to raise. */
int i3_ctl_send_json(struct i3_ctl *c, const char *text, int number, struct i3_fault *f);
/* Returns text (free() it, NUL at the end) and its length. max: bytes accepted. Memory
 * grows only as bytes arrive. */
char *i3_ctl_read_json(struct i3_ctl *c, size_t max, size_t *len, int number,
		       struct i3_fault *f);

/* SERVER_ERROR with number and errno. Failure to send it is ignored. */
void i3_ctl_send_error(struct i3_ctl *c, const struct i3_fault *cause);

/* Orderly end: nothing that was sent is lost to a reset. Bounded. */
void i3_ctl_close(struct i3_ctl *c);

/* What is set on control connections (and, on a server, on streams of TCP). */
struct i3_ctl_opts {
	bool no_delay;
	bool keepalive;
	int idle_s, intvl_s, count; /* 0 = system */
	unsigned user_timeout_ms;   /* 0 = system */
};
int i3_ctl_setup(int fd, const struct i3_ctl_opts *o, struct i3_fault *f);

#endif
