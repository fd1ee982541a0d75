/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Any text as a number: what is accepted lies within its limits, the parsers agree with
 * each other, and what is refused has a reason and changes nothing. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "units.h"

#define UNTOUCHED 12345

static void refused(const struct err *e, bool untouched)
{
	MUST(e->code == ERR_USAGE && e->text[0] != '\0' && untouched);
}

static void whole(const char *text, uint64_t min, uint64_t max)
{
	struct err e = {0};
	uint64_t v = UNTOUCHED, again = 0;
	char printed[32];

	if (units_parse_u64(text, min, max, &v, "", &e) < 0) {
		refused(&e, v == UNTOUCHED);
		return;
	}
	MUST(v >= min && v <= max);
	snprintf(printed, sizeof(printed), "%" PRIu64, v);
	MUST(units_parse_u64(printed, v, v, &again, "", &e) == 0 && again == v);
	MUST(units_parse_scaled(text, 1024, v, v, &again, "", &e) == 0 && again == v);
}

static void with_sign(const char *text, int64_t min, int64_t max)
{
	struct err e = {0};
	int64_t v = UNTOUCHED, again = 0;
	char printed[32];

	if (units_parse_i64(text, min, max, &v, "", &e) < 0) {
		refused(&e, v == UNTOUCHED);
		return;
	}
	MUST(v >= min && v <= max);
	snprintf(printed, sizeof(printed), "%" PRId64, v);
	MUST(units_parse_i64(printed, v, v, &again, "", &e) == 0 && again == v);
}

static void fraction(const char *text)
{
	struct err e = {0};
	double v = UNTOUCHED, exact;

	if (units_parse_double(text, -DBL_MAX, DBL_MAX, &v, "", &e) < 0) {
		refused(&e, v >= UNTOUCHED && v <= UNTOUCHED);
		return;
	}
	/* The program's locale is "C", so strtod() may judge. */
	exact = strtod(text, NULL);
	MUST(isfinite(v) && v >= exact && v <= exact);
}

static void scaled(const char *text, unsigned base, uint64_t min, uint64_t max)
{
	struct err e = {0};
	uint64_t v = UNTOUCHED;

	if (units_parse_scaled(text, base, min, max, &v, "", &e) < 0)
		refused(&e, v == UNTOUCHED);
	else
		MUST(v >= min && v <= max);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	whole(text, 0, UINT64_MAX);
	whole(text, 1, 65535);
	with_sign(text, INT64_MIN, INT64_MAX);
	with_sign(text, -5, 5);
	fraction(text);
	scaled(text, 1000, 0, UINT64_MAX);
	scaled(text, 1024, 1, 1 << 20);
	free(text);
	return 0;
}
