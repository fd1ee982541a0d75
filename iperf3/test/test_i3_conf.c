/* SPDX-License-Identifier: BSD-2-Clause */
#include "compat.h"
#include "conf.h"
#include "conf_values.h"
#include "test/check_main.h"

#define WORDS_MAX 32

/* "-c h -t 5" as the shell would split it. Returns what i3_conf_parse() returns. */
static int parse(const char *line, struct i3_conf *c, struct err *e)
{
	static char buf[512];
	char *argv[WORDS_MAX + 1] = {(char[]){"iperf3"}};
	char *at = buf;
	int argc = 1;

	strlcpy(buf, line, sizeof(buf));
	for (char *word; (word = strsep(&at, " ")) && argc < WORDS_MAX;)
		if (*word)
			argv[argc++] = word;
	argv[argc] = NULL;
	return i3_conf_parse(c, argc, argv, e);
}

static const struct {
	const char *line, *text;
} refused[] = {
	{"", "must either be a client (-c) or server (-s)"},
	{"-s -c h", "cannot be both server and client"},
	{"-s -t 5", "some option you are trying to set is client only"},
	{"-c h -1", "some option you are trying to set is server only"},
	{"-c h -p 0", "port number must be between 1 and 65535 inclusive"},
	{"-c h -p 70000", "port number must be between 1 and 65535 inclusive"},
	{"-c h -f x", "bad format specifier (valid formats are in the set [kmgtKMGT])"},
	{"-c h -i 0.05", "invalid report interval (min = 0.1, max = 60 seconds)"},
	{"-c h -i nan", "invalid report interval (min = 0.1, max = 60 seconds)"},
	{"-c h -i -INF", "invalid report interval (min = 0.1, max = 60 seconds)"},
	{"-c h -i -1", "invalid report interval (min = 0.1, max = 60 seconds)"},
	{"-c h -t 86401", "test duration valid values are 0 to 86400 seconds"},
	{"-c h -t -1", "test duration valid values are 0 to 86400 seconds"},
	{"-c h -t 1 -n 5", "only one test end condition (-t, -n, -k) may be specified"},
	{"-c h -P 0", "invalid number of parallel streams (min = 1, max = 128)"},
	{"-c h -l 2M", "block size too large (maximum = 1048576 bytes)"},
	{"-c h -l 10 -u",
	 "block size invalid (minimum = 16 bytes, maximum = 65507 bytes)"},
	{"-c h -w 600M", "socket buffer size too large (maximum = 536870912 bytes)"},
	{"-c h -w 5X", "invalid unit value or suffix: '5X'"},
	{"-c h -b 5Q", "invalid unit value or suffix: '5Q'"},
	{"-c h -n -5", "invalid unit value or suffix: '-5'"},
	{"-c h -b 1M/2000", "invalid burst count (maximum = 1000)"},
	{"-c h -b 1M/", "invalid burst count (maximum = 1000)"},
	{"-c h -M 40000", "TCP MSS too large (maximum = 32767 bytes)"},
	{"-c h -O 601", "bogus value for --omit (maximum = 600 seconds)"},
	{"-c h -S 256", "bad TOS value (must be between 0 and 255 inclusive)"},
	{"-c h -L 0", "unable to set IPv6 flow label"},
	{"-c h -A 5000", "unable to set CPU affinity: "},
	{"-c h -R --bidir", "cannot be both reverse and bidirectional"},
	{"-c h -u -F x", "cannot transfer file using UDP"},
	{"-c h --rcv-timeout 500",
	 "client receive timeout is valid only in receiving mode: "},
	{"-c h -R --rcv-timeout 50",
	 "receive timeout value is incorrect or not in range: "},
	{"-c h --cntl-ka=5/3/3", "control connection Keepalive period should be larger "
				 "than the full retry period "
				 "(interval * count): "},
	{"-c h --username bob",
	 "you must specify a username, password, and path to a valid "
	 "RSA public key"},
	{"-s --time-skew-threshold 0", "skew threshold must be a positive number"},
	{"-s --server-bitrate-limit 1M/0.01",
	 "invalid time interval for calculating average data rate"},
	{"-s --server-max-duration -5",
	 "test duration valid values are 0 to 86400 seconds"},
	{"-c h -Zq", "invalid option -- 'q'"},
	{"-c h --no-such-option", "unrecognized option '--no-such-option'"},
};

START_TEST(refusals)
{
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		struct i3_conf c;
		struct err e;

		ck_assert_msg(parse(refused[i].line, &c, &e) < 0, "%s", refused[i].line);
		ck_assert_str_eq(e.text, refused[i].text);
		i3_conf_free(&c);
	}
}
END_TEST

START_TEST(client)
{
	struct i3_conf c;
	struct err e;

	ck_assert_int_eq(
		parse("-c h%eth1 -P 3 -b 10Mbit/20 -n 1.5K -l 8K -w 64K -A 1,2 -T t "
		      "-O 2",
		      &c, &e),
		0);
	ck_assert_str_eq(c.host, "h");
	ck_assert_str_eq(c.bind_dev, "eth1");
	ck_assert_uint_eq(c.test.parallel, 3);
	ck_assert_uint_eq(c.test.rate_bps, 10000000);
	ck_assert_uint_eq(c.test.burst, 20);
	ck_assert_uint_eq(c.test.bytes, 1536);
	ck_assert_uint_eq(c.test.time_s, 0);
	ck_assert_uint_eq(c.test.block_bytes, 8192);
	ck_assert_int_eq(c.test.window_bytes, 65536);
	ck_assert_int_eq(c.cpu, 1);
	ck_assert_int_eq(c.test.server_cpu, 2);
	ck_assert_str_eq(c.test.title, "t");
	i3_conf_free(&c);
}
END_TEST

START_TEST(defaults)
{
	struct i3_conf c;
	struct err e;

	ck_assert_int_eq(parse("-c fe80::1%eth0", &c, &e), 0);
	ck_assert_str_eq(c.host, "fe80::1%eth0"); /* a scope, no device */
	ck_assert_ptr_null(c.bind_dev);
	ck_assert_uint_eq(c.test.block_bytes, 131072);
	ck_assert_uint_eq(c.test.time_s, 10);
	ck_assert_uint_eq(c.test.rate_bps, 0);
	i3_conf_free(&c);
	ck_assert_int_eq(parse("-c h -u", &c, &e), 0);
	ck_assert_uint_eq(c.test.rate_bps, 1048576);
	ck_assert_uint_eq(c.test.block_bytes, 0); /* what the path takes */
	i3_conf_free(&c);
	ck_assert_int_eq(parse("-c h -u -b 0", &c, &e), 0);
	ck_assert_uint_eq(c.test.rate_bps, 0);
	i3_conf_free(&c);
}
END_TEST

START_TEST(numbers)
{
	static const struct {
		const char *text;
		uint64_t value;
		bool ok;
	} rows[] = {
		{"1", 1, true},
		{"1K", 1024, true},
		{"1.5k", 1536, true},
		{"2m", 2097152, true},
		{"1G", 1073741824, true},
		{"1T", UINT64_C(1099511627776), true},
		{"10Kbit", 10240, true},
		{"0", 0, true},
		{"", 0, false},
		{"K", 0, false},
		{"1x", 0, false},
		{"-1", 0, false},
		{"inf", 0, false},
		{"0x10", 0, false},
		{"99999999999T", 0, false},
	};
	uint64_t v;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		ck_assert_msg(i3_value_scaled(rows[i].text, 1024, &v) == rows[i].ok, "%s",
			      rows[i].text);
		if (rows[i].ok)
			ck_assert_uint_eq(v, rows[i].value);
	}
	ck_assert_int_eq(i3_value_dscp("ef"), 0xb8);
	ck_assert_int_eq(i3_value_dscp("CS1"), 0x20);
	ck_assert_int_eq(i3_value_dscp("0x2e"), 0xb8);
	ck_assert_int_eq(i3_value_dscp("64"), -1);
	ck_assert_int_eq(i3_value_dscp("foo"), -1);
}
END_TEST

CHECK_MAIN("i3_conf", refusals, client, defaults, numbers)
