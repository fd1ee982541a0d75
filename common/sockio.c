/* SPDX-License-Identifier: BSD-2-Clause */
#include "sockio.h"

#include <errno.h>
#include <linux/sockios.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int sock_stopped(const struct stopper *stop, const char *what, struct err *e)
{
	return stopper_tripped(stop) ? err_set(e, ERR_STOPPED, what, "stopped") : 0;
}

int sock_wait(int fd, short events, uint64_t deadline_ns, struct stopper *stop,
	      struct err *e)
{
	for (;;) {
		struct pollfd set[2] = {
			{.fd = fd, .events = events},
			{.fd = stop ? stop->fd : -1, .events = POLLIN},
		};
		uint64_t now_ns = mono_now_ns();
		int n;

		if (sock_stopped(stop, "wait", e) < 0)
			return -1;
		n = poll(set, stop ? 2 : 1, mono_poll_ms(deadline_ns, now_ns));
		if (n < 0 && errno != EINTR)
			return err_sys(e, "poll");
		if (sock_stopped(stop, "wait", e) < 0)
			return -1;
		if (n > 0 && (set[0].revents & POLLNVAL)) {
			errno = EBADF;
			return err_sys(e, "poll");
		}
		if (n > 0 && set[0].revents)
			return 0;
		if (n == 0 && mono_now_ns() >= deadline_ns)
			return err_set(e, ERR_TIMEOUT, "wait", "timed out");
	}
}

int sock_again(int fd, short events, uint64_t deadline_ns, struct stopper *stop,
	       const char *what, struct err *e)
{
	if (errno == EINTR)
		return 0;
	if (errno != EAGAIN)
		return err_sys(e, what);
	if (sock_wait(fd, events, deadline_ns, stop, e) == 0)
		return 0;
	if (e)
		strlcpy(e->what, what, sizeof(e->what));
	return -1;
}

ssize_t sock_read(int fd, void *buf, size_t len, uint64_t deadline_ns,
		  struct stopper *stop, struct err *e)
{
	char *to = buf;
	size_t done = 0;

	while (done < len) {
		ssize_t n;

		if (sock_stopped(stop, "read", e) < 0)
			return -1;
		n = recv(fd, to + done, len - done, MSG_DONTWAIT);
		if (n == 0)
			break;
		if (n > 0)
			done += (size_t)n;
		else if (sock_again(fd, POLLIN, deadline_ns, stop, "read", e) < 0)
			return -1;
	}
	return (ssize_t)done;
}

int sock_write(int fd, const void *buf, size_t len, uint64_t deadline_ns,
	       struct stopper *stop, struct err *e)
{
	const char *from = buf;

	while (len > 0) {
		ssize_t n;

		if (sock_stopped(stop, "write", e) < 0)
			return -1;
		n = send(fd, from, len, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n >= 0) {
			from += n;
			len -= (size_t)n;
		} else if (sock_again(fd, POLLOUT, deadline_ns, stop, "write", e) < 0) {
			return -1;
		}
	}
	return 0;
}

/* ---- the end of a connection ------------------------------------------------------ */

/* More than the two minutes at most between two probes of a closed window. */
#define SILENCE_NS (150 * NS_PER_S)
#define TICK_NS    (20 * NS_PER_MS)

struct finish {
	int fd;
	bool eof;            /* the peer has closed its side */
	int queued;          /* bytes, and our FIN, that the peer has not acknowledged */
	uint64_t shrunk_ns;  /* when queued last became less */
	uint64_t drained_ns; /* when queued became 0 */
	uint64_t read_ns;    /* when something was last read */
};

/* Read and discard what is there. The bound lets the caller look at the clock. */
static int discard(struct finish *f, struct err *e)
{
	char buf[16384];

	for (int i = 0; i < 64 && !f->eof; i++) {
		ssize_t n = recv(f->fd, buf, sizeof(buf), MSG_DONTWAIT);

		if (n > 0) {
			f->read_ns = mono_now_ns();
		} else if (n == 0) {
			f->eof = true;
		} else if (errno == EAGAIN) {
			return 0;
		} else if (errno != EINTR) {
			return err_sys(e, "read");
		}
	}
	return 0;
}

/* A reset after the peer's end of file shows nowhere else. */
static int pending_error(int fd, struct err *e)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		return err_sys(e, "getsockopt");
	if (error) {
		errno = error;
		return err_sys(e, "close");
	}
	return 0;
}

static void look_at_queue(struct finish *f)
{
	uint64_t now_ns = mono_now_ns();
	int queued = 0;

	/* Sockets that cannot tell are taken as drained: end of file or quiet decides. */
	if (ioctl(f->fd, SIOCOUTQ, &queued) < 0)
		queued = 0;
	if (queued < f->queued) {
		f->shrunk_ns = now_ns;
		if (queued == 0)
			f->drained_ns = now_ns;
	}
	f->queued = queued;
}

/* How long ago the peer acknowledged anything, be it only a probe of its window. */
static uint64_t unheard_ns(int fd)
{
	struct tcp_info info = {0};
	socklen_t len = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
		return UINT64_MAX; /* not TCP */
	return info.tcpi_last_ack_recv * NS_PER_MS;
}

/* 1 = done, 0 = go on, -1 with e filled. */
static int judge(const struct finish *f, uint64_t quiet_ns, uint64_t talk_ns,
		 struct err *e)
{
	uint64_t now_ns = mono_now_ns();

	if (f->queued > 0) {
		if (mono_since_ns(f->shrunk_ns, now_ns) < SILENCE_NS ||
		    unheard_ns(f->fd) < SILENCE_NS)
			return 0;
		return err_set(e, ERR_TIMEOUT, "close",
			       "the peer has gone silent, with %d bytes to go",
			       f->queued);
	}
	if (f->eof || (mono_since_ns(f->read_ns, now_ns) >= quiet_ns &&
		       mono_since_ns(f->drained_ns, now_ns) >= quiet_ns))
		return 1;
	if (mono_since_ns(f->drained_ns, f->read_ns) >= talk_ns)
		return err_set(e, ERR_TIMEOUT, "close",
			       "the peer has got everything but still sends");
	return 0;
}

int sock_finish(int fd, uint64_t quiet_ns, uint64_t talk_ns, struct stopper *stop,
		struct err *e)
{
	uint64_t start_ns = mono_now_ns();
	struct finish f = {
		.fd = fd,
		.queued = INT_MAX,
		.shrunk_ns = start_ns,
		.read_ns = start_ns,
	};
	struct err waiting;
	int verdict;

	if (shutdown(fd, SHUT_WR) < 0) {
		int error = errno;

		/* Not connected any more? A reset that came just now says why. */
		if (pending_error(fd, e) < 0)
			return -1;
		errno = error;
		return err_sys(e, "shutdown");
	}
	for (;;) {
		uint64_t tick_ns = mono_add_ns(mono_now_ns(), TICK_NS);

		/* The queue first: an error that comes in between is then still seen. */
		look_at_queue(&f);
		if (discard(&f, e) < 0 || pending_error(fd, e) < 0)
			return -1;
		verdict = judge(&f, quiet_ns, talk_ns, e);
		if (verdict)
			return verdict < 0 ? -1 : 0;
		/* After end of file the descriptor is always readable: just let time
		 * pass. */
		if (sock_wait(f.eof ? -1 : fd, POLLIN, tick_ns, stop, &waiting) < 0 &&
		    waiting.code != ERR_TIMEOUT) {
			if (e)
				*e = waiting;
			return -1;
		}
	}
}
