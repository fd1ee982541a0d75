/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Interarrival jitter (RFC 1889, 6.3.1 and A.8): J += (|D| - J) / 16, D = difference of
 * the transit times of two datagrams in succession. The clocks of both ends need not
 * agree: only differences count. The first datagram primes and never counts. */
#ifndef JITTER_H
#define JITTER_H

#include <stdbool.h>
#include <stdint.h>

struct jitter {
	bool primed;
	int64_t transit_ns; /* of the datagram before */
	double value_ns;
};

static inline void jitter_reset(struct jitter *j)
{
	j->primed = false;
	j->value_ns = 0;
}

/* Both times in ns, each on its own clock. */
static inline void jitter_put(struct jitter *j, uint64_t sent_ns, uint64_t arrived_ns)
{
	/* Unsigned subtraction wraps and comes out right as a signed difference. */
	int64_t transit = (int64_t)(arrived_ns - sent_ns);
	int64_t d = (int64_t)((uint64_t)transit - (uint64_t)j->transit_ns);

	if (j->primed)
		j->value_ns += ((d < 0 ? -(double)d : (double)d) - j->value_ns) / 16;
	j->primed = true;
	j->transit_ns = transit;
}

static inline double jitter_s(const struct jitter *j)
{
	return j->value_ns / 1e9;
}

#endif
