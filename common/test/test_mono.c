/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/time.h>

#include "check_main.h"
#include "mono.h"

START_TEST(a_fake_clock_replaces_both)
{
	uint64_t now = 42;

	mono_fake(&now);
	ck_assert_uint_eq(mono_now_ns(), 42);
	ck_assert_uint_eq(wall_now_ns(), 42);
	now += 8;
	ck_assert_uint_eq(mono_now_ns(), 50);
	mono_fake(NULL);
	ck_assert_uint_gt(wall_now_ns(), UINT64_C(1700000000) * NS_PER_S);
	ck_assert_uint_gt(mono_now_ns(), 50);
}
END_TEST

START_TEST(real_time_only_goes_forward)
{
	uint64_t before = mono_now_ns();

	for (int i = 0; i < 10000; i++) {
		uint64_t now = mono_now_ns();

		ck_assert_uint_ge(now, before);
		before = now;
	}
}
END_TEST

START_TEST(arithmetic_never_wraps)
{
	ck_assert_uint_eq(mono_since_ns(5, 8), 3);
	ck_assert_uint_eq(mono_since_ns(8, 8), 0);
	ck_assert_uint_eq(mono_since_ns(8, 5), 0);
	ck_assert_uint_eq(mono_add_ns(5, 8), 13);
	ck_assert_uint_eq(mono_add_ns(MONO_NEVER, 0), MONO_NEVER);
	ck_assert_uint_eq(mono_add_ns(MONO_NEVER, 1), MONO_NEVER);
	ck_assert_uint_eq(mono_add_ns(1, MONO_NEVER), MONO_NEVER);
	ck_assert_uint_eq(mono_add_ns(MONO_NEVER - 1, 1), MONO_NEVER);
	ck_assert_double_eq_tol(ns_to_s(1500 * NS_PER_MS), 1.5, 1e-12);
}
END_TEST

START_TEST(poll_waits_until_the_deadline_has_passed)
{
	static const struct {
		uint64_t deadline, now;
		int ms;
	} cases[] = {
		{MONO_NEVER, 0, -1},
		{MONO_NEVER, MONO_NEVER, -1},
		{0, 0, 0},
		{5, 6, 0},
		{6, 5, 1}, /* rounded up */
		{NS_PER_MS, 0, 1},
		{NS_PER_MS + 1, 0, 2},
		{3 * NS_PER_S, NS_PER_S, 2000},
		{MONO_NEVER - 1, 0, INT_MAX},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_int_eq(mono_poll_ms(cases[i].deadline, cases[i].now),
				 cases[i].ms);
}
END_TEST

START_TEST(sleep_lasts_until_the_deadline)
{
	uint64_t deadline = mono_now_ns() + 5 * NS_PER_MS;

	ck_assert_int_eq(mono_sleep_until_ns(deadline), 0);
	ck_assert_uint_ge(mono_now_ns(), deadline);
	ck_assert_int_eq(mono_sleep_until_ns(0), 0);
}
END_TEST

static void nothing(int signo)
{
	(void)signo;
}

START_TEST(a_signal_ends_sleep)
{
	struct sigaction act = {.sa_handler = nothing};
	/* Repeats, so that one before the sleep does no harm. */
	struct itimerval soon = {{0, 5000}, {0, 5000}};
	struct itimerval off = {{0, 0}, {0, 0}};
	uint64_t deadline = mono_now_ns() + 15 * NS_PER_S;

	ck_assert_int_eq(sigaction(SIGALRM, &act, NULL), 0);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &soon, NULL), 0);
	ck_assert_int_eq(mono_sleep_until_ns(deadline), -1);
	setitimer(ITIMER_REAL, &off, NULL);
	ck_assert_uint_lt(mono_now_ns(), deadline);
}
END_TEST

CHECK_MAIN("mono", a_fake_clock_replaces_both, real_time_only_goes_forward,
	   arithmetic_never_wraps, poll_waits_until_the_deadline_has_passed,
	   sleep_lasts_until_the_deadline, a_signal_ends_sleep)
