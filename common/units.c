/* SPDX-License-Identifier: BSD-2-Clause */
#include "units.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* "12.034" taken apart. Digits are compared as ASCII, so no locale has a say. */
struct decimal {
	bool negative;
	const char *whole, *frac; /* digits before and after the point */
	size_t whole_len, frac_len;
	const char *rest; /* what follows */
};

static size_t digits(const char *s)
{
	return strspn(s, "0123456789");
}

static struct decimal scan(const char *text)
{
	struct decimal d = {.negative = *text == '-'};

	d.whole = text + d.negative;
	d.whole_len = digits(d.whole);
	d.rest = d.whole + d.whole_len;
	d.frac = d.rest;
	if (*d.rest == '.') {
		d.frac = d.rest + 1;
		d.frac_len = digits(d.frac);
		d.rest = d.frac + d.frac_len;
	}
	return d;
}

static bool has_digits(const struct decimal *d)
{
	return d->whole_len + d->frac_len > 0;
}

static bool is_whole(const struct decimal *d)
{
	return d->whole_len > 0 && d->whole[d->whole_len] == '\0';
}

/* False when the digits do not fit. */
static bool to_u64(const char *s, size_t len, uint64_t *out)
{
	uint64_t v = 0;

	for (size_t i = 0; i < len; i++) {
		uint64_t digit = (uint64_t)(s[i] - '0');

		if (v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*out = v;
	return true;
}

static int bad_number(const char *text, const char *kind, const char *what, struct err *e)
{
	if (*text == '\0')
		return err_set(e, ERR_USAGE, what, "empty, needs a %s", kind);
	return err_set(e, ERR_USAGE, what, "not a %s", kind);
}

static int out_of_u64(uint64_t min, uint64_t max, const char *what, struct err *e)
{
	return err_set(e, ERR_USAGE, what, "out of range (%" PRIu64 "..%" PRIu64 ")", min,
		       max);
}

int units_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out,
		    const char *what, struct err *e)
{
	struct decimal d = scan(text);
	uint64_t v;

	if (!is_whole(&d))
		return bad_number(text, "whole number", what, e);
	if (d.negative || !to_u64(d.whole, d.whole_len, &v) || v < min || v > max)
		return out_of_u64(min, max, what, e);
	*out = v;
	return 0;
}

int units_parse_i64(const char *text, int64_t min, int64_t max, int64_t *out,
		    const char *what, struct err *e)
{
	struct decimal d = scan(text);
	const uint64_t limit = (uint64_t)INT64_MAX + (d.negative ? 1 : 0);
	uint64_t size;
	int64_t v = 0;
	bool fits;

	if (!is_whole(&d))
		return bad_number(text, "whole number", what, e);
	fits = to_u64(d.whole, d.whole_len, &size) && size <= limit;
	if (fits)
		v = !d.negative     ? (int64_t)size
		    : size == limit ? INT64_MIN
				    : -(int64_t)size;
	if (!fits || v < min || v > max)
		return err_set(e, ERR_USAGE, what,
			       "out of range (%" PRId64 "..%" PRId64 ")", min, max);
	*out = v;
	return 0;
}

int units_parse_double(const char *text, double min, double max, double *out,
		       const char *what, struct err *e)
{
	struct decimal d = scan(text);
	locale_t plain;
	double v;

	if (!has_digits(&d) || *d.rest != '\0')
		return bad_number(text, "number", what, e);
	plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!plain)
		return err_sys(e, what);
	v = strtod_l(text, NULL, plain);
	freelocale(plain);
	if (!isfinite(v))
		return err_set(e, ERR_USAGE, what, "too large");
	if (v < min || v > max)
		return err_set(e, ERR_USAGE, what, "out of range (%.15g..%.15g)", min,
			       max);
	*out = v;
	return 0;
}

/* How often the base is multiplied for a suffix; -1 = no such suffix. */
static int suffix_power(char c)
{
	static const char suffixes[] = "kmgt";
	const char *at = c ? strchr(suffixes, c | 0x20) : NULL;

	return at ? (int)(at - suffixes) + 1 : -1;
}

/* floor(0.frac * unit), exact for any number of digits: floor((n + x) / 10) and
 * floor((n + floor(x)) / 10) are the same for whole n. */
static uint64_t fraction_of(const struct decimal *d, uint64_t unit)
{
	uint64_t v = 0;

	for (size_t i = d->frac_len; i > 0; i--)
		v = (v + (uint64_t)(d->frac[i - 1] - '0') * unit) / 10;
	return v;
}

int units_parse_scaled(const char *text, unsigned base, uint64_t min, uint64_t max,
		       uint64_t *out, const char *what, struct err *e)
{
	struct decimal d = scan(text);
	int power = suffix_power(*d.rest);
	uint64_t unit = 1;
	uint64_t v, fraction;

	if (!has_digits(&d))
		return bad_number(text, "number", what, e);
	if (*d.rest != '\0' && (power < 0 || d.rest[1] != '\0'))
		return err_set(e, ERR_USAGE, what, "may only end in k, m, g or t");
	for (int i = 0; i < power; i++)
		unit *= base;
	fraction = fraction_of(&d, unit);
	if (d.negative || !to_u64(d.whole, d.whole_len, &v) ||
	    v > (UINT64_MAX - fraction) / unit)
		return out_of_u64(min, max, what, e);
	v = v * unit + fraction;
	if (v < min || v > max)
		return out_of_u64(min, max, what, e);
	*out = v;
	return 0;
}

double units_rate(double bytes_per_s, char letter, unsigned base)
{
	bool bits = letter >= 'a';
	int power = suffix_power(letter);
	double v = bits ? bytes_per_s * 8 : bytes_per_s;

	for (int i = 0; i < power; i++)
		v /= base;
	return v;
}

const char *units_rate_name(char letter)
{
	switch (letter) {
	case 'k':
		return "Kbit";
	case 'K':
		return "KB";
	case 'm':
		return "Mbit";
	case 'M':
		return "MB";
	case 'g':
		return "Gbit";
	case 'G':
		return "GB";
	case 't':
		return "Tbit";
	case 'T':
		return "TB";
	default:
		return NULL;
	}
}
