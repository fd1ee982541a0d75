/* SPDX-License-Identifier: BSD-2-Clause
 *
 * UDP rows and summaries of the text reporter, byte by byte. */
#include "report_rows.h"

/* Lines are shown as they come out. */
/* clang-format off */

START_TEST(udp_sender)
{
	struct report_case k;
	struct i3_end e = two_seconds();

	case_init(&k, I3_CLIENT, I3_UDP);
	k.test.parallel = 2;
	start(&k);
	ROWS(&k,
	    {.number = 5, .sender = true, MS(0, 1000), .bytes = 1252520,
	     .packets = 865},
	    {.number = 7, .sender = true, MS(0, 1000), .bytes = 1252520,
	     .packets = 865, .omitted = true});
	END(&k, &e,
	    {.number = 5, .sender = true, .sent = {.known = true, .bytes = 2500696,
	     .packets = 1727, .jitter_s = 9, .lost = 9}, .received = {.known = true,
	     .bytes = 660480, .packets = 1727, .lost = 1271, .jitter_s = 0.000609,
	     .end_ns = 2064 * NS_PER_MS, .has_order = true, .reordered = 5,
	     .duplicates = 6}},
	    {.number = 7, .sender = true, .sent = {.known = true, .bytes = 2502144,
	     .packets = 1728}, .received = {.known = true, .bytes = 602368,
	     .packets = 1725, .lost = 1309, .jitter_s = 0.00064,
	     .end_ns = 2064 * NS_PER_MS}});
	OUT(&k,
	    HEAD "         Total Datagrams\n"
	    "[  5]   0.00-1.00   sec  1.19 MBytes  10.0 Mbits/sec  865  \n"
	    "[  7]   0.00-1.00   sec  1.19 MBytes  10.0 Mbits/sec  865  (omitted)\n"
	    "[SUM]   0.00-1.00   sec  2.39 MBytes  20.0 Mbits/sec  1730  \n"
	    SEP
	    HEAD "         Jitter    Lost/Total Datagrams\n"
	    "[  5]   0.00-2.00   sec  2.38 MBytes  10.0 Mbits/sec  0.000 ms  0/1727 (0%)  sender\n"
	    "[  5]   0.00-2.06   sec   645 KBytes  2.56 Mbits/sec  0.609 ms  1271/1727 (74%)  receiver\n"
	    "[  7]   0.00-2.00   sec  2.39 MBytes  10.0 Mbits/sec  0.000 ms  0/1728 (0%)  sender\n"
	    "[  7]   0.00-2.06   sec   588 KBytes  2.33 Mbits/sec  0.640 ms  1309/1725 (76%)  receiver\n"
	    "[SUM]   0.00-2.00   sec  4.77 MBytes  20.0 Mbits/sec  0.000 ms  0/3455 (0%)  sender\n"
	    "[SUM]   0.00-2.06   sec  1.20 MBytes  4.89 Mbits/sec  0.625 ms  2580/3452 (75%)  receiver\n");
}
END_TEST

START_TEST(udp_receiver)
{
	static const struct {
		uint64_t lost, packets;
		const char *text;
	} rows[] = {
		{0, 0, "0/0 (0%)"},
		{0, 501, "0/501 (0%)"},
		{1, 100000, "1/100000 (0.001%)"},
		{1, 101010, "1/101010 (0.00099%)"},
		{52, 1000, "52/1000 (5.2%)"},
		{382, 807, "382/807 (47%)"},
		{995, 1000, "995/1000 (1e+02%)"},
		{7, 7, "7/7 (1e+02%)"},
	};
	struct report_case k;
	char want[2048] = HEAD "         Jitter    Lost/Total Datagrams\n";

	case_init(&k, I3_SERVER, I3_UDP);
	start(&k);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		ROWS(&k,
		    {.number = 6, MS(0, 1000), .bytes = 615000,
		     .packets = rows[i].packets, .lost = rows[i].lost,
		     .jitter_s = 0.0001174, .reordered = 3, .duplicates = 4});
		strlcat(want,
			"[  6]   0.00-1.00   sec   601 KBytes  4.92 Mbits/sec  0.117 ms  ",
			sizeof(want));
		strlcat(want, rows[i].text, sizeof(want));
		strlcat(want, "  \n", sizeof(want));
	}
	ck_assert_str_eq(case_out(&k), want);
	case_close(&k);
}
END_TEST

START_TEST(udp_bidir)
{
	struct report_case k;
	struct i3_end e = two_seconds();

	case_init(&k, I3_SERVER, I3_UDP);
	k.test.bidir = true;
	k.test.parallel = 2;
	k.c.verbose = true;
	start(&k);
	ROWS(&k,
	    {.number = 5, MS(0, 1000), .bytes = 500000, .packets = 500},
	    {.number = 7, .sender = true, MS(0, 1000), .bytes = 501000,
	     .packets = 501},
	    {.number = 9, .sender = true, MS(0, 1000)});
	END(&k, &e,
	    {.number = 5, .received = {.known = true, .bytes = 1001000,
	     .packets = 1001}},
	    {.number = 7, .sender = true, .sent = {.known = true, .bytes = 1001000,
	     .packets = 1001}});
	OUT(&k,
	    ROLE "         Jitter    Lost/Total Datagrams\n"
	    "[  5][RX-S]   0.00-1.00   sec   488 KBytes  4.00 Mbits/sec  0.000 ms  0/500 (0%)  \n"
	    "[SUM][RX-S]   0.00-1.00   sec   488 KBytes  4.00 Mbits/sec  0.000 ms  0/500 (0%)  \n"
	    "[  7][TX-S]   0.00-1.00   sec   489 KBytes  4.01 Mbits/sec            501  \n"
	    "[  9][TX-S]   0.00-1.00   sec  0.00 Bytes  0.00 bits/sec            0  \n"
	    "[SUM][TX-S]   0.00-1.00   sec   489 KBytes  4.01 Mbits/sec            501  \n"
	    SEP
	    "Test Complete. Summary Results:\n"
	    ROLE "         Jitter    Lost/Total Datagrams\n"
	    "[  5] (sender statistics not available)\n"
	    "[  5][RX-S]   0.00-2.00   sec   978 KBytes  4.00 Mbits/sec  0.000 ms  0/1001 (0%)  receiver\n"
	    "[SUM][RX-S]   0.00-2.00   sec   978 KBytes  4.00 Mbits/sec  0.000 ms  0/1001 (0%)  receiver\n"
	    "[  7][TX-S]   0.00-2.00   sec   978 KBytes  4.00 Mbits/sec  0.000 ms  0/1001 (0%)  sender\n"
	    "[  7] (receiver statistics not available)\n"
	    "[SUM][TX-S]   0.00-2.00   sec   978 KBytes  4.00 Mbits/sec  0.000 ms  0/1001 (0%)  sender\n"
	    "CPU Utilization: local/sender 0.0% (0.0%u/0.0%s), remote/receiver 0.0% (0.0%u/0.0%s)\n"
	    "CPU Utilization: local/receiver 0.0% (0.0%u/0.0%s), remote/sender 0.0% (0.0%u/0.0%s)\n");
}
END_TEST

START_TEST(udp_order)
{
	struct report_case k;
	struct i3_end e = two_seconds();
	struct i3_stream_end s = {.number = 5, .sent = {.known = true, .bytes = 9000,
	    .packets = 9}, .received = {.known = true, .bytes = 6000, .packets = 9,
	    .lost = 3, .has_order = true, .reordered = 12, .duplicates = 2}};

	case_init(&k, I3_CLIENT, I3_UDP);
	k.test.reverse = true;
	start(&k);
	case_end(&k, &e, &s, 1);
	OUT(&k,
	    SEP
	    HEAD "         Jitter    Lost/Total Datagrams\n"
	    "[  5]   0.00-2.00   sec  8.79 KBytes  36.0 Kbits/sec  0.000 ms  0/9 (0%)  sender\n"
	    "[SUM]  0.0- 2.0 sec  12 datagrams received out-of-order\n"
	    "[SUM]  0.0- 2.0 sec  2 duplicate datagrams received\n"
	    "[  5]   0.00-2.00   sec  5.86 KBytes  24.0 Kbits/sec  0.000 ms  3/9 (33%)  receiver\n");
}
END_TEST

/* A peer before 3.14 tells only the losses of all time, the omitted one too. */
START_TEST(udp_old_peer_with_omit)
{
	struct report_case k;
	struct i3_end e = two_seconds();
	struct i3_stream_end s = {.number = 5, .sender = true, .sent = {.known = true,
	    .bytes = 9000, .packets = 9}, .received = {.known = true, .bytes = 6000,
	    .packets = 9, .lost = 3, .lost_unknown = true}};

	case_init(&k, I3_CLIENT, I3_UDP);
	start(&k);
	case_end(&k, &e, &s, 1);
	OUT(&k,
	    SEP
	    HEAD "         Jitter    Lost/Total Datagrams\n"
	    "[  5]   0.00-2.00   sec  8.79 KBytes  36.0 Kbits/sec  0.000 ms  0/9 (0%)  sender\n"
	    "[  5]   0.00-2.00   sec  5.86 KBytes  24.0 Kbits/sec  0.000 ms  Unknown/9  receiver\n");
}
END_TEST

CHECK_MAIN("report_udp", udp_sender, udp_receiver, udp_bidir, udp_order,
	   udp_old_peer_with_omit)
