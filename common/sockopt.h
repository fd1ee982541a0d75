/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What can be set on a socket, and what the kernel made of it. */
#ifndef SOCKOPT_H
#define SOCKOPT_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

/* What is set on a socket between socket() and connect() or listen(), so that buffer
 * sizes still decide the TCP window scale. A zeroed struct sets nothing. Linux cuts a
 * buffer size to its maximum without a word: ask sock_sndbuf_bytes() afterwards. */
struct sock_opts {
	int sndbuf_bytes, rcvbuf_bytes; /* 0 = the kernel's choice and autotuning */
	bool nodelay;                   /* TCP_NODELAY */
	bool so_debug;                  /* SO_DEBUG; needs CAP_NET_ADMIN */
	bool dont_fragment;             /* IPv4 DF, IPv6 no fragmentation by this host */
	int tos;                        /* IP_TOS and IPV6_TCLASS, 0..255 */
	int mss_bytes;                  /* TCP_MAXSEG, 0 = none */
	int ttl;                        /* unicast TTL / hop limit, 0 = default */
	const char *congestion;         /* TCP_CONGESTION, NULL = default */
	const char *bind_dev;           /* SO_BINDTODEVICE, NULL = none */
	uint64_t max_pacing_bps;        /* SO_MAX_PACING_RATE, bit/s, 0 = none */
	unsigned user_timeout_ms;       /* TCP_USER_TIMEOUT, 0 = none */
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

/* Called as a milestone is reached, or about a wish that was refused though the socket is
 * good without it. Either may be NULL. */
struct sock_watch {
	void (*step)(void *arg, enum sock_step step);
	void (*warn)(void *arg, const struct err *e);
	void *arg;
};

/* Set every option of opts that is not zero, but bind_dev: that one must come before
 * bind(). family is the socket's own, AF_INET or AF_INET6. watch may be NULL. Returns 0,
 * or -1 with e filled (what: "setsockopt: sndbuf", "rcvbuf", "nodelay", "debug", "tos",
 * "ttl", "dont fragment", "mss", "congestion", "pacing", "user timeout"). SO_DEBUG
 * refused for want of privilege is no error: warn() tells it. */
int sockopt_apply(int fd, int family, const struct sock_opts *opts,
		  const struct sock_watch *watch, struct err *e);

/* One option that is a plain int. */
int sockopt_int(int fd, int level, int name, int value, const char *what, struct err *e);

/* bind_dev, what "setsockopt: bind device". */
int sockopt_bind_dev(int fd, const char *bind_dev, struct err *e);

/* sockopt_apply() without anybody watching: for sockets from accept(). */
int sock_apply(int fd, int family, const struct sock_opts *opts, struct err *e);

/* What the kernel really uses (Linux doubles what was asked); -1 when it won't say. */
int sock_sndbuf_bytes(int fd);
int sock_rcvbuf_bytes(int fd);

/* Ask for a receive buffer of bytes: by force where the process may, else as much as
 * rmem_max allows. One that is large enough already is left alone. Returns what it
 * became, or -1. */
int sock_grow_rcvbuf(int fd, int bytes);

#endif
