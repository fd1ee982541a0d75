/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>

#include "test/check_main.h"
#include "measure.h"

START_TEST(test_own)
{
	const struct cpuuse used = {
		.at_ns = 2000000000,
		.user_ns = 709999999,
		.system_ns = 19999999,
	};
	struct nut_result r = {.known = false};

	nut_result_own(&r, 12517376, &used);
	ck_assert_double_eq_tol(r.megabytes, 11.9375, 1e-9);
	ck_assert_double_eq_tol(r.mbps, 50.069504, 1e-9);
	ck_assert_double_eq_tol(r.kbytes_ps, 6112, 1e-9);
	/* Hundredths cut off: 70 + 1 of 200. */
	ck_assert_int_eq(r.cpu_percent, 35);
	nut_result_own(&r, 0, &(struct cpuuse){.at_ns = 0});
	ck_assert(isfinite(r.mbps));
	ck_assert_int_eq(r.cpu_percent, 0);
}
END_TEST

static struct nut_result exact(uint64_t bytes)
{
	return (struct nut_result){.known = true, .exact = true, .bytes = bytes};
}

static struct nut_result text(double megabytes)
{
	return (struct nut_result){.known = true, .megabytes = megabytes};
}

/* Counted here, rounded there. */
START_TEST(test_loss)
{
	static const struct {
		uint64_t sent;
		double got_mb;
		int64_t buflen, drops, pkts;
	} rows[] = {
		{2001000, 1.7395, 1000, 177, 2001},
		{1000000, 0.9537, 1000, 0, 1000},
		/* 20-byte datagrams: four decimals are five of them. */
		{125000, 0.1192, 20, 0, 6250},
		{124980, 0.1192, 20, 0, 6249},
		{125000, 0.1190, 20, 11, 6250},
		{3001000, 0.0, 1000, 3001, 3001},
		{0, 0.0, 1000, 0, 0},
		/* A duplicate that the network made. */
		{1000000, 0.9546, 1000, -1, 1000},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct nut_result tx = exact(rows[i].sent), rx = text(rows[i].got_mb);
		int64_t drops, pkts;
		double loss;

		nut_udp_loss(&tx, &rx, rows[i].buflen, &drops, &pkts, &loss);
		ck_assert_msg(drops == rows[i].drops && pkts == rows[i].pkts,
			      "row %zu: %lld / %lld", i, (long long)drops,
			      (long long)pkts);
		ck_assert(rows[i].drops != 0 || loss == 0.0);
	}
}
END_TEST

START_TEST(test_loss_at_receiver)
{
	struct nut_result tx = text(0.9537), rx = exact(899000);
	int64_t drops, pkts;
	double loss;

	nut_udp_loss(&tx, &rx, 1000, &drops, &pkts, &loss);
	ck_assert_int_eq(drops, 101);
	ck_assert_int_eq(pkts, 1000);
	ck_assert_double_eq_tol(loss, 0.101, 1e-9);
}
END_TEST

/* ---- the peer's text ---- */

START_TEST(test_plain_result)
{
	static const char *const lines[] = {
		"nuttcp-t: v8.2.2: socket",
		"nuttcp-t: buflen=65536, nstream=3, port=22100 tcp -> 10.77.0.1",
		"nuttcp-t: connect to 10.77.0.1 with mss=1448, RTT=0.070 ms af=inet",
		"nuttcp-t: initial congestion window = 14 KB (10 packets)",
		("nuttcp-t: 4.8788 MB in 2.14 real seconds = 2331.02 KB/sec = 19.0957 "
		 "Mbps"),
		"nuttcp-t: 4.8788 MB in 0.66 CPU seconds = 9308.26 KB/cpu sec",
		"nuttcp-t: retrans = 1572 ( 556+484+532 ) cwnd = 199 KB ( 73+36+90 )",
		("nuttcp-t: min-OWD = -0.0160 ms, avg-OWD = 0.1085 ms, max-OWD = 3.8030 "
		 "ms"),
		"nuttcp-t: 79 I/O calls, msec/call = 25.92, calls/sec = 39.50",
		"nuttcp-t: 0.6user 0.0sys 0:01real 65% 0i+0d 976maxrss 0+0pf 0+1256csw",
	};
	struct nut_result r = {.known = false};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		nut_result_line(&r, lines[i]);
	ck_assert(r.known && !r.exact && r.have_cpu);
	ck_assert_double_eq(r.megabytes, 4.8788);
	ck_assert_double_eq(r.seconds, 2.14);
	ck_assert_double_eq(r.kbytes_ps, 2331.02);
	ck_assert_double_eq(r.mbps, 19.0957);
	ck_assert_int_eq(r.cpu_percent, 65);
	ck_assert_double_eq(r.rtt_ms, 0.070);
	ck_assert(r.tcp.have_retrans && r.tcp.have_cwnd);
	ck_assert_int_eq(r.tcp.retrans, 1572);
	ck_assert_uint_eq(r.tcp.streams, 3);
	ck_assert_int_eq(r.tcp.retrans_by[2], 532);
	ck_assert_int_eq(r.tcp.cwnd_kb, 199);
	ck_assert_int_eq(r.tcp.cwnd_kb_by[1], 36);
	ck_assert(r.owd.have && !r.jitter.have);
	ck_assert_double_eq(r.owd.min_ms, -0.016);
	ck_assert_double_eq(r.owd.max_ms, 3.803);
}
END_TEST

START_TEST(test_parse_result)
{
	static const char *const lines[] = {
		"nuttcp-t: connect=127.0.0.1 mss=32741 rtt_ms=0.059 af=inet",
		"nuttcp-t: megabytes=6.0000 real_seconds=1.01 rate_KBps=6103.28 "
		"rate_Mbps=49.9981",
		"nuttcp-t: megabytes=6.0000 cpu_seconds=0.78 KB_per_cpu_second=7891.26",
		"nuttcp-t: retrans=3 retrans_by_stream=1+2 cwnd=1118 "
		"cwnd_by_stream=575+543",
		"nuttcp-t: msminjitter=0.1000 msavgjitter=0.2000 msmaxjitter=0.3000",
		"nuttcp-t: stats=cpu user=0.7 system=0.0 elapsed=0:01 cpu=77% "
		"memory=0i+0d-900maxrss io=0+0pf swaps=0+6245csw",
	};
	struct nut_result r = {.known = false};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		nut_result_line(&r, lines[i]);
	ck_assert_double_eq(r.megabytes, 6);
	ck_assert_double_eq(r.seconds, 1.01);
	ck_assert_double_eq(r.mbps, 49.9981);
	ck_assert_int_eq(r.cpu_percent, 77);
	ck_assert_double_eq(r.rtt_ms, 0.059);
	ck_assert_int_eq(r.tcp.retrans, 3);
	ck_assert_int_eq(r.tcp.cwnd_kb, 1118);
	ck_assert_int_eq(r.tcp.retrans_by[1], 2);
	ck_assert_int_eq(r.tcp.cwnd_kb_by[1], 543);
	ck_assert_double_eq(r.jitter.avg_ms, 0.2);
}
END_TEST

/* 6.1.2 has no cwnd; nonsense must not be taken for a figure. */
START_TEST(test_odd_lines)
{
	static const char *const lines[] = {
		"nuttcp-t: retrans = 2",
		"nuttcp-t: MB in real seconds",
		"nuttcp-t: nan MB in inf real seconds = nan KB/sec = inf Mbps",
		"real seconds megabytes=",
		"%sys",
		"sys%",
		"retrans",
		"retrans = ( + )",
		"cwnd",
		"RTT=",
		"min-jitter = ms",
		"",
	};
	struct nut_result r = {.known = false};

	nut_result_line(&r, lines[0]);
	ck_assert(r.tcp.have_retrans && !r.tcp.have_cwnd);
	ck_assert_int_eq(r.tcp.retrans, 2);
	for (size_t i = 1; i < ARRAY_LEN(lines); i++)
		nut_result_line(&r, lines[i]);
	ck_assert(!r.known && !r.have_cpu && !r.jitter.have);
}
END_TEST

START_TEST(test_interval_lines)
{
	struct nut_interval i;

	ck_assert(nut_interval_line(
		"    2.9375 MB /   0.50 sec =   49.2805 Mbps     0 retrans", &i));
	ck_assert_double_eq(i.now.seconds, 0.5);
	ck_assert_uint_eq(i.now.bytes, 3080192);
	ck_assert(!i.have_loss);
	ck_assert(nut_interval_line(
		"    0.4253 MB /   0.50 sec =    7.1366 Mbps    56 /   502 "
		"~drop/pkt 11.16 ~%loss 0.0010 msMinJitter 0.2134 "
		"msAvgJitter 3.7490 msMaxJitter Tot:     0.9 MB",
		&i));
	ck_assert(i.have_loss);
	ck_assert_int_eq(i.now.drops, 56);
	ck_assert_int_eq(i.now.pkts, 502);
	ck_assert_double_eq_tol(i.now.loss, 0.1116, 1e-9);
	ck_assert_double_eq(i.jitter.max_ms, 3.749);
	ck_assert(nut_interval_line(
		"megabytes=0.4301 real_sec=0.50 rate_Mbps=7.2152 drop=50 "
		"pkt=501 data_loss=9.98004 tx_megabytes=0.4778",
		&i));
	ck_assert_int_eq(i.now.pkts, 501);
	ck_assert_double_eq_tol(i.now.loss, 0.0998004, 1e-9);
	ck_assert(!nut_interval_line("nuttcp-r: v8.2.2: socket", &i));
	ck_assert(!nut_interval_line("nuttcp-r: 1.0 MB / 1.00 sec = 1 Mbps", &i));
	ck_assert(!nut_interval_line("", &i));
}
END_TEST

/* The columns behind the rate, whoever wrote them, make room for our own. */
START_TEST(test_interval_cut)
{
	static const struct {
		const char *line;
		const char
			*behind; /* what stays behind the rate; NULL: no interval line */
	} rows[] = {
		{" 2.9 MB / 0.50 sec = 49.2 Mbps", ""},
		{" 2.9 MB / 0.50 sec = 49.2 Mbps     0 retrans", ""},
		{" 2.9 MB / 0.50 sec = 49.2 Mbps     0 retrans    575 KB-cwnd", ""},
		{" 2.9 MB / 0.50 sec = 49.2 Mbps     7 host-retrans", ""},
		{" 2.9 MB / 0.50 sec = 49.2 Mbps Tot: 1 MB / 1 sec = 1 Mbps 1 retrans",
		 " Tot: 1 MB / 1 sec = 1 Mbps 1 retrans"},
		{" 2.9 MB / 0.50 sec = 49.2 Mbps     1 retrans 0.2 msAvgOWD",
		 " 0.2 msAvgOWD"},
		{"megabytes=1 real_sec=1 rate_Mbps=1.5", ""},
		{"megabytes=1 real_sec=1 rate_Mbps=1.5 retrans=1 cwnd=9 msavgOWD=1",
		 " msavgOWD=1"},
		{"megabytes=1 real_sec=1 rate_Mbps=1.5 drop=1 pkt=2", " drop=1 pkt=2"},
		{"nothing", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *cut, *resume;
		bool is = nut_interval_cut(rows[i].line, &cut, &resume);

		ck_assert_int_eq(is, rows[i].behind != NULL);
		if (is)
			ck_assert_str_eq(resume, rows[i].behind);
	}
}
END_TEST

CHECK_MAIN("nut_measure", test_own, test_loss, test_loss_at_receiver, test_plain_result,
	   test_parse_result, test_odd_lines, test_interval_lines, test_interval_cut)
