/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "check_main.h"
#include "err.h"

START_TEST(sys_keeps_errno_and_says_what)
{
	struct err e;

	errno = ECONNREFUSED;
	ck_assert_int_eq(err_sys(&e, "connect"), -1);
	ck_assert_int_eq(errno, ECONNREFUSED);
	ck_assert_int_eq(e.code, ERR_SYS);
	ck_assert_int_eq(e.sys_errno, ECONNREFUSED);
	ck_assert_str_eq(e.what, "connect");
	ck_assert_str_eq(e.text, "Connection refused");
}
END_TEST

START_TEST(set_formats_and_truncates)
{
	struct err e;
	char big[1000];

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	ck_assert_int_eq(
		err_set(&e, ERR_USAGE, "-p 70000", "out of range (%d..%d)", 1, 65535),
		-1);
	ck_assert_str_eq(e.text, "out of range (1..65535)");
	ck_assert_int_eq(e.sys_errno, 0);
	err_set(&e, ERR_PEER, big, "%s", big);
	ck_assert_uint_eq(strlen(e.what), sizeof(e.what) - 1);
	ck_assert_uint_eq(strlen(e.text), sizeof(e.text) - 1);
}
END_TEST

START_TEST(nobody_listening_is_fine)
{
	ck_assert_int_eq(err_sys(NULL, "x"), -1);
	ck_assert_int_eq(err_set(NULL, ERR_PEER, "x", "y"), -1);
	err_clear(NULL);
}
END_TEST

CHECK_MAIN("err", sys_keeps_errno_and_says_what, set_formats_and_truncates,
	   nobody_listening_is_fine)
