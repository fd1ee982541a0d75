/* SPDX-License-Identifier: BSD-2-Clause */
#include "mover.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "mono.h"

/* The rate over this span decides how much the kernel may collect before it wakes us. */
#define WINDOW_NS (2 * NS_PER_MS)
/* Below this a wake-up a read costs little; above it there is nothing left to win. */
#define LOWAT_MIN_BYTES (64 * 1024)
#define LOWAT_MAX_BYTES (2 * 1024 * 1024)

static int stopped(struct err *e)
{
	return err_set(e, ERR_STOPPED, "IO", "stopped");
}

static void call_begins(struct counters *c, bool timed, uint64_t *since_ns)
{
	*since_ns = timed ? mono_now_ns() : 0;
	if (timed)
		counter_set(&c->call_since_ns, *since_ns);
}

static void call_ends(struct counters *c, bool timed, uint64_t since_ns)
{
	uint64_t now_ns;

	if (!timed)
		return;
	now_ns = mono_now_ns();
	/* In this order: a reader between the two sees some time twice, never too little.
	 */
	counter_add(&c->call_ns, mono_since_ns(since_ns, now_ns));
	counter_set(&c->call_since_ns, 0);
	counter_set(&c->io_end_ns, now_ns);
}

/* ---- sending ---- */

/* Drop what the peer sent, until it has no more to say. An error that is taken from the
 * socket here must be told here. */
static int discard_some(struct mover_tx *t, struct err *e)
{
	ssize_t n = recv(t->fd, NULL, 1 << 20, MSG_TRUNC | MSG_DONTWAIT);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return err_sys(e, "IO");
	if (n == 0)
		t->discard_input = false;
	return 0;
}

static int wait_writable(struct mover_tx *t, struct err *e)
{
	while (!stopper_tripped(t->stop)) {
		const short input = t->discard_input ? POLLIN : 0;
		struct pollfd p[2] = {
			{.fd = t->fd, .events = (short)(POLLOUT | input)},
			{.fd = t->stop ? t->stop->fd : -1, .events = POLLIN},
		};

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return err_sys(e, "poll");
		if (p[0].revents & input && discard_some(t, e) < 0)
			return -1;
		/* POLLERR and POLLHUP too: the next send says what is wrong. */
		if (p[0].revents & ~POLLIN)
			return 0;
	}
	return stopped(e);
}

/* The blocks from t->offset on, at most want bytes. Returns how many entries. */
static size_t fill_iov(const struct mover_tx *t, struct iovec *iov, size_t want)
{
	const char *block = t->block;
	size_t offset = t->offset;
	size_t n = 0;

	while (want > 0 && n < MOVER_IOV_MAX) {
		size_t len = t->block_bytes - offset;

		if (len > want)
			len = want;
		iov[n++] = (struct iovec){(void *)(uintptr_t)(block + offset), len};
		want -= len;
		offset = 0;
	}
	return n;
}

/* One hand-over of want bytes, waiting as often as it takes. */
static int hand_over(struct mover_tx *t, size_t want, struct err *e)
{
	struct iovec iov[MOVER_IOV_MAX];
	struct msghdr msg = {.msg_iov = iov};

	while (want > 0) {
		ssize_t n;

		msg.msg_iovlen = fill_iov(t, iov, want);
		n = sendmsg(t->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0) {
			want -= (size_t)n;
			t->offset = (t->offset + (size_t)n) % t->block_bytes;
			counter_add(&t->count->bytes, (uint64_t)n);
			continue;
		}
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return err_sys(e, "IO");
		if (wait_writable(t, e) < 0)
			return -1;
	}
	counter_add(&t->count->calls, 1);
	return 0;
}

int mover_tx_run(struct mover_tx *t, uint64_t bytes, struct err *e)
{
	size_t blocks = t->call_bytes / t->block_bytes;
	uint64_t left = bytes;

	if (blocks > MOVER_IOV_MAX)
		blocks = MOVER_IOV_MAX;
	if (blocks == 0)
		blocks = 1;
	while (left > 0) {
		/* A run that ended inside a block goes on there: whole blocks stay whole.
		 */
		size_t want = blocks * t->block_bytes - t->offset;
		uint64_t since_ns;
		int rc;

		if (stopper_tripped(t->stop))
			return stopped(e);
		if (want > left)
			want = (size_t)left;
		call_begins(t->count, t->timed, &since_ns);
		rc = hand_over(t, want, e);
		call_ends(t->count, t->timed, since_ns);
		if (rc < 0)
			return -1;
		if (left != UINT64_MAX)
			left -= want;
	}
	return 0;
}

/* ---- receiving ---- */

static void set_lowat(struct mover_rx *r, int bytes)
{
	/* A call that collects gives up in time, so that what little came is counted. */
	const struct timeval bound = {.tv_usec = MOVER_COLLECT_NS / NS_PER_US};

	if (r->lowat_bytes == 0 &&
	    setsockopt(r->fd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof(bound)) < 0) {
		r->collect = false;
		return;
	}
	if (bytes == r->lowat_bytes)
		return;
	if (setsockopt(r->fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes)) < 0)
		r->collect = false;
	r->lowat_bytes = bytes;
}

static bool collecting(const struct mover_rx *r)
{
	return r->lowat_bytes > 1;
}

/* Choose the mark from the rate just seen: what comes in WINDOW_NS, in powers of two. */
static void adapt(struct mover_rx *r, size_t got)
{
	uint64_t now_ns = mono_now_ns();
	uint64_t span_ns = mono_since_ns(r->window_ns, now_ns);
	uint64_t per_window;
	int mark = LOWAT_MAX_BYTES;

	if (collecting(r) && got < (size_t)r->lowat_bytes) {
		/* Too slow for this mark, or the last bytes. */
		set_lowat(r, 1);
		r->window_ns = now_ns;
		r->window_bytes = 0;
		return;
	}
	r->window_bytes += got;
	if (span_ns < WINDOW_NS)
		return;
	per_window = r->window_bytes * WINDOW_NS / span_ns;
	while (mark >= LOWAT_MIN_BYTES && (uint64_t)mark > per_window)
		mark /= 2;
	if (mark >= LOWAT_MIN_BYTES)
		set_lowat(r, mark);
	else if (collecting(r))
		set_lowat(r, 1);
	r->window_ns = now_ns;
	r->window_bytes = 0;
}

static int wait_readable(struct mover_rx *r, struct err *e)
{
	struct pollfd p[2] = {
		{.fd = r->fd, .events = POLLIN},
		{.fd = r->stop ? r->stop->fd : -1, .events = POLLIN},
	};

	while (!stopper_tripped(r->stop)) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return err_sys(e, "poll");
		if (p[0].revents)
			return 0;
	}
	return stopped(e);
}

/* One read. Returns as recvmsg does; 0 only at end of file. */
static ssize_t read_some(struct mover_rx *r, size_t want, struct err *e)
{
	struct iovec iov[MOVER_IOV_MAX];
	struct msghdr msg = {.msg_iov = iov};
	size_t left = want;

	while (left > 0 && msg.msg_iovlen < r->bufs_a_call &&
	       msg.msg_iovlen < MOVER_IOV_MAX) {
		size_t len = left < r->buf_bytes ? left : r->buf_bytes;

		iov[msg.msg_iovlen++] = (struct iovec){r->buf, len};
		left -= len;
	}
	for (;;) {
		int flags = r->no_copy ? MSG_TRUNC : 0;
		ssize_t n = recvmsg(r->fd, &msg,
				    collecting(r) ? flags : flags | MSG_DONTWAIT);

		if (n >= 0)
			return n;
		if (errno != EAGAIN && errno != EINTR)
			return err_sys(e, "IO");
		if (stopper_tripped(r->stop))
			return stopped(e);
		if (collecting(r))
			adapt(r, 0);
		if (wait_readable(r, e) < 0)
			return -1;
	}
}

static void touch_bytes(const struct mover_rx *r, size_t n)
{
	const volatile unsigned char *p = r->buf;

	if (n > r->buf_bytes)
		n = r->buf_bytes;
	for (size_t i = 0; i < n; i++)
		(void)p[i];
}

int mover_rx_run(struct mover_rx *r, uint64_t bytes, struct err *e)
{
	uint64_t left = bytes;
	size_t most = r->buf_bytes * (r->bufs_a_call ? r->bufs_a_call : 1);

	if (r->bufs_a_call == 0)
		r->bufs_a_call = 1;
	if (r->window_ns == 0)
		r->window_ns = mono_now_ns();
	while (left > 0) {
		uint64_t since_ns;
		ssize_t n;

		if (stopper_tripped(r->stop))
			return stopped(e);
		call_begins(r->count, r->timed, &since_ns);
		n = read_some(r, most < left ? most : (size_t)left, e);
		call_ends(r->count, r->timed, since_ns);
		if (n < 0)
			return -1;
		counter_add(&r->count->calls, 1);
		if (n == 0)
			return 1;
		counter_add(&r->count->bytes, (uint64_t)n);
		if (r->touch)
			touch_bytes(r, (size_t)n);
		if (r->collect)
			adapt(r, (size_t)n);
		if (left != UINT64_MAX)
			left -= (uint64_t)n;
	}
	return 0;
}
