/* SPDX-License-Identifier: BSD-2-Clause */
#include "check_main.h"
#include "compat.h"
#include "units_format.h"

#include <math.h>

struct row {
	double bytes;
	char letter;
	const char *text;
};

#define K 1024.0
#define M (K * K)
#define G (M * K)
#define T (G * K)

static void check(const struct row *rows, size_t n, const struct units_shape *shape)
{
	char buf[UNITS_FORMAT_MAX];

	for (size_t i = 0; i < n; i++)
		ck_assert_str_eq(units_format(buf, sizeof(buf), rows[i].bytes,
					      rows[i].letter, shape),
				 rows[i].text);
}

START_TEST(iperf3_bytes)
{
	static const struct row rows[] = {
		{0, 'A', "0.00 Byte"},           {1, 'A', "1.00 Byte"},
		{999, 'A', " 999 Byte"},         {1000, 'A', "1000 Byte"},
		{1023, 'A', "1023 Byte"},        {K, 'A', "1.00 KByte"},
		{9.99 * K, 'A', "9.99 KByte"},   {9.996 * K, 'A', "10.0 KByte"},
		{28.3 * K, 'A', "28.3 KByte"},   {99.96 * K, 'A', " 100 KByte"},
		{128 * K, 'A', " 128 KByte"},    {1016 * K, 'A', "1016 KByte"},
		{1023.7 * K, 'A', "1024 KByte"}, {1178694, 'A', "1.12 MByte"},
		{3000000, 'A', "2.86 MByte"},    {4.82 * G, 'A', "4.82 GByte"},
		{5 * T, 'A', "5.00 TByte"},      {5000 * T, 'A', "5000 TByte"},
	};

	check(rows, ARRAY_LEN(rows), &units_iperf3);
}
END_TEST

START_TEST(iperf3_bits)
{
	static const struct row rows[] = {
		{0, 'a', "0.00 bit"},
		{131071.0, 'a', "1.05 Mbit"},
		{124.9, 'a', " 999 bit"},
		{125, 'a', "1.00 Kbit"},
		{124962.5, 'a', "1000 Kbit"}, /* 999.7 */
		{125000, 'a', "1.00 Mbit"},
		{41.3e9 / 8, 'a', "41.3 Gbit"},
		{9.995e9 / 8 - 1, 'a', "9.99 Gbit"},
		{2e12 / 8, 'a', "2.00 Tbit"},
		{2e16 / 8, 'a', "20000 Tbit"},
		{12568000 / 8.0, 'k', "12568 Kbit"},
		{12568000 / 8.0, 'm', "12.6 Mbit"},
		{12568000 / 8.0, 'g', "0.01 Gbit"},
		{12568000 / 8.0, 't', "0.00 Tbit"},
		{1535 * K, 'K', "1535 KByte"},
		{1535 * K, 'M', "1.50 MByte"},
		{1535 * K, 'G', "0.00 GByte"},
		{1535 * K, 'T', "0.00 TByte"},
		{T * 1500, 'K', "1610612736000 KByte"},
	};

	check(rows, ARRAY_LEN(rows), &units_iperf3);
}
END_TEST

START_TEST(iperf2_shape)
{
	static const struct row rows[] = {
		{0, 'a', "0.000 bit"},
		{0.5 * K, 'K', "0.500 KByte"},
		{0.9994 * K, 'K', "0.999 KByte"},
		{0.9996 * K, 'K', "1.00 KByte"},
		{1152 * K, 'K', "1152 KByte"},
		{8996000 / 8.0, 'k', "8996 Kbit"},
		{16 * K, 'A', "16.0 KByte"},
		{1.05 * M, 'A', "1.05 MByte"},
		{3000 * T, 'A', "2.93 PByte"},
		{3e15 / 8, 'a', "3.00 Pbit"},
		{3e15 / 8, 'p', "3.00 Pbit"},
		{2048 * T, 'P', "2.00 PByte"},
		{1470, 'B', "1470 Byte"},
		{1470, 'b', "11760 bit"},
		{-1, 'A', "-1.00 Byte"},
		{-2 * M, 'A', "-2.00 MByte"},
	};

	check(rows, ARRAY_LEN(rows), &units_iperf2);
}
END_TEST

START_TEST(odd_input)
{
	static const struct row rows[] = {
		{0.0 / 1.0, 'z', "0.00 Byte"},
		{2048, '\0', "2.00 KByte"},
		{INFINITY, 'a', "0.00 bit"},
		{NAN, 'A', "0.00 Byte"},
		{18446744073709551615.0, 'B', "18446744073709551616 Byte"},
	};
	char small[5];

	check(rows, ARRAY_LEN(rows), &units_iperf3);
	ck_assert_str_eq(units_format(small, sizeof(small), 128 * K, 'A', &units_iperf3),
			 " 128");
}
END_TEST

CHECK_MAIN("units_format", iperf3_bytes, iperf3_bits, iperf2_shape, odd_input)
