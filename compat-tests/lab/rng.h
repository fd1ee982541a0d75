/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Repeatable random numbers: SplitMix64 (Steele, Lea, Flood 2014). One stream for each
 * purpose, so that turning one impairment on does not move the choices of another. */
#ifndef RNG_H
#define RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Stream number `stream` of a seed. */
static inline struct rng rng_stream(uint64_t seed, uint64_t stream)
{
	struct rng r = {.state = seed};

	r.state = rng_next(&r) ^ (stream * UINT64_C(0xd1342543de82ef95));
	r.state = rng_next(&r);
	return r;
}

/* 0 <= x < 1. */
static inline double rng_unit(struct rng *r)
{
	return (double)(rng_next(r) >> 11) * 0x1p-53;
}

/* True with probability p. Draws nothing when p is 0. */
static inline bool rng_chance(struct rng *r, double p)
{
	return p > 0 && rng_unit(r) < p;
}

#endif
