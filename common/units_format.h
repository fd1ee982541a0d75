/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Amounts and rates as iperf 2 and iperf3 show them: three digits, one blank, the unit.
 *
 *     4.82 GByte    41.3 Gbit     128 KByte    1000 Kbit    12568 Kbit    0.00 TByte
 *
 * The number takes four places at least, so " 128 KByte" begins with a blank. The caller
 * appends "s" or "s/sec". Bits count in steps of 1000, bytes in steps of 1024. */
#ifndef UNITS_FORMAT_H
#define UNITS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#define UNITS_FORMAT_MAX 48 /* room for every finite double that is a byte count */

/* What a tool's way of writing differs in. */
struct units_shape {
	int top;         /* largest unit: 4 = T, 5 = P */
	bool thousandth; /* three decimals below 1: "0.128 Mbit" */
};

extern const struct units_shape units_iperf2, units_iperf3;

/* Write bytes (or bytes per second) in the unit that letter names: a = bits and A = bytes
 * in the largest unit that leaves at least 1; b k m g t p = bits, B K M G T P = bytes in
 * just that unit. Any other letter is A. What is not a finite number is shown as 0.
 * Returns buf. */
const char *units_format(char *buf, size_t cap, double bytes, char letter,
			 const struct units_shape *shape);

#endif
