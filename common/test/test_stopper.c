/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "stopper.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

static bool readable(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, timeout_ms) == 1;
}

START_TEST(trips_once_and_stays_so)
{
	struct stopper s;
	struct err e;

	ck_assert_int_eq(stopper_init(&s, &e), 0);
	ck_assert(!stopper_tripped(&s));
	ck_assert_int_eq(stopper_reason(&s), 0);
	ck_assert(!readable(s.fd, 0));
	errno = EXDEV;
	stopper_trip(&s, 7);
	ck_assert_int_eq(errno, EXDEV);
	ck_assert(stopper_tripped(&s));
	ck_assert_int_eq(stopper_reason(&s), 7);
	stopper_trip(&s, 8);
	ck_assert_int_eq(stopper_reason(&s), 7);
	ck_assert(readable(s.fd, 0));
	ck_assert(readable(s.fd, 0));
	stopper_free(&s);
	ck_assert_int_eq(s.fd, -1);
}
END_TEST

START_TEST(nobody_to_stop)
{
	ck_assert(!stopper_tripped(NULL));
	ck_assert_int_eq(stopper_reason(NULL), 0);
}
END_TEST

static void *trip(void *arg)
{
	stopper_trip(arg, 3);
	return NULL;
}

START_TEST(another_thread_wakes_a_poll)
{
	struct stopper s;
	pthread_t t;

	ck_assert_int_eq(stopper_init(&s, NULL), 0);
	ck_assert_int_eq(pthread_create(&t, NULL, trip, &s), 0);
	ck_assert(readable(s.fd, 15000));
	ck_assert_int_eq(pthread_join(t, NULL), 0);
	ck_assert_int_eq(stopper_reason(&s), 3);
	stopper_free(&s);
}
END_TEST

START_TEST(a_signal_trips)
{
	struct stopper s;

	ck_assert_int_eq(stopper_init(&s, NULL), 0);
	ck_assert_int_eq(stopper_on_signals(&s, signals, 3, NULL), 0);
	raise(SIGTERM);
	ck_assert_int_eq(stopper_reason(&s), SIGTERM);
	raise(SIGINT);
	ck_assert_int_eq(stopper_reason(&s), SIGTERM);
	stopper_free(&s);
	raise(SIGINT); /* nobody to tell: ignored, not a crash */
}
END_TEST

/* In the child: read from a pipe that never has data, until a signal comes. Says over
 * ready that it is about to block. */
static void blocked_child(int ready)
{
	struct stopper s;
	int never[2];
	char c = 'r';

	if (pipe(never) < 0 || stopper_init(&s, NULL) < 0 ||
	    stopper_on_signals(&s, signals, 3, NULL) < 0 || write(ready, &c, 1) != 1)
		_exit(2);
	if (read(never[0], &c, 1) >= 0 || errno != EINTR)
		_exit(3);
	_exit(stopper_reason(&s) == SIGINT ? 0 : 4);
}

START_TEST(a_blocked_read_returns)
{
	/* Many times: now and then the signal comes before the read, and the timer must
	 * free it. */
	for (int i = 0; i < 20; i++) {
		int ready[2], status;
		char c;
		pid_t pid;

		ck_assert_int_eq(pipe(ready), 0);
		pid = fork();
		ck_assert_int_ge(pid, 0);
		if (pid == 0)
			blocked_child(ready[1]);
		while (read(ready[0], &c, 1) < 0)
			ck_assert_int_eq(errno, EINTR);
		ck_assert_int_eq(kill(pid, SIGINT), 0);
		/* The timer of a test before this one may still run. */
		while (waitpid(pid, &status, 0) < 0)
			ck_assert_int_eq(errno, EINTR);
		ck_assert(WIFEXITED(status));
		ck_assert_int_eq(WEXITSTATUS(status), 0);
		close(ready[0]);
		close(ready[1]);
	}
}
END_TEST

START_TEST(a_signal_before_the_wait_is_not_lost)
{
	struct stopper s;
	int never[2];
	char c;

	ck_assert_int_eq(pipe(never), 0);
	ck_assert_int_eq(stopper_init(&s, NULL), 0);
	ck_assert_int_eq(stopper_on_signals(&s, signals, 3, NULL), 0);
	raise(SIGINT);
	/* As if it had come between the look at the flag and the call. */
	ck_assert_int_eq(read(never[0], &c, 1), -1);
	ck_assert_int_eq(errno, EINTR);
	/* And again, for code that tries once more. */
	ck_assert_int_eq(read(never[0], &c, 1), -1);
	ck_assert_int_eq(errno, EINTR);
	stopper_free(&s);
}
END_TEST

START_TEST(an_ignored_signal_stays_ignored)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction now;
	struct stopper s;

	ck_assert_int_eq(sigaction(SIGHUP, &ignore, NULL), 0);
	ck_assert_int_eq(stopper_init(&s, NULL), 0);
	ck_assert_int_eq(stopper_on_signals(&s, signals, 3, NULL), 0);
	raise(SIGHUP);
	ck_assert(!stopper_tripped(&s));
	ck_assert_int_eq(sigaction(SIGHUP, NULL, &now), 0);
	ck_assert(now.sa_handler == SIG_IGN);
	ck_assert_int_eq(sigaction(SIGPIPE, NULL, &now), 0);
	ck_assert(now.sa_handler == SIG_IGN);
	ck_assert_int_eq(sigaction(SIGXFSZ, NULL, &now), 0);
	ck_assert(now.sa_handler == SIG_IGN);
	raise(SIGINT);
	ck_assert_int_eq(stopper_reason(&s), SIGINT);
	stopper_free(&s);
}
END_TEST

CHECK_MAIN("stopper", trips_once_and_stays_so, nobody_to_stop,
	   another_thread_wakes_a_poll, a_signal_trips, a_blocked_read_returns,
	   a_signal_before_the_wait_is_not_lost, an_ignored_signal_stays_ignored)
