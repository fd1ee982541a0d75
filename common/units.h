/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Numbers as people type and read them. Whether K is 1000 or 1024 is said at each call,
 * because the tools differ. Never uses the locale. */
#ifndef UNITS_H
#define UNITS_H

#include <stdint.h>

#include "err.h"

/* Whole decimal number within min..max: digits, a '-' where the type has a sign, nothing
 * around them. Returns 0, or -1 with e filled (ERR_USAGE) and *out untouched:
 * "out of range (MIN..MAX)", "not a whole number". what names the option. */
int units_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out,
		    const char *what, struct err *e);
int units_parse_i64(const char *text, int64_t min, int64_t max, int64_t *out,
		    const char *what, struct err *e);

/* Decimal number with fraction, no exponent: "10", "0.5", ".5". */
int units_parse_double(const char *text, double min, double max, double *out,
		       const char *what, struct err *e);

/* Number, fraction allowed, with one optional suffix k K m M g G t T of base 1000 or
 * 1024, rounded down to whole units: "1.5M". No rounding of whole numbers, up to the
 * largest. */
int units_parse_scaled(const char *text, unsigned base, uint64_t min, uint64_t max,
		       uint64_t *out, const char *what, struct err *e);

/* How a rate is shown: value in the unit, and the unit's name. letter is one of k m g t
 * (bits) K M G T (bytes); any other has no name. base: 1000 or 1024. */
double units_rate(double bytes_per_s, char letter, unsigned base);
const char *units_rate_name(char letter); /* "Kbit", "KB", "Mbit", ... ; NULL = unknown */

#endif
