/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "test/check_main.h"
#include "data.h"

START_TEST(test_marks)
{
	static const struct {
		const char *data;
		size_t len;
		int mark;
	} rows[] = {
		{"BOD0", 4, NUT_BOD0},     {"BOD1", 4, NUT_BOD1},
		{"EOD0", 4, NUT_EOD},      {"EOD3", 4, NUT_EOD + 3},
		{"EOD4", 4, NUT_EOD_LAST}, {"EOD5", 4, NUT_OTHER},
		{"EOD", 3, NUT_OTHER},     {"", 0, NUT_OTHER},
		{"BOD0 ", 5, NUT_DATA},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ck_assert_int_eq(
			nut_mark_of((const unsigned char *)rows[i].data, rows[i].len),
			rows[i].mark);
	for (int m = NUT_BOD0; m <= NUT_EOD_LAST; m++) {
		unsigned char out[NUT_MARK_BYTES];

		nut_mark_put((enum nut_mark)m, out);
		ck_assert_int_eq(nut_mark_of(out, sizeof(out)), m);
	}
}
END_TEST

START_TEST(test_pattern)
{
	unsigned char buf[200];

	nut_data_fill(buf, sizeof(buf));
	ck_assert_int_eq(buf[0], ' ');
	ck_assert_int_eq(buf[16], ' ' + 16);
	ck_assert_int_eq(buf[32], ' ' + 32);
	ck_assert_int_eq(buf[95], ' ');
	for (int i = 0; i < 8; i++)
		ck_assert(buf[8 + i] == 0 && buf[24 + i] == 0);
	nut_data_fill(buf, 5); /* no room for anything: must not write beyond */
}
END_TEST

START_TEST(test_time)
{
	const uint64_t now = UINT64_C(1700000000123456);
	unsigned char buf[64] = {0};

	ck_assert_uint_eq(nut_data_time(buf, sizeof(buf), now), 0);
	nut_data_put_time(buf, sizeof(buf), now - 2500);
	ck_assert_uint_eq(nut_data_time(buf, sizeof(buf), now), now - 2500);
	ck_assert_mem_eq(buf + 8, "\x65\x53\xf1\x00", 4); /* big endian */
	/* A clock that is ahead; and beyond 32 bits of seconds. */
	nut_data_put_time(buf, sizeof(buf), now + 7);
	ck_assert_uint_eq(nut_data_time(buf, sizeof(buf), now), now + 7);
	nut_data_put_time(buf, sizeof(buf), (UINT64_C(1) << 32) * 1000000 - 1);
	ck_assert_uint_eq(nut_data_time(buf, sizeof(buf), (UINT64_C(1) << 32) * 1000000),
			  (UINT64_C(1) << 32) * 1000000 - 1);
	ck_assert_uint_eq(nut_data_time(buf, 15, now), 0);
	nut_data_put_time(buf, 5, now);
}
END_TEST

START_TEST(test_tcp_head)
{
	unsigned char buf[32];
	struct nut_tcp_head h;
	uint32_t retrans, cwnd;

	nut_data_fill(buf, sizeof(buf));
	ck_assert(!nut_data_first(buf).known);
	nut_data_put_tcp(buf, sizeof(buf), 0, NUT_MAGIC_RETRANS);
	h = nut_data_first(buf);
	ck_assert(h.known && !h.swapped && !h.host_wide);
	nut_data_put_tcp(buf, sizeof(buf), 5, 575);
	nut_data_tcp(buf, &h, &retrans, &cwnd);
	ck_assert_uint_eq(retrans, 5);
	ck_assert_uint_eq(cwnd, 575);
	nut_data_put_tcp(buf, sizeof(buf), 0, __builtin_bswap32(NUT_MAGIC_HOST));
	h = nut_data_first(buf);
	ck_assert(h.known && h.swapped && h.host_wide);
	nut_data_put_tcp(buf, sizeof(buf), __builtin_bswap32(9), __builtin_bswap32(1));
	nut_data_tcp(buf, &h, &retrans, &cwnd);
	ck_assert_uint_eq(retrans, 9);
	nut_data_put_tcp(buf, 31, 77, 77); /* no room */
	nut_data_tcp(buf, &h, &retrans, &cwnd);
	ck_assert_uint_eq(retrans, 9);
}
END_TEST

START_TEST(test_udp_count)
{
	unsigned char buf[32];
	bool swapped = true;

	nut_data_put_count(buf, sizeof(buf), 1000);
	ck_assert_uint_eq(nut_data_count(buf, true, &swapped), 1000);
	ck_assert(!swapped);
	nut_data_put_count(buf, sizeof(buf), __builtin_bswap64(1000));
	ck_assert_uint_eq(nut_data_count(buf, true, &swapped), 1000);
	ck_assert(swapped);
	/* Decided by the first alone: later ones may be large. */
	swapped = false;
	nut_data_put_count(buf, sizeof(buf), UINT64_C(1) << 40);
	ck_assert_uint_eq(nut_data_count(buf, false, &swapped), UINT64_C(1) << 40);
}
END_TEST

CHECK_MAIN("nut_data", test_marks, test_pattern, test_time, test_tcp_head, test_udp_count)
