/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Option values as iperf3 reads them: lenient where upstream is (text behind a number is
 * ignored), strict about what is no number or out of range. */
#ifndef I3_CONF_VALUES_H
#define I3_CONF_VALUES_H

#include <stdbool.h>
#include <stdint.h>

/* C's idea of a whole number: "12abc" is 12, "abc" is 0. Clamped to what long holds. */
long i3_value_int(const char *text);

/* Decimal, 0octal or 0xhex; all of text must be it. */
bool i3_value_any_base(const char *text, long min, long max, long *out);

/* Seconds with a fraction; "abc" is 0. False when it is not finite. */
bool i3_value_seconds(const char *text, double *out);

/* Number, fraction allowed, and one letter k K m M g G t T, base 1024 or 1000; text
 * behind the letter is ignored ("10Mbit"). False for no number, another letter, a
 * negative value or one above 2^63-1. */
bool i3_value_scaled(const char *text, unsigned base, uint64_t *out);

/* Number 0..63 or symbolic name to the TOS byte, -1 when it is neither. */
int i3_value_dscp(const char *text);

#endif
