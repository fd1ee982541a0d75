/* SPDX-License-Identifier: BSD-2-Clause */
#include "check_main.h"
#include "mono.h"
#include "pacer.h"
#include "ticker.h"

START_TEST(exact_mean_rate)
{
	struct pacer p;
	uint64_t now = 1000, sent = 0;

	pacer_init(&p, pacer_gap_ns(1448, 500000000), 1, MONO_NEVER);
	pacer_start(&p, now);
	while (now < 1000 + NS_PER_S) {
		unsigned due = pacer_due(&p, now, 64);

		pacer_sent(&p, due);
		sent += due;
		if (!due)
			now = pacer_next_ns(&p) + sent % 7 * 3000; /* wakes up late */
	}
	/* 500e6 / 8 / 1448 = 43162.98, and the one at time 0 */
	ck_assert_uint_ge(sent, 43162);
	ck_assert_uint_le(sent, 43165);
}
END_TEST

START_TEST(first_leaves_at_once)
{
	struct pacer p;

	pacer_init(&p, 1e9, 1, MONO_NEVER);
	pacer_start(&p, 5);
	ck_assert_uint_eq(pacer_due(&p, 5, 10), 1);
	pacer_sent(&p, 1);
	ck_assert_uint_eq(pacer_due(&p, 5, 10), 0);
	ck_assert_uint_eq(pacer_next_ns(&p), 5 + NS_PER_S);
}
END_TEST

START_TEST(bursts)
{
	struct pacer p;

	pacer_init(&p, 1000, 10, MONO_NEVER);
	pacer_start(&p, 0);
	ck_assert_uint_eq(pacer_due(&p, 0, 64), 10);
	pacer_sent(&p, 4);
	ck_assert_uint_eq(pacer_due(&p, 0, 64), 6);
	pacer_sent(&p, 6);
	ck_assert_uint_eq(pacer_due(&p, 9999, 64), 0);
	ck_assert_uint_eq(pacer_next_ns(&p), 10000);
	ck_assert_uint_eq(pacer_due(&p, 10000, 64), 10);
}
END_TEST

START_TEST(catch_up_is_bounded)
{
	struct pacer p;

	pacer_init(&p, 1000, 1, 5000);
	pacer_start(&p, 0);
	pacer_sent(&p, 1);
	ck_assert_uint_eq(pacer_due(&p, NS_PER_S, 1000), 6);
	pacer_sent(&p, 6);
	ck_assert_uint_eq(pacer_due(&p, NS_PER_S, 1000), 0);
	ck_assert_uint_eq(pacer_due(&p, NS_PER_S + 1000, 1000), 1);
}
END_TEST

START_TEST(no_rate_no_limit)
{
	struct pacer p;

	pacer_init(&p, pacer_gap_ns(1000, 0), 1, MONO_NEVER);
	pacer_start(&p, 0);
	ck_assert_uint_eq(pacer_due(&p, 0, 64), 64);
	ck_assert_uint_eq(pacer_next_ns(&p), 0);
}
END_TEST

START_TEST(ticks_do_not_drift)
{
	struct ticker t;

	ticker_start(&t, 100, 1000);
	ck_assert(!ticker_due(&t, 1099));
	ck_assert(ticker_due(&t, 1350)); /* noticed late */
	ck_assert_uint_eq(t.next_ns, 2100);
	ck_assert(ticker_due(&t, 5100)); /* slept through */
	ck_assert_uint_eq(t.next_ns, 6100);
	ticker_start(&t, 100, 0);
	ck_assert(!ticker_due(&t, UINT64_MAX));
}
END_TEST

CHECK_MAIN("pacer", exact_mean_rate, first_leaves_at_once, bursts, catch_up_is_bounded,
	   no_rate_no_limit, ticks_do_not_drift)
