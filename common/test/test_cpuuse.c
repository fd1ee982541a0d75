/* SPDX-License-Identifier: BSD-2-Clause */
#include <pthread.h>
#include <sys/mman.h>

#include "check_main.h"
#include "cpuuse.h"
#include "mono.h"

#define WORK_NS (30 * NS_PER_MS)

/* Use up at least WORK_NS of CPU time of this thread. */
static void *work(void *unused)
{
	const uint64_t start = cpuuse_thread_ns();

	while (cpuuse_thread_ns() - start < WORK_NS)
		;
	return unused;
}

START_TEST(busy_time_is_seen)
{
	struct cpuuse before = cpuuse_now();
	struct cpuuse after, d;

	work(NULL);
	after = cpuuse_now();
	d = cpuuse_since(&before, &after);
	/* getrusage() may lag by a clock tick. */
	ck_assert_uint_ge(d.user_ns + d.system_ns, WORK_NS - 11 * NS_PER_MS);
	ck_assert_uint_ge(d.at_ns, WORK_NS);
}
END_TEST

START_TEST(process_counts_all_threads_and_a_thread_only_itself)
{
	const uint64_t start = cpuuse_thread_ns();
	struct cpuuse before = cpuuse_now();
	struct cpuuse after;
	pthread_t t;

	ck_assert_int_eq(pthread_create(&t, NULL, work, NULL), 0);
	ck_assert_int_eq(pthread_join(t, NULL), 0);
	after = cpuuse_now();
	ck_assert_uint_lt(cpuuse_thread_ns() - start, WORK_NS / 2);
	ck_assert_uint_ge(after.user_ns + after.system_ns - before.user_ns -
				  before.system_ns,
			  WORK_NS - 11 * NS_PER_MS);
}
END_TEST

START_TEST(faults_and_switches_are_counted)
{
	const size_t page = 4096, pages = 256;
	struct cpuuse before, after, d;
	volatile char *m = mmap(NULL, page * pages, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne((void *)m, MAP_FAILED);
	madvise((void *)m, page * pages, MADV_NOHUGEPAGE);
	before = cpuuse_now();
	for (size_t i = 0; i < pages; i++)
		m[i * page] = 1;
	mono_sleep_until_ns(mono_now_ns() + NS_PER_MS);
	after = cpuuse_now();
	d = cpuuse_since(&before, &after);
	/* Larger pages than expected mean fewer faults. */
	ck_assert_uint_gt(d.minor_faults, 0);
	ck_assert_uint_gt(d.voluntary_switches, 0);
	munmap((void *)m, page * pages);
}
END_TEST

START_TEST(differences)
{
	const struct cpuuse a = {100, 50, 60, 7, 8, 9, 10};
	const struct cpuuse b = {300, 55, 59, 17, 18, 29, 40};
	struct cpuuse d = cpuuse_since(&a, &b);

	ck_assert_uint_eq(d.at_ns, 200);
	ck_assert_uint_eq(d.user_ns, 5);
	ck_assert_uint_eq(d.system_ns, 0); /* ran backwards */
	ck_assert_uint_eq(d.minor_faults, 10);
	ck_assert_uint_eq(d.major_faults, 10);
	ck_assert_uint_eq(d.voluntary_switches, 20);
	ck_assert_uint_eq(d.involuntary_switches, 30);
	ck_assert_double_eq_tol(cpuuse_percent(1500, 1000), 150, 1e-9);
	ck_assert_double_eq_tol(cpuuse_percent(1, 3), 100.0 / 3, 1e-9);
	ck_assert_double_eq_tol(cpuuse_percent(5, 0), 0, 1e-9);
}
END_TEST

START_TEST(largest_size_grows_with_memory)
{
	const size_t extra_kib = 20000;
	uint64_t before = cpuuse_max_rss_kib();
	volatile char *p = mmap(NULL, extra_kib * 1024, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	ck_assert_ptr_ne((void *)p, MAP_FAILED);
	ck_assert_uint_ge(cpuuse_max_rss_kib(), before + extra_kib / 2);
}
END_TEST

CHECK_MAIN("cpuuse", largest_size_grows_with_memory, busy_time_is_seen,
	   process_counts_all_threads_and_a_thread_only_itself,
	   faults_and_switches_are_counted, differences)
