/* SPDX-License-Identifier: BSD-2-Clause */
#include "conf_values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "compat.h"

long i3_value_int(const char *text)
{
	return strtol(text, NULL, 10);
}

bool i3_value_any_base(const char *text, long min, long max, long *out)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(text, &end, 0);
	if (end == text || *end != '\0' || errno != 0 || v < min || v > max)
		return false;
	*out = v;
	return true;
}

/* A decimal number without sign tricks, hex or "inf": digits, dot, digits. The locale is
 * "C" while options are read. */
static bool decimal(const char *text, double *out, char **end)
{
	const char *digits = text + (*text == '-' || *text == '+');

	if (strspn(digits, ".0123456789") == 0 || (digits[1] | 0x20) == 'x')
		return false;
	*out = strtod(text, end);
	return *end != text && isfinite(*out);
}

bool i3_value_seconds(const char *text, double *out)
{
	char *end;

	const char *number = text + (*text == '-' || *text == '+');

	*out = 0;
	if (strncasecmp(number, "inf", 3) == 0 || strncasecmp(number, "nan", 3) == 0)
		return false;
	if (strspn(number, ".0123456789") == 0)
		return true;
	return decimal(text, out, &end);
}

bool i3_value_scaled(const char *text, unsigned base, uint64_t *out)
{
	static const char letters[] = "kmgt";
	const char *at;
	char *end;
	double v;

	if (!decimal(text, &v, &end))
		return false;
	if (*end != '\0' && *end != '/') {
		at = strchr(letters, *end | 0x20);
		if (!at || *at == '\0')
			return false;
		for (const char *l = letters; l <= at; l++)
			v *= base;
	}
	if (v < 0 || v >= 9223372036854775808.0)
		return false;
	*out = (uint64_t)v;
	return true;
}

int i3_value_dscp(const char *text)
{
	static const struct {
		const char *name;
		int tos;
	} names[] = {
		{"af11", 0x28},        {"af12", 0x30},     {"af13", 0x38},
		{"af21", 0x48},        {"af22", 0x50},     {"af23", 0x58},
		{"af31", 0x68},        {"af32", 0x70},     {"af33", 0x78},
		{"af41", 0x88},        {"af42", 0x90},     {"af43", 0x98},
		{"cs0", 0x00},         {"cs1", 0x20},      {"cs2", 0x40},
		{"cs3", 0x60},         {"cs4", 0x80},      {"cs5", 0xa0},
		{"cs6", 0xc0},         {"cs7", 0xe0},      {"ef", 0xb8},
		{"va", 0xb0},          {"lowdelay", 0x10}, {"throughput", 0x08},
		{"reliability", 0x04},
	};
	long number;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcasecmp(text, names[i].name) == 0)
			return names[i].tos;
	if (!i3_value_any_base(text, 0, 63, &number))
		return -1;
	return (int)number * 4;
}
