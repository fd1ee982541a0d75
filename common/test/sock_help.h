/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sockets on loopback for unit tests. Everything here must work, or the test fails. */
#ifndef SOCK_HELP_H
#define SOCK_HELP_H

#include <check.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sock.h"

static inline uint64_t in_ms(uint64_t ms)
{
	return mono_now_ns() + ms * NS_PER_MS;
}

static inline struct sock_req tcp_req(const char *host, int family)
{
	return (struct sock_req){
		.host = host,
		.family = family,
		.type = SOCK_STREAM,
		.backlog = 5,
	};
}

/* Containers often have no IPv6, not even on loopback. */
static inline bool have_ipv6(void)
{
	struct sock_req req = tcp_req("::1", AF_INET6);
	int fd = sock_listen(&req, NULL);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static inline uint16_t port_of(int fd)
{
	struct addr local;
	struct err e;

	ck_assert_msg(addr_local(fd, &local, &e) == 0, "%s: %s", e.what, e.text);
	return addr_port(&local);
}

static inline int must_listen(const struct sock_req *req)
{
	struct err e;
	int fd = sock_listen(req, &e);

	ck_assert_msg(fd >= 0, "%s: %s", e.what, e.text);
	return fd;
}

static inline int must_connect(const char *host, uint16_t port)
{
	struct sock_req req = tcp_req(host, AF_UNSPEC);
	struct err e;
	int fd;

	req.port = port;
	fd = sock_connect(&req, 5 * NS_PER_S, &e);
	ck_assert_msg(fd >= 0, "%s: %s", e.what, e.text);
	return fd;
}

static inline int must_accept(int listener, struct addr *from)
{
	struct err e;
	int fd = sock_accept(listener, in_ms(5000), NULL, from, &e);

	ck_assert_msg(fd >= 0, "%s: %s", e.what, e.text);
	return fd;
}

/* Two ends of a connection, made with the options of opts on both (NULL = none). */
static inline void tcp_pair(int *out, int *in, const struct sock_opts *opts)
{
	struct sock_req req = tcp_req("127.0.0.1", AF_INET);
	struct err e;
	int listener;

	if (opts)
		req.opts = *opts;
	listener = must_listen(&req);
	req.port = port_of(listener);
	*out = sock_connect(&req, 5 * NS_PER_S, &e);
	ck_assert_msg(*out >= 0, "%s: %s", e.what, e.text);
	*in = must_accept(listener, NULL);
	close(listener);
}

static inline void unix_pair(int fd[2])
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
}

#endif
