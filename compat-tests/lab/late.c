/* SPDX-License-Identifier: BSD-2-Clause */
#include "late.h"

#include "mono.h"

static const uint32_t edges_us[LATE_BINS] = {5,   10,   20,   50,    100, 200,
					     500, 1000, 5000, 20000, 0};

uint32_t late_edge_us(size_t bin)
{
	return bin < LATE_BINS ? edges_us[bin] : 0;
}

void late_add(struct late *l, uint64_t late_ns)
{
	size_t i = 0;

	while (i < LATE_BINS - 1 && late_ns >= edges_us[i] * NS_PER_US)
		i++;
	l->bin[i]++;
	l->count++;
	l->sum_ns += late_ns;
	if (late_ns > l->max_ns)
		l->max_ns = late_ns;
}
