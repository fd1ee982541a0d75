/* SPDX-License-Identifier: BSD-2-Clause */
#include "ticker.h"

#include "mono.h"

void ticker_start(struct ticker *t, uint64_t start_ns, uint64_t period_ns)
{
	t->start_ns = start_ns;
	t->period_ns = period_ns;
	t->next_ns = period_ns ? mono_add_ns(start_ns, period_ns) : MONO_NEVER;
}

bool ticker_due(struct ticker *t, uint64_t now_ns)
{
	if (now_ns < t->next_ns || t->next_ns == MONO_NEVER)
		return false;
	t->next_ns = t->start_ns +
		     ((now_ns - t->start_ns) / t->period_ns + 1) * t->period_ns;
	return true;
}
