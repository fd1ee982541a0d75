/* SPDX-License-Identifier: BSD-2-Clause */
#include "udpio.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "mono.h"
#include "sockio.h"
#include "sockopt.h"

#define FULL_WAIT_NS (18 * NS_PER_MS)

int udp_send(int fd, const void *buf, size_t len, struct stopper *stop, uint64_t *tries,
	     struct err *e)
{
	uint64_t ignored = 0;

	if (!tries)
		tries = &ignored;
	++*tries;
	for (;;) {
		if (sock_stopped(stop, "send", e) < 0)
			return -1;
		if (send(fd, buf, len, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
			return 0;
		if (errno == ENOBUFS) {
			/* The device's queue is full, and no poll tells when it is not.
			 */
			++*tries;
			sock_wait(-1, 0, mono_add_ns(mono_now_ns(), FULL_WAIT_NS), stop,
				  NULL);
		} else if (sock_again(fd, POLLOUT, MONO_NEVER, stop, "send", e) < 0) {
			return -1;
		}
	}
}

/* A wall clock stamp of the recent past on the monotonic clock. */
static uint64_t mono_of_wall(uint64_t stamp_ns)
{
	uint64_t mono_ns = mono_now_ns();
	uint64_t age_ns = mono_since_ns(stamp_ns, wall_now_ns());
	uint64_t after_ns = mono_now_ns();

	/* Once more if the process was put aside between the two clocks. */
	if (after_ns - mono_ns > 20 * NS_PER_US) {
		mono_ns = after_ns;
		age_ns = mono_since_ns(stamp_ns, wall_now_ns());
	}
	return mono_since_ns(age_ns, mono_ns);
}

static uint64_t arrival_ns(struct msghdr *msg)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		struct timespec ts;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&ts, CMSG_DATA(c), sizeof(ts));
		return mono_of_wall((uint64_t)ts.tv_sec * NS_PER_S +
				    (uint64_t)ts.tv_nsec);
	}
	return mono_now_ns();
}

ssize_t udp_recv(int fd, void *buf, size_t cap, uint64_t deadline_ns,
		 struct stopper *stop, struct addr *from, uint64_t *rx_ns, struct err *e)
{
	for (;;) {
		union {
			struct cmsghdr aligned;
			char buf[CMSG_SPACE(sizeof(struct timespec))];
		} control;
		struct iovec iov = {.iov_base = buf, .iov_len = cap};
		struct msghdr msg = {
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control.buf,
			.msg_controllen = sizeof(control),
		};
		ssize_t n;

		if (from) {
			msg.msg_name = &from->ss;
			msg.msg_namelen = sizeof(from->ss);
		}
		if (sock_stopped(stop, "recv", e) < 0)
			return -1;
		n = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_TRUNC);
		if (n >= 0) {
			if (from)
				from->len = msg.msg_namelen;
			if (rx_ns)
				*rx_ns = arrival_ns(&msg);
			return n;
		}
		if (sock_again(fd, POLLIN, deadline_ns, stop, "recv", e) < 0)
			return -1;
	}
}

int udp_stamp(int fd, struct err *e)
{
	return sockopt_int(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1, "setsockopt: timestamp", e);
}
