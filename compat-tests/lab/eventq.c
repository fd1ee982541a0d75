/* SPDX-License-Identifier: BSD-2-Clause */
#include "eventq.h"

#include <stdlib.h>

#define FIRST_SIZE 1024

void eventq_free(struct eventq *q)
{
	for (size_t i = 0; i < q->count; i++)
		free(q->heap[i].frame);
	free(q->heap);
	*q = (struct eventq){0};
}

static bool before(const struct event *a, const struct event *b)
{
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns;
	return a->order < b->order;
}

static bool grow(struct eventq *q)
{
	size_t size = q->size ? 2 * q->size : FIRST_SIZE;
	struct event *bigger = reallocarray(q->heap, size, sizeof(*bigger));

	if (!bigger)
		return false;
	q->heap = bigger;
	q->size = size;
	return true;
}

bool eventq_add(struct eventq *q, const struct event *ev)
{
	struct event new = *ev;
	size_t i;

	if (q->count == q->size && !grow(q))
		return false;
	new.order = q->added++;
	for (i = q->count++; i > 0; i = (i - 1) / 2) {
		if (!before(&new, &q->heap[(i - 1) / 2]))
			break;
		q->heap[i] = q->heap[(i - 1) / 2];
	}
	q->heap[i] = new;
	return true;
}

const struct event *eventq_first(const struct eventq *q)
{
	return q->count > 0 ? &q->heap[0] : NULL;
}

struct event eventq_take(struct eventq *q)
{
	struct event first = q->heap[0];
	struct event last = q->heap[--q->count];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < q->count) {
		if (child + 1 < q->count && before(&q->heap[child + 1], &q->heap[child]))
			child++;
		if (!before(&q->heap[child], &last))
			break;
		q->heap[i] = q->heap[child];
		i = child;
	}
	q->heap[i] = last;
	return first;
}
