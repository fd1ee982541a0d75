/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A switch that ends work wherever it waits. Loops look at stopper_tripped(); whoever
 * blocks in poll(2) puts stopper.fd into its set. Tripping is async-signal-safe and
 * works across threads. Once tripped it stays so.
 *
 * stopper_on_signals() ties one stopper of the process to signals. A call that was
 * already blocked returns EINTR; one that slips in between the look at the flag and the
 * wait is interrupted by a timer that repeats until the process ends. */
#ifndef STOPPER_H
#define STOPPER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "err.h"

struct stopper {
	atomic_int reason; /* 0 = run on; else the value given to stopper_trip() */
	int fd;            /* eventfd, readable once tripped */
};

/* Returns 0, or -1 with e filled. The caller frees it with stopper_free(). */
int stopper_init(struct stopper *s, struct err *e);
void stopper_free(struct stopper *s);

/* reason must not be 0; the first one given wins. */
void stopper_trip(struct stopper *s, int reason);

static inline bool stopper_tripped(const struct stopper *s)
{
	return s && atomic_load_explicit(&s->reason, memory_order_relaxed) != 0;
}

int stopper_reason(const struct stopper *s);

/* Trip s, with the signal's number as reason, when one of the n signals comes. A signal
 * that the parent ignores (nohup) stays ignored. SIGPIPE and SIGXFSZ are ignored from
 * here on: the write that fails tells. */
int stopper_on_signals(struct stopper *s, const int *signals, size_t n, struct err *e);

#endif
