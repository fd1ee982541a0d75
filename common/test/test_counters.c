/* SPDX-License-Identifier: BSD-2-Clause */
#include <pthread.h>
#include <stdbool.h>

#include "check_main.h"
#include "counters.h"

START_TEST(a_copy_has_every_member)
{
	struct counters c = {0};
	struct counted got;

	counter_add(&c.bytes, 1);
	counter_add(&c.calls, 2);
	counter_add(&c.pkts, 3);
	counter_add(&c.call_ns, 4);
	counter_set(&c.call_since_ns, 5);
	counter_add(&c.source_wait_ns, 6);
	counter_set(&c.io_end_ns, 7);
	got = counters_read(&c);
	ck_assert_uint_eq(got.bytes, 1);
	ck_assert_uint_eq(got.calls, 2);
	ck_assert_uint_eq(got.pkts, 3);
	ck_assert_uint_eq(got.call_ns, 4);
	ck_assert_uint_eq(got.call_since_ns, 5);
	ck_assert_uint_eq(got.source_wait_ns, 6);
	ck_assert_uint_eq(got.io_end_ns, 7);
	counter_add(&c.bytes, UINT32_MAX);
	counter_set(&c.call_since_ns, 0);
	ck_assert_uint_eq(counter_get(&c.bytes), UINT64_C(0x100000000));
	ck_assert_uint_eq(counter_get(&c.call_since_ns), 0);
}
END_TEST

#define STEPS 200000
#define STEP  UINT64_C(0x100000001) /* a torn 64-bit value would be no multiple */

static void *worker(void *arg)
{
	struct counters *c = arg;

	for (int i = 0; i < STEPS; i++)
		counter_add(&c->bytes, STEP);
	return NULL;
}

START_TEST(a_reader_sees_whole_values_that_only_grow)
{
	struct counters c = {0};
	uint64_t before = 0;
	pthread_t t;

	ck_assert_int_eq(pthread_create(&t, NULL, worker, &c), 0);
	while (before < STEPS * STEP) {
		uint64_t now = counters_read(&c).bytes;

		ck_assert_uint_eq(now % STEP, 0);
		ck_assert_uint_ge(now, before);
		before = now;
	}
	ck_assert_int_eq(pthread_join(t, NULL), 0);
	ck_assert_uint_eq(counter_get(&c.bytes), STEPS * STEP);
}
END_TEST

CHECK_MAIN("counters", a_copy_has_every_member, a_reader_sees_whole_values_that_only_grow)
