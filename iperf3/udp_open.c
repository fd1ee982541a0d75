/* SPDX-License-Identifier: BSD-2-Clause */
#include "udp_open.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "addr.h"
#include "guests.h"
#include "mono.h"
#include "sock.h"
#include "tcpinfo.h"

#define HELLO_FIRST_NS (300 * NS_PER_MS)
#define HELLO_MOST_NS  (1200 * NS_PER_MS)
#define HELLO_TOTAL_NS (15 * NS_PER_S)
#define STRANGER_NS    (700 * NS_PER_MS) /* for the expected one to come first */
#define LOOK_NS        (100 * NS_PER_MS) /* at streams whose client repeats its hello */
#define PATIENCE_NS    (1200 * NS_PER_MS)

/* ---- client ---- */

/* First wait: longer than the answer takes, as a hello too many is a datagram that
 * foreign servers don't expect. */
static uint64_t first_wait_ns(const struct i3_session *s)
{
	struct tcp_stat t;
	uint64_t wait = HELLO_FIRST_NS;

	if (tcpinfo_get(s->ctl.fd, &t) == 0 && t.rtt_us * 3 * NS_PER_US > wait)
		wait = t.rtt_us * 3 * NS_PER_US;
	return wait;
}

/* Look at what came. Data of the stream, which overtook the answer, stays where it is. */
static bool answered(const struct i3_session *s, int fd, bool receives)
{
	unsigned char buf[64];
	ssize_t n = recv(fd, buf, sizeof(buf), MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);

	if (n < 0)
		return false;
	if (receives && (size_t)n == s->test.block_bytes)
		return true;
	if (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) < 0)
		return false;
	return i3_udp_is_answer(buf, (size_t)n);
}

/* Wait for the answer until then. Returns 1 when it came, 0 when not or when the control
 * connection has something to say (*ctl), -1 with the fault told. */
static int await_answer(struct i3_session *s, int fd, bool receives, uint64_t until,
			bool *ctl)
{
	struct err e;

	for (;;) {
		struct pollfd own[] = {{.fd = fd, .events = POLLIN},
				       {.fd = s->ctl.fd, .events = POLLIN}};
		int n = i3_ctl_poll(&s->ctl, own, 2, until, MONO_NEVER, &e);

		if (n < 0)
			return -1;
		if (own[0].revents && answered(s, fd, receives))
			return 1;
		*ctl = own[1].revents != 0;
		if (*ctl || n == 0 || mono_now_ns() >= until)
			return 0;
	}
}

int i3_udp_hello_send(struct i3_session *s, int fd, bool receives, bool last)
{
	const uint64_t deadline = mono_now_ns() + HELLO_TOTAL_NS;
	uint64_t wait = first_wait_ns(s);

	for (;;) {
		uint64_t now = mono_now_ns();
		bool ctl = false;
		int rc;

		if (now >= deadline) {
			errno = ETIMEDOUT;
			return i3_fault_sys(&s->fault, I3_F_STREAM_READ);
		}
		if (send(fd, i3_udp_hello, I3_HELLO_BYTES, MSG_DONTWAIT) < 0) {
			/* The next try may do better. */
		}
		rc = await_answer(s, fd, receives, now + wait, &ctl);
		if (rc != 0)
			return rc < 0 ? -1 : 0;
		if (ctl)
			return last ? 0 : 1;
		wait = wait * 2 < HELLO_MOST_NS ? wait * 2 : HELLO_MOST_NS;
	}
}

/* ---- server ---- */

static int set(int fd, int level, int name)
{
	int on = 1;

	return setsockopt(fd, level, name, &on, sizeof(on));
}

static int control_local(struct i3_session *s, struct addr *a)
{
	struct err e;

	if (addr_local(s->ctl.fd, a, &e) < 0)
		return i3_fault_err(&s->fault, I3_F_STREAM_LISTEN, &e);
	return 0;
}

static int open_bound(struct i3_session *s, const struct addr *a)
{
	int family = a->ss.ss_family;
	int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sock_opts opts = i3_session_sock_opts(s);
	struct err e;

	if (fd < 0)
		return i3_fault_sys(&s->fault, I3_F_STREAM_LISTEN);
	if (set(fd, SOL_SOCKET, SO_REUSEADDR) < 0 ||
	    (family == AF_INET6 && set(fd, IPPROTO_IPV6, IPV6_V6ONLY) < 0) ||
	    bind(fd, (const struct sockaddr *)&a->ss, a->len) < 0) {
		i3_fault_sys(&s->fault, I3_F_STREAM_LISTEN);
		close(fd);
		return -1;
	}
	if (s->conf->bind_dev && sockopt_bind_dev(fd, s->conf->bind_dev, &e) < 0) {
		i3_fault_err(&s->fault, I3_F_BIND_DEV, &e);
		close(fd);
		return -1;
	}
	if (sock_apply(fd, family, &opts, &e) < 0) {
		i3_session_sock_fault(s, I3_F_STREAM_LISTEN, &e);
		close(fd);
		return -1;
	}
	if (i3_session_check_window(s, fd) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* IPv4 as such, not mapped: its datagrams come and go on an IPv4 socket. */
static struct addr plain(const struct addr *a)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&a->ss;
	struct sockaddr_in in = {.sin_family = AF_INET};

	if (a->ss.ss_family != AF_INET6 || addr_family(a) == AF_INET6)
		return *a;
	in.sin_port = in6->sin6_port;
	memcpy(&in.sin_addr, &in6->sin6_addr.s6_addr[12], 4);
	return addr_of((const struct sockaddr *)&in, sizeof(in));
}

int i3_udp_door_open(struct i3_session *s)
{
	struct addr a;
	int fd;

	if (control_local(s, &a) < 0)
		return -1;
	a = plain(&a);
	if (a.ss.ss_family == AF_INET)
		((struct sockaddr_in *)&a.ss)->sin_addr.s_addr = htonl(INADDR_ANY);
	else
		((struct sockaddr_in6 *)&a.ss)->sin6_addr = in6addr_any;
	fd = open_bound(s, &a);
	if (fd < 0)
		return -1;
	if (a.ss.ss_family == AF_INET)
		set(fd, IPPROTO_IP, IP_PKTINFO);
	else
		set(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO);
	return fd;
}

/* The local address a datagram was sent to, with the port of a. */
static void destination(struct msghdr *msg, struct addr *a)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		struct in_pktinfo v4;
		struct in6_pktinfo v6;
		struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&a->ss;

		if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
			memcpy(&v4, CMSG_DATA(c), sizeof(v4));
			((struct sockaddr_in *)&a->ss)->sin_addr = v4.ipi_addr;
		}
		if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
			memcpy(&v6, CMSG_DATA(c), sizeof(v6));
			in6->sin6_addr = v6.ipi6_addr;
			if (IN6_IS_ADDR_LINKLOCAL(&v6.ipi6_addr))
				in6->sin6_scope_id = (uint32_t)v6.ipi6_ifindex;
		}
	}
}

/* One datagram at the door. Returns true for a hello; from and to are its addresses. */
static bool hear(struct i3_session *s, int door, struct addr *from, struct addr *to)
{
	_Alignas(struct cmsghdr) char control[128];
	unsigned char buf[64];
	struct iovec iov = {buf, sizeof(buf)};
	struct msghdr msg = {
		.msg_name = &from->ss,
		.msg_namelen = sizeof(from->ss),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(door, &msg, MSG_DONTWAIT);

	/* Any 4 bytes will do, as upstream does not look; longer ones are the data of
	 * somebody who has not noticed that his test is over. */
	if (n != I3_HELLO_BYTES)
		return false;
	from->len = msg.msg_namelen;
	if (control_local(s, to) < 0)
		return false;
	*to = plain(to);
	destination(&msg, to);
	return true;
}

static void answer(int fd)
{
	if (send(fd, i3_udp_answer, I3_HELLO_BYTES, MSG_DONTWAIT) < 0) {
		/* The client will ask again. */
	}
}

/* Clients whose answer was lost say hello again, on the socket that is theirs already. */
static void answer_again(struct i3_session *s)
{
	unsigned char buf[64];

	for (size_t n = 0; n < s->stream_count; n++)
		while (recv(s->streams[n]->fd, buf, sizeof(buf), MSG_DONTWAIT) ==
		       I3_HELLO_BYTES)
			answer(s->streams[n]->fd);
}

/* A hello that had been under way twice when its stream was made. */
static bool known(struct i3_session *s, const struct addr *from)
{
	struct addr peer;

	for (size_t n = 0; n < s->stream_count; n++)
		if (addr_peer(s->streams[n]->fd, &peer, NULL) == 0 &&
		    addr_equal(&peer, from)) {
			answer(s->streams[n]->fd);
			return true;
		}
	return false;
}

static int connect_back(struct i3_session *s, const struct addr *from,
			const struct addr *to)
{
	int fd = open_bound(s, to);

	if (fd < 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)&from->ss, from->len) < 0) {
		i3_fault_sys(&s->fault, I3_F_STREAM_ACCEPT);
		close(fd);
		return -1;
	}
	answer(fd);
	return fd;
}

/* Does the datagram come from where the control connection, or the stream before, does?
 */
static bool expected(struct i3_session *s, const struct addr *from)
{
	struct addr peer;

	if (s->stream_count > 0
		    ? addr_peer(s->streams[s->stream_count - 1]->fd, &peer, NULL) < 0
		    : addr_peer(s->ctl.fd, &peer, NULL) < 0)
		return true;
	addr_set_port(&peer, addr_port(from));
	return addr_equal(&peer, from);
}

/* A hello at the door. One from a strange address must wait: it may be somebody else, or
 * a client that leaves by two roads. */
struct hello {
	struct addr from, to; /* from.len 0 = none */
	uint64_t since_ns;
};

static bool welcome(struct i3_session *s, int door, struct hello *h,
		    struct hello *stranger)
{
	if (!hear(s, door, &h->from, &h->to) || known(s, &h->from))
		return false;
	if (expected(s, &h->from))
		return true;
	if (!stranger->from.len) {
		*stranger = *h;
		stranger->since_ns = mono_now_ns();
	}
	return false;
}

int i3_udp_door_wait(struct i3_session *s, int door, uint64_t deadline_ns)
{
	const uint64_t patience = mono_now_ns() + PATIENCE_NS;
	struct hello stranger = {.since_ns = 0};

	for (;;) {
		struct pollfd own[] = {{.fd = door, .events = POLLIN},
				       {.fd = s->ctl.fd, .events = POLLIN}};
		uint64_t now = mono_now_ns(), until = now + LOOK_NS;
		struct hello h = {.since_ns = 0};
		struct err e;
		int n = i3_ctl_poll(&s->ctl, own, 2,
				    until < deadline_ns ? until : deadline_ns, patience,
				    &e);

		if (n < 0)
			return -1;
		if (own[1].revents) {
			/* A client that has nothing to say now: it is gone or gives up.
			 */
			if (i3_ctl_read_state(&s->ctl, &s->state, deadline_ns,
					      &s->fault) == 0)
				i3_session_odd_state(s);
			return -1;
		}
		answer_again(s);
		if (own[0].revents && welcome(s, door, &h, &stranger))
			return connect_back(s, &h.from, &h.to);
		now = mono_now_ns();
		if (stranger.from.len && now >= stranger.since_ns + STRANGER_NS)
			return connect_back(s, &stranger.from, &stranger.to);
		if (now >= deadline_ns || (now >= patience && s->ctl.guests &&
					   i3_guests_waiting(s->ctl.guests))) {
			errno = ETIMEDOUT;
			return i3_fault_sys(&s->fault, I3_F_STREAM_ACCEPT);
		}
	}
}
