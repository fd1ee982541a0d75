/* SPDX-License-Identifier: BSD-2-Clause */
#include "sock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/in6.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static void tell(const struct sock_req *req, enum sock_step step)
{
	if (req->step)
		req->step(req->arg, step);
}

static int set_blocking(int fd, struct err *e)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return err_sys(e, "fcntl");
	return 0;
}

/* A non-blocking socket, bound to the device asked for. */
static int open_socket(const struct sock_req *req, int family, struct err *e)
{
	int fd = socket(family, req->type | SOCK_CLOEXEC | SOCK_NONBLOCK, req->protocol);

	if (fd < 0)
		return err_sys(e, "socket");
	tell(req, SOCK_STEP_SOCKET);
	if ((req->opts.bind_dev && sockopt_bind_dev(fd, req->opts.bind_dev, e) < 0) ||
	    (req->setup && req->setup(req->arg, fd, family, e) < 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int apply(int fd, int family, const struct sock_req *req, struct err *e)
{
	const struct sock_watch watch = {
		.step = req->step,
		.warn = req->warn,
		.arg = req->arg,
	};

	return sockopt_apply(fd, family, &req->opts, &watch, e);
}

static int reuse_addr(int fd, const struct sock_req *req, struct err *e)
{
	if (req->type != SOCK_STREAM)
		return 0;
	return sockopt_int(fd, SOL_SOCKET, SO_REUSEADDR, 1, "setsockopt: reuseaddr", e);
}

/* ---- connect ---------------------------------------------------------------------- */

static int bind_local(int fd, int family, const struct sock_req *req, struct err *e)
{
	struct addrinfo *list;
	int rc = 0;

	if (!req->bind_host && !req->bind_port)
		return 0;
	list = addr_resolve(req->bind_host, req->bind_port, family, req->type, e);
	if (!list)
		return -1;
	if (req->bind_port)
		rc = reuse_addr(fd, req, e);
	if (rc == 0 && bind(fd, list->ai_addr, list->ai_addrlen) < 0)
		rc = err_sys(e, "bind");
	freeaddrinfo(list);
	return rc;
}

static int connect_error(int error, struct err *e)
{
	errno = error;
	err_sys(e, "connect");
	if (e && error == ETIMEDOUT)
		e->code = ERR_TIMEOUT;
	return -1;
}

/* When nobody listens on an ephemeral port of this host, a connection to it can pick that
 * very port as its own and meet itself (simultaneous open, RFC 9293, 3.5): it would then
 * measure its own echo. */
static int refuse_self(int fd, struct err *e)
{
	struct addr local, peer;

	/* A peer that is gone already was no mirror image. */
	if (addr_local(fd, &local, NULL) < 0 || addr_peer(fd, &peer, NULL) < 0)
		return 0;
	return addr_equal(&local, &peer) ? connect_error(ECONNREFUSED, e) : 0;
}

static int connect_wait(int fd, const struct addrinfo *ai, uint64_t deadline_ns,
			struct stopper *stop, struct err *e)
{
	struct err waiting;
	int error = 0;
	socklen_t len = sizeof(error);

	if (connect(fd, ai->ai_addr, ai->ai_addrlen) == 0)
		return refuse_self(fd, e);
	if (errno != EINPROGRESS && errno != EINTR)
		return connect_error(errno, e);
	if (sock_wait(fd, POLLOUT, deadline_ns, stop, &waiting) < 0) {
		if (waiting.code == ERR_TIMEOUT)
			return connect_error(ETIMEDOUT, e);
		if (e)
			*e = waiting;
		return -1;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		error = errno;
	return error ? connect_error(error, e) : refuse_self(fd, e);
}

/* Lease the flow label from the kernel (RFC 6437) and put it into the address: *to is a
 * copy of *ai with it. */
static int label_flow(int fd, const struct addrinfo *ai, uint32_t label,
		      struct addrinfo *to, struct sockaddr_in6 *in6, struct err *e)
{
	struct in6_flowlabel_req lease = {
		.flr_label = htonl(label & 0xfffff),
		.flr_action = IPV6_FL_A_GET,
		.flr_share = IPV6_FL_S_ANY,
		.flr_flags = IPV6_FL_F_CREATE,
	};

	*to = *ai;
	if (!label || ai->ai_family != AF_INET6)
		return 0;
	memcpy(in6, ai->ai_addr, sizeof(*in6));
	lease.flr_dst = in6->sin6_addr;
	if (setsockopt(fd, IPPROTO_IPV6, IPV6_FLOWLABEL_MGR, &lease, sizeof(lease)) < 0)
		return err_sys(e, "flow label");
	in6->sin6_flowinfo = lease.flr_label;
	to->ai_addr = (struct sockaddr *)in6;
	return sockopt_int(fd, IPPROTO_IPV6, IPV6_FLOWINFO_SEND, 1, "flow label", e);
}

static int connect_one(const struct sock_req *req, const struct addrinfo *ai,
		       uint64_t deadline_ns, struct err *e)
{
	int family = ai->ai_family;
	int fd = open_socket(req, family, e);
	struct sockaddr_in6 in6;
	struct addrinfo to;

	if (fd < 0)
		return -1;
	if (bind_local(fd, family, req, e) == 0 && apply(fd, family, req, e) == 0 &&
	    label_flow(fd, ai, req->flowlabel, &to, &in6, e) == 0 &&
	    connect_wait(fd, &to, deadline_ns, req->stop, e) == 0 &&
	    set_blocking(fd, e) == 0) {
		tell(req, SOCK_STEP_CONNECT);
		return fd;
	}
	close(fd);
	return -1;
}

static unsigned count(const struct addrinfo *ai)
{
	unsigned n = 0;

	for (; ai; ai = ai->ai_next)
		n++;
	return n;
}

int sock_connect(const struct sock_req *req, uint64_t timeout_ns, struct err *e)
{
	uint64_t deadline_ns = mono_add_ns(mono_now_ns(), timeout_ns);
	struct addrinfo *list =
		addr_resolve(req->host, req->port, req->family, req->type, e);
	int fd = -1;

	if (!list)
		return -1;
	for (const struct addrinfo *ai = list; ai && fd < 0; ai = ai->ai_next) {
		uint64_t until_ns = MONO_NEVER;

		if (timeout_ns) {
			uint64_t now_ns = mono_now_ns();
			uint64_t left_ns = mono_since_ns(now_ns, deadline_ns);

			until_ns = mono_add_ns(now_ns, left_ns / count(ai));
		}
		fd = connect_one(req, ai, until_ns, e);
		if (fd < 0 && stopper_tripped(req->stop))
			break;
	}
	freeaddrinfo(list);
	return fd;
}

/* ---- listen ----------------------------------------------------------------------- */

static int bind_and_listen(int fd, const struct addrinfo *ai, const struct sock_req *req,
			   struct err *e)
{
	/* Said in both cases: the system's default may be either. */
	if (ai->ai_family == AF_INET6 &&
	    sockopt_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, req->family == AF_INET6,
			"setsockopt: v6only", e) < 0)
		return -1;
	if (reuse_addr(fd, req, e) < 0)
		return -1;
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) < 0)
		return err_sys(e, "bind");
	if (apply(fd, ai->ai_family, req, e) < 0)
		return -1;
	if (req->type == SOCK_DGRAM)
		return set_blocking(fd, e);
	if (listen(fd, req->backlog) < 0)
		return err_sys(e, "listen");
	tell(req, SOCK_STEP_LISTEN);
	return 0;
}

static int listen_family(const struct sock_req *req, int family, struct err *e)
{
	struct addrinfo *list = addr_resolve(req->host, req->port, family, req->type, e);
	int fd = -1;

	if (!list)
		return -1;
	for (const struct addrinfo *ai = list; ai && fd < 0; ai = ai->ai_next) {
		fd = open_socket(req, ai->ai_family, e);
		if (fd >= 0 && bind_and_listen(fd, ai, req, e) < 0) {
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	return fd;
}

int sock_listen(const struct sock_req *req, struct err *e)
{
	struct err no_ipv6;
	int fd;

	if (req->host || req->family != AF_UNSPEC)
		return listen_family(req, req->family, e);
	fd = listen_family(req, AF_INET6, &no_ipv6);
	if (fd >= 0)
		return fd;
	if (no_ipv6.sys_errno == EAFNOSUPPORT || no_ipv6.sys_errno == EADDRNOTAVAIL)
		return listen_family(req, AF_INET, e);
	if (e)
		*e = no_ipv6;
	return -1;
}

/* ---- accept ----------------------------------------------------------------------- */

/* Linux hands over what happened to a connection while it was queued: see accept(2). */
static bool died_in_queue(int error)
{
	switch (error) {
	case EAGAIN:
	case EINTR:
	case ECONNABORTED:
	case EPROTO:
	case ENETDOWN:
	case ENETUNREACH:
	case EHOSTDOWN:
	case EHOSTUNREACH:
	case ENONET:
		return true;
	default:
		return false;
	}
}

int sock_accept(int listener, uint64_t deadline_ns, struct stopper *stop,
		struct addr *from, struct err *e)
{
	for (;;) {
		struct addr peer = {.len = sizeof(peer.ss)};
		int fd;

		if (sock_wait(listener, POLLIN, deadline_ns, stop, e) < 0) {
			if (e)
				strlcpy(e->what, "accept", sizeof(e->what));
			return -1;
		}
		fd = accept4(listener, (struct sockaddr *)&peer.ss, &peer.len,
			     SOCK_CLOEXEC);
		if (fd >= 0) {
			if (from)
				*from = peer;
			return fd;
		}
		if (!died_in_queue(errno))
			return err_sys(e, "accept");
	}
}
