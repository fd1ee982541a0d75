/* SPDX-License-Identifier: BSD-2-Clause */
#include "units_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct units_shape units_iperf2 = {.top = 5, .thousandth = true};
const struct units_shape units_iperf3 = {.top = 4, .thousandth = false};

static const char letters[] = "bkmgtp";

/* The unit's power of 1000 or 1024, -1 = adaptive. */
static int power_of(char letter)
{
	const char *at = letter ? strchr(letters, letter | 0x20) : NULL;

	return at ? (int)(at - letters) : -1;
}

/* Decimals that make three digits. A value that rounds up to the next digit counts as
 * that: 9.996 is 10.0. */
static int decimals(double v, bool thousandth)
{
	if (thousandth && v < 0.9995)
		return 3;
	if (v < 9.995)
		return 2;
	return v < 99.95 ? 1 : 0;
}

const char *units_format(char *buf, size_t cap, double bytes, char letter,
			 const struct units_shape *shape)
{
	static const char *const prefix[] = {"", "K", "M", "G", "T", "P"};
	bool bits = letter >= 'a' && (letter == 'a' || power_of(letter) >= 0);
	double step = bits ? 1000 : 1024;
	double v = !isfinite(bytes) ? 0 : bits ? bytes * 8 : bytes;
	int power = power_of(letter);

	if (power < 0) {
		power = 0;
		while (power < shape->top && fabs(v) >= step) {
			v /= step;
			power++;
		}
	} else {
		for (int i = 0; i < power; i++)
			v /= step;
	}
	snprintf(buf, cap, "%4.*f %s%s", decimals(fabs(v), shape->thousandth), v,
		 prefix[power], bits ? "bit" : "Byte");
	return buf;
}
