/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Interval boundaries without drift: the k-th lies k periods after the start, however
 * late the one before was noticed. Boundaries that were slept through are skipped. */
#ifndef TICKER_H
#define TICKER_H

#include <stdbool.h>
#include <stdint.h>

struct ticker {
	uint64_t start_ns, period_ns; /* period 0 = never */
	uint64_t next_ns;             /* MONO_NEVER without a period */
};

void ticker_start(struct ticker *t, uint64_t start_ns, uint64_t period_ns);

/* Has a boundary passed? If so the ticker moves on to the first one after now. */
bool ticker_due(struct ticker *t, uint64_t now_ns);

#endif
