/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "compat.h"
#include "proto.h"
#include "test/check_main.h"

static int read_params(const char *text, struct i3_test *t, struct i3_fault *f)
{
	i3_test_init(t);
	t->block_bytes = 0;
	i3_fault_clear(f);
	return i3_params_read(t, text, strlen(text), NULL, NULL, f);
}

START_TEST(params_as_upstream_sends_them)
{
	struct i3_test t;
	char *text;

	i3_test_init(&t);
	t.time_s = 1;
	t.block_bytes = 8192;
	t.rate_bps = 2000000;
	text = i3_params_text(&t, "3.21+");
	ck_assert_str_eq(text,
			 "{\"tcp\":true,\"omit\":0,\"time\":1,\"num\":0,\"blockcount\":0,"
			 "\"parallel\":1,\"len\":8192,\"bandwidth\":2000000,"
			 "\"pacing_timer\":1000,\"client_version\":\"3.21+\"}");
	free(text);
}
END_TEST

START_TEST(params_survive_the_trip)
{
	struct i3_test t, back;
	struct i3_fault f;
	char *text;

	i3_test_init(&t);
	t.protocol = I3_UDP;
	t.bidir = t.udp_64bit = t.dont_fragment = t.get_server_output = t.skip_rx_copy =
		true;
	t.bytes = UINT64_C(1) << 50;
	t.block_bytes = 1000;
	t.tos = 184;
	t.parallel = 128;
	t.server_cpu = 3;
	t.title = strdup("a \"title\"");
	text = i3_params_text(&t, "x");
	ck_assert_int_eq(read_params(text, &back, &f), 0);
	ck_assert_int_eq(back.protocol, I3_UDP);
	ck_assert(back.bidir && back.udp_64bit && back.dont_fragment);
	ck_assert(back.get_server_output && back.skip_rx_copy && !back.reverse);
	ck_assert_uint_eq(back.bytes, t.bytes);
	ck_assert_int_eq(back.tos, 184);
	ck_assert_uint_eq(back.parallel, 128);
	ck_assert_int_eq(back.server_cpu, 3);
	ck_assert_str_eq(back.title, t.title);
	ck_assert_str_eq(back.peer_version, "x");
	free(text);
	i3_test_free(&t);
	i3_test_free(&back);
}
END_TEST

START_TEST(params_refused)
{
	static const struct {
		const char *text;
		int number;
	} rows[] = {
		{"", I3_F_RECV_PARAMS},
		{"[]", I3_F_RECV_PARAMS},
		{"{\"tcp\":true", I3_F_RECV_PARAMS},
		{"{\"parallel\":0}", I3_F_NUM_STREAMS},
		{"{\"parallel\":129}", I3_F_NUM_STREAMS},
		{"{\"parallel\":1e999}", I3_F_NUM_STREAMS},
		{"{\"parallel\":18446744073709551615}", I3_F_NUM_STREAMS},
		{"{\"len\":1048577}", I3_F_BLOCK_SIZE},
		{"{\"udp\":true,\"len\":15}", I3_F_UDP_BLOCK_SIZE},
		{"{\"udp\":true,\"len\":65508}", I3_F_UDP_BLOCK_SIZE},
		{"{\"MSS\":99999}", I3_F_MSS},
		{"{\"omit\":601}", I3_F_OMIT},
		{"{\"time\":86401}", I3_F_DURATION},
		{"{\"burst\":1001}", I3_F_BURST},
		{"{\"TOS\":256}", I3_F_BAD_TOS},
		{"{\"window\":536870913}", I3_F_BUF_SIZE},
		{"{\"num\":-1}", I3_F_RECV_PARAMS},
	};
	struct i3_test t;
	struct i3_fault f;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		ck_assert_msg(read_params(rows[i].text, &t, &f) < 0, "%s", rows[i].text);
		ck_assert_msg(f.number == rows[i].number, "%s: %d", rows[i].text,
			      f.number);
		i3_test_free(&t);
	}
}
END_TEST

START_TEST(params_that_say_little)
{
	struct i3_test t;
	struct i3_fault f;

	ck_assert_int_eq(read_params("{}", &t, &f), 0);
	ck_assert_int_eq(t.protocol, I3_TCP);
	ck_assert_uint_eq(t.block_bytes, 131072);
	ck_assert_uint_eq(t.time_s, 10);
	i3_test_free(&t);
	ck_assert_int_eq(
		read_params("{\"time\":\"5\",\"future\":[1],\"reverse\":1}", &t, &f), 0);
	ck_assert_uint_eq(t.time_s, 10); /* of a wrong type: ignored */
	ck_assert(!t.reverse);
	i3_test_free(&t);
}
END_TEST

#define HEAD                                                               \
	"{\"cpu_util_total\":1,\"cpu_util_user\":1,\"cpu_util_system\":0," \
	"\"sender_has_retransmits\":18446744073709551615,\"streams\":["
#define STREAM                                                                       \
	"{\"id\":1,\"bytes\":7,\"retransmits\":18446744073709551615,\"jitter\":0.5," \
	"\"errors\":3,\"packets\":9"

START_TEST(results_of_old_servers)
{
	static const char text[] = HEAD STREAM "}]}";
	struct i3_results r;
	struct i3_fault f = {0};

	ck_assert_int_eq(i3_results_read(&r, text, strlen(text), &f), 0);
	ck_assert_int_eq(r.sender_has_retransmits, -1);
	ck_assert_uint_eq(r.stream_count, 1);
	ck_assert_int_eq(r.streams[0].retransmits, -1);
	ck_assert(!r.streams[0].has_omitted && !r.streams[0].has_end);
	ck_assert_int_eq(r.streams[0].duplicates, -1);
	i3_results_free(&r);
}
END_TEST

START_TEST(results_refused)
{
	static const char *const rows[] = {
		"",         "{}",
		"[]",       HEAD "{}]}",
		HEAD "5]}", HEAD STREAM ",\"omitted_errors\":1}]}", /* both or none */
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct i3_results r;
		struct i3_fault f = {0};

		ck_assert_msg(i3_results_read(&r, rows[i], strlen(rows[i]), &f) < 0, "%s",
			      rows[i]);
		ck_assert_int_eq(f.number, I3_F_RECV_RESULTS);
		i3_results_free(&r);
	}
}
END_TEST

START_TEST(ids_skip_two)
{
	ck_assert_int_eq(i3_stream_id(0), 1);
	ck_assert_int_eq(i3_stream_id(1), 3);
	ck_assert_int_eq(i3_stream_id(2), 4);
}
END_TEST

START_TEST(udp_heads)
{
	static const unsigned char narrow[] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3};
	struct i3_udp_head h = {.sec = 1, .usec = 2, .number = 3}, back;
	unsigned char buf[I3_UDP_HEAD_MAX];

	i3_udp_head_put(buf, &h, false);
	ck_assert_mem_eq(buf, narrow, sizeof(narrow));
	ck_assert(i3_udp_head_get(buf, 12, &back, false));
	ck_assert_uint_eq(back.number, 3);
	ck_assert(!i3_udp_head_get(buf, 11, &back, false));
	h.number = UINT64_C(0x123456789abcdef0);
	i3_udp_head_put(buf, &h, true);
	ck_assert(i3_udp_head_get(buf, 16, &back, true));
	ck_assert_uint_eq(back.number, h.number);
	ck_assert(!i3_udp_head_get(buf, 15, &back, true));
}
END_TEST

START_TEST(cookies)
{
	char a[I3_COOKIE_BYTES], b[I3_COOKIE_BYTES];

	ck_assert_int_eq(i3_cookie_make(a, NULL), 0);
	ck_assert_int_eq(i3_cookie_make(b, NULL), 0);
	ck_assert_uint_eq(strlen(a), I3_COOKIE_BYTES - 1);
	ck_assert_uint_eq(strspn(a, "abcdefghijklmnopqrstuvwxyz234567"), 36);
	ck_assert(!i3_cookie_equal(a, b));
	memcpy(b, a, sizeof(b));
	ck_assert(i3_cookie_equal(a, b));
}
END_TEST

START_TEST(peers_words_are_made_plain)
{
	char text[] = "cu\x1b[2J\r\nb\xc3\xa4ic~ ";
	static const char params[] = "{\"tcp\":true,\"congestion\":\"a\\u001b[31m\\nb\"}";
	struct i3_test t;

	i3_make_plain(text);
	ck_assert_str_eq(text, "cu?[2J??b??ic~ ");
	i3_test_init(&t);
	ck_assert_int_eq(i3_params_read(&t, params, strlen(params), NULL, NULL, NULL), 0);
	ck_assert_str_eq(t.congestion, "a?[31m?b");
	i3_test_free(&t);
}
END_TEST

CHECK_MAIN("i3_proto", peers_words_are_made_plain, params_as_upstream_sends_them,
	   params_survive_the_trip, params_refused, params_that_say_little,
	   results_of_old_servers, results_refused, ids_skip_two, udp_heads, cookies)
