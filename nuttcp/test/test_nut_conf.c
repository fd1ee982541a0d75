/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "test/check_main.h"
#include "conf.h"
#include "request.h"

static struct nut_conf c;
static char notes[1024];

/* Words separated by blanks. Returns 0, or -1 with the error in text. */
static int parse(const char *words, char *text, size_t size)
{
	static char copy[1024]; /* the conf points into it */
	char *rest = copy, *word;
	char *argv[32] = {(char[]){"nuttcp"}};
	FILE *f = fmemopen(notes, sizeof(notes), "w");
	struct err e = {.text = ""};
	int argc = 1, rc;

	memset(notes, 0, sizeof(notes));
	strlcpy(copy, words, sizeof(copy));
	while (argc < 31 && (word = strsep(&rest, " ")) != NULL) {
		if (*word)
			argv[argc++] = word;
	}
	rc = nut_conf_parse(&c, argc, argv, f, &e);
	fclose(f);
	if (text)
		snprintf(text, size, "%s", e.text);
	return rc;
}

static void good(const char *words)
{
	char text[256];

	ck_assert_msg(parse(words, text, sizeof(text)) == 0, "%s: %s", words, text);
}

START_TEST(test_defaults)
{
	good("host");
	ck_assert_int_eq(c.role, NUT_CLIENT);
	ck_assert(nut_transmits(&c) && !c.udp);
	ck_assert_int_eq(c.port, 5101);
	ck_assert_int_eq(c.ctlport, 5000);
	ck_assert_int_eq(c.buflen_bytes, 65536);
	ck_assert_double_eq(c.timeout_s, 10);
	ck_assert_int_eq(c.format, 2048);
	ck_assert_str_eq(c.dest.control, "host");
	good("-S");
	ck_assert_int_eq(c.role, NUT_SERVER);
	good("-1 -s");
	ck_assert_int_eq(c.role, NUT_ONESHOT);
	good("-r");
	ck_assert_int_eq(c.role, NUT_ONESHOT);
}
END_TEST

/* A value may be glued or apart, and an optional one may be missing. */
START_TEST(test_grammar)
{
	good("-T5 -i host");
	ck_assert_double_eq(c.interval_s, 1);
	good("-T 5 -i 0.5 host");
	ck_assert_double_eq(c.timeout_s, 5);
	ck_assert_double_eq(c.interval_s, 0.5);
	good("-i 2 -T10 127.0.0.1");
	ck_assert_double_eq(c.interval_s, 2);
	good("-wb 127.0.0.1");
	ck_assert(c.braindead);
	ck_assert_str_eq(c.host, "127.0.0.1");
	good("-wb512k 127.0.0.1");
	ck_assert_int_eq(c.win_bytes, 512 * 1024);
	good("-ws1m -w256 host");
	ck_assert_int_eq(c.win_bytes, 256 * 1024);
	ck_assert_int_eq(c.srvwin_bytes, 1024 * 1024);
	good("-vu host"); /* no bundling */
	ck_assert(c.verbose == 1 && !c.udp);
	good("-n host");
	ck_assert_uint_eq(c.nbuf, 2048);
	good("--packet-burst 4 -u -Ri1m host");
	ck_assert_int_eq(c.burst, 4);
}
END_TEST

START_TEST(test_times_and_sizes)
{
	good("-T2m host");
	ck_assert_double_eq(c.timeout_s, 120);
	good("-T1.5h host");
	ck_assert_double_eq(c.timeout_s, 5400);
	good("-T0 host");
	ck_assert_double_eq(c.timeout_s, 10);
	good("-n100 host");
	ck_assert_double_eq(c.timeout_s, 0);
	good("-n4m -l16k host");
	ck_assert(c.nbuf_bytes);
	ck_assert_uint_eq(nut_request(&c, 0).nbuf, 256);
	good("-w10g host"); /* beyond an int: as much as there is */
	ck_assert_int_eq(c.win_bytes, 2147483647);
	good("-w64000b host");
	ck_assert_int_eq(c.win_bytes, 64000);
	good("-c46 host");
	ck_assert_int_eq(c.tos, 0xB8);
	good("-c0x10t host");
	ck_assert_int_eq(c.tos, 16);
	good("-c5p host");
	ck_assert_int_eq(c.tos, 160);
	good("--idle-data-timeout 2 host");
	ck_assert(c.idle_min_s == 2 && c.idle_default_s == 2 && c.idle_max_s == 2);
	good("--idle-data-timeout 1/5/9 host");
	ck_assert(c.idle_min_s == 1 && c.idle_default_s == 5 && c.idle_max_s == 9);
}
END_TEST

START_TEST(test_rates)
{
	static const struct {
		const char *words;
		double bps;
		uint64_t kbps;
		int irate;
	} rows[] = {
		{"host", 0, 4294967295, 0},
		{"-u host", 1e6, 1000, 0},
		{"-uu host", 0, 4294967295, 0},
		{"-u -R0 host", 0, 4294967295, 0},
		{"-Ru host", 0, 4294967295, 0},
		{"-R50m host", 50e6, 50000, 0},
		{"-R9.9G host", 9.9e9, 9900000, 0},
		{"-Ri300m/20 -u host", 300e6, 300000, 1},
		{"-Ra1m host", 1e6, 1000, 0},
		{"-R1000 host", 1e6, 1000, 0},
		{"-R1000k host", 1e6, 1000, 0},
		{"-u -R100p -l500 host", 400000, 400, 0},
		{"-u -R1.5kp -l1000 host", 12e6, 12000, 0},
		/* Less than a kbps is less than a kbps. */
		{"-u -R0.5 host", 500, 1, 0},
		{"-u -R10p -l5 host", 400, 1, 0},
		{"-j host", 1e6, 1000, 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct nut_params p;

		good(rows[i].words);
		p = nut_request(&c, 65483);
		ck_assert_msg(nut_request_rate_bps(&c, &p) == rows[i].bps, "%s: %g",
			      rows[i].words, nut_request_rate_bps(&c, &p));
		ck_assert_msg(p.rate_kbps == rows[i].kbps, "%s", rows[i].words);
		ck_assert_int_eq(p.irate, rows[i].irate);
	}
}
END_TEST

START_TEST(test_udp_buflen)
{
	good("-u host");
	ck_assert_int_eq(nut_request(&c, 1448).buflen_bytes, 1024);
	ck_assert_int_eq(nut_request(&c, 8948).buflen_bytes, 8192);
	ck_assert_int_eq(nut_request(&c, 65483).buflen_bytes, 8192);
	ck_assert_int_eq(nut_request(&c, 0).buflen_bytes, 1024);
	good("-u -l8972 -w4m -R9.9G host");
	ck_assert_int_eq(nut_request(&c, 1448).buflen_bytes, 8972);
	good("-m host");
	ck_assert(c.udp && c.ttl == 1);
	ck_assert_int_eq(nut_request(&c, 1448).buflen_bytes, 1024);
	good("-u -l70000 host");
	ck_assert_int_eq(c.buflen_bytes, 65507);
	ck_assert_str_eq(notes, "UDP buflen = 70000 > MAXUDPBUFLEN, set to 65507\n");
	good("-u -l3 host");
	ck_assert_str_eq(notes, "UDP buflen = 3 < 5, set to 5\n");
}
END_TEST

START_TEST(test_output_options)
{
	good("-v host");
	ck_assert(c.verbose == 1 && !c.result_line);
	good("-vv host");
	ck_assert(c.verbose == 2 && !c.result_line);
	good("-b-1 host");
	ck_assert(c.verbose == 1 && c.result_line && c.brief == -1);
	good("-b0 host");
	ck_assert(c.verbose == 1 && !c.result_line);
	good("-brc host");
	ck_assert(c.by_stream_retrans && c.by_stream_cwnd && c.result_line);
	good("-fparse -frunningtotal -f-drops -f-rtt host");
	ck_assert_int_eq(c.format, 0x40 | 0x4 | 0x8);
	good("-f-retrans host");
	ck_assert_int_eq(c.format, 0x800 | 0x100 | 0x2000);
	good("-jmaxo -o host");
	ck_assert_int_eq(c.jitter, 15);
	ck_assert_int_eq(c.owd, NUT_AVG);
	good("-Iabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz host");
	ck_assert_uint_eq(strlen(c.ident), 40);
	good("-T1 -i2 host");
	ck_assert_double_eq(c.interval_s, 0);
	ck_assert_str_eq(notes,
			 "ignoring interval=2.000000 which is greater than or equal "
			 "timeout=1.000000\n");
	good("-N200 host");
	ck_assert_int_eq(c.nstream, 128);
	ck_assert_str_eq(notes, "nstream = 200 > MAXSTREAM, set to 128\n");
	good("-n10 -l16 host");
	ck_assert_str_eq(
		notes, "Unable to print retransmission information if TCP buflen < 32\n");
}
END_TEST

START_TEST(test_ports_and_hosts)
{
	good("-p6000:7000 -P5500:5600 host");
	ck_assert(c.srcport == 6000 && c.port == 7000);
	ck_assert(c.ctl_srcport == 5500 && c.ctlport == 5600);
	good("-P5500/5600 h1 h2");
	ck_assert(c.ctlport == 5500 && c.ctlport3 == 5600);
	ck_assert_str_eq(c.third, "h2");
	good("-N2 ctl/d1/d2");
	ck_assert_str_eq(c.dest.control, "ctl");
	ck_assert_uint_eq(c.dest.count, 2);
	ck_assert_str_eq(c.dest.data[1], "d2");
	good("-N3 /d1/d2");
	ck_assert_str_eq(c.dest.control, "d1");
	good("-N2 127.0.0.1+0.0.0.2");
	ck_assert_uint_eq(c.dest.stride, 2);
	ck_assert_int_eq(nut_request(&c, 0).stride, 0x02000000);
	good("-xc1/0 host");
	ck_assert(c.affinity == 1 && c.srvr_affinity == 0);
}
END_TEST

/* Each wrong value has one clear line, and it is the line of 8.2.2 where that has one. */
START_TEST(test_errors)
{
	static const struct {
		const char *words, *text;
	} rows[] = {
		{"-nb5 h",
		 "option \"-nb\" no longer supported, use \"-n###[k|m|g|t|p]\" instead"},
		{"-l0 h", "invalid buflen = 0"},
		{"-lx h", "invalid buflen = x"},
		{"-l999999999 h", "invalid buflen = 999999999"},
		{"-w-1 h", "invalid sendwin = -1024"},
		{"-ws-1 h", "invalid srvrwin = -1024"},
		{"-p1023 h", "invalid port = 1023"},
		{"-p70000 h", "invalid port = 70000"},
		{"-p99:22100 h", "invalid source port = 99"},
		{"-p h", "invalid port = h"},
		{"-P99 h", "invalid ctlport = 99"},
		{"-P99:5000 h", "invalid source control port = 99"},
		{"-P5000/99 h", "invalid third party ctlport = 99"},
		{"-P5000/5001:3 h", "invalid ctlport = 3"},
		{"-N0 h", "invalid nstream = 0"},
		{"-N-5 h", "invalid nstream = -5"},
		{"-N1.5 h", "invalid nstream = 1.5"},
		{"-R10m/0 -u h", "invalid maxburst = 0"},
		{"-Rx h", "invalid rate limit = x"},
		{"-R-5 h", "invalid rate limit = -5"},
		{"-R10q h", "invalid rate limit = 10q"},
		{"-R10mm h", "invalid rate limit = 10mm"},
		{"-T-1 h", "invalid timeout = -1.000000"},
		{"-Tx h", "invalid timeout = x"},
		{"-i-1 h", "invalid interval = -1.000000"},
		{"-f h", "invalid null format option\nperhaps the \"-F\" flip option was "
			 "intended"},
		{"-fxyz h", "invalid format option \"xyz\""},
		{"-x h", "invalid null x option"},
		{"-xq h", "invalid x option \"q\""},
		{"-xc-1 h", "invalid affinity = -1"},
		{"-xcs-1 h", "invalid srvr_affinity = -1"},
		{"-xP99 h", "invalid priority = 99"},
		{"-m0 h", "invalid multicast ttl = 0"},
		{"-m300 h", "invalid multicast ttl = 300"},
		{"-g231.1.1.1 h", "can't use \"-g\" option for non-multicast"},
		{"-m2 -g232.1.1.1 h",
		 "bad ASM multicast IP address: 232.1.1.1: use 231.x.y.z"},
		{"-ms2 -g231.1.1.1 h",
		 "bad SSM multicast IP address: 231.1.1.1: use 232.x.y.z"},
		{"-M-1 h", "invalid datamss = -1"},
		{"-c64 h", "invalid dscp = 64"},
		{"-c8p h", "invalid precedence = 8"},
		{"-c256t h", "invalid tos = 256"},
		{"-jq h", "invalid jitter option \"q\""},
		{"-S -s", "option \"-s\" invalid with \"-S\" server mode\n"
			  "option \"-s\" can be used with \"-1\" oneshot server mode"},
		{"-S -P22000:22001", "can't specify source control port in server mode"},
		{"-S host", "a server takes no host"},
		{"-t", "-t needs a host"},
		{"--idle-data-timeout 0 h",
		 "invalid value for idle-data-timeout = 0.000000"},
		{"--idle-data-timeout 1/2 h",
		 "invalid idle-data-timeout parameter = 1/2"},
		{"--idle-data-timeout 5/2/1 h",
		 "error: idle-data-timeout maximum of 1.000000 < minimum of 5.000000"},
		{"--packet-burst 0 h", "invalid maxburst = 0"},
		{"-j -R0 h", "jitter option not supported for unlimited rate"},
		{"-j -Ra1m h",
		 "jitter option requires \"-Ri\" instantaneous rate limit option"},
		{"-u -F h", "flip option not supported for UDP"},
		{"-p65535 -N4 h", "invalid port/nstream = 65535/4"},
		{"-P22100 -p22098 -N4 h",
		 "ctlport = 22100 overlaps port/nstream = 22098/4"},
		{"127.0.0.1/",
		 "bad hostname or address: trailing '/' not allowed: 127.0.0.1/"},
		{"-r 127.0.0.1/127.0.0.2",
		 "multiple control/data paths not supported for receive"},
		{"-F 127.0.0.1/127.0.0.2",
		 "multiple control/data paths not supported for flipped transmit"},
		{"a/b/c",
		 "bad hostname or address: too many data paths for nstream=1: a/b/c"},
		{"-u 127.0.0.1+1", "stride 1 not valid for UDP"},
		{"-6 ::1+1", "stride 1 not valid for IPv6"},
		{"-N2m 127.0.0.1+1", "don't use both multilink and address stride"},
		{"127.0.0.1 bad_host!", "invalid 3rd party host 'bad_host!'"},
		{"-r -u -R0.5 h",
		 "invalid rate limit: a server cannot send less than 1 kbps"},
		{"--json -S", "--json is for clients"},
		{"--max-streams 0 -S", "invalid max-streams = 0"},
		{"--allow 1.2.3 -S", "invalid allow = 1.2.3"},
		{"--allow 1.2.3.4/33 -S", "invalid allow = 1.2.3.4/33"},
		{"-Z h", "invalid option -- 'Z'"},
		{"--nonsense h", "unrecognized option '--nonsense'"},
	};
	char text[256];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		ck_assert_msg(parse(rows[i].words, text, sizeof(text)) < 0, "%s",
			      rows[i].words);
		ck_assert_str_eq(text, rows[i].text);
	}
}
END_TEST

/* Without a word the usage is wanted. */
START_TEST(test_usage)
{
	char text[256];

	ck_assert(parse("", text, sizeof(text)) < 0 && text[0] == '\0');
	ck_assert(parse("a b c", text, sizeof(text)) < 0 && text[0] == '\0');
}
END_TEST

START_TEST(test_too_new)
{
	static const struct {
		const char *words;
		int version;
		bool stop;
		const char *text;
	} rows[] = {
		{"host", 60102, false, ""},
		{"-j host", 60102, true,
		 "nuttcp-t: jitter not supported by server version 6.1.2, need >= "
		 "7.0.1\n"},
		{"-j -r host", 60102, false, ""},
		{"-P5000/5001 a b", 60102, true,
		 "nuttcp-t: ctlport3 option not supported by server version 6.1.2, need "
		 ">= "
		 "6.2.5\n"},
		{"-i1 host", 30100, true,
		 "nuttcp-t: interval option not supported by server version 3.1.0, need "
		 ">= "
		 "3.3.2\n"},
		{"-o -r host", 60102, true,
		 "nuttcp-r: owd not supported by server version 6.1.2, need >= 7.0.1\n"},
		{"-Ri1m/4 -u -r host", 60102, true,
		 "nuttcp-r: packet burst not supported by server version 6.1.2, need >= "
		 "6.2.7\n"},
		{"-Ri1m/4 -u host", 60102, false, ""},
		{"-Ri1m -r host", 30000, false,
		 "nuttcp-r: instantaneous rate option not supported by server version "
		 "3.0.0, "
		 "need >= 3.6.1\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[512] = "";
		FILE *f;
		bool stop;

		good(rows[i].words);
		f = fmemopen(text, sizeof(text), "w");
		stop = nut_request_too_new(&c, rows[i].version, f);
		fclose(f);
		ck_assert_str_eq(text, rows[i].text);
		ck_assert_int_eq(stop, rows[i].stop);
	}
}
END_TEST

START_TEST(test_idle)
{
	struct nut_params p;

	good("host");
	p = nut_request(&c, 0);
	ck_assert_double_eq(nut_request_idle_s(&c, &p), 15); /* half of 10, at least */
	p.timeout_s = 80;
	ck_assert_double_eq(nut_request_idle_s(&c, &p), 40);
	p.timeout_s = 1000;
	ck_assert_double_eq(nut_request_idle_s(&c, &p), 60);
	p.timeout_s = 0;
	ck_assert_double_eq(nut_request_idle_s(&c, &p), 30);
	p.interval_s = 20;
	ck_assert_double_eq(nut_request_idle_s(&c, &p), 20);
}
END_TEST

/* A third party's client is set up as its own command line would. */
START_TEST(test_third)
{
	struct nut_conf server = {.idle_min_s = 1}, third;
	struct nut_params p;
	struct err e;

	good("-u -Ri5m/10 -l1000 -T2 -i1 -N2 -r -fparse -jmo -P5000/5600 h1 127.0.0.2");
	p = nut_request(&c, 0);
	ck_assert_str_eq(p.thirdparty, "127.0.0.2");
	nut_request_third(&p, &server, p.thirdparty, &third);
	ck_assert_int_eq(nut_conf_check(&third, stderr, &e), 0);
	ck_assert(third.udp && third.receive && third.as_third && third.rate.instant);
	ck_assert(third.rate.value == 5000 && third.burst == 10 && third.nstream == 2);
	ck_assert(third.buflen_bytes == 1000 && third.interval_s == 1);
	ck_assert(third.ctlport == 5600 && third.jitter == (NUT_MIN | NUT_IGNORE_OOO));
	ck_assert(third.format & NUT_PARSE);
	good("-n4m h1 h2");
	p = nut_request(&c, 0);
	ck_assert_int_eq(p.buflen_bytes, 0);
	ck_assert(p.nbuf_bytes == 1 && p.nbuf == 4 * 1024 * 1024);
	nut_request_third(&p, &server, "h2", &third);
	ck_assert_int_eq(nut_conf_check(&third, stderr, &e), 0);
	ck_assert_uint_eq(nut_request(&third, 0).nbuf, 64);
}
END_TEST

CHECK_MAIN("nut_conf", test_defaults, test_grammar, test_times_and_sizes, test_rates,
	   test_udp_buflen, test_output_options, test_ports_and_hosts, test_errors,
	   test_usage, test_too_new, test_idle, test_third)
