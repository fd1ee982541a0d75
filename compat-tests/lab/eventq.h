/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What is to be delivered, earliest first; equal times in the order of insertion. */
#ifndef EVENTQ_H
#define EVENTQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event {
	uint64_t at_ns;
	uint64_t order; /* set by eventq_add() */
	uint32_t way;   /* of engine.h */
	uint32_t len;
	bool plain;     /* packet.h */
	uint8_t *frame; /* from malloc(); whoever takes the event frees it */
};

struct eventq {
	struct event *heap;
	size_t size, count;
	uint64_t added;
};

/* A zeroed eventq is empty. Frees the frames that are left, too. */
void eventq_free(struct eventq *q);

/* Returns false, and takes nothing, when memory is short. */
bool eventq_add(struct eventq *q, const struct event *ev);

/* Earliest event, or NULL. Valid until the next call that changes q. */
const struct event *eventq_first(const struct eventq *q);

/* Take the earliest event out; q must not be empty. */
struct event eventq_take(struct eventq *q);

#endif
