/* SPDX-License-Identifier: BSD-2-Clause */
#include "realtime.h"

#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* Frames in flight: 8 MB hold 5000 full ones; more is had from the kernel as needed. */
#define HEAP_BYTES (8 << 20)

#define AWAKE_MAX_US 500000
#define KILL_US      5000000

static volatile sig_atomic_t gave_up;

static void on_cpu_limit(int number)
{
	const struct sched_param normal = {0};

	(void)number;
	sched_setscheduler(0, SCHED_OTHER, &normal);
	gave_up = 1;
}

bool realtime_gave_up(void)
{
	return gave_up;
}

/* The kernel's own watchdog: it counts the time since the thread last slept. */
static int guard(struct err *e)
{
	const struct rlimit limit = {.rlim_cur = AWAKE_MAX_US, .rlim_max = KILL_US};
	struct sigaction sa = {.sa_handler = on_cpu_limit, .sa_flags = SA_RESTART};

	sigemptyset(&sa.sa_mask);
	if (sigaction(SIGXCPU, &sa, NULL) < 0)
		return err_sys(e, "sigaction");
	if (setrlimit(RLIMIT_RTTIME, &limit) < 0)
		return err_sys(e, "limit of real-time CPU time");
	return 0;
}

/* Keep what is freed, and have it all in memory before the first packet. */
static void warm_heap(void)
{
	void *p;

#ifdef __GLIBC__
	mallopt(M_TRIM_THRESHOLD, INT32_MAX);
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TOP_PAD, 1 << 20);
#endif
	p = malloc(HEAP_BYTES);
	if (p)
		explicit_bzero(p, HEAP_BYTES);
	free(p);
}

struct realtime realtime_enter(int priority)
{
	const struct sched_param fifo = {.sched_priority = priority};
	struct realtime r = {0};

	warm_heap();
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	if (mlockall(MCL_CURRENT | MCL_FUTURE) == 0)
		r.locked = true;
	else
		err_sys(&r.reason, "lock memory");
	if (priority == 0 || guard(&r.reason) < 0)
		return r;
	if (sched_setscheduler(0, SCHED_FIFO, &fifo) == 0)
		r.priority = priority;
	else
		err_sys(&r.reason, "real-time priority");
	return r;
}
