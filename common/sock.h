/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sockets: listen, accept, connect. Every wait has a bound and can be stopped. Every
 * socket is close-on-exec. Brings sockopt.h (buffers and other options) and sockio.h
 * (whole messages in and out, the end of a connection) with it. */
#ifndef SOCK_H
#define SOCK_H

#include <stdint.h>

#include "addr.h"
#include "err.h"
#include "mono.h"
#include "sockio.h"
#include "sockopt.h"
#include "stopper.h"

struct sock_req {
	const char *host; /* connect to / listen on; NULL = any address (listen only) */
	uint16_t port;    /* 0 = ephemeral (listen only) */
	int family;       /* AF_UNSPEC, AF_INET, AF_INET6 */
	int type;         /* SOCK_STREAM, SOCK_DGRAM */
	int protocol;     /* 0, IPPROTO_MPTCP, IPPROTO_SCTP */
	const char *bind_host; /* local address of a connecting socket, NULL = any */
	uint16_t bind_port;    /* local port of a connecting socket, 0 = ephemeral */
	int backlog;           /* listen only */
	uint32_t flowlabel;    /* IPv6 flow label of a connecting socket, 0 = none */
	struct sock_opts opts;
	struct stopper *stop; /* may be NULL */
	/* See struct sock_watch. Each address tried in turn repeats the early steps. */
	void (*step)(void *arg, enum sock_step step);
	void (*warn)(void *arg, const struct err *e);
	void *arg;
	/* For options that sock_opts does not know: called with each new socket before
	 * bind() and connect() or listen(). Returns 0 or -1 with e filled. May be NULL.
	 */
	int (*setup)(void *arg, int fd, int family, struct err *e);
};

/* Connect to the first address of req->host that answers before timeout_ns have passed
 * in all (0 = the system's own limit for each). The time left is shared out evenly among
 * the addresses left, so that a silent one leaves time for the next; the resolver has
 * limits of its own. A UDP socket is connected too, so that it learns of ICMP errors.
 * Returns a blocking socket that the caller closes, or -1 with e filled: the error of the
 * last address tried (what: "bad hostname", "socket", "bind", "setsockopt: ...",
 * "connect", "flow label"; a time-out has ERR_TIMEOUT and ETIMEDOUT). */
int sock_connect(const struct sock_req *req, uint64_t timeout_ns, struct err *e);

/* Listen (TCP) or bind (UDP) on req->host and port, with SO_REUSEADDR (TCP only: on UDP
 * it would let two receivers share one port). With host NULL and AF_UNSPEC: one IPv6
 * socket that also takes IPv4, or IPv4 alone where IPv6 is missing. With AF_INET6 IPv4 is
 * kept out. What opts says is passed on to the accepted sockets by Linux. Returns the
 * socket, a listening one non-blocking, or -1 with e filled (what: "bad hostname",
 * "socket", "bind", "listen", "setsockopt: ..."). */
int sock_listen(const struct sock_req *req, struct err *e);

/* Next connection, with its peer's address in *from (may be NULL). Waits until
 * deadline_ns (MONO_NEVER: for ever). Connections that die in the queue are skipped.
 * Returns a blocking socket or -1 with e filled (ERR_TIMEOUT, ERR_STOPPED, ERR_SYS). */
int sock_accept(int listener, uint64_t deadline_ns, struct stopper *stop,
		struct addr *from, struct err *e);

#endif
