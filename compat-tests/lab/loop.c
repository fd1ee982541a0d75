/* SPDX-License-Identifier: BSD-2-Clause */
#include "loop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "control.h"
#include "mono.h"

#define EVENTS 16

/* Awake for this long, the thread sleeps to its next deadline without a spin: a real-time
 * thread that never sleeps starves the kernel's own work on its core. */
#define AWAKE_MAX_NS (1 * NS_PER_MS)

/* A wait this long was a sleep. */
#define SLEPT_NS (5 * NS_PER_US)

/* What an event is about; ports are 0 to ENGINE_WAYS_MAX - 1. */
enum source {
	FROM_TIMER = ENGINE_WAYS_MAX,
	FROM_SIGNAL,
	FROM_STDIN,
	FROM_LISTENER,
	FROM_CLIENT, /* + slot */
};

struct loop {
	struct command_run *run;
	uint64_t spin_ns;
	int epoll, timer, signals, listener;
	int client[CONTROL_CLIENTS_MAX]; /* -1 = free */
	uint64_t awake_since_ns;
	bool stop;
};

static int watch(struct loop *l, int fd, uint32_t events, unsigned source, struct err *e)
{
	struct epoll_event ev = {.events = events, .data.u32 = source};

	if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &ev) < 0)
		return err_sys(e, "epoll");
	return 0;
}

/* ---- waiting -------------------------------------------------------------------------
 */

static void arm(struct loop *l, uint64_t at_ns)
{
	struct itimerspec t = {0};

	if (at_ns != MONO_NEVER) {
		t.it_value.tv_sec = (time_t)(at_ns / NS_PER_S);
		t.it_value.tv_nsec = (long)(at_ns % NS_PER_S);
	}
	timerfd_settime(l->timer, TFD_TIMER_ABSTIME, &t, NULL);
}

/* Sleep until something comes in, or until at_ns. */
static int sleep_until(struct loop *l, uint64_t at_ns, struct epoll_event *events)
{
	uint64_t from_ns, now_ns;
	int n;

	arm(l, at_ns);
	from_ns = mono_now_ns();
	n = epoll_wait(l->epoll, events, EVENTS, -1);
	now_ns = mono_now_ns();
	if (now_ns - from_ns > SLEPT_NS)
		l->awake_since_ns = now_ns;
	return n;
}

/* Events that are there when the next packet is due, or earlier. */
static int wait_events(struct loop *l, struct epoll_event *events)
{
	uint64_t due_ns = engine_next_ns(l->run->engine);
	int n = 0;

	while (n == 0) {
		uint64_t now_ns = mono_now_ns();

		if (due_ns <= now_ns)
			return epoll_wait(l->epoll, events, EVENTS, 0);
		if (due_ns - now_ns > l->spin_ns)
			n = sleep_until(
				l, due_ns == MONO_NEVER ? due_ns : due_ns - l->spin_ns,
				events);
		else if (now_ns - l->awake_since_ns > AWAKE_MAX_NS)
			n = sleep_until(l, due_ns, events);
		else
			n = epoll_wait(l->epoll, events, EVENTS, 0);
	}
	return n;
}

/* ---- what came -----------------------------------------------------------------------
 */

static void on_signal(struct loop *l)
{
	struct signalfd_siginfo info;

	if (read(l->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo != SIGUSR1) {
		l->stop = true;
		return;
	}
	command_show(l->run, stdout);
	fflush(stdout);
}

static void on_listener(struct loop *l)
{
	int fd = control_accept(l->listener);

	for (unsigned i = 0; fd >= 0 && i < CONTROL_CLIENTS_MAX; i++) {
		if (l->client[i] >= 0)
			continue;
		if (watch(l, fd, EPOLLIN, FROM_CLIENT + i, NULL) < 0)
			break;
		l->client[i] = fd;
		return;
	}
	if (fd >= 0)
		close(fd);
}

static void on_client(struct loop *l, unsigned slot)
{
	if (control_serve(l->client[slot], l->run) == 0)
		return;
	close(l->client[slot]);
	l->client[slot] = -1;
}

static int on_event(struct loop *l, const struct epoll_event *ev, struct err *e)
{
	unsigned source = ev->data.u32;
	char unused[64];

	if (source < ENGINE_WAYS_MAX)
		return engine_take(l->run->engine, source, e);
	switch (source) {
	case FROM_TIMER: /* edge triggered: nothing to read, the wait is over */
		break;
	case FROM_SIGNAL:
		on_signal(l);
		break;
	case FROM_STDIN:
		if (read(STDIN_FILENO, unused, sizeof(unused)) <= 0)
			l->stop = true;
		break;
	case FROM_LISTENER:
		on_listener(l);
		break;
	default:
		on_client(l, source - FROM_CLIENT);
		break;
	}
	return 0;
}

static int turn(struct loop *l, struct err *e)
{
	struct epoll_event events[EVENTS];
	int n = wait_events(l, events);

	if (n < 0 && errno != EINTR)
		return err_sys(e, "epoll");
	for (int i = 0; i < n; i++) {
		if (on_event(l, &events[i], e) < 0)
			return -1;
	}
	engine_deliver(l->run->engine);
	return 0;
}

/* ---- set-up --------------------------------------------------------------------------
 */

static int open_signals(struct err *e)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return err_sys(e, "block signals");
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_sys(e, "signalfd") : fd;
}

static int open_all(struct loop *l, const struct loop_conf *conf, struct err *e)
{
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->epoll < 0 || l->timer < 0)
		return err_sys(e, "epoll, timerfd");
	l->signals = open_signals(e);
	if (l->signals < 0)
		return -1;
	if (watch(l, l->timer, EPOLLIN | EPOLLET, FROM_TIMER, e) < 0 ||
	    watch(l, l->signals, EPOLLIN, FROM_SIGNAL, e) < 0)
		return -1;
	if (conf->until_eof && watch(l, STDIN_FILENO, EPOLLIN, FROM_STDIN, e) < 0)
		return -1;
	if (conf->control) {
		l->listener = control_open(conf->control, e);
		if (l->listener < 0 ||
		    watch(l, l->listener, EPOLLIN, FROM_LISTENER, e) < 0)
			return -1;
	}
	for (unsigned i = 0; i < l->run->engine->n; i++) {
		if (watch(l, l->run->engine->ports[i].fd, EPOLLIN, i, e) < 0)
			return -1;
	}
	return 0;
}

static void close_all(struct loop *l, const char *control)
{
	const int fds[] = {l->epoll, l->timer, l->signals, l->listener};

	if (l->listener >= 0)
		unlink(control);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		if (l->client[i] >= 0)
			close(l->client[i]);
	}
}

int loop_run(const struct loop_conf *conf, struct command_run *run,
	     void (*ready)(void *arg), void *arg, struct err *e)
{
	struct loop l = {.run = run,
			 .spin_ns = conf->spin_ns,
			 .epoll = -1,
			 .timer = -1,
			 .signals = -1,
			 .listener = -1};
	int rc;

	memset(l.client, -1, sizeof(l.client));
	rc = open_all(&l, conf, e);
	if (rc == 0) {
		run->running = true;
		run->started_ns = l.awake_since_ns = mono_now_ns();
		ready(arg);
	}
	while (rc == 0 && !l.stop && !run->stop)
		rc = turn(&l, e);
	close_all(&l, conf->control);
	return rc;
}
