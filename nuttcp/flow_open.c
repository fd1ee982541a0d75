/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Data sockets. TCP: the transmitter connects and the receiver listens, or with -F the
 * reverse; stream k uses port + k - 1. UDP: the receiver binds those ports.
 *
 * Several tests may want the same port of a server at the same time. Each has a process
 * of its own, and only one of them may listen on a port: it holds a lock, one byte a port
 * of a file that all share, from before its client is told to connect until the client
 * has. That takes some milliseconds; the others wait for it. So each connection is the
 * right one, whatever address it comes from. UDP sockets that have met their peer are
 * connected and get their own datagrams only; the lock covers the time before that. */
#include "flow.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dest.h"
#include "mono.h"
#include "multicast.h"
#include "sock.h"
#include "tcpinfo.h"

#define ACCEPT_NS      (5 * NS_PER_S)
#define CONNECT_NS     (10 * NS_PER_S)
#define REFUSED_NS     NS_PER_S        /* the peer may not be listening yet */
#define PORT_NS        (20 * NS_PER_S) /* wait for another test to leave the port */
#define RETRY_NS       (3 * NS_PER_MS)
#define UDP_RCVBUF     (4 * 1024 * 1024)
#define LISTEN_BACKLOG 4

bool nut_flow_connects(const struct nut_flow_conf *c)
{
	return c->transmit != (c->p->reverse != 0);
}

static struct sock_opts data_options(const struct nut_flow_conf *c)
{
	const struct nut_params *p = c->p;
	int win = (int)p->win_bytes;
	bool udp = p->udp != 0;

	return (struct sock_opts){
		.sndbuf_bytes = c->transmit || p->braindead ? win : 0,
		.rcvbuf_bytes = !c->transmit || p->braindead ? win : 0,
		.nodelay = !udp && c->transmit && p->nodelay,
		.so_debug = c->so_debug,
		.tos = (int)p->tos,
		.mss_bytes = !udp && c->transmit ? (int)p->datamss_bytes : 0,
	};
}

static void pause_ns(const struct nut_flow *f, uint64_t ns)
{
	sock_wait(-1, 0, mono_now_ns() + ns, f->c.user, NULL);
}

/* ---- passive ---- */

/* The byte of a port in the shared file; it is also given up when the process ends. */
static int lock_port(const struct nut_flow *f, unsigned k, short type)
{
	struct flock lock = {
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = f->c.p->port + k + (f->c.p->udp ? 65536 : 0),
		.l_len = 1,
	};

	return f->c.shared ? fcntl(f->c.lock_fd, F_SETLK, &lock) : 0;
}

/* Has the client of a server left? Waits for it until ns. */
static bool client_left(const struct nut_flow *f, uint64_t ns)
{
	return f->c.ctl_fd >= 0 &&
	       sock_wait(f->c.ctl_fd, POLLIN, ns, f->c.user, NULL) == 0;
}

static int wait_port(struct nut_flow *f, unsigned k, struct err *e)
{
	uint64_t until_ns = mono_now_ns() + PORT_NS;

	while (lock_port(f, k, F_WRLCK) < 0) {
		uint64_t now = mono_now_ns();

		if (now >= until_ns) {
			errno = EADDRINUSE;
			return err_sys(e, "bind");
		}
		if (client_left(f, now + RETRY_NS))
			return err_set(e, ERR_PEER, "bind", "the client has gone");
		if (stopper_tripped(f->c.user))
			return err_set(e, ERR_STOPPED, "bind", "stopped");
	}
	return 0;
}

void nut_flow_unlock(const struct nut_flow *f, unsigned k)
{
	lock_port(f, k, F_UNLCK);
}

static int listen_on(struct nut_flow *f, unsigned k, struct err *e)
{
	const struct sock_req req = {
		.port = (uint16_t)(f->c.p->port + k),
		.family = f->c.family,
		.type = SOCK_STREAM,
		.backlog = LISTEN_BACKLOG,
		.opts = data_options(&f->c),
		.stop = f->c.user,
	};

	return wait_port(f, k, e) < 0 ? -1 : sock_listen(&req, e);
}

static int bind_udp(const struct nut_flow *f, uint16_t port, struct err *e)
{
	const struct sock_opts opts = data_options(&f->c);
	int fd = socket(f->c.family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct addr any = {.len = f->c.family == AF_INET6 ? sizeof(struct sockaddr_in6)
							  : sizeof(struct sockaddr_in)};

	if (fd < 0)
		return err_sys(e, "socket");
	any.ss.ss_family = (sa_family_t)f->c.family;
	addr_set_port(&any, port);
	/* Sockets of other tests, which have their peer already, keep the port. */
	if (sockopt_int(fd, SOL_SOCKET, SO_REUSEADDR, port != 0, "setsockopt", e) == 0 &&
	    sockopt_apply(fd, f->c.family, &opts, NULL, e) == 0) {
		if (bind(fd, (struct sockaddr *)&any.ss, any.len) == 0)
			return fd;
		err_sys(e, "bind");
	}
	close(fd);
	return -1;
}

static int open_udp_receiver(struct nut_flow *f, struct err *e)
{
	for (unsigned k = 0; k < f->n; k++) {
		if (wait_port(f, k, e) < 0)
			return -1;
		f->fd[k] = bind_udp(f, (uint16_t)(f->c.p->port + k), e);
		if (f->fd[k] < 0)
			return -1;
		if (f->c.p->win_bytes == 0)
			sock_grow_rcvbuf(f->fd[k], UDP_RCVBUF);
	}
	return f->c.p->ttl ? nut_multicast_join(f, e) : 0;
}

int nut_flow_open_passive(struct nut_flow *f, struct err *e)
{
	if (f->c.p->udp)
		return f->c.transmit ? 0 : open_udp_receiver(f, e);
	if (nut_flow_connects(&f->c))
		return 0;
	for (unsigned k = 0; k < f->n; k++) {
		f->listener[k] = listen_on(f, k, e);
		if (f->listener[k] < 0)
			return -1;
	}
	return 0;
}

/* ---- active ---- */

/* Where stream k goes: the hosts in turn, or the address moved by k strides. */
static const char *host_of(const struct nut_flow *f, unsigned k,
			   char copy[static NUT_HOST_MAX])
{
	const char *host = f->c.host[k % f->c.host_count];
	uint32_t stride;
	struct in_addr a;

	host = nut_dest_host(host, copy, NUT_HOST_MAX, f->c.family);
	memcpy(&stride, &(int32_t){(int32_t)f->c.p->stride}, sizeof(stride));
	if (stride == 0 || inet_pton(AF_INET, host, &a) != 1)
		return host;
	a.s_addr = htonl(ntohl(a.s_addr) + k * ntohl(stride));
	inet_ntop(AF_INET, &a, copy, NUT_HOST_MAX);
	return copy;
}

/* -N##m: the k-th of all addresses of the name. */
static const char *address_of(const struct nut_flow *f, const char *host, unsigned k,
			      char text[static ADDR_HOST_MAX])
{
	struct addrinfo *list, *ai;
	struct addr a;
	unsigned count = 0;

	if (!f->c.p->multilink || f->c.server)
		return host;
	list = addr_resolve(host, 0, f->c.family, SOCK_STREAM, NULL);
	for (ai = list; ai; ai = ai->ai_next)
		count++;
	if (count == 0)
		return host;
	ai = list;
	for (unsigned i = k % count; i > 0; i--)
		ai = ai->ai_next;
	a = addr_of(ai->ai_addr, ai->ai_addrlen);
	freeaddrinfo(list);
	return addr_host(&a, text);
}

static int connect_to(struct nut_flow *f, unsigned k, struct err *e)
{
	char copy[NUT_HOST_MAX], text[ADDR_HOST_MAX];
	const struct sock_req req = {
		.host = address_of(f, host_of(f, k, copy), k, text),
		.port = (uint16_t)(f->c.p->port + k),
		.family = f->c.family,
		.type = SOCK_STREAM,
		.bind_port = (uint16_t)f->c.p->srcport,
		.opts = data_options(&f->c),
		.stop = f->c.user,
	};
	uint64_t until_ns = mono_now_ns() + REFUSED_NS;

	for (;;) {
		uint64_t from_ns = mono_now_ns();
		int fd = sock_connect(&req, CONNECT_NS, e);

		if (fd >= 0 && k == 0)
			f->rtt_ms = (double)(mono_now_ns() - from_ns) / 1e6;
		if (fd >= 0 || f->c.classic || e->sys_errno != ECONNREFUSED ||
		    mono_now_ns() >= until_ns)
			return fd;
		pause_ns(f, RETRY_NS);
	}
}

/* Until somebody connects; a server's client may leave instead. */
static int wait_connection(const struct nut_flow *f, unsigned k, uint64_t until_ns)
{
	while (f->c.ctl_fd >= 0 && mono_now_ns() < until_ns &&
	       !stopper_tripped(f->c.user)) {
		struct pollfd p[2] = {
			{.fd = f->listener[k], .events = POLLIN},
			{.fd = f->c.ctl_fd, .events = POLLIN},
		};

		if (poll(p, 2, mono_poll_ms(until_ns, mono_now_ns())) < 0)
			continue;
		if (p[0].revents)
			return 0;
		if (p[1].revents)
			return -1;
	}
	return 0;
}

static int accept_from(struct nut_flow *f, unsigned k, struct err *e)
{
	uint64_t until_ns = mono_now_ns() + ACCEPT_NS;
	int fd = -1;

	if (wait_connection(f, k, until_ns) < 0)
		err_set(e, ERR_PEER, "accept", "the client has gone");
	else
		fd = sock_accept(f->listener[k], until_ns, f->c.user, NULL, e);
	close(f->listener[k]);
	f->listener[k] = -1;
	nut_flow_unlock(f, k);
	return fd;
}

static void note_first(struct nut_flow *f)
{
	socklen_t len = sizeof(f->mss_bytes);
	struct tcp_stat t;

	/* The last one, as it has always been printed. */
	addr_peer(f->fd[f->n - 1], &f->other, NULL);
	if (getsockopt(f->fd[0], IPPROTO_TCP, TCP_MAXSEG, &f->mss_bytes, &len) < 0)
		f->mss_bytes = 0;
	if (tcpinfo_get(f->fd[0], &t) == 0 && t.have & TCP_HAVE_BASE) {
		f->initial_cwnd_pkts = t.snd_cwnd_segs;
		f->initial_cwnd_kb = (uint64_t)t.snd_cwnd_segs * (uint64_t)f->mss_bytes /
				     1024;
	}
}

/* A socket that sends to the receiver's port of stream k. */
static int open_udp_sender(struct nut_flow *f, unsigned k, struct err *e)
{
	char copy[NUT_HOST_MAX];
	struct addrinfo *list = addr_resolve(host_of(f, k, copy),
					     (uint16_t)(f->c.p->port + k), f->c.family,
					     SOCK_DGRAM, e);
	int fd;

	if (!list)
		return -1;
	fd = bind_udp(f, (uint16_t)f->c.p->srcport, e);
	if (fd >= 0 && connect(fd, list->ai_addr, list->ai_addrlen) < 0) {
		err_sys(e, "connect");
		close(fd);
		fd = -1;
	}
	freeaddrinfo(list);
	return fd;
}

int nut_flow_open(struct nut_flow *f, struct err *e)
{
	bool udp = f->c.p->udp != 0;

	f->connects = nut_flow_connects(&f->c);
	if (udp && !f->c.transmit)
		return 0;
	for (unsigned k = 0; k < f->n; k++) {
		f->fd[k] = udp           ? open_udp_sender(f, k, e)
			   : f->connects ? connect_to(f, k, e)
					 : accept_from(f, k, e);
		if (f->fd[k] < 0)
			return -1;
	}
	if (udp)
		return f->c.p->ttl ? nut_multicast_sender(f, e) : 0;
	note_first(f);
	return 0;
}
