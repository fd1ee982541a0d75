/* SPDX-License-Identifier: BSD-2-Clause */
#include "check_main.h"
#include "jsonw.h"
#include "mono.h"
#include "result.h"

/* result_json() as one line. Static buffer. */
static const char *line_of(const struct result *r)
{
	static char buf[4096];
	FILE *f = fmemopen(buf, sizeof(buf), "w");
	struct cJSON *o = result_json(r);

	buf[0] = '\0';
	ck_assert_int_eq(jsonw_print(f, o, true), jsonw_available() ? 0 : -1);
	fclose(f);
	jsonw_free(o);
	return buf;
}

static const struct result full = {
	.tool = "ttcp",
	.version = "1.2.3",
	.role = "sender",
	.start_wall_ns = UINT64_C(1767322985678999999),
	.host = "example.net",
	.port = 5001,
	.protocol = "tcp",
	.total =
		{
			.from_ns = 5 * NS_PER_S,
			.to_ns = 7 * NS_PER_S + 500 * NS_PER_MS,
			.bytes = UINT64_C(10000000000),
			.flags = SAMPLE_SENDER | SAMPLE_FINAL,
			.tcp =
				{
					.have = TCP_HAVE_BASE | TCP_HAVE_MIN_RTT |
						TCP_HAVE_CONGESTION,
					.rtt_us = 1200,
					.min_rtt_us = 900,
					.retransmits = 3,
					.snd_cwnd_segs = 4000000000,
					.snd_mss_bytes = 1448,
					.congestion = "cubic",
				},
		},
	.cpu_user_ns = 250 * NS_PER_MS,
	.cpu_system_ns = 1250 * NS_PER_MS,
	.exit_reason = "done",
};

#define EXPECT(r, expected) \
	ck_assert_str_eq(line_of(r), jsonw_available() ? (expected) : "")

START_TEST(all_that_is_known)
{
	EXPECT(&full,
	       "{\"tool\":\"ttcp\",\"version\":\"1.2.3\",\"role\":\"sender\","
	       "\"start_time\":\"2026-01-02T03:03:05.678Z\","
	       "\"start_time_unix_s\":1767322985.678,"
	       "\"host\":\"example.net\",\"port\":5001,\"protocol\":\"tcp\","
	       "\"bytes\":10000000000,\"seconds\":2.5,\"bits_per_second\":32000000000,"
	       "\"cpu_user_seconds\":0.25,\"cpu_system_seconds\":1.25,"
	       "\"tcp\":{\"rtt_us\":1200,\"min_rtt_us\":900,\"retransmits\":3,"
	       "\"cwnd_bytes\":5792000000000,\"mss_bytes\":1448,\"congestion\":\"cubic\"}"
	       ","
	       "\"exit_reason\":\"done\"}\n");
}
END_TEST

START_TEST(what_is_not_known_is_absent)
{
	struct result r = {.tool = "ttcp", .version = "1", .role = "receiver"};

	r.exit_reason = "nobody connected";
	EXPECT(&r,
	       "{\"tool\":\"ttcp\",\"version\":\"1\",\"role\":\"receiver\",\"bytes\":0,"
	       "\"seconds\":0,\"cpu_user_seconds\":0,\"cpu_system_seconds\":0,"
	       "\"exit_reason\":\"nobody connected\"}\n");
	r.total.from_ns = 5; /* ends before it begins: no rate of any kind */
	r.total.bytes = 1;
	EXPECT(&r,
	       "{\"tool\":\"ttcp\",\"version\":\"1\",\"role\":\"receiver\",\"bytes\":1,"
	       "\"seconds\":0,\"cpu_user_seconds\":0,\"cpu_system_seconds\":0,"
	       "\"exit_reason\":\"nobody connected\"}\n");
}
END_TEST

START_TEST(a_receiver_has_no_window_to_show)
{
	struct result r = {.total = {.tcp = full.total.tcp}};

	EXPECT(&r, "{\"bytes\":0,\"seconds\":0,\"cpu_user_seconds\":0,\"cpu_system_"
		   "seconds\":0,"
		   "\"tcp\":{\"rtt_us\":1200,\"min_rtt_us\":900,\"retransmits\":3,"
		   "\"mss_bytes\":1448,\"congestion\":\"cubic\"}}\n");
}
END_TEST

START_TEST(an_old_kernel_gives_less)
{
	struct result r = {.total = {.tcp = full.total.tcp, .flags = SAMPLE_SENDER}};

	r.total.tcp.have = TCP_HAVE_BASE;
	r.total.tcp.rtt_us = 0;
	EXPECT(&r, "{\"bytes\":0,\"seconds\":0,\"cpu_user_seconds\":0,\"cpu_system_"
		   "seconds\":0,"
		   "\"tcp\":{\"retransmits\":3,\"cwnd_bytes\":5792000000000,"
		   "\"mss_bytes\":1448}}\n");
	r.total.tcp.have = TCP_HAVE_CONGESTION;
	memcpy(r.total.tcp.congestion, "0123456789abcdef", 16); /* no NUL */
	EXPECT(&r, "{\"bytes\":0,\"seconds\":0,\"cpu_user_seconds\":0,\"cpu_system_"
		   "seconds\":0,"
		   "\"tcp\":{\"congestion\":\"0123456789abcdef\"}}\n");
}
END_TEST

CHECK_MAIN("result", all_that_is_known, what_is_not_known_is_absent,
	   a_receiver_has_no_window_to_show, an_old_kernel_gives_less)
