/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines of the text reporter that are no rows: banners, -V, prefixes, faults, the
 * server's output. */
#include "report_rows.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <time.h>

#include "jsonw.h"

static void system_line(char *buf, size_t cap)
{
	char system[512];

	i3_system_text(system, sizeof(system));
	snprintf(buf, cap, "%s\n%s\n", i3_version_text(), system);
}

static void show_start(struct report_case *k, bool gso, bool gro)
{
	struct i3_start s = {.gso = gso, .gro = gro};

	k->ops->test_start(k->r, &s);
}

/* clang-format off */

START_TEST(client_without_rows)
{
	struct report_case k;

	case_init(&k, I3_CLIENT, I3_TCP);
	k.test.reverse = true;
	case_open(&k, false);
	k.ops->control(k.r, &(struct i3_control){.mss_bytes = 32768, .keepalive = true});
	case_begin(&k, "example.net", 5201, 32768);
	case_connected(&k, 5, false, 36168, 5201);
	case_connected(&k, 123, false, 36170, 5201);
	show_start(&k, true, true);
	k.ops->omit_end(k.r);
	k.ops->test_done(k.r, true);
	ck_assert_str_eq(case_err(&k), "");
	OUT(&k,
	    "Connecting to host example.net, port 5201\n"
	    "Reverse mode, remote host example.net is sending\n"
	    "[  5] local 127.0.0.1 port 36168 connected to 127.0.0.1 port 5201\n"
	    "[123] local 127.0.0.1 port 36170 connected to 127.0.0.1 port 5201\n"
	    "\n"
	    "iperf Done.\n");
}
END_TEST

START_TEST(server_without_rows)
{
	struct report_case k;

	case_init(&k, I3_SERVER, I3_TCP);
	k.test.reverse = true;
	k.test.title = (char *)"lab7";
	case_open(&k, false);
	k.ops->listening(k.r, &(struct i3_listening){.port = 5201, .test_number = 17});
	case_begin(&k, "10.0.0.1", 36162, 0);
	case_connected(&k, 5, true, 5201, 36168);
	k.ops->test_done(k.r, true);
	OUT(&k,
	    "-----------------------------------------------------------\n"
	    "Server listening on 5201 (test #17)\n"
	    "-----------------------------------------------------------\n"
	    "Accepted connection from 10.0.0.1, port 36162\n"
	    "[  5] local 127.0.0.1 port 5201 connected to 127.0.0.1 port 36168\n");
}
END_TEST

START_TEST(verbose_client)
{
	struct report_case k;
	char want[2048];

	system_line(want, sizeof(want));
	case_init(&k, I3_CLIENT, I3_TCP);
	k.c.verbose = true;
	k.test.parallel = 3;
	k.test.rate_bps = 30000000;
	k.test.omit_s = 1;
	k.test.tos = 184;
	case_open(&k, false);
	k.ops->control(k.r, &(struct i3_control){
		.mss_bytes = 32768, .keepalive = true, .keepalive_idle_s = 20,
		.keepalive_intvl_s = 2, .keepalive_count = 3});
	case_begin(&k, "127.0.0.1", 21011, 32768);
	show_start(&k, false, false);
	k.ops->omit_end(k.r);
	strlcat(want,
		"Control connection MSS 32768\n"
		"Control connection TCP Keepalive TCP_KEEPIDLE/TCP_KEEPINTVL/TCP_KEEPCNT "
		"are set to 20/2/3\n"
		"Time: Mon, 30 Nov 2026 18:31:51 GMT\n"
		"Connecting to host 127.0.0.1, port 21011\n"
		"      Cookie: " CASE_COOKIE "\n"
		"      TCP MSS: 32768 (default)\n"
		"      Target Bitrate: 30000000\n"
		"Starting Test: protocol: TCP, 3 streams, 131072 byte blocks, omitting 1 "
		"seconds, 2 second test, tos 184\n", sizeof(want));
	ck_assert_str_eq(case_out(&k), want);
	case_close(&k);
}
END_TEST

START_TEST(verbose_udp)
{
	struct report_case k;

	case_init(&k, I3_CLIENT, I3_UDP);
	k.c.verbose = true;
	k.c.interval_s = 0;
	k.test.bytes = 1000;
	case_open(&k, false);
	case_skip(&k);
	k.ops->control(k.r, &(struct i3_control){.mss_bytes = 1448, .udp_block_bytes = 1448});
	case_begin(&k, "h", 1, 1448);
	show_start(&k, true, false);
	k.ops->omit_end(k.r);
	OUT(&k,
	    "Control connection MSS 1448\n"
	    "Setting UDP block size to 1448\n"
	    "Time: Mon, 30 Nov 2026 18:31:51 GMT\n"
	    "Connecting to host h, port 1\n"
	    "      Cookie: " CASE_COOKIE "\n"
	    "      UDP offload: GSO on, GRO off\n"
	    "Starting Test: protocol: UDP, 1 streams, 1000 byte blocks, omitting 0 seconds, "
	    "1000 bytes to send, tos 0\n"
	    "Finished omit period, starting real test\n");
}
END_TEST

START_TEST(verbose_server)
{
	struct report_case k;

	case_init(&k, I3_SERVER, I3_TCP);
	k.c.verbose = true;
	k.test.mss_bytes = 1200;
	k.test.blocks = 40;
	case_open(&k, false);
	case_skip(&k);
	case_begin(&k, "127.0.0.1", 2, 0);
	show_start(&k, false, false);
	OUT(&k,
	    "Time: Mon, 30 Nov 2026 18:31:51 GMT\n"
	    "Accepted connection from 127.0.0.1, port 2\n"
	    "      Cookie: " CASE_COOKIE "\n"
	    "      TCP MSS: 1200\n"
	    "Starting Test: protocol: TCP, 1 streams, 131072 byte blocks, omitting 0 seconds, "
	    "40 blocks to send, tos 0\n");
}
END_TEST

/* A client may send 37 bytes of anything. */
START_TEST(cookie_without_end)
{
	struct i3_begin b = {.role = I3_SERVER, .host = "h", .wall_ns = CASE_WALL};
	struct report_case k;

	memset(b.cookie, 'x', sizeof(b.cookie));
	b.cookie[1] = '\x1b';
	b.mss_bytes = 0x41414141;
	case_init(&k, I3_SERVER, I3_UDP);
	k.c.verbose = true;
	b.test = &k.test;
	case_open(&k, false);
	case_skip(&k);
	k.ops->test_begin(k.r, &b);
	OUT(&k,
	    "Time: Mon, 30 Nov 2026 18:31:51 GMT\n"
	    "Accepted connection from h, port 0\n"
	    "      Cookie: x?xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n");
	case_init(&k, I3_SERVER, I3_UDP);
	b.test = &k.test;
	case_open(&k, true);
	k.ops->test_begin(k.r, &b);
	k.ops->test_done(k.r, false);
	ck_assert_ptr_nonnull(strstr(case_out(&k), "\"x\\u001bxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\","));
	case_close(&k);
}
END_TEST

/* Stamp, then title; faults have the stamp, the lines about the control connection and
 * warnings neither. */
START_TEST(prefixes)
{
	static const uint64_t now = CASE_WALL;
	struct report_case k;

	setenv("TZ", "UTC0", 1);
	tzset();
	mono_fake(&now);
	case_init(&k, I3_CLIENT, I3_TCP);
	k.c.timestamps = true;
	k.c.timestamp_format = "%H:%M:%S ";
	k.test.title = (char *)"lab7";
	k.c.verbose = true;
	case_open(&k, false);
	case_skip(&k);
	k.ops->control(k.r, &(struct i3_control){.mss_bytes = 1448});
	k.c.verbose = false;
	case_begin(&k, "h", 1, 0);
	ROWS(&k, {.number = 5, MS(0, 1000), .bytes = 1 * MB});
	k.ops->server_output(k.r, "one\ntwo\n", NULL);
	k.ops->test_done(k.r, true);
	k.ops->fault(k.r, I3_TROUBLE_WARNING, "w", NULL);
	k.ops->fault(k.r, I3_TROUBLE_ERROR, "e", NULL);
	ck_assert_str_eq(case_err(&k), "warning: w\n18:31:51 iperf3: error - e\n");
	OUT(&k,
	    "Control connection MSS 1448\n"
	    "18:31:51 lab7:  Connecting to host h, port 1\n"
	    "18:31:51 lab7:  " HEAD "\n"
	    "18:31:51 lab7:  [  5]   0.00-1.00   sec  1.00 MBytes  8.39 Mbits/sec                  \n"
	    "18:31:51 lab7:  \nServer output:\none\ntwo\n\n"
	    "18:31:51 lab7:  \n"
	    "18:31:51 lab7:  iperf Done.\n");
}
END_TEST

START_TEST(faults)
{
	static const struct {
		enum i3_trouble kind;
		int number, sys_errno;
		bool from_server;
		const char *text;
	} rows[] = {
		{I3_TROUBLE_ERROR, I3_F_CTRL_CLOSE, 0, false,
		 "iperf3: error - control socket has closed unexpectedly\n"},
		{I3_TROUBLE_NOTE, I3_F_CLIENT_TERM, 0, false,
		 "iperf3: the client has terminated\n"},
		{I3_TROUBLE_ERROR, I3_F_TOTAL_RATE, 0, true,
		 "iperf3: SERVER ERROR - total required bandwidth is larger than server limit\n"
		 "iperf3: error - total required bandwidth is larger than server limit\n"},
		{I3_TROUBLE_ERROR, I3_F_STREAM_WRITE, EPIPE, true,
		 "iperf3: SERVER ERROR - unable to write to stream socket, errno: Broken pipe\n"
		 "iperf3: error - unable to write to stream socket: Broken pipe\n"},
		{I3_TROUBLE_ERROR, 999, 0, true,
		 "iperf3: SERVER ERROR - int_errno=999\n"
		 "iperf3: error - int_errno=999: \n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct report_case k;
		struct i3_fault f = {0};

		case_init(&k, I3_CLIENT, I3_TCP);
		case_open(&k, false);
		if (rows[i].from_server)
			i3_fault_from_server(&f, rows[i].number, rows[i].sys_errno);
		else
			i3_fault(&f, rows[i].number);
		k.ops->fault(k.r, rows[i].kind, f.text, &f);
		k.ops->test_done(k.r, false);
		ck_assert_str_eq(case_err(&k), rows[i].text);
		OUT(&k, "");
	}
}
END_TEST

START_TEST(server_output)
{
	struct report_case k;

	case_init(&k, I3_CLIENT, I3_TCP);
	start(&k);
	k.ops->server_output(k.r, "Accepted\n[  5] \x1b[31mred\x7f\ttab\r\n", NULL);
	k.ops->test_done(k.r, true);
	OUT(&k,
	    "\nServer output:\n"
	    "Accepted\n"
	    "[  5] ?[31mred?\ttab?\n"
	    "\n"
	    "\n"
	    "iperf Done.\n");
	case_init(&k, I3_CLIENT, I3_TCP);
	start(&k);
	k.ops->server_output(k.r, NULL, cJSON_Parse("{\"start\":{},\"end\":[1,2]}"));
	k.ops->test_done(k.r, true);
	OUT(&k,
	    "\nServer JSON output:\n"
	    "{\n"
	    "\t\"start\":\t{\n"
	    "\t},\n"
	    "\t\"end\":\t[1, 2]\n"
	    "}\n"
	    "\n"
	    "iperf Done.\n");
}
END_TEST

/* What a client of --get-server-output gets: all since its parameters. */
START_TEST(captured)
{
	struct report_case k;
	struct cJSON *json;
	char *text;

	case_init(&k, I3_SERVER, I3_TCP);
	k.test.get_server_output = true;
	case_open(&k, false);
	k.ops->listening(k.r, &(struct i3_listening){.port = 5201, .test_number = 1});
	k.ops->captured(k.r, &text, &json);
	ck_assert(!text && !json);
	case_skip(&k);
	case_begin(&k, "h", 1, 0);
	ROWS(&k, {.number = 5, MS(0, 1000), .bytes = 1 * MB});
	k.ops->captured(k.r, &text, &json);
	ck_assert_ptr_null(json);
	ck_assert_str_eq(text, case_out(&k));
	ck_assert_int_eq(strncmp(text, "Accepted connection from h", 26), 0);
	free(text);
	/* The next test starts anew. */
	k.ops->test_done(k.r, true);
	case_begin(&k, "second", 1, 0);
	k.ops->captured(k.r, &text, &json);
	ck_assert_str_eq(text, "Accepted connection from second, port 1\n");
	free(text);
	k.ops->test_done(k.r, true);
	k.test.get_server_output = false;
	case_begin(&k, "third", 1, 0);
	k.ops->captured(k.r, &text, &json);
	ck_assert_ptr_null(text);
	case_close(&k);
}
END_TEST

START_TEST(debug_lines)
{
	struct report_case k;

	case_init(&k, I3_CLIENT, I3_TCP);
	k.c.debug = 2;
	case_open(&k, false);
	k.ops->debug(k.r, 1, "one");
	k.ops->debug(k.r, 2, "two\nlines");
	k.ops->debug(k.r, 3, "three");
	OUT(&k, "one\ntwo\nlines\n");
}
END_TEST

/* Each call leaves its lines visible, not in stdio's buffer. */
START_TEST(nothing_waits_in_a_buffer)
{
	struct report_case k;

	case_init(&k, I3_SERVER, I3_TCP);
	case_open(&k, false);
	k.ops->listening(k.r, &(struct i3_listening){.port = 5201, .test_number = 1});
	ck_assert_int_gt((int)k.out_len, 0);
	k.out_len = 0;
	case_begin(&k, "h", 1, 0);
	ck_assert_int_gt((int)k.out_len, 0);
	k.out_len = 0;
	ROWS(&k, {.number = 5, MS(0, 1000), .bytes = 1});
	ck_assert_int_gt((int)k.out_len, 0);
	k.ops->fault(k.r, I3_TROUBLE_ERROR, "e", NULL);
	ck_assert_int_gt((int)k.err_len, 0);
	case_close(&k);
}
END_TEST

START_TEST(times_in_any_year)
{
	static const struct {
		uint64_t s;
		const char *text;
	} rows[] = {
		{0, "Thu, 01 Jan 1970 00:00:00 GMT"},
		{951782399, "Mon, 28 Feb 2000 23:59:59 GMT"},
		{1796063511, "Mon, 30 Nov 2026 18:31:51 GMT"},
		{4102444799, "Thu, 31 Dec 2099 23:59:59 GMT"},
	};
	char buf[64];

	setenv("TZ", "Asia/Tokyo", 1);
	tzset();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		i3_time_text(rows[i].s * NS_PER_S + 999999999, buf, sizeof(buf));
		ck_assert_str_eq(buf, rows[i].text);
	}
}
END_TEST

CHECK_MAIN("report_text", client_without_rows, server_without_rows, verbose_client,
	   verbose_udp, verbose_server, cookie_without_end, prefixes, faults, server_output, captured,
	   debug_lines, nothing_waits_in_a_buffer, times_in_any_year)
