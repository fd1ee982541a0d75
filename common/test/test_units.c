/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <locale.h>
#include <stdbool.h>

#include "check_main.h"
#include "units.h"

#define TEN_TIMES(s) s s s s s s s s s s

START_TEST(whole_numbers)
{
	static const struct {
		const char *text;
		uint64_t min, max, value;
		const char *error; /* NULL = accepted */
	} rows[] = {
		{"0", 0, 9, 0, NULL},
		{"007", 0, 9, 7, NULL},
		{"65535", 1, 65535, 65535, NULL},
		{"18446744073709551615", 0, UINT64_MAX, UINT64_MAX, NULL},
		{"0", 1, 65535, 0, "out of range (1..65535)"},
		{"65536", 1, 65535, 0, "out of range (1..65535)"},
		{"18446744073709551616", 0, UINT64_MAX, 0,
		 "out of range (0..18446744073709551615)"},
		{"99999999999999999999999", 1, 5, 0, "out of range (1..5)"},
		{"-1", 1, 5, 0, "out of range (1..5)"},
		{"", 1, 5, 0, "empty, needs a whole number"},
		{"-", 1, 5, 0, "not a whole number"},
		{"+1", 1, 5, 0, "not a whole number"},
		{" 1", 1, 5, 0, "not a whole number"},
		{"1 ", 1, 5, 0, "not a whole number"},
		{"1\n", 1, 5, 0, "not a whole number"},
		{"0x10", 1, 50, 0, "not a whole number"},
		{"1e3", 1, 5000, 0, "not a whole number"},
		{"1.", 1, 5, 0, "not a whole number"},
		{"1.0", 1, 5, 0, "not a whole number"},
		{"nan", 1, 5, 0, "not a whole number"},
		{"3k", 1, 5, 0, "not a whole number"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e;
		uint64_t v = 12345;
		int r = units_parse_u64(rows[i].text, rows[i].min, rows[i].max, &v, "-p",
					&e);

		ck_assert_msg(r == (rows[i].error ? -1 : 0), "\"%s\"", rows[i].text);
		if (rows[i].error) {
			ck_assert_str_eq(e.text, rows[i].error);
			ck_assert_str_eq(e.what, "-p");
			ck_assert_int_eq(e.code, ERR_USAGE);
			ck_assert_uint_eq(v, 12345);
		} else {
			ck_assert_uint_eq(v, rows[i].value);
		}
	}
}
END_TEST

START_TEST(signed_numbers)
{
	static const struct {
		const char *text;
		int64_t min, max, value;
		const char *error;
	} rows[] = {
		{"-5", -5, 5, -5, NULL},
		{"-0", -5, 5, 0, NULL},
		{"9223372036854775807", INT64_MIN, INT64_MAX, INT64_MAX, NULL},
		{"-9223372036854775808", INT64_MIN, INT64_MAX, INT64_MIN, NULL},
		{"9223372036854775808", 0, INT64_MAX, 0,
		 "out of range (0..9223372036854775807)"},
		{"-9223372036854775809", INT64_MIN, 0, 0,
		 "out of range (-9223372036854775808..0)"},
		{"-6", -5, 5, 0, "out of range (-5..5)"},
		{"6", -5, 5, 0, "out of range (-5..5)"},
		{"--5", -5, 5, 0, "not a whole number"},
		{"", -5, 5, 0, "empty, needs a whole number"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e;
		int64_t v = 12345;
		int r = units_parse_i64(rows[i].text, rows[i].min, rows[i].max, &v, "-i",
					&e);

		ck_assert_msg(r == (rows[i].error ? -1 : 0), "\"%s\"", rows[i].text);
		if (rows[i].error)
			ck_assert_str_eq(e.text, rows[i].error);
		else
			ck_assert_int_eq(v, rows[i].value);
	}
}
END_TEST

START_TEST(fractions)
{
	static const struct {
		const char *text;
		double min, max, value;
		const char *error;
	} rows[] = {
		{"0", 0, 1, 0, NULL},
		{"0.1", 0, 1, 0.1, NULL},
		{".5", 0, 1, 0.5, NULL},
		{"3.", 0, 5, 3, NULL},
		{"-2.75", -5, 5, -2.75, NULL},
		{"123456.789012", 0, 1e9, 123456.789012, NULL},
		{"0.001", 0, 1, 0.001, NULL},
		{"86400", 0, 86400, 86400, NULL},
		{"0.0000000000000000000000000000000000000000000000001", 0, 1, 1e-49,
		 NULL},
		{"9007199254740993.0", 0, 1e17, 9007199254740992.0, NULL},
		{"100000000000000000000000", 0, DBL_MAX, 1e23, NULL},
		{"86400.5", 0, 86400, 0, "out of range (0..86400)"},
		{"-1", 0, 1000000, 0, "out of range (0..1000000)"},
		{TEN_TIMES(TEN_TIMES("9999")), 0, DBL_MAX, 0, "too large"},
		{"", 0, 1, 0, "empty, needs a number"},
		{".", 0, 1, 0, "not a number"},
		{"-", 0, 1, 0, "not a number"},
		{"1e3", 0, 5000, 0, "not a number"},
		{"0x10", 0, 50, 0, "not a number"},
		{"nan", 0, 1, 0, "not a number"},
		{"inf", 0, 1, 0, "not a number"},
		{"1,5", 0, 5, 0, "not a number"},
		{"1.5s", 0, 5, 0, "not a number"},
		{" 1", 0, 5, 0, "not a number"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e;
		double v = 12345;
		int r = units_parse_double(rows[i].text, rows[i].min, rows[i].max, &v,
					   "-t", &e);

		ck_assert_msg(r == (rows[i].error ? -1 : 0), "\"%s\"", rows[i].text);
		if (rows[i].error)
			ck_assert_str_eq(e.text, rows[i].error);
		else
			ck_assert_msg(v >= rows[i].value && v <= rows[i].value, "\"%s\"",
				      rows[i].text);
	}
}
END_TEST

START_TEST(the_locale_has_no_say)
{
	static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8",
					    "ru_RU.UTF-8"};
	bool found = false;
	struct err e;
	double v = 0;

	for (size_t i = 0; i < ARRAY_LEN(names) && !found; i++)
		found = setlocale(LC_ALL, names[i]) != NULL;
	if (!found)
		puts("# no locale with a decimal comma here, so less is tested");
	ck_assert_int_eq(units_parse_double("1.5", 0, 9, &v, "", &e), 0);
	ck_assert_double_eq_tol(v, 1.5, 1e-12);
	ck_assert_int_eq(units_parse_double("1,5", 0, 9, &v, "", &e), -1);
	setlocale(LC_ALL, "C");
}
END_TEST

START_TEST(scaled_numbers)
{
	static const struct {
		const char *text;
		unsigned base;
		uint64_t min, max, value;
		const char *error;
	} rows[] = {
		{"0", 1024, 0, 9, 0, NULL},
		{"10k", 1024, 0, UINT64_MAX, 10240, NULL},
		{"10K", 1000, 0, UINT64_MAX, 10000, NULL},
		{"1.5M", 1000, 0, UINT64_MAX, 1500000, NULL},
		{"1.5m", 1024, 0, UINT64_MAX, 1572864, NULL},
		{".5g", 1024, 0, UINT64_MAX, 536870912, NULL},
		{"2T", 1000, 0, UINT64_MAX, 2000000000000, NULL},
		{"0.3k", 1000, 0, UINT64_MAX, 300, NULL},
		{"0.9999", 1000, 0, UINT64_MAX, 0, NULL},
		{"1.9999", 1000, 0, UINT64_MAX, 1, NULL},
		{"0.0000000000009999999999999999999999t", 1000, 0, 9, 0, NULL},
		{"0.000000000001t", 1000, 0, 9, 1, NULL},
		{"18446744073709551615", 1000, 0, UINT64_MAX, UINT64_MAX, NULL},
		{"18446744073709551615.9", 1000, 0, UINT64_MAX, UINT64_MAX, NULL},
		{"9007199254740993", 1000, 0, UINT64_MAX, 9007199254740993, NULL},
		{"18446744073709551.615k", 1000, 0, UINT64_MAX, UINT64_MAX, NULL},
		{"18446744073709551.616k", 1000, 0, UINT64_MAX, 0,
		 "out of range (0..18446744073709551615)"},
		{"18446744073709551616", 1024, 0, UINT64_MAX, 0,
		 "out of range (0..18446744073709551615)"},
		{"16777216t", 1024, 0, UINT64_MAX, 0,
		 "out of range (0..18446744073709551615)"},
		{"1k", 1024, 1, 1023, 0, "out of range (1..1023)"},
		{"0", 1024, 1, 1023, 0, "out of range (1..1023)"},
		{"-1k", 1024, 1, 1023, 0, "out of range (1..1023)"},
		{"-0.1", 1024, 0, 1023, 0, "out of range (0..1023)"},
		{"", 1024, 0, 9, 0, "empty, needs a number"},
		{"k", 1024, 0, 9, 0, "not a number"},
		{".k", 1024, 0, 9, 0, "not a number"},
		{"nan", 1024, 0, 9, 0, "not a number"},
		{"inf", 1024, 0, 9, 0, "not a number"},
		{"1kk", 1024, 0, 9, 0, "may only end in k, m, g or t"},
		{"1k ", 1024, 0, 9, 0, "may only end in k, m, g or t"},
		{"1p", 1024, 0, 9, 0, "may only end in k, m, g or t"},
		{"0x10", 1024, 0, 99, 0, "may only end in k, m, g or t"},
		{"1e3", 1024, 0, 9999, 0, "may only end in k, m, g or t"},
		{"1.2.3", 1024, 0, 9999, 0, "may only end in k, m, g or t"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e;
		uint64_t v = 12345;
		int r = units_parse_scaled(rows[i].text, rows[i].base, rows[i].min,
					   rows[i].max, &v, "-l", &e);

		ck_assert_msg(r == (rows[i].error ? -1 : 0), "\"%s\"", rows[i].text);
		if (rows[i].error)
			ck_assert_str_eq(e.text, rows[i].error);
		else
			ck_assert_msg(v == rows[i].value, "\"%s\"", rows[i].text);
	}
}
END_TEST

START_TEST(rates)
{
	ck_assert_double_eq_tol(units_rate(1e6, 'k', 1000), 8000, 1e-9);
	ck_assert_double_eq_tol(units_rate(1048576, 'K', 1024), 1024, 1e-9);
	ck_assert_double_eq_tol(units_rate(1048576, 'm', 1024), 8, 1e-9);
	ck_assert_double_eq_tol(units_rate(5e6, 'M', 1000), 5, 1e-9);
	ck_assert_double_eq_tol(units_rate(1.25e9, 'g', 1000), 10, 1e-9);
	ck_assert_double_eq_tol(units_rate(1073741824, 'G', 1024), 1, 1e-9);
	ck_assert_double_eq_tol(units_rate(1.25e12, 't', 1000), 10, 1e-9);
	ck_assert_double_eq_tol(units_rate(1e12, 'T', 1000), 1, 1e-9);
	ck_assert_str_eq(units_rate_name('k'), "Kbit");
	ck_assert_str_eq(units_rate_name('G'), "GB");
	ck_assert_ptr_null(units_rate_name('x'));
	ck_assert_ptr_null(units_rate_name('\0'));
}
END_TEST

CHECK_MAIN("units", whole_numbers, signed_numbers, fractions, the_locale_has_no_say,
	   scaled_numbers, rates)
