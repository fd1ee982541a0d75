/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "test/check_main.h"
#include "proto.h"

/* As nuttcp 8.2.2 sends it with -T2 -i0.5 -R50m -p22100. */
#define LINE_6                                                                    \
	"buflen = 65536, nbuf = 2147483647, win = 0, nstream = 1, rate = 50000, " \
	"port = 22100, trans = 1, braindead = 0, timeout = 2.000000, udp = 0, "   \
	"vers = 8.2.2, interval = 0.500000, reverse = 0, format = 2048, "         \
	"traceroute = 0, irate = 0, thirdparty = _NULL_ , multicast = 0 , "
#define LINE_612 \
	LINE_6 "datamss = 0 , tos = 0 , nbuf_bytes = 0 , rate_pps = 0 , nodelay = 0"
#define LINE_716                                                                    \
	LINE_6 "ssm = 0 , datamss = 0 , tos = 0 , nbuf_bytes = 0 , rate_pps = 0 , " \
	       "nodelay = 0 , affinity = -1 , maxburst = 1 , do_jitter = 0 , "      \
	       "do_owd = 0 , stride = 0 , multilink = 0"
#define LINE_733 LINE_716 ", group = _NULL_ , srcport = 0"
#define LINE_822 LINE_733 ", iratesss = 0"

static struct nut_params example(void)
{
	struct nut_params p = nut_params_default();

	p.buflen_bytes = 65536;
	p.rate_kbps = 50000;
	p.port = 22100;
	p.trans = 1;
	p.timeout_s = 2;
	p.vers = NUT_VERSION;
	p.interval_s = 0.5;
	p.format = NUT_RTT;
	return p;
}

START_TEST(test_versions)
{
	static const struct {
		const char *text;
		int number;
	} rows[] = {
		{"8.2.2", 80202},   {"v6.1.2", 60102}, {"v7.1.6", 70106},
		{"5.10.3", 51003},  {"v8.2", -1},      {"", -1},
		{"v", -1},          {"8.2.x", -1},     {"8..2", -1},
		{"v8.2.2 ", 80202}, {"8.2.2beta", -1}, {"0.0.0", 0},
		{"v1234.1.1", -1},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ck_assert_msg(nut_version_parse(rows[i].text) == rows[i].number, "%s",
			      rows[i].text);
	ck_assert_int_eq(nut_helo_parse("HELO nuttcp v8.2.2"), 80202);
	ck_assert_int_eq(nut_helo_parse("HELO nuttcp 8"), -1);
	ck_assert_int_eq(nut_helo_parse("buflen = 1"), -1);
	ck_assert_int_eq(nut_ok_parse("OK v6.1.2"), 60102);
	ck_assert_int_eq(nut_ok_parse("OK"), 0);
	ck_assert_int_eq(nut_ok_parse("KO"), -1);
}
END_TEST

START_TEST(test_print_for_each_server)
{
	static const struct {
		int version;
		const char *line;
	} rows[] = {
		{60102, LINE_612 "\n"}, {70106, LINE_716 "\n"}, {70303, LINE_733 "\n"},
		{80104, LINE_822 "\n"}, {80202, LINE_822 "\n"},
	};
	const struct nut_params p = example();
	char line[NUT_LINE_MAX];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int n = nut_params_print(&p, rows[i].version, line, sizeof(line));

		ck_assert_str_eq(line, rows[i].line);
		ck_assert_int_eq(n, (int)strlen(line));
	}
	ck_assert_int_eq(nut_params_print(&p, 80202, line, 100), -1);
}
END_TEST

START_TEST(test_print_oldest)
{
	struct nut_params p = example();
	char line[NUT_LINE_MAX];

	p.timeout_s = 1.5;
	nut_params_print(&p, 0, line, sizeof(line));
	ck_assert_str_eq(line, "buflen = 65536, nbuf = 2147483647, win = 0, nstream = 1, "
			       "rate = 50000, port = 22100, trans = 1, braindead = 0, "
			       "timeout = 2, udp = 0, vers = 8.2.2\n");
}
END_TEST

START_TEST(test_print_third_party)
{
	struct nut_params p = example();
	char line[NUT_LINE_MAX];

	strlcpy(p.thirdparty, "127.0.0.2", sizeof(p.thirdparty));
	p.ctlport3 = 22001;
	p.ssm = -1;
	p.tos = 0xB8;
	nut_params_print(&p, 80202, line, sizeof(line));
	ck_assert_ptr_nonnull(strstr(line,
				     ", thirdparty = 127.0.0.2 , brief3 = 1 , "
				     "ctlport3 = 22001 , multicast = 0 , ssm = -1 , "));
	ck_assert_ptr_nonnull(strstr(line, " , tos = B8 , "));
	ck_assert_ptr_nonnull(
		strstr(line, " , affinity = -1 , srvr_affinity = -1 , maxburst = 1 , "));
	ck_assert_ptr_nonnull(strstr(line, ", iratesss = 0, af3 = 0\n"));
}
END_TEST

START_TEST(test_parse)
{
	struct nut_params p;

	ck_assert_int_eq(nut_params_parse(LINE_822, &p), 0);
	ck_assert_int_eq(p.buflen_bytes, 65536);
	ck_assert_uint_eq(p.rate_kbps, 50000);
	ck_assert_int_eq(p.vers, 80202);
	ck_assert_double_eq(p.interval_s, 0.5);
	ck_assert_int_eq(p.format, 2048);
	ck_assert_str_eq(p.thirdparty, "");
	ck_assert_int_eq(p.affinity, -1);
	ck_assert_int_eq(nut_params_parse(LINE_612, &p), 0);
	ck_assert_int_eq(p.maxburst, 1);
	/* Any order, unknown fields, the first of two counts. */
	ck_assert_int_eq(
		nut_params_parse("vers = 7.1.6, udp = 1, timeout = 1, braindead = 0, "
				 "trans = 0, port = 5101, rate = 4294967295, "
				 "nstream = 2, win = 0, nbuf = 10, buflen = 8192, "
				 "color = blue, nstream = 3, group = 231.1.2.3 , "
				 "tos = 1F",
				 &p),
		0);
	ck_assert_int_eq(p.nstream, 2);
	ck_assert_int_eq(p.vers, 70106);
	ck_assert_str_eq(p.group, "231.1.2.3");
	ck_assert_int_eq(p.tos, 0x1F);
}
END_TEST

START_TEST(test_parse_nonsense)
{
	static const char *const lines[] = {
		"",
		"hello",
		"buflen = 65536",
		LINE_822 ", af3 = x",
		"buflen = x" LINE_6,
		"buflen = 99999999999999999999, nbuf = 1, win = 0, nstream = 1, rate = "
		"1, "
		"port = 1, trans = 1, braindead = 0, timeout = 1, udp = 0, vers = 8.2.2",
		"buflen = 1, nbuf = -1, win = 0, nstream = 1, rate = 1, port = 1, "
		"trans = 1, braindead = 0, timeout = 1, udp = 0, vers = 8.2.2",
		"buflen = 1, nbuf = 1, win = 0, nstream = 1, rate = 1, port = 1, "
		"trans = 1, braindead = 0, timeout = nan, udp = 0, vers = 8.2.2",
		"buflen = 1, nbuf = 1, win = 0, nstream = 1, rate = 1, port = 1, "
		"trans = 1, braindead = 0, timeout = 1, udp = 0, vers = new",
	};
	struct nut_params p;
	char longest[NUT_LINE_MAX + 100];

	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		ck_assert_msg(nut_params_parse(lines[i], &p) == -1, "%s", lines[i]);
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ck_assert_int_eq(nut_params_parse(longest, &p), -1);
}
END_TEST

/* ---- what a server refuses ---- */

static void ck_refused(struct nut_params *p, const char *want)
{
	char text[512] = "";
	int rc = nut_params_check(p, 22000, text, sizeof(text));

	if (!want) {
		ck_assert_msg(rc == 0, "%s", text);
		return;
	}
	ck_assert_int_eq(rc, -1);
	ck_assert_str_eq(text, want);
}

#define REFUSED(member, value, want)              \
	do {                                      \
		struct nut_params p_ = example(); \
		p_.member = (value);              \
		ck_refused(&p_, want);            \
	} while (0)
#define R "nuttcp-r: v8.2.2: "

START_TEST(test_check)
{
	struct nut_params p = example();

	ck_refused(&p, NULL);
	REFUSED(buflen_bytes, 0, R "invalid buflen\nbuflen = 0\n");
	REFUSED(buflen_bytes, 1 << 30, R "invalid buflen\nbuflen = 1073741824\n");
	REFUSED(nbuf, 0, R "invalid nbuf\nnbuf = 0\n");
	REFUSED(win_bytes, -1, R "invalid win\nwin = -1\n");
	REFUSED(nstream, 0, R "invalid nstream\nnstream = 0\n");
	REFUSED(nstream, 129, R "invalid nstream\nnstream = 129\n");
	REFUSED(nstream, INT64_MAX, R "invalid nstream\nnstream = 9223372036854775807\n");
	REFUSED(port, 80, R "invalid port/nstream\nport/nstream = 80/1\n");
	REFUSED(port, 65536, R "invalid port/nstream\nport/nstream = 65536/1\n");
	REFUSED(port, 22000,
		R "ctlport overlaps port/nstream\nctlport = 22000, port/nstream = "
		  "22000/1\n");
	REFUSED(timeout_s, -1, R "invalid timeout\ntimeout = -1.000000\n");
	REFUSED(interval_s, -1, R "invalid interval\ninterval = -1.000000\n");
	REFUSED(ttl, 300, R "invalid multicast ttl\nmulticast ttl = 300\n");
	REFUSED(ssm, 2, R "invalid ssm value\nssm = 2\n");
	REFUSED(ssm, -1, R "invalid ssm value\nssm = -1\n");
	REFUSED(datamss_bytes, -1, R "invalid datamss\ndatamss = -1\n");
	REFUSED(tos, 0x100, R "invalid tos\ntos = 256\n");
	REFUSED(nbuf_bytes, -1, R "invalid nbuf_bytes\nnbuf_bytes = -1\n");
	REFUSED(rate_pps, -1, R "invalid rate_pps\nrate_pps = -1\n");
	REFUSED(nodelay, -1, R "invalid nodelay\nnodelay = -1\n");
	REFUSED(maxburst, 0, R "invalid maxburst\nmaxburst = 0\n");
	REFUSED(do_jitter, 1, "jitter option not supported for TCP\n");
	REFUSED(do_jitter, -1, R "invalid do_jitter\ndo_jitter = -1\n");
	REFUSED(do_owd, -1, R "invalid do_owd\ndo_owd = -1\n");
	REFUSED(srcport, 80, R "invalid srcport\nsrcport = 80\n");
}
END_TEST

START_TEST(test_check_together)
{
	struct nut_params p = example();

	strlcpy(p.group, "xyz", sizeof(p.group));
	ck_refused(
		&p,
		"nuttcp-t: v8.2.2: invalid multicast group\nmulticast group = 'xyz'\n");
	strlcpy(p.group, "1.2", sizeof(p.group));
	ck_refused(&p, R "invalid multicast group\nmulticast group = '1.2'\n");
	p = example();
	strlcpy(p.thirdparty, "a;b", sizeof(p.thirdparty));
	ck_refused(&p,
		   "nuttcp-t: v8.2.2: invalid 3rd party host\n3rd party host = 'a;b'\n");
	strlcpy(p.thirdparty, "-oProxy", sizeof(p.thirdparty));
	ck_refused(
		&p,
		"nuttcp-t: v8.2.2: invalid 3rd party host\n3rd party host = '-oProxy'\n");
	strlcpy(p.thirdparty, "h", sizeof(p.thirdparty));
	p.buflen_bytes = 0;
	p.ssm = -1;
	ck_refused(&p, NULL);
	p = example();
	p.iratesss = 1;
	p.maxburst = 2;
	ck_refused(&p, R "maxburst > 1 not allowed with iratesss\nmaxburst = 2\n");
	p = example();
	p.udp = p.do_jitter = 1;
	ck_refused(&p, "jitter option requires instantaneous rate limit\n");
	p.rate_kbps = NUT_RATE_UNLIMITED;
	ck_refused(&p, "jitter option not supported for unlimited rate\n");
	p = example();
	p.udp = 1;
	p.buflen_bytes = 65508;
	ck_refused(&p, R "invalid buflen\nbuflen = 65508\n");
}
END_TEST

CHECK_MAIN("nut_proto", test_versions, test_print_for_each_server, test_print_oldest,
	   test_print_third_party, test_parse, test_parse_nonsense, test_check,
	   test_check_together)
