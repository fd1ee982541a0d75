/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpuuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "mono.h"

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_usec * NS_PER_US;
}

struct cpuuse cpuuse_now(void)
{
	struct cpuuse u = {.at_ns = mono_now_ns()};
	struct rusage r;

	if (getrusage(RUSAGE_SELF, &r) < 0)
		return u; /* cannot fail with these arguments */
	u.user_ns = timeval_ns(r.ru_utime);
	u.system_ns = timeval_ns(r.ru_stime);
	u.minor_faults = (uint64_t)r.ru_minflt;
	u.major_faults = (uint64_t)r.ru_majflt;
	u.voluntary_switches = (uint64_t)r.ru_nvcsw;
	u.involuntary_switches = (uint64_t)r.ru_nivcsw;
	return u;
}

/* The kernel may move a little between user and system time afterwards, so that one of
 * them runs backwards. */
static uint64_t since(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

struct cpuuse cpuuse_since(const struct cpuuse *before, const struct cpuuse *after)
{
	return (struct cpuuse){
		.at_ns = since(before->at_ns, after->at_ns),
		.user_ns = since(before->user_ns, after->user_ns),
		.system_ns = since(before->system_ns, after->system_ns),
		.minor_faults = since(before->minor_faults, after->minor_faults),
		.major_faults = since(before->major_faults, after->major_faults),
		.voluntary_switches =
			since(before->voluntary_switches, after->voluntary_switches),
		.involuntary_switches =
			since(before->involuntary_switches, after->involuntary_switches),
	};
}

uint64_t cpuuse_max_rss_kib(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	unsigned long long kib = 0;
	char line[256];
	struct rusage r;

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "VmHWM:", 6) == 0)
			kib = strtoull(line + 6, NULL, 10);
	}
	if (f)
		fclose(f);
	if (kib == 0 && getrusage(RUSAGE_SELF, &r) == 0)
		kib = (unsigned long long)r.ru_maxrss;
	return kib;
}

double cpuuse_percent(uint64_t cpu_ns, uint64_t real_ns)
{
	return real_ns ? 100 * (double)cpu_ns / (double)real_ns : 0;
}

uint64_t cpuuse_thread_ns(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}
