/* SPDX-License-Identifier: BSD-2-Clause */
#include "pipemove.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "mono.h"

enum move_result { MOVED, AT_END, UNFIT, FAILED };

static int stopped(struct err *e)
{
	return err_set(e, ERR_STOPPED, "IO", "stopped");
}

static bool is_kind(int fd, mode_t kind)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == kind;
}

static bool again(void)
{
	return errno == EAGAIN || errno == EINTR;
}

/* Drop what the peer sent, until it has no more to say. An error that is taken from the
 * socket here must be told here. */
static int discard_some(struct pipemove *m, struct err *e)
{
	ssize_t n = recv(m->sock, NULL, 1 << 20, MSG_TRUNC | MSG_DONTWAIT);

	if (n < 0 && !again())
		return err_sys(e, "IO");
	if (n == 0)
		m->discard_input = false;
	return 0;
}

/* The network broke while we were waiting for input. */
static int sock_broke(struct pipemove *m, struct err *e)
{
	int error = 0;
	socklen_t len = sizeof(error);

	getsockopt(m->sock, SOL_SOCKET, SO_ERROR, &error, &len);
	errno = error ? error : EPIPE;
	return err_sys(e, "IO");
}

/* Wait for events on fd. A wait for input ends with an error when the network breaks. The
 * other way round not: a reader that has what it wanted (tar) may leave before the end.
 */
static int wait_for(struct pipemove *m, int fd, short events, struct err *e)
{
	bool input = fd == m->fd && events == POLLIN;

	for (;;) {
		struct pollfd p[3] = {
			{.fd = fd, .events = events},
			{.fd = input ? m->sock : -1},
			{.fd = m->stop ? m->stop->fd : -1, .events = POLLIN},
		};
		struct pollfd *sock = &p[fd == m->sock ? 0 : 1];

		if (stopper_tripped(m->stop))
			return stopped(e);
		if (m->discard_input && sock->fd == m->sock)
			sock->events |= POLLIN;
		if (poll(p, 3, -1) < 0 && errno != EINTR)
			return err_sys(e, "poll");
		if (sock->revents & POLLIN && m->discard_input) {
			if (discard_some(m, e) < 0)
				return -1;
			sock->revents &= ~POLLIN;
		}
		if (p[0].revents)
			return 0;
		if (p[1].revents)
			return sock_broke(m, e);
	}
}

/* ---- where the time went, for --why ---- */

static uint64_t clock_in(struct pipemove *m, bool network)
{
	uint64_t now_ns;

	if (!m->timed)
		return 0;
	now_ns = mono_now_ns();
	if (network)
		counter_set(&m->count->call_since_ns, now_ns);
	return now_ns;
}

static void clock_out(struct pipemove *m, bool network, uint64_t since_ns)
{
	uint64_t now_ns;

	if (!m->timed)
		return;
	now_ns = mono_now_ns();
	counter_add(network ? &m->count->call_ns : &m->count->source_wait_ns,
		    mono_since_ns(since_ns, now_ns));
	if (!network)
		return;
	counter_set(&m->count->call_since_ns, 0);
	counter_set(&m->count->io_end_ns, now_ns);
}

static int timed_wait(struct pipemove *m, int fd, short events, struct err *e)
{
	bool network = fd == m->sock;
	uint64_t since_ns = clock_in(m, network);
	int rc = wait_for(m, fd, events, e);

	clock_out(m, network, since_ns);
	return rc;
}

/* ---- read and write ---- */

/* Descriptors that were handed to us stay as they are, since others may share them: so
 * "do not block" is said with each call. Where the kernel does not know that for this
 * kind of descriptor, it looks as if nothing were ready, and poll(2) comes first. */
static ssize_t try_now(struct pipemove *m, bool writing, const void *buf, size_t len)
{
	const struct iovec iov = {(void *)(uintptr_t)buf, len};
	ssize_t n = -1;

	errno = EAGAIN;
	if (!m->no_nowait)
		n = writing ? pwritev2(m->fd, &iov, 1, -1, RWF_NOWAIT)
			    : preadv2(m->fd, &iov, 1, -1, RWF_NOWAIT);
	if (n < 0 && (errno == EOPNOTSUPP || errno == EINVAL || errno == ENOSYS)) {
		m->no_nowait = true;
		errno = EAGAIN;
	}
	return n;
}

ssize_t pipemove_get(struct pipemove *m, void *buf, size_t len, struct err *e)
{
	bool ready = false;

	for (;;) {
		ssize_t n = ready ? read(m->fd, buf, len) : try_now(m, false, buf, len);

		if (n >= 0)
			return n;
		if (!again())
			return err_sys(e, "IO");
		if (timed_wait(m, m->fd, POLLIN, e) < 0)
			return -1;
		ready = true;
	}
}

/* All of buf to the socket. */
static int write_sock(struct pipemove *m, const char *buf, size_t len, struct err *e)
{
	uint64_t since_ns = clock_in(m, true);
	int rc = 0;

	while (len > 0 && rc == 0) {
		ssize_t n = send(m->sock, buf, len, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n >= 0) {
			buf += n;
			len -= (size_t)n;
			counter_add(&m->count->bytes, (uint64_t)n);
		} else if (again()) {
			rc = wait_for(m, m->sock, POLLOUT, e);
		} else {
			rc = err_sys(e, "IO");
		}
	}
	clock_out(m, true, since_ns);
	if (rc == 0)
		counter_add(&m->count->calls, 1);
	return rc;
}

int pipemove_put(struct pipemove *m, const void *from, size_t len, struct err *e)
{
	const char *buf = from;
	bool ready = false;

	while (len > 0) {
		ssize_t n = ready ? write(m->fd, buf, len) : try_now(m, true, buf, len);

		ready = false;
		if (n >= 0) {
			buf += n;
			len -= (size_t)n;
			counter_add(&m->count->bytes, (uint64_t)n);
		} else if (!again()) {
			return err_sys(e, "IO");
		} else if (timed_wait(m, m->fd, POLLOUT, e) < 0) {
			return -1;
		} else {
			ready = true;
		}
	}
	return 0;
}

static int send_by_copy(struct pipemove *m, char *buf, size_t len, struct err *e)
{
	for (;;) {
		ssize_t n;

		if (stopper_tripped(m->stop))
			return stopped(e);
		n = pipemove_get(m, buf, len, e);
		if (n <= 0)
			return (int)n;
		if (write_sock(m, buf, (size_t)n, e) < 0)
			return -1;
	}
}

/* One network read. Returns bytes, 0 at end of file, -1. */
static ssize_t read_sock(struct pipemove *m, char *buf, size_t len, struct err *e)
{
	for (;;) {
		ssize_t n;

		if (stopper_tripped(m->stop))
			return stopped(e);
		n = recv(m->sock, buf, len, MSG_DONTWAIT);
		if (n >= 0) {
			counter_add(&m->count->calls, 1);
			return n;
		}
		if (!again())
			return err_sys(e, "IO");
		if (timed_wait(m, m->sock, POLLIN, e) < 0)
			return -1;
	}
}

static int recv_by_copy(struct pipemove *m, char *buf, size_t len, struct err *e)
{
	size_t have = 0;

	for (;;) {
		ssize_t n = read_sock(m, buf + have, len - have, e);

		if (n > 0)
			have += (size_t)n;
		if (n > 0 && m->full_blocks && have < len)
			continue;
		/* Also after an error, or when stopped: what had come is delivered. */
		if (have > 0 && pipemove_put(m, buf, have, n < 0 ? NULL : e) < 0)
			return -1;
		have = 0;
		if (n <= 0)
			return (int)n;
	}
}

/* ---- by pages ---- */

/* What a call that moves pages came to. */
static enum move_result result_of(ssize_t n)
{
	if (n > 0)
		return MOVED;
	if (n == 0)
		return AT_END;
	return errno == EINVAL || errno == ENOSYS ? UNFIT : FAILED;
}

/* After a call that failed: an error that only says "not now" is waited out. Either side
 * may be what was not ready. Returns 0 or -1. */
static int wait_to_send_pages(struct pipemove *m, bool is_file, struct err *e)
{
	if (!again())
		return err_sys(e, "IO");
	if (!is_file && timed_wait(m, m->fd, POLLIN, e) < 0)
		return -1;
	return timed_wait(m, m->sock, POLLOUT, e);
}

/* Returns 1 when the descriptor does not lend itself to it, else as pipemove_send. */
static int send_by_pages(struct pipemove *m, struct err *e)
{
	bool is_file = is_kind(m->fd, S_IFREG);

	if (!is_file && !is_kind(m->fd, S_IFIFO))
		return 1;
	if (!is_file)
		fcntl(m->fd, F_SETPIPE_SZ, PIPEMOVE_PIPE_BYTES);
	for (;;) {
		uint64_t since_ns;
		enum move_result got;
		ssize_t n;

		if (stopper_tripped(m->stop))
			return stopped(e);
		since_ns = clock_in(m, true);
		n = is_file ? sendfile(m->sock, m->fd, NULL, PIPEMOVE_PIPE_BYTES)
			    : splice(m->fd, NULL, m->sock, NULL, PIPEMOVE_PIPE_BYTES,
				     SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		got = result_of(n);
		clock_out(m, true, since_ns);
		if (got == MOVED) {
			counter_add(&m->count->calls, 1);
			counter_add(&m->count->bytes, (uint64_t)n);
		} else if (got == AT_END) {
			return 0;
		} else if (got == UNFIT) {
			return 1;
		} else if (wait_to_send_pages(m, is_file, e) < 0) {
			return -1;
		}
	}
}

/* What is in our pipe goes to the other side. Returns 0, 1 when splice does not fit the
 * descriptor (the pipe still holds *held bytes), -1. */
static int drain_pipe(struct pipemove *m, int pipe_out, size_t *held, struct err *e)
{
	while (*held > 0) {
		ssize_t n;

		if (stopper_tripped(m->stop))
			return stopped(e);
		n = splice(pipe_out, NULL, m->fd, NULL, *held, SPLICE_F_MOVE);
		if (n > 0) {
			*held -= (size_t)n;
			counter_add(&m->count->bytes, (uint64_t)n);
		} else if (n == 0 || errno == EINVAL || errno == ENOSYS) {
			return 1;
		} else if (!again()) {
			return err_sys(e, "IO");
		} else if (timed_wait(m, m->fd, POLLOUT, e) < 0) {
			return -1;
		}
	}
	return 0;
}

/* The same by copying. */
static int empty_pipe(struct pipemove *m, int pipe_out, size_t held, char *buf,
		      size_t len, struct err *e)
{
	while (held > 0) {
		ssize_t n = read(pipe_out, buf, held < len ? held : len);

		if (n > 0) {
			if (pipemove_put(m, buf, (size_t)n, e) < 0)
				return -1;
			held -= (size_t)n;
		} else if (n == 0 || errno != EINTR) {
			return err_sys(e, "IO");
		}
	}
	return 0;
}

/* As wait_to_send_pages(). */
static int wait_to_recv_pages(struct pipemove *m, bool sink_is_pipe, struct err *e)
{
	if (!again())
		return err_sys(e, "IO");
	if (timed_wait(m, m->sock, POLLIN, e) < 0)
		return -1;
	return sink_is_pipe ? timed_wait(m, m->fd, POLLOUT, e) : 0;
}

/* Returns 1 when copying has to take over, else as pipemove_recv. buf is for the bytes
 * that are already in our pipe then. */
static int recv_by_pages(struct pipemove *m, int ours[2], char *buf, size_t len,
			 struct err *e)
{
	bool sink_is_pipe = ours[1] < 0;
	int to = sink_is_pipe ? m->fd : ours[1];

	for (;;) {
		uint64_t since_ns;
		enum move_result got;
		size_t moved;
		ssize_t n;
		int rc;

		if (stopper_tripped(m->stop))
			return stopped(e);
		since_ns = clock_in(m, true);
		n = splice(m->sock, NULL, to, NULL, PIPEMOVE_PIPE_BYTES,
			   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		got = result_of(n);
		clock_out(m, true, since_ns);
		if (got == MOVED || got == AT_END)
			counter_add(&m->count->calls, 1);
		if (got == AT_END)
			return 0;
		/* Without a reader splice fails even when there is nothing more to come:
		 * copying knows the difference. */
		if (got == UNFIT || (got == FAILED && errno == EPIPE))
			return 1;
		if (got == FAILED) {
			if (wait_to_recv_pages(m, sink_is_pipe, e) < 0)
				return -1;
			continue;
		}
		moved = (size_t)n;
		if (sink_is_pipe) {
			counter_add(&m->count->bytes, moved);
			continue;
		}
		rc = drain_pipe(m, ours[0], &moved, e);
		if (rc > 0 && empty_pipe(m, ours[0], moved, buf, len, e) < 0)
			return -1;
		if (rc != 0)
			return rc;
	}
}

/* A pipe of our own between socket and sink, unless the sink is one. */
static void between(int fd, int ours[2])
{
	ours[0] = ours[1] = -1;
	if (is_kind(fd, S_IFIFO)) {
		fcntl(fd, F_SETPIPE_SZ, PIPEMOVE_PIPE_BYTES);
		return;
	}
	if (pipe2(ours, O_CLOEXEC) == 0)
		fcntl(ours[1], F_SETPIPE_SZ, PIPEMOVE_PIPE_BYTES);
}

/* ---- the two directions ---- */

static int prepare(struct pipemove *m, char **buf, size_t *len, struct err *e)
{
	int flags = fcntl(m->sock, F_GETFL);

	if (flags < 0 || fcntl(m->sock, F_SETFL, flags | O_NONBLOCK) < 0)
		return err_sys(e, "fcntl");
	*len = m->block_bytes ? m->block_bytes : PIPEMOVE_BUF_BYTES;
	*buf = malloc(*len);
	return *buf ? 0 : err_sys(e, "malloc");
}

int pipemove_send(struct pipemove *m, struct err *e)
{
	char *buf;
	size_t len;
	int rc = 1;

	if (prepare(m, &buf, &len, e) < 0)
		return -1;
	m->discard_input = true;
	if (m->block_bytes == 0)
		rc = send_by_pages(m, e);
	if (rc > 0)
		rc = send_by_copy(m, buf, len, e);
	free(buf);
	return rc;
}

int pipemove_recv(struct pipemove *m, struct err *e)
{
	int ours[2] = {-1, -1};
	char *buf;
	size_t len;
	int rc = 1;

	if (prepare(m, &buf, &len, e) < 0)
		return -1;
	if (m->block_bytes == 0) {
		between(m->fd, ours);
		rc = recv_by_pages(m, ours, buf, len, e);
		if (ours[0] >= 0) {
			close(ours[0]);
			close(ours[1]);
		}
	}
	if (rc > 0)
		rc = recv_by_copy(m, buf, len, e);
	free(buf);
	return rc;
}
