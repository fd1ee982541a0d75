/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "mono.h"
#include "stream.h"

#define STACK_BYTES (128u * 1024)
#define EVENTS      64
#define DRAIN_NS    NS_PER_S         /* most time for what was sent before the stop */
#define QUIET_NS    (50 * NS_PER_MS) /* nothing more will come */

static void turn(struct i3_worker *w, struct i3_stream *s, uint64_t now_ns)
{
	const bool udp = s->shared->test->protocol == I3_UDP;

	s->blocked = false;
	if (s->sender)
		(udp ? i3_udp_send_turn : i3_tcp_send_turn)(w, s, now_ns);
	else
		(udp ? i3_udp_recv_turn : i3_tcp_recv_turn)(w, s, now_ns);
}

/* Everybody whose time has come gets a turn. Returns when the next one is due. */
static uint64_t turns(struct i3_worker *w, uint64_t now_ns)
{
	uint64_t next = MONO_NEVER;

	for (size_t i = 0; i < w->count; i++) {
		struct i3_stream *s = w->streams[i];

		if (s->finished)
			continue;
		if (s->due_ns <= now_ns)
			turn(w, s, now_ns);
		if (!s->finished && s->due_ns < next)
			next = s->due_ns;
	}
	return next;
}

/* Sleep until a socket is ready or next_ns. A paced sender needs better than epoll's
 * milliseconds: the epoll descriptor itself can be waited for by ppoll(2). */
static void wait_events(struct i3_worker *w, uint64_t next_ns, uint64_t now_ns)
{
	struct epoll_event events[EVENTS];
	struct pollfd fd = {.fd = w->epoll_fd, .events = POLLIN};
	int timeout_ms = -1;
	int n;

	if (next_ns <= now_ns) {
		timeout_ms = 0;
	} else if (next_ns != MONO_NEVER) {
		uint64_t span = next_ns - now_ns;
		struct timespec ts = {
			.tv_sec = (time_t)(span / NS_PER_S),
			.tv_nsec = (long)(span % NS_PER_S),
		};

		if (ppoll(&fd, 1, &ts, NULL) <= 0)
			return;
		timeout_ms = 0;
	}
	n = epoll_wait(w->epoll_fd, events, EVENTS, timeout_ms);
	for (int i = 0; i < n; i++) {
		struct i3_stream *s = events[i].data.ptr;

		if (s && s->blocked)
			s->due_ns = 0;
	}
}

/* One turn for each receiver. Returns true when one of them could go on; open: is there
 * one that has not come to its end? */
static bool receive_rest(struct i3_worker *w, bool *open)
{
	bool more = false;

	*open = false;
	for (size_t i = 0; i < w->count; i++) {
		struct i3_stream *s = w->streams[i];

		if (s->finished || s->sender)
			continue;
		turn(w, s, mono_now_ns());
		more = more || (!s->finished && !s->blocked);
		*open = *open || !s->finished;
	}
	return more;
}

/* Has the amount arrived that the peer was to send? Ours sends it to the byte, others
 * the whole blocks that make it up. */
static bool amount_here(struct i3_shared *sh)
{
	const uint64_t got = atomic_load(&sh->got);

	if (got <= sh->want || sh->test->protocol == I3_UDP)
		return got >= sh->want;
	return got % sh->test->block_bytes == 0;
}

/* Take what has arrived before the stop, so that it is not lost to the count. The peer
 * may say that it has sent a certain amount before the last of it is here: that is waited
 * for, as long as more comes. */
static void drain(struct i3_worker *w)
{
	struct i3_shared *sh = w->streams[0]->shared;
	const struct timespec pause = {.tv_nsec = (long)NS_PER_MS / 2};
	uint64_t now_ns = mono_now_ns(), quiet_ns = now_ns + QUIET_NS;
	const uint64_t end_ns = now_ns + DRAIN_NS;

	while (now_ns < end_ns) {
		uint64_t got = atomic_load(&sh->got);
		bool open, more = receive_rest(w, &open);

		now_ns = mono_now_ns();
		if (more)
			continue;
		if (!open || sh->want == UINT64_MAX || amount_here(sh))
			return;
		if (atomic_load(&sh->got) != got)
			quiet_ns = now_ns + QUIET_NS;
		else if (now_ns >= quiet_ns)
			return;
		nanosleep(&pause, NULL);
	}
}

static void *work(void *arg)
{
	struct i3_worker *w = arg;
	uint64_t now_ns = mono_now_ns();

	/* Or each sleep ends up to 50 us late. */
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	for (size_t i = 0; i < w->count; i++) {
		pacer_start(&w->streams[i]->pacer, w->streams[i]->shared->begin_ns);
		w->streams[i]->window_ns = now_ns;
	}
	while (!stopper_tripped(w->stop)) {
		uint64_t next_ns = turns(w, now_ns);

		now_ns = mono_now_ns();
		wait_events(w, next_ns, now_ns);
		if (next_ns > now_ns)
			now_ns = mono_now_ns();
	}
	if (w->drain)
		drain(w);
	return NULL;
}

/* ---- start and stop ---- */

static int watch(struct i3_worker *w, struct i3_fault *f)
{
	struct epoll_event ev = {.events = EPOLLIN};

	w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (w->epoll_fd < 0 ||
	    epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, w->stop->fd, &ev) < 0)
		return i3_fault_sys(f, I3_F_THREAD_CREATE);
	for (size_t i = 0; i < w->count; i++) {
		struct i3_stream *s = w->streams[i];

		ev.events = (s->sender ? EPOLLOUT : EPOLLIN) | EPOLLET;
		ev.data.ptr = s;
		if (epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, s->fd, &ev) < 0)
			return i3_fault_sys(f, I3_F_THREAD_CREATE);
	}
	return 0;
}

static int start_one(struct i3_worker *w, struct i3_fault *f)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): deal() gave it one */
	const bool udp = w->streams[0]->shared->test->protocol == I3_UDP;
	pthread_attr_t attr;
	sigset_t all, old;
	int rc;

	if (watch(w, f) < 0)
		return -1;
	if (!w->streams[0]->sender && udp)
		w->rx = udp_rx_new(NULL);
	else if (!w->streams[0]->sender)
		w->buf = malloc(I3_RX_BYTES);
	if (!w->streams[0]->sender && !w->rx && !w->buf)
		return i3_fault_sys(f, I3_F_THREAD_CREATE);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&w->thread, &attr, work, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	errno = rc;
	return rc ? i3_fault_sys(f, I3_F_THREAD_CREATE) : 0;
}

static void free_one(struct i3_worker *w)
{
	if (w->epoll_fd >= 0)
		close(w->epoll_fd);
	free(w->streams);
	free(w->buf);
	udp_rx_free(w->rx);
}

static size_t processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : (size_t)n;
}

/* Deal the streams out like cards. */
static int deal(struct i3_workers *w, struct i3_stream **streams, size_t count,
		bool drain)
{
	/* Before anything can fail: what is freed then has no descriptor yet. */
	for (size_t i = 0; i < w->count; i++)
		w->list[i].epoll_fd = -1;
	for (size_t i = 0; i < w->count; i++) {
		struct i3_worker *one = &w->list[i];

		one->stop = &w->stop;
		one->drain = drain;
		one->streams = calloc(count / w->count + 1, sizeof(*one->streams));
		if (!one->streams)
			return -1;
	}
	for (size_t i = 0; i < count; i++) {
		struct i3_worker *one = &w->list[i % w->count];

		one->streams[one->count++] = streams[i];
	}
	return 0;
}

int i3_workers_start(struct i3_workers *w, struct i3_stream **streams, size_t count,
		     bool drain, struct i3_fault *f)
{
	size_t cpus = processors();
	struct err e;

	*w = (struct i3_workers){.count = count < cpus ? count : cpus};
	if (count == 0)
		return 0;
	if (stopper_init(&w->stop, &e) < 0)
		return i3_fault_err(f, I3_F_THREAD_CREATE, &e);
	w->list = calloc(w->count, sizeof(*w->list));
	if (!w->list || deal(w, streams, count, drain) < 0) {
		i3_fault_sys(f, I3_F_THREAD_CREATE);
		goto failed;
	}
	for (size_t i = 0; i < w->count; i++) {
		if (start_one(&w->list[i], f) == 0)
			continue;
		stopper_trip(&w->stop, 1);
		for (size_t k = 0; k < i; k++)
			pthread_join(w->list[k].thread, NULL);
		goto failed;
	}
	w->running = true;
	return 0;
failed:
	for (size_t i = 0; w->list && i < w->count; i++)
		free_one(&w->list[i]);
	free(w->list);
	stopper_free(&w->stop);
	*w = (struct i3_workers){.count = 0};
	return -1;
}

void i3_workers_stop(struct i3_workers *w)
{
	if (!w->running)
		return;
	stopper_trip(&w->stop, 1);
	for (size_t i = 0; i < w->count; i++) {
		pthread_join(w->list[i].thread, NULL);
		free_one(&w->list[i]);
	}
	free(w->list);
	stopper_free(&w->stop);
	*w = (struct i3_workers){.count = 0};
}
