/* SPDX-License-Identifier: BSD-2-Clause */
#include "mono.h"

#include <limits.h>
#include <stddef.h>
#include <time.h>

static const uint64_t *fake;

static uint64_t now_of(clockid_t clock)
{
	struct timespec ts;

	if (fake)
		return *fake;
	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

uint64_t mono_now_ns(void)
{
	return now_of(CLOCK_MONOTONIC);
}

uint64_t wall_now_ns(void)
{
	return now_of(CLOCK_REALTIME);
}

uint64_t mono_since_ns(uint64_t then_ns, uint64_t now_ns)
{
	return now_ns > then_ns ? now_ns - then_ns : 0;
}

uint64_t mono_add_ns(uint64_t then_ns, uint64_t delta_ns)
{
	return then_ns > MONO_NEVER - delta_ns ? MONO_NEVER : then_ns + delta_ns;
}

int mono_poll_ms(uint64_t deadline_ns, uint64_t now_ns)
{
	const uint64_t left_ns = mono_since_ns(now_ns, deadline_ns);
	const uint64_t ms = left_ns / NS_PER_MS + (left_ns % NS_PER_MS != 0);

	if (deadline_ns == MONO_NEVER)
		return -1;
	return ms > INT_MAX ? INT_MAX : (int)ms;
}

int mono_sleep_until_ns(uint64_t deadline_ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(deadline_ns / NS_PER_S),
		.tv_nsec = (long)(deadline_ns % NS_PER_S),
	};

	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) ? -1 : 0;
}

double ns_to_s(uint64_t ns)
{
	return (double)ns / 1e9;
}

void mono_fake(const uint64_t *fake_ns)
{
	fake = fake_ns;
}
