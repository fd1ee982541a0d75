/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "auth.h"
#include "conf.h"
#include "fault.h"
#include "proto.h"
#include "report.h"
#include "test/check_main.h"

static const struct {
	int number, sys;
	const char *text;
} rows[] = {
	{I3_F_SERVER_CLIENT, 0, "cannot be both server and client"},
	{I3_F_RCV_TIMEOUT, 0, "receive timeout value is incorrect or not in range: "},
	{I3_F_LISTEN, EADDRINUSE,
	 "unable to start listener for connections: Address already in use"},
	{I3_F_CTRL_CLOSE, ECONNRESET, "control socket has closed unexpectedly"},
	{999, ENOENT, "int_errno=999: No such file or directory"},
};

START_TEST(texts)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct i3_fault f = {0};

		errno = rows[i].sys;
		ck_assert_int_eq(i3_fault_sys(&f, rows[i].number), -1);
		ck_assert_str_eq(f.text, rows[i].text);
		ck_assert_int_eq(f.number, rows[i].number);
	}
}
END_TEST

START_TEST(first_stays)
{
	struct i3_fault f = {0};

	i3_fault(&f, I3_F_CTRL_CLOSE);
	i3_fault(&f, I3_F_SELECT);
	ck_assert_int_eq(f.number, I3_F_CTRL_CLOSE);
}
END_TEST

START_TEST(told_by_server)
{
	struct i3_fault f = {0};

	i3_fault_from_server(&f, I3_F_SERVER_EXPIRED, 0);
	ck_assert_str_eq(f.text, "server test duration expired");
	ck_assert(f.from_server);
}
END_TEST

CHECK_MAIN("i3_fault", texts, first_stays, told_by_server)
