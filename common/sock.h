/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sockets: make, set up, listen, accept, connect, and move whole messages. Every wait has
 * a bound and can be stopped. Every socket is close-on-exec. */
#ifndef SOCK_H
#define SOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "addr.h"
#include "err.h"
#include "mono.h"
#include "stopper.h"

/* What is set on a socket between socket() and connect() or listen(), so that buffer
 * sizes still decide the TCP window scale. A zeroed struct sets nothing. */
struct sock_opts {
	int sndbuf_bytes, rcvbuf_bytes; /* 0 = the kernel's choice and autotuning */
	bool nodelay;			/* TCP_NODELAY */
	bool so_debug;			/* SO_DEBUG; needs CAP_NET_ADMIN */
	bool dont_fragment;		/* IPv4 DF, IPv6 no fragmentation by this host */
	int tos;			/* IP_TOS and IPV6_TCLASS, 0..255 */
	int mss_bytes;			/* TCP_MAXSEG, 0 = none */
	int ttl;			/* unicast TTL / hop limit, 0 = default */
	const char *congestion;		/* TCP_CONGESTION, NULL = default */
	const char *bind_dev;		/* SO_BINDTODEVICE, NULL = none */
	uint64_t max_pacing_bps;	/* SO_MAX_PACING_RATE, bit/s, 0 = none */
	unsigned user_timeout_ms;	/* TCP_USER_TIMEOUT, 0 = none */
};

/* Milestones that a tool may want to tell its user. */
enum sock_step {
	SOCK_STEP_SOCKET,
	SOCK_STEP_SNDBUF,
	SOCK_STEP_RCVBUF,
	SOCK_STEP_NODELAY,
	SOCK_STEP_LISTEN,
	SOCK_STEP_CONNECT,
};

struct sock_req {
	const char *host; /* connect to / listen on; NULL = any address (listen only) */
	uint16_t port;	  /* 0 = ephemeral (listen only) */
	int family;	  /* AF_UNSPEC, AF_INET, AF_INET6 */
	int type;	  /* SOCK_STREAM, SOCK_DGRAM */
	int protocol;	  /* 0, IPPROTO_MPTCP, IPPROTO_SCTP */
	const char *bind_host; /* local address of a connecting socket, NULL = any */
	uint16_t bind_port;    /* local port of a connecting socket, 0 = ephemeral */
	int backlog;	       /* listen only */
	struct sock_opts opts;
	struct stopper *stop; /* may be NULL */
	/* Called as each milestone is reached; may be NULL. Several addresses tried in turn
	 * repeat the early steps. A SO_DEBUG refused for want of privilege is no error: it is
	 * told by warn(), which may be NULL too. */
	void (*step)(void *arg, enum sock_step step);
	void (*warn)(void *arg, const struct err *e);
	void *arg;
};

/* Connect to the first address of req->host that answers before timeout_ns have passed
 * in all (0 = the system's own limit). A UDP socket is connected too, so that it learns of
 * ICMP errors. Returns a blocking socket that the caller closes, or -1 with e filled: the
 * error of the last address tried. */
int sock_connect(const struct sock_req *req, uint64_t timeout_ns, struct err *e);

/* Listen (TCP) or bind (UDP) on req->host and port, with SO_REUSEADDR (TCP only: on UDP
 * it would let two receivers share one port). With host NULL and AF_UNSPEC: one IPv6
 * socket that also takes IPv4, or IPv4 alone where IPv6 is missing. Returns the socket or
 * -1 with e filled (what: "socket", "bind", "listen", "setsockopt: ..."). */
int sock_listen(const struct sock_req *req, struct err *e);

/* Next connection, with its peer's address in *from (may be NULL). Waits until
 * deadline_ns (MONO_NEVER: for ever). Connections that die in the queue are skipped.
 * Returns a blocking socket or -1 with e filled (ERR_TIMEOUT, ERR_STOPPED, ERR_SYS). */
int sock_accept(int listener, uint64_t deadline_ns, struct stopper *stop, struct addr *from,
		struct err *e);

/* Set every option of opts that is not zero; for sockets from accept(). */
int sock_apply(int fd, int family, const struct sock_opts *opts, struct err *e);

/* Wait until fd is ready for events (POLLIN, POLLOUT) or broken. Returns 0, or -1 with
 * ERR_TIMEOUT, ERR_STOPPED or ERR_SYS. */
int sock_wait(int fd, short events, uint64_t deadline_ns, struct stopper *stop,
	      struct err *e);

/* Exactly len bytes, by any number of reads or writes. sock_read returns the bytes read:
 * less than len only at end of file. Both return -1 with e filled on error, time-out or
 * stop; what had been moved by then is lost to the caller. They work on blocking and
 * non-blocking sockets. */
ssize_t sock_read(int fd, void *buf, size_t len, uint64_t deadline_ns,
		  struct stopper *stop, struct err *e);
int sock_write(int fd, const void *buf, size_t len, uint64_t deadline_ns,
	       struct stopper *stop, struct err *e);

/* Shut down the writing half, then read and discard until the peer closes too, so that
 * nothing queued is lost to a reset (RFC 1122, 4.2.2.13). Gives up with success once the
 * send queue is empty and nothing was read for quiet_ns. Returns 0, or -1 with e filled
 * when the connection broke (the peer may not have got everything) or was stopped. */
int sock_finish(int fd, uint64_t quiet_ns, struct stopper *stop, struct err *e);

/* What the kernel really uses (Linux doubles what was asked); -1 when it won't say. */
int sock_sndbuf_bytes(int fd);
int sock_rcvbuf_bytes(int fd);

/* Ask for a receive buffer of bytes: by force where the process may, else as much as
 * rmem_max allows. Returns what it became, or -1. */
int sock_grow_rcvbuf(int fd, int bytes);

#endif
