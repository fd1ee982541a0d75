/* SPDX-License-Identifier: BSD-2-Clause */
#include "link.h"

#include <math.h>
#include <stdlib.h>

#include "mono.h"

#define FIRST_SIZE 256 /* of the ring; it doubles when full */

/* An exponential delay has no largest value; one in 22,000 draws is cut here. */
#define JITTER_CAP 10

enum stream {
	STREAM_LOSS,
	STREAM_DUPLICATE,
	STREAM_JITTER,
	STREAM_REORDER,
	STREAMS,
};

void link_seed(struct link *l, uint64_t seed, uint64_t number)
{
	uint64_t first = number * STREAMS;

	l->loss = rng_stream(seed, first + STREAM_LOSS);
	l->duplicate = rng_stream(seed, first + STREAM_DUPLICATE);
	l->jitter = rng_stream(seed, first + STREAM_JITTER);
	l->reorder = rng_stream(seed, first + STREAM_REORDER);
	l->every = 0;
}

void link_init(struct link *l, const struct link_conf *conf, uint64_t seed,
	       uint64_t number)
{
	*l = (struct link){.conf = *conf};
	link_seed(l, seed, number);
}

void link_free(struct link *l)
{
	free(l->sending);
	l->sending = NULL;
	l->size = 0;
}

void link_configure(struct link *l, const struct link_conf *conf)
{
	if (conf->loss_every != l->conf.loss_every)
		l->every = 0;
	l->conf = *conf;
}

uint64_t link_serialization_ns(uint64_t rate_bps, uint32_t bytes)
{
	if (rate_bps == 0)
		return 0;
	/* 2^32 bytes x 8e9 would overflow; packets are far below 2^31 bytes. */
	return ((uint64_t)bytes * 8 * NS_PER_S + rate_bps / 2) / rate_bps;
}

/* Forget what has left by now_ns. */
static void drain(struct link *l, uint64_t now_ns)
{
	while (l->count > 0 && l->sending[l->head].departs_ns <= now_ns) {
		l->queued_bytes -= l->sending[l->head].bytes;
		l->head = (l->head + 1) % l->size;
		l->count--;
	}
}

static bool grow(struct link *l)
{
	size_t size = l->size ? 2 * l->size : FIRST_SIZE;
	struct link_sending *bigger = calloc(size, sizeof(*bigger));

	if (!bigger)
		return false;
	for (size_t i = 0; i < l->count; i++)
		/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): count <= size */
		bigger[i] = l->sending[(l->head + i) % l->size];
	free(l->sending);
	l->sending = bigger;
	l->size = size;
	l->head = 0;
	return true;
}

static bool has_room(struct link *l, uint32_t bytes)
{
	if (l->conf.queue_bytes > 0 && l->queued_bytes > 0 &&
	    l->queued_bytes + bytes > l->conf.queue_bytes)
		return false;
	return l->count < l->size || grow(l);
}

static bool is_lost(struct link *l)
{
	bool lost = rng_chance(&l->loss, l->conf.loss);

	if (l->conf.loss_every > 0 && ++l->every >= l->conf.loss_every) {
		l->every = 0;
		lost = true;
	}
	return lost;
}

static uint64_t jitter_ns(struct link *l)
{
	double x;

	if (l->conf.jitter_ns == 0)
		return 0;
	x = fmin(-log1p(-rng_unit(&l->jitter)), JITTER_CAP);
	return (uint64_t)(x * (double)l->conf.jitter_ns);
}

static uint64_t transmit(struct link *l, uint64_t now_ns, uint32_t bytes)
{
	uint64_t start_ns = now_ns > l->free_ns ? now_ns : l->free_ns;

	l->free_ns = start_ns + link_serialization_ns(l->conf.rate_bps, bytes);
	l->sending[(l->head + l->count) % l->size] =
		(struct link_sending){.departs_ns = l->free_ns, .bytes = bytes};
	l->count++;
	l->queued_bytes += bytes;
	return l->free_ns;
}

struct link_answer link_arrive(struct link *l, uint64_t now_ns, uint32_t bytes,
			       bool exempt)
{
	struct link_answer a = {.fate = LINK_PASS};

	if (now_ns < l->arrived_ns)
		now_ns = l->arrived_ns;
	l->arrived_ns = now_ns;
	drain(l, now_ns);
	if (l->conf.mtu_bytes > 0 && bytes > l->conf.mtu_bytes) {
		a.fate = LINK_TOO_BIG;
		return a;
	}
	if (!has_room(l, bytes)) {
		a.fate = LINK_DROP_QUEUE;
		return a;
	}
	if (!exempt && is_lost(l)) {
		a.fate = LINK_DROP_LOSS;
		return a;
	}
	a.departs_ns = transmit(l, now_ns, bytes);
	a.deliver_ns = a.departs_ns + l->conf.delay_ns + (exempt ? 0 : jitter_ns(l));
	/* Jitter, or a delay that was made shorter, must not change the order. */
	if (a.deliver_ns < l->last_ns)
		a.deliver_ns = l->last_ns;
	if (!exempt) {
		a.twice = rng_chance(&l->duplicate, l->conf.duplicate);
		a.reordered = rng_chance(&l->reorder, l->conf.reorder);
	}
	if (a.reordered)
		a.deliver_ns += l->conf.reorder_ns;
	else
		l->last_ns = a.deliver_ns;
	return a;
}

uint64_t link_queued_bytes(struct link *l, uint64_t now_ns)
{
	drain(l, now_ns);
	return l->queued_bytes;
}
