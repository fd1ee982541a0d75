/* SPDX-License-Identifier: BSD-2-Clause
 *
 * TCP rows and summaries of the text reporter, byte by byte. */
#include "report_rows.h"

/* Lines are shown as they come out. */
/* clang-format off */

START_TEST(tcp_sender)
{
	struct report_case k;
	struct i3_end e = two_seconds();

	case_init(&k, I3_CLIENT, I3_TCP);
	start(&k);
	ROWS(&k,
	    {.number = 5, .sender = true, MS(0, 1000), .bytes = UINT64_C(5175435591),
	     RETR(0, 1023 * KB)});
	ROWS(&k,
	    {.number = 5, .sender = true, MS(1000, 2000),
	     .bytes = UINT64_C(5937842913), RETR(12345, 895 * KB)});
	END(&k, &e,
	    {.number = 5, .sender = true, .sent = {.known = true,
	     .bytes = UINT64_C(11113278504), .has_retransmits = true,
	     .retransmits = 12345}, .received = {.known = true,
	     .bytes = UINT64_C(11113278504), .end_ns = 2034 * NS_PER_MS}});
	OUT(&k,
	    HEAD "         Retr  Cwnd\n"
	    "[  5]   0.00-1.00   sec  4.82 GBytes  41.4 Gbits/sec    0   1023 KBytes       \n"
	    "[  5]   1.00-2.00   sec  5.53 GBytes  47.5 Gbits/sec  12345    895 KBytes       \n"
	    SEP
	    HEAD "         Retr\n"
	    "[  5]   0.00-2.00   sec  10.4 GBytes  44.5 Gbits/sec  12345            sender\n"
	    "[  5]   0.00-2.03   sec  10.4 GBytes  43.7 Gbits/sec                  receiver\n");
}
END_TEST

START_TEST(tcp_receiving_server)
{
	struct report_case k;
	struct i3_end e = {.duration_ns = 2 * NS_PER_S};

	case_init(&k, I3_SERVER, I3_TCP);
	start(&k);
	ROWS(&k,
	    {.number = 5, MS(0, 1000), .bytes = 3801088, .omitted = true});
	ROWS(&k,
	    {.number = 5, MS(0, 1000), .bytes = 3801088});
	ROWS(&k,
	    {.number = 5, MS(1000, 2000), .bytes = 256 * KB});
	END(&k, &e,
	    {.number = 5, .received = {.known = true, .bytes = 4063232}});
	k.ops->test_done(k.r, true);
	OUT(&k,
	    HEAD "\n"
	    "[  5]   0.00-1.00   sec  3.62 MBytes  30.4 Mbits/sec                  (omitted)\n"
	    "[  5]   0.00-1.00   sec  3.62 MBytes  30.4 Mbits/sec                  \n"
	    "[  5]   1.00-2.00   sec   256 KBytes  2.10 Mbits/sec                  \n"
	    SEP
	    HEAD "\n"
	    "[  5]   0.00-2.00   sec  3.88 MBytes  16.3 Mbits/sec                  receiver\n");
}
END_TEST

START_TEST(tcp_reverse_client)
{
	struct report_case k;
	struct i3_end e = two_seconds();

	case_init(&k, I3_CLIENT, I3_TCP);
	k.test.reverse = true;
	start(&k);
	ROWS(&k,
	    {.number = 5, MS(0, 2000), .bytes = 12 * MB});
	END(&k, &e,
	    {.number = 5, .sent = {.known = true, .bytes = 12 * MB,
	     .has_retransmits = true, .retransmits = 7}, .received = {.known = true,
	     .bytes = 12 * MB}});
	OUT(&k,
	    HEAD "\n"
	    "[  5]   0.00-2.00   sec  12.0 MBytes  50.3 Mbits/sec                  \n"
	    SEP
	    HEAD "         Retr\n"
	    "[  5]   0.00-2.00   sec  12.0 MBytes  50.3 Mbits/sec    7            sender\n"
	    "[  5]   0.00-2.00   sec  12.0 MBytes  50.3 Mbits/sec                  receiver\n");
}
END_TEST

/* Figures of the client do not show on a server, known or not. */
START_TEST(tcp_sending_server)
{
	struct report_case k;
	struct i3_end e = two_seconds();

	case_init(&k, I3_SERVER, I3_TCP);
	k.test.reverse = true;
	start(&k);
	END(&k, &e,
	    {.number = 5, .sender = true, .sent = {.known = true, .bytes = 12 * MB,
	     .has_retransmits = true}, .received = {.known = true, .bytes = 11 * MB}});
	OUT(&k,
	    SEP
	    HEAD "         Retr\n"
	    "[  5]   0.00-2.00   sec  12.0 MBytes  50.3 Mbits/sec    0            sender\n");
}
END_TEST

START_TEST(tcp_parallel)
{
	struct report_case k;
	struct i3_end e = two_seconds();

	case_init(&k, I3_CLIENT, I3_TCP);
	k.test.parallel = 2;
	start(&k);
	for (unsigned n = 0; n < 2; n++)
		ROWS(&k,
		    {.number = 9, .sender = true, MS(n * 1000, n * 1000 + 1000),
		     .bytes = 2560 * KB, .omitted = n == 0, RETR(3, 1178694)},
		    {.number = 11, .sender = true, MS(n * 1000, n * 1000 + 1000),
		     .bytes = 2560 * KB, .omitted = n == 0, RETR(4, 64 * KB)});
	END(&k, &e,
	    {.number = 9, .sender = true, .sent = {.known = true, .bytes = 5 * MB,
	     .has_retransmits = true, .retransmits = 3}, .received = {.known = true,
	     .bytes = 5 * MB}},
	    {.number = 11, .sender = true, .sent = {.known = true, .bytes = 5 * MB,
	     .has_retransmits = true, .retransmits = 4}, .received = {.known = true,
	     .bytes = 4 * MB}});
	OUT(&k,
	    HEAD "         Retr  Cwnd\n"
	    "[  9]   0.00-1.00   sec  2.50 MBytes  21.0 Mbits/sec    3   1.12 MBytes       (omitted)\n"
	    "[ 11]   0.00-1.00   sec  2.50 MBytes  21.0 Mbits/sec    4   64.0 KBytes       (omitted)\n"
	    "[SUM]   0.00-1.00   sec  5.00 MBytes  41.9 Mbits/sec    7             (omitted)\n"
	    SEP
	    "[  9]   1.00-2.00   sec  2.50 MBytes  21.0 Mbits/sec    3   1.12 MBytes       \n"
	    "[ 11]   1.00-2.00   sec  2.50 MBytes  21.0 Mbits/sec    4   64.0 KBytes       \n"
	    "[SUM]   1.00-2.00   sec  5.00 MBytes  41.9 Mbits/sec    7             \n"
	    SEP
	    HEAD "         Retr\n"
	    "[  9]   0.00-2.00   sec  5.00 MBytes  21.0 Mbits/sec    3            sender\n"
	    "[  9]   0.00-2.00   sec  5.00 MBytes  21.0 Mbits/sec                  receiver\n"
	    "[ 11]   0.00-2.00   sec  5.00 MBytes  21.0 Mbits/sec    4            sender\n"
	    "[ 11]   0.00-2.00   sec  4.00 MBytes  16.8 Mbits/sec                  receiver\n"
	    "[SUM]   0.00-2.00   sec  10.0 MBytes  41.9 Mbits/sec    7             sender\n"
	    "[SUM]   0.00-2.00   sec  9.00 MBytes  37.7 Mbits/sec                  receiver\n");
}
END_TEST

/* Streams that alternate in direction come out grouped. */
static void bidir_parallel(struct report_case *k, enum i3_role role)
{
	struct i3_end e = two_seconds();
	bool client = role == I3_CLIENT;

	case_init(k, role, I3_TCP);
	k->test.parallel = 2;
	k->test.bidir = true;
	k->c.verbose = true;
	start(k);
	e.local = (struct i3_cpu){0.24, 0, 0.24};
	e.remote = (struct i3_cpu){10.06, 10, 0.06};
	strlcpy(e.local_congestion, "bbr", sizeof(e.local_congestion));
	if (client)
		strlcpy(e.remote_congestion, "reno", sizeof(e.remote_congestion));
	ROWS(k,
	    {.number = 5, .sender = client, MS(0, 1000), .bytes = 1280 * KB,
	     .has_retransmits = client},
	    {.number = 7, .sender = client, MS(0, 1000), .bytes = 1280 * KB,
	     .has_retransmits = client},
	    {.number = 9, .sender = !client, MS(0, 1000), .bytes = 640 * KB,
	     .has_retransmits = !client},
	    {.number = 11, .sender = !client, MS(0, 1000), .bytes = 640 * KB,
	     .has_retransmits = !client});
	END(k, &e,
	    {.number = 5, .sender = client, .sent = {.known = client, .bytes = client ?
	     1 * MB : 0, .has_retransmits = client}, .received = {.known = true,
	     .bytes = MB}},
	    {.number = 9, .sender = !client, .sent = {.known = true, .bytes = 2 * MB,
	     .has_retransmits = true}, .received = {.known = client, .bytes = client ?
	     2 * MB : 0}});
}

START_TEST(tcp_bidir_client)
{
	struct report_case k;

	bidir_parallel(&k, I3_CLIENT);
	OUT(&k,
	    ROLE "         Retr  Cwnd\n"
	    "[  5][TX-C]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec    0   0.00 Bytes       \n"
	    "[  7][TX-C]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec    0   0.00 Bytes       \n"
	    "[SUM][TX-C]   0.00-1.00   sec  2.50 MBytes  21.0 Mbits/sec    0             \n"
	    "[  9][RX-C]   0.00-1.00   sec   640 KBytes  5.24 Mbits/sec                  \n"
	    "[ 11][RX-C]   0.00-1.00   sec   640 KBytes  5.24 Mbits/sec                  \n"
	    "[SUM][RX-C]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec                  \n"
	    SEP
	    "Test Complete. Summary Results:\n"
	    ROLE "         Retr\n"
	    "[  5][TX-C]   0.00-2.00   sec  1.00 MBytes  4.19 Mbits/sec    0            sender\n"
	    "[  5][TX-C]   0.00-2.00   sec  1.00 MBytes  4.19 Mbits/sec                  receiver\n"
	    "[SUM][TX-C]   0.00-2.00   sec  1.00 MBytes  4.19 Mbits/sec    0             sender\n"
	    "[SUM][TX-C]   0.00-2.00   sec  1.00 MBytes  4.19 Mbits/sec                  receiver\n"
	    "CPU Utilization: local/sender 0.2% (0.0%u/0.2%s), remote/receiver 10.1% (10.0%u/0.1%s)\n"
	    "CPU Utilization: local/receiver 0.2% (0.0%u/0.2%s), remote/sender 10.1% (10.0%u/0.1%s)\n"
	    "snd_tcp_congestion bbr\n"
	    "rcv_tcp_congestion reno\n"
	    "[  9][RX-C]   0.00-2.00   sec  2.00 MBytes  8.39 Mbits/sec    0            sender\n"
	    "[  9][RX-C]   0.00-2.00   sec  2.00 MBytes  8.39 Mbits/sec                  receiver\n"
	    "[SUM][RX-C]   0.00-2.00   sec  2.00 MBytes  8.39 Mbits/sec    0             sender\n"
	    "[SUM][RX-C]   0.00-2.00   sec  2.00 MBytes  8.39 Mbits/sec                  receiver\n"
	    "snd_tcp_congestion reno\n"
	    "rcv_tcp_congestion bbr\n");
}
END_TEST

START_TEST(tcp_bidir_server)
{
	struct report_case k;

	bidir_parallel(&k, I3_SERVER);
	OUT(&k,
	    ROLE "         Retr  Cwnd\n"
	    "[  5][RX-S]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec                  \n"
	    "[  7][RX-S]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec                  \n"
	    "[SUM][RX-S]   0.00-1.00   sec  2.50 MBytes  21.0 Mbits/sec                  \n"
	    "[  9][TX-S]   0.00-1.00   sec   640 KBytes  5.24 Mbits/sec    0   0.00 Bytes       \n"
	    "[ 11][TX-S]   0.00-1.00   sec   640 KBytes  5.24 Mbits/sec    0   0.00 Bytes       \n"
	    "[SUM][TX-S]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec    0             \n"
	    SEP
	    "Test Complete. Summary Results:\n"
	    ROLE "         Retr\n"
	    "[  5] (sender statistics not available)\n"
	    "[  5][RX-S]   0.00-2.00   sec  1.00 MBytes  4.19 Mbits/sec                  receiver\n"
	    "[SUM] (sender statistics not available)\n"
	    "[SUM][RX-S]   0.00-2.00   sec  1.00 MBytes  4.19 Mbits/sec                  receiver\n"
	    "rcv_tcp_congestion bbr\n"
	    "[  9][TX-S]   0.00-2.00   sec  2.00 MBytes  8.39 Mbits/sec    0            sender\n"
	    "[  9] (receiver statistics not available)\n"
	    "[SUM][TX-S]   0.00-2.00   sec  2.00 MBytes  8.39 Mbits/sec    0             sender\n"
	    "[SUM] (receiver statistics not available)\n"
	    "CPU Utilization: local/sender 0.2% (0.0%u/0.2%s), remote/receiver 10.1% (10.0%u/0.1%s)\n"
	    "CPU Utilization: local/receiver 0.2% (0.0%u/0.2%s), remote/sender 10.1% (10.0%u/0.1%s)\n"
	    "snd_tcp_congestion bbr\n");
}
END_TEST

START_TEST(interrupted_client)
{
	struct report_case k;
	struct i3_end e = {.duration_ns = 1504155000, .interrupted = true};

	case_init(&k, I3_CLIENT, I3_TCP);
	start(&k);
	END(&k, &e,
	    {.number = 5, .sender = true, .sent = {.known = true, .bytes = MB,
	     .has_retransmits = true}});
	k.ops->fault(k.r, I3_TROUBLE_INTERRUPT,
		     "the client has terminated by signal Interrupt(2)", NULL);
	k.ops->test_done(k.r, false);
	ck_assert_str_eq(
		case_err(&k),
		"iperf3: interrupt - the client has terminated by signal Interrupt(2)\n");
	OUT(&k,
	    SEP
	    HEAD "         Retr\n"
	    "[  5]   0.00-1.50   sec  1.00 MBytes  5.58 Mbits/sec    0            sender\n"
	    "[  5]   0.00-1.50   sec  0.00 Bytes  0.00 bits/sec                  receiver\n"
	    "[  5] (receiver statistics not available)\n");
}
END_TEST

START_TEST(files)
{
	struct report_case k;
	struct i3_end e = two_seconds();

	case_init(&k, I3_CLIENT, I3_TCP);
	start(&k);
	END(&k, &e,
	    {.number = 5, .sender = true, .sent = {.known = true, .bytes = 3000000,
	     .has_retransmits = true}, .received = {.known = true, .bytes = 3000000},
	     .file = "sendme.bin", .file_bytes = 2999999, .file_size = 3000000});
	OUT(&k,
	    SEP
	    HEAD "         Retr\n"
	    "[  5]   0.00-2.00   sec  2.86 MBytes  12.0 Mbits/sec    0            sender\n"
	    "        Sent 2.86 MByte / 2.86 MByte (99%) of sendme.bin\n"
	    "[  5]   0.00-2.00   sec  2.86 MBytes  12.0 Mbits/sec                  receiver\n");
	case_init(&k, I3_SERVER, I3_TCP);
	k.c.verbose = true;
	start(&k);
	END(&k, &e,
	    {.number = 5, .received = {.known = true, .bytes = 2883584},
	     .file = "recv.bin", .file_bytes = UINT64_MAX, .file_size = 1});
	OUT(&k,
	    SEP
	    "Test Complete. Summary Results:\n"
	    HEAD "\n"
	    "[  5] (sender statistics not available)\n"
	    "        Sent 16777216 TByte / 1.00 Byte (1844674407370955161600%) of recv.bin\n"
	    "[  5]   0.00-2.00   sec  2.75 MBytes  11.5 Mbits/sec                  receiver\n");
}
END_TEST

START_TEST(rate_letters)
{
	static const struct {
		char letter;
		const char *rate;
	} rows[] = {
		{0, "12.6 Mbits/sec"},    {'k', "12568 Kbits/sec"},
		{'m', "12.6 Mbits/sec"},  {'g', "0.01 Gbits/sec"},
		{'t', "0.00 Tbits/sec"},  {'K', "1534 KBytes/sec"},
		{'M', "1.50 MBytes/sec"}, {'G', "0.00 GBytes/sec"},
		{'T', "0.00 TBytes/sec"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct report_case k;
		char want[256];

		case_init(&k, I3_SERVER, I3_TCP);
		k.c.format = rows[i].letter;
		start(&k);
		ROWS(&k,
		    {.number = 5, MS(0, 1000), .bytes = 1571000});
		snprintf(want, sizeof(want),
			 HEAD
			 "\n[  5]   0.00-1.00   sec  1.50 MBytes  %s                  \n",
			 rows[i].rate);
		ck_assert_str_eq(case_out(&k), want);
		case_close(&k);
	}
}
END_TEST

/* Without TCP_INFO there are no columns to fill. SCTP is the same. */
START_TEST(sender_without_counts)
{
	struct report_case k;
	struct i3_end e = two_seconds();

	case_init(&k, I3_CLIENT, I3_SCTP);
	k.c.verbose = true;
	start(&k);
	ROWS(&k,
	    {.number = 5, .sender = true, MS(0, 2000), .bytes = 12 * MB});
	END(&k, &e,
	    {.number = 5, .sender = true, .sent = {.known = true, .bytes = 12 * MB},
	     .received = {.known = true, .bytes = 12 * MB}});
	OUT(&k,
	    HEAD "\n"
	    "[  5]   0.00-2.00   sec  12.0 MBytes  50.3 Mbits/sec                  \n"
	    SEP
	    "Test Complete. Summary Results:\n"
	    HEAD "\n"
	    "[  5]   0.00-2.00   sec  12.0 MBytes  50.3 Mbits/sec                  sender\n"
	    "[  5]   0.00-2.00   sec  12.0 MBytes  50.3 Mbits/sec                  receiver\n"
	    "CPU Utilization: local/sender 0.0% (0.0%u/0.0%s), remote/receiver 0.0% (0.0%u/0.0%s)\n");
}
END_TEST

START_TEST(nothing_prints_nothing)
{
	struct report_case k;
	struct i3_end e = {.duration_ns = 0};

	case_init(&k, I3_SERVER, I3_TCP);
	k.test.parallel = 2;
	start(&k);
	case_interval(&k, NULL, 0);
	case_end(&k, &e, NULL, 0);
	k.ops->test_done(k.r, false);
	/* After the test, and before the next one. */
	case_end(&k, &e, NULL, 0);
	OUT(&k, "");
}
END_TEST

/* Rows of no time have no rate. */
START_TEST(no_time_no_rate)
{
	struct report_case k;

	case_init(&k, I3_SERVER, I3_TCP);
	start(&k);
	ROWS(&k,
	    {.number = 5, MS(1000, 1000), .bytes = 4096});
	OUT(&k,
	    HEAD "\n"
	    "[  5]   1.00-1.00   sec  4.00 KBytes  0.00 bits/sec                  \n");
}
END_TEST

CHECK_MAIN("report_tcp", tcp_sender, tcp_receiving_server, tcp_reverse_client,
	   tcp_sending_server, tcp_parallel, tcp_bidir_client, tcp_bidir_server,
	   interrupted_client, files, rate_letters, sender_without_counts,
	   nothing_prints_nothing, no_time_no_rate)
