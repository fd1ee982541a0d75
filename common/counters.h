/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a worker has done so far. One writer, any number of readers, no lock: the worker
 * adds, the main thread reads at each tick and takes the difference to the tick before.
 * A reader may see one member newer than another; each is right by itself. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

struct counters {
	_Atomic uint64_t bytes;   /* payload moved, no headers */
	_Atomic uint64_t calls;   /* hand-overs to or from the network: see mover.h */
	_Atomic uint64_t pkts;    /* datagrams */
	_Atomic uint64_t call_ns; /* inside send or recv calls and their waits */
	_Atomic uint64_t call_since_ns; /* start of the call in progress, 0 = none */
	/* Sender: time waiting for data to send; receiver: for the sink to take it. */
	_Atomic uint64_t source_wait_ns;
	_Atomic uint64_t io_end_ns; /* monotonic time of the last payload moved */
};

/* A copy, taken member by member. */
struct counted {
	uint64_t bytes, calls, pkts;
	uint64_t call_ns, call_since_ns, source_wait_ns, io_end_ns;
};

/* The owner's side: a plain add, as nobody else writes. */
static inline void counter_add(_Atomic uint64_t *c, uint64_t n)
{
	atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + n,
			      memory_order_relaxed);
}

static inline void counter_set(_Atomic uint64_t *c, uint64_t n)
{
	atomic_store_explicit(c, n, memory_order_relaxed);
}

static inline uint64_t counter_get(const _Atomic uint64_t *c)
{
	return atomic_load_explicit(c, memory_order_relaxed);
}

static inline struct counted counters_read(const struct counters *c)
{
	return (struct counted){
		.bytes = counter_get(&c->bytes),
		.calls = counter_get(&c->calls),
		.pkts = counter_get(&c->pkts),
		.call_ns = counter_get(&c->call_ns),
		.call_since_ns = counter_get(&c->call_since_ns),
		.source_wait_ns = counter_get(&c->source_wait_ns),
		.io_end_ns = counter_get(&c->io_end_ns),
	};
}

#endif
