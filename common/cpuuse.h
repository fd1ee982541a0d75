/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the process used: CPU time, faults, context switches. */
#ifndef CPUUSE_H
#define CPUUSE_H

#include <stdint.h>

struct cpuuse {
	uint64_t at_ns; /* monotonic time of the reading */
	uint64_t user_ns, system_ns;
	uint64_t minor_faults, major_faults;
	uint64_t voluntary_switches, involuntary_switches;
};

/* A reading for the whole process. */
struct cpuuse cpuuse_now(void);

/* What happened between two readings; at_ns becomes the time between them. Nothing gets
 * below 0: the kernel corrects its split of user and system time afterwards. */
struct cpuuse cpuuse_since(const struct cpuuse *before, const struct cpuuse *after);

/* Largest resident size of this program so far. Not what getrusage(2) says: that one
 * remembers the parent from before the exec. */
uint64_t cpuuse_max_rss_kib(void);

/* 100 x CPU time / real time, 0 when no time has passed. */
double cpuuse_percent(uint64_t cpu_ns, uint64_t real_ns);

/* User + system time of the calling thread. */
uint64_t cpuuse_thread_ns(void);

#endif
