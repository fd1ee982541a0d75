/* SPDX-License-Identifier: BSD-2-Clause */
#include "sockopt.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

int sockopt_int(int fd, int level, int name, int value, const char *what, struct err *e)
{
	if (setsockopt(fd, level, name, &value, sizeof(value)) < 0)
		return err_sys(e, what);
	return 0;
}

static void tell(const struct sock_watch *w, enum sock_step step)
{
	if (w && w->step)
		w->step(w->arg, step);
}

static int set_buffers(int fd, const struct sock_opts *o, const struct sock_watch *w,
		       struct err *e)
{
	if (o->sndbuf_bytes) {
		if (sockopt_int(fd, SOL_SOCKET, SO_SNDBUF, o->sndbuf_bytes,
				"setsockopt: sndbuf", e) < 0)
			return -1;
		tell(w, SOCK_STEP_SNDBUF);
	}
	if (o->rcvbuf_bytes) {
		if (sockopt_int(fd, SOL_SOCKET, SO_RCVBUF, o->rcvbuf_bytes,
				"setsockopt: rcvbuf", e) < 0)
			return -1;
		tell(w, SOCK_STEP_RCVBUF);
	}
	return 0;
}

static int set_debug(int fd, const struct sock_watch *w, struct err *e)
{
	struct err refused;

	if (sockopt_int(fd, SOL_SOCKET, SO_DEBUG, 1, "setsockopt: debug", &refused) == 0)
		return 0;
	if (refused.sys_errno != EACCES && refused.sys_errno != EPERM)
		return err_sys(e, "setsockopt: debug");
	if (w && w->warn)
		w->warn(w->arg, &refused);
	return 0;
}

/* An IPv6 socket may carry IPv4 to a mapped address, so it gets both kinds. */
static int set_ip(int fd, int family, int v4_name, int v4_value, int v6_name,
		  int v6_value, const char *what, struct err *e)
{
	if (sockopt_int(fd, IPPROTO_IP, v4_name, v4_value, what, e) < 0)
		return -1;
	if (family == AF_INET6)
		return sockopt_int(fd, IPPROTO_IPV6, v6_name, v6_value, what, e);
	return 0;
}

static int set_congestion(int fd, const char *name, struct err *e)
{
	const char *what = "setsockopt: congestion";

	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) ==
	    0)
		return 0;
	if (errno != ENOENT)
		return err_sys(e, what);
	/* "No such file or directory" would send the user looking for a file. */
	err_set(e, ERR_UNSUPPORTED, what, "%s is not known to this kernel", name);
	if (e)
		e->sys_errno = ENOENT;
	return -1;
}

static int set_pacing(int fd, uint64_t bps, struct err *e)
{
	const char *what = "setsockopt: pacing";
	uint64_t bytes = bps < 8 ? 1 : bps / 8;

	/* Kernels before 4.20 take 32 bits, and of 64 just the half that comes first. */
	if (bytes < UINT32_MAX) {
		uint32_t half = (uint32_t)bytes;

		if (setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &half, sizeof(half)) <
		    0)
			return err_sys(e, what);
		return 0;
	}
	if (setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &bytes, sizeof(bytes)) < 0)
		return err_sys(e, what);
	return 0;
}

static int set_network(int fd, int family, const struct sock_opts *o, struct err *e)
{
	if (o->tos && set_ip(fd, family, IP_TOS, o->tos, IPV6_TCLASS, o->tos,
			     "setsockopt: tos", e) < 0)
		return -1;
	if (o->ttl && set_ip(fd, family, IP_TTL, o->ttl, IPV6_UNICAST_HOPS, o->ttl,
			     "setsockopt: ttl", e) < 0)
		return -1;
	if (o->dont_fragment &&
	    set_ip(fd, family, IP_MTU_DISCOVER, IP_PMTUDISC_DO, IPV6_MTU_DISCOVER,
		   IPV6_PMTUDISC_DO, "setsockopt: dont fragment", e) < 0)
		return -1;
	if (o->max_pacing_bps)
		return set_pacing(fd, o->max_pacing_bps, e);
	return 0;
}

static int set_tcp(int fd, const struct sock_opts *o, const struct sock_watch *w,
		   struct err *e)
{
	if (o->nodelay) {
		if (sockopt_int(fd, IPPROTO_TCP, TCP_NODELAY, 1, "setsockopt: nodelay",
				e) < 0)
			return -1;
		tell(w, SOCK_STEP_NODELAY);
	}
	if (o->mss_bytes && sockopt_int(fd, IPPROTO_TCP, TCP_MAXSEG, o->mss_bytes,
					"setsockopt: mss", e) < 0)
		return -1;
	if (o->user_timeout_ms &&
	    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &o->user_timeout_ms,
		       sizeof(o->user_timeout_ms)) < 0)
		return err_sys(e, "setsockopt: user timeout");
	if (o->congestion)
		return set_congestion(fd, o->congestion, e);
	return 0;
}

int sockopt_apply(int fd, int family, const struct sock_opts *opts,
		  const struct sock_watch *watch, struct err *e)
{
	if (set_buffers(fd, opts, watch, e) < 0)
		return -1;
	if (opts->so_debug && set_debug(fd, watch, e) < 0)
		return -1;
	if (set_network(fd, family, opts, e) < 0)
		return -1;
	return set_tcp(fd, opts, watch, e);
}

int sock_apply(int fd, int family, const struct sock_opts *opts, struct err *e)
{
	return sockopt_apply(fd, family, opts, NULL, e);
}

int sockopt_bind_dev(int fd, const char *bind_dev, struct err *e)
{
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, bind_dev,
		       (socklen_t)strlen(bind_dev)) < 0)
		return err_sys(e, "setsockopt: bind device");
	return 0;
}

static int get_int(int fd, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, name, &value, &len) < 0 ? -1 : value;
}

int sock_sndbuf_bytes(int fd)
{
	return get_int(fd, SO_SNDBUF);
}

int sock_rcvbuf_bytes(int fd)
{
	return get_int(fd, SO_RCVBUF);
}

int sock_grow_rcvbuf(int fd, int bytes)
{
	int now = sock_rcvbuf_bytes(fd);

	/* Linux books twice what is asked for. */
	if (now < 0 || now / 2 >= bytes)
		return now;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) < 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)) < 0)
		return -1;
	return sock_rcvbuf_bytes(fd);
}
