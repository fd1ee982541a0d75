/* SPDX-License-Identifier: BSD-2-Clause
 *
 * TCP payload. The sender hands the same block to the kernel several times in one call,
 * out of the cache; the receiver lets the kernel collect (SO_RCVLOWAT) when data comes
 * fast. No call waits: a socket that is full or empty is left to epoll. */
#include <errno.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "mono.h"
#include "stream.h"

#define CALL_BYTES    (1024u * 1024) /* most in one send call */
#define CALL_BLOCKS   64
#define RX_PARTS      16 /* of the buffer in one receive call */
#define RX_CALLS      2  /* receive calls in one turn */
#define LOWAT_MAX     (2 * 1024 * 1024)
#define LOWAT_SPAN_NS (2 * NS_PER_MS)  /* collect at most what comes in this time */
#define COLLECT_NS    (10 * NS_PER_MS) /* look at a collecting socket at least so often */

static void wait_socket(struct i3_stream *s, uint64_t due_ns)
{
	s->blocked = true;
	s->due_ns = due_ns;
}

/* ---- send ---- */

/* Blocks that may be sent in one go. */
static unsigned call_blocks(const struct i3_shared *sh)
{
	unsigned blocks = CALL_BYTES / sh->test->block_bytes;

	if (sh->one_block_a_call || blocks < 1)
		return 1;
	return blocks < CALL_BLOCKS ? blocks : CALL_BLOCKS;
}

/* Get leave for the next blocks. False when there is none (yet): due_ns or finished is
 * set. */
static bool refill(struct i3_stream *s, uint64_t now_ns)
{
	const uint32_t block = s->shared->test->block_bytes;
	unsigned due = pacer_due(&s->pacer, now_ns, call_blocks(s->shared));

	if (!due) {
		s->due_ns = pacer_next_ns(&s->pacer);
		return false;
	}
	s->rest = i3_grant(s->shared, (uint64_t)due * block);
	if (s->rest == 0) {
		i3_stream_finish(s, 0);
		return false;
	}
	pacer_sent(&s->pacer, due);
	return true;
}

static ssize_t send_blocks(struct i3_stream *s)
{
	const struct i3_shared *sh = s->shared;
	const size_t block = sh->test->block_bytes;
	struct iovec iov[CALL_BLOCKS + 1];
	struct msghdr msg = {.msg_iov = iov};
	size_t offset = s->offset;
	uint64_t rest = s->rest;

	while (rest > 0 && msg.msg_iovlen < CALL_BLOCKS + 1) {
		size_t part = block - offset < rest ? block - offset : (size_t)rest;

		/* The kernel only reads from it. */
		iov[msg.msg_iovlen].iov_base = (void *)(uintptr_t)(sh->block + offset);
		iov[msg.msg_iovlen++].iov_len = part;
		rest -= part;
		offset = 0;
	}
	return sendmsg(s->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static ssize_t send_zerocopy(struct i3_stream *s)
{
	const size_t block = s->shared->test->block_bytes;
	size_t part = block - s->offset < s->rest ? block - s->offset : (size_t)s->rest;
	off_t at = (off_t)s->offset;

	return sendfile(s->fd, s->shared->block_fd, &at, part);
}

/* The next block of the file into own. False at its end or on error: finished. */
static bool read_file(struct i3_stream *s)
{
	ssize_t n;

	do
		n = read(s->file_fd, s->own, s->shared->test->block_bytes);
	while (n < 0 && errno == EINTR);
	if (n <= 0) {
		i3_stream_finish(s, n < 0 ? errno : 0);
		return false;
	}
	s->own_bytes = (size_t)n;
	s->offset = 0;
	return true;
}

static ssize_t send_file(struct i3_stream *s)
{
	size_t part;

	if (s->offset == s->own_bytes && !read_file(s))
		return 0;
	part = s->own_bytes - s->offset;
	if (part > s->rest)
		part = (size_t)s->rest;
	return send(s->fd, s->own + s->offset, part, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void sent(struct i3_stream *s, size_t n)
{
	const size_t block = s->shared->test->block_bytes;

	s->rest -= n;
	if (s->own) {
		s->offset += n;
		counter_add(&s->file_bytes, n);
	} else {
		s->offset = (s->offset + n) % block;
	}
	counter_add(&s->count.bytes, n);
	counter_add(&s->count.calls, 1);
}

void i3_tcp_send_turn(struct i3_worker *w, struct i3_stream *s, uint64_t now_ns)
{
	uint64_t asked;
	ssize_t n;

	(void)w;
	s->due_ns = 0;
	if (s->rest == 0 && !refill(s, now_ns))
		return;
	asked = s->rest;
	if (s->own)
		n = send_file(s);
	else if (s->shared->block_fd >= 0)
		n = send_zerocopy(s);
	else
		n = send_blocks(s);
	if (s->finished)
		return;
	if (n >= 0) {
		sent(s, (size_t)n);
		/* Less than offered: the queue is full, unless the file cut it short. */
		if ((uint64_t)n < asked && !s->own && s->shared->block_fd < 0)
			wait_socket(s, MONO_NEVER);
		return;
	}
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		wait_socket(s, MONO_NEVER);
	else if (errno != EINTR)
		i3_stream_finish(s, errno);
}

/* ---- receive ---- */

static ssize_t recv_data(struct i3_worker *w, struct i3_stream *s)
{
	const struct i3_test *t = s->shared->test;
	struct iovec iov[RX_PARTS];
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = RX_PARTS};

	if (s->own)
		return recv(s->fd, s->own, t->block_bytes, MSG_DONTWAIT);
	/* TCP alone throws away: SCTP would write beyond the buffer. */
	if (s->shared->test->skip_rx_copy && s->shared->test->protocol == I3_TCP)
		return recv(s->fd, w->buf, RX_PARTS * I3_RX_BYTES,
			    MSG_DONTWAIT | MSG_TRUNC);
	for (size_t i = 0; i < RX_PARTS; i++)
		iov[i] = (struct iovec){w->buf, I3_RX_BYTES};
	return recvmsg(s->fd, &msg, MSG_DONTWAIT);
}

static bool write_file(struct i3_stream *s, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = write(s->file_fd, s->own + at, len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			s->file_errno = errno;
			return false;
		}
		at += (size_t)n;
		counter_add(&s->file_bytes, (uint64_t)n);
	}
	return true;
}

/* Wake up when the bytes of some time to come are there, as the last ones suggest. */
static void adapt_lowat(struct i3_stream *s, size_t n, uint64_t now_ns)
{
	uint64_t span, lowat;

	if (s->shared->test->protocol != I3_TCP || s->shared->test->window_bytes ||
	    s->own)
		return;
	s->window_bytes += n;
	span = now_ns - s->window_ns;
	if (span < 4 * LOWAT_SPAN_NS)
		return;
	lowat = s->window_bytes * LOWAT_SPAN_NS / span;
	s->window_ns = now_ns;
	s->window_bytes = 0;
	if (lowat > LOWAT_MAX)
		lowat = LOWAT_MAX;
	if (lowat < 65536)
		lowat = 1;
	/* A system call for real changes only. */
	if (lowat > (uint64_t)s->lowat_bytes * 3 / 2 ||
	    lowat < (uint64_t)s->lowat_bytes * 2 / 3) {
		s->lowat_bytes = (int)lowat;
		setsockopt(s->fd, SOL_SOCKET, SO_RCVLOWAT, &s->lowat_bytes,
			   sizeof(s->lowat_bytes));
	}
}

void i3_tcp_recv_turn(struct i3_worker *w, struct i3_stream *s, uint64_t now_ns)
{
	const size_t most = s->own ? s->shared->test->block_bytes
				   : RX_PARTS * I3_RX_BYTES;
	size_t total = 0;

	s->due_ns = 0;
	for (int i = 0; i < RX_CALLS; i++) {
		ssize_t n = recv_data(w, s);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
			i3_stream_finish(s, errno);
			break;
		}
		if (n == 0) {
			i3_stream_finish(s, 0);
			break;
		}
		if (n > 0) {
			total += (size_t)n;
			counter_add(&s->count.bytes, (uint64_t)n);
			counter_add(&s->count.calls, 1);
			if (s->own && !write_file(s, (size_t)n)) {
				i3_stream_finish(s, errno);
				break;
			}
		}
		/* A short read has emptied the queue: new data makes a new event. */
		if (n < (ssize_t)most) {
			s->blocked = true;
			break;
		}
	}
	if (total) {
		i3_took(s->shared, total);
		adapt_lowat(s, total, now_ns);
	}
	if (s->blocked)
		s->due_ns = s->lowat_bytes > 1 ? now_ns + COLLECT_NS : MONO_NEVER;
}
