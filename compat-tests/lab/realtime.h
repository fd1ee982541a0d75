/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Being on time: memory locked, timers without slack, a real-time priority - and the
 * guard without which a bug at such a priority would hang the machine. */
#ifndef REALTIME_H
#define REALTIME_H

#include <stdbool.h>

#include "err.h"

struct realtime {
	int priority;      /* of SCHED_FIFO; 0 = not given */
	bool locked;       /* mlockall() worked */
	struct err reason; /* why one of them is missing; code ERR_NONE otherwise */
};

/* Ask for SCHED_FIFO at that priority (0 = don't) and lock memory. What is refused is
 * told in the answer and the process goes on without. When the thread then runs for half
 * a second without once sleeping, it falls back to the normal priority. */
struct realtime realtime_enter(int priority);

/* Has that happened? */
bool realtime_gave_up(void);

#endif
