/* SPDX-License-Identifier: BSD-2-Clause */
#include <sched.h>
#include <unistd.h>

#include "test/check_main.h"
#include "lab/realtime.h"
#include "mono.h"

START_TEST(a_thread_that_never_sleeps_loses_its_priority)
{
	struct realtime r = realtime_enter(1);
	uint64_t end_ns = mono_now_ns() + 3 * NS_PER_S;

	if (r.priority == 0) {
		/* Not allowed here: then it says why, and nothing can hang. */
		ck_assert_int_ne(r.reason.code, ERR_NONE);
		return;
	}
	ck_assert_int_eq(sched_getscheduler(0), SCHED_FIFO);
	ck_assert(!realtime_gave_up());
	while (!realtime_gave_up() && mono_now_ns() < end_ns)
		;
	ck_assert(realtime_gave_up());
	ck_assert_int_eq(sched_getscheduler(0), SCHED_OTHER);
}
END_TEST

CHECK_MAIN("lab realtime", a_thread_that_never_sleeps_loses_its_priority)
