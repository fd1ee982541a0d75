/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Clocks. Every duration and deadline is a uint64_t of nanoseconds on the monotonic
 * clock; the wall clock exists only for stamps that are printed or sent. */
#ifndef MONO_H
#define MONO_H

#include <stdint.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

#define MONO_NEVER UINT64_MAX /* a deadline that never comes */

/* Monotonic time since some fixed point, and time since 1970 UTC. */
uint64_t mono_now_ns(void);
uint64_t wall_now_ns(void);

/* now - then, but 0 when then lies in the future. */
uint64_t mono_since_ns(uint64_t then_ns, uint64_t now_ns);

/* then + delta without wrapping: MONO_NEVER stays MONO_NEVER. */
uint64_t mono_add_ns(uint64_t then_ns, uint64_t delta_ns);

/* Time-out in milliseconds for poll(2) until deadline_ns, rounded up so that the
 * deadline has passed when poll gives up; -1 for MONO_NEVER. */
int mono_poll_ms(uint64_t deadline_ns, uint64_t now_ns);

/* Sleep until deadline_ns of the monotonic clock. Returns early, with -1, on a signal. */
int mono_sleep_until_ns(uint64_t deadline_ns);

double ns_to_s(uint64_t ns);

/* Tests replace both clocks: each call returns *fake_ns. NULL brings the real ones back.
 * Not thread safe. */
void mono_fake(const uint64_t *fake_ns);

#endif
