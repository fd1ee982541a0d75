/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How late packets were delivered against their ideal time: what tells a noisy machine
 * from a wrong tool. */
#ifndef LATE_H
#define LATE_H

#include <stddef.h>
#include <stdint.h>

#define LATE_BINS 11

struct late {
	uint64_t count, sum_ns, max_ns;
	uint64_t bin[LATE_BINS]; /* bin i counts what is below late_edge_us(i) */
};

/* Upper edge of a bin, exclusive, in us; 0 for the last one, which has none. */
uint32_t late_edge_us(size_t bin);

void late_add(struct late *l, uint64_t late_ns);

#endif
