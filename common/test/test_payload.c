/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdint.h>

#include "check_main.h"
#include "payload.h"

START_TEST(patterns)
{
	char buf[200];

	memset(buf, 'x', sizeof(buf));
	ck_assert_int_eq(payload_fill(buf, 199, PAYLOAD_PRINTABLE, NULL), 0);
	ck_assert_mem_eq(buf, " !\"#$%&'()*+,-./0123", 20);
	ck_assert_mem_eq(buf + 90, "z{|}~ !\"", 8);
	ck_assert_int_eq(buf[198], ' ' + 198 % 95);
	ck_assert_int_eq(buf[199], 'x');
	ck_assert_int_eq(payload_fill(buf, 25, PAYLOAD_DIGITS, NULL), 0);
	ck_assert_mem_eq(buf, "0123456789012345678901234", 25);
	ck_assert_int_eq(buf[25], ' ' + 25);
	ck_assert_int_eq(payload_fill(buf, 3, PAYLOAD_ZERO, NULL), 0);
	ck_assert_mem_eq(buf, "\0\0\0003", 4);
	ck_assert_int_eq(payload_fill(buf, 0, PAYLOAD_RANDOM, NULL), 0);
	ck_assert_int_eq(buf[0], 0);
}
END_TEST

START_TEST(random_bytes_are_all_over_the_place)
{
	/* More than one getrandom() call gives at once when a signal comes. */
	static unsigned char buf[1 << 20];
	size_t count[256] = {0};

	ck_assert_int_eq(payload_fill(buf, sizeof(buf), PAYLOAD_RANDOM, NULL), 0);
	for (size_t i = 0; i < sizeof(buf); i++)
		count[buf[i]]++;
	/* Expected 4096 each with a deviation of 64: out of these bounds once in a
	 * universe. */
	for (size_t i = 0; i < 256; i++) {
		ck_assert_uint_gt(count[i], 3200);
		ck_assert_uint_lt(count[i], 5000);
	}
}
END_TEST

START_TEST(alignment)
{
	static const struct {
		size_t len, align, offset, remainder;
	} cases[] = {
		{8192, 16384, 0, 0},    {8192, 16384, 5, 5}, {8192, 16384, 16384 + 7, 7},
		{1, 1000, 0, 0},        {1, 1000, 999, 999}, {100, 1000, 3001, 1},
		{8192, 1, 0, 0},        {8192, 1, 77, 0},    {0, 4096, 0, 0},
		{65536, 1048576, 3, 3},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		void *base = NULL;
		struct err e;
		char *p = payload_alloc(cases[i].len, cases[i].align, cases[i].offset,
					&base, &e);

		ck_assert_ptr_nonnull(p);
		ck_assert_uint_eq((uintptr_t)p % cases[i].align, cases[i].remainder);
		memset(p, 1, cases[i].len); /* a sanitizer sees whether it fits */
		ck_assert(p >= (char *)base);
		free(base);
	}
}
END_TEST

START_TEST(no_alignment_means_a_plain_offset)
{
	void *base;
	char *p = payload_alloc(100, 0, 33, &base, NULL);

	ck_assert_ptr_eq(p, (char *)base + 33);
	memset(p, 1, 100);
	free(base);
}
END_TEST

START_TEST(too_much_is_refused)
{
	static const struct {
		size_t len, align, offset;
	} cases[] = {
		{1, 0, SIZE_MAX},
		{SIZE_MAX, 16384, 0},
		{1, SIZE_MAX, SIZE_MAX - 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		void *base = &base;
		struct err e;

		ck_assert_ptr_null(payload_alloc(cases[i].len, cases[i].align,
						 cases[i].offset, &base, &e));
		ck_assert_ptr_null(base);
		ck_assert_int_eq(e.code, ERR_SYS);
		ck_assert_int_eq(e.sys_errno, ENOMEM);
	}
}
END_TEST

CHECK_MAIN("payload", patterns, random_bytes_are_all_over_the_place, alignment,
	   no_alignment_means_a_plain_offset, too_much_is_refused)
