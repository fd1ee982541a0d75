/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The lines, byte by byte. */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "test/check_main.h"
#include "text.h"

static struct nut_params params;
static struct nut_text text;
static char *out;
static size_t out_size;

static void begin(bool transmit, bool udp, int64_t format)
{
	params = nut_params_default();
	params.buflen_bytes = udp ? 1000 : 65536;
	params.port = 22100;
	params.timeout_s = 2;
	params.udp = udp;
	params.format = format;
	text = (struct nut_text){
		.p = &params,
		.transmit = transmit,
		.ident = "",
		.host = "127.0.0.1",
		.family = AF_INET,
		.affinity = -1,
	};
	text.out = open_memstream(&out, &out_size);
}

static void ck_text(const char *want)
{
	fclose(text.out);
	ck_assert_str_eq(out, want);
	free(out);
}

static struct nut_result result(double mb, double s, int cpu)
{
	return (struct nut_result){
		.known = true,
		.megabytes = mb,
		.bytes = (uint64_t)(mb * 1048576),
		.seconds = s,
		.mbps = mb * 1048576 / s / 125000,
		.kbytes_ps = mb * 1024 / s,
		.have_cpu = true,
		.cpu_percent = cpu,
	};
}

static struct nut_result sender_of_three(void)
{
	struct nut_result r = result(4.3053, 2.16, 0);

	r.rtt_ms = 0.07;
	r.tcp = (struct nut_tcp){
		.have_retrans = true,
		.have_cwnd = true,
		.retrans = 1572,
		.cwnd_kb = 199,
		.streams = 3,
		.retrans_by = {556, 484, 532},
		.cwnd_kb_by = {73, 36, 90},
	};
	return r;
}

START_TEST(test_result_tcp)
{
	struct nut_result tx = sender_of_three(), rx = result(4.3053, 2.16, 0);

	rx.mbps = 16.6861;
	begin(true, false, NUT_RTT);
	nut_text_result(&text, &tx, &rx);
	ck_text("    4.3053 MB /   2.16 sec =   16.6861 Mbps 0 %TX 0 %RX 1572 retrans "
		"199 "
		"KB-cwnd 0.07 msRTT\n");
	begin(true, false, NUT_RTT);
	text.by_stream_retrans = text.by_stream_cwnd = true;
	nut_text_result(&text, &tx, &rx);
	ck_text("    4.3053 MB /   2.16 sec =   16.6861 Mbps 0 %TX 0 %RX 1572 = "
		"556+484+532 "
		"retrans 199 = 73+36+90 KB-cwnd 0.07 msRTT\n");
	begin(true, false, NUT_RTT | NUT_PARSE);
	text.by_stream_retrans = text.by_stream_cwnd = true;
	nut_text_result(&text, &tx, &rx);
	ck_text("megabytes=4.3053 real_seconds=2.16 rate_Mbps=16.6861 tx_cpu=0 rx_cpu=0 "
		"retrans=1572 retrans_by_stream=556+484+532 cwnd=199 "
		"cwnd_by_stream=73+36+90 "
		"rtt_ms=0.07\n");
	begin(true, false, NUT_NORETRANS | NUT_NOCWND);
	nut_text_result(&text, &tx, &rx);
	ck_text("    4.3053 MB /   2.16 sec =   16.6861 Mbps 0 %TX 0 %RX\n");
	begin(true, false, NUT_RTT | NUT_NOCWND);
	text.ident = "lab7";
	text.blank_first = true;
	nut_text_result(&text, &tx, &rx);
	ck_text("\nlab7:     4.3053 MB /   2.16 sec =   16.6861 Mbps 0 %TX 0 %RX 1572 "
		"retrans "
		"0.07 msRTT\n");
}
END_TEST

/* Classic mode, and a server of which nothing is known: no figure is made up. */
START_TEST(test_result_one_side)
{
	struct nut_result tx = result(6.25, 0.01, 0), none = {.known = false};

	begin(true, false, NUT_RTT);
	nut_text_result(&text, &tx, &none);
	ck_text("    6.2500 MB /   0.01 sec = 5242.8800 Mbps 0 %TX\n");
	begin(false, true, NUT_RTT);
	nut_text_result(&text, &none, &tx);
	ck_text("    6.2500 MB /   0.01 sec = 5242.8800 Mbps 0 %RX\n");
}
END_TEST

START_TEST(test_result_udp)
{
	struct nut_result tx = result(1.9083, 2.0, 90), rx = result(1.7395, 2.0, 0);

	tx.exact = true;
	tx.bytes = 2001000;
	rx.mbps = 7.2945;
	begin(true, true, NUT_RTT);
	nut_text_result(&text, &tx, &rx);
	ck_text("    1.7395 MB /   2.00 sec =    7.2945 Mbps 90 %TX 0 %RX 177 / 2001 "
		"drop/pkt "
		"8.85 %loss\n");
	begin(true, true, NUT_RTT | NUT_XMITSTATS);
	nut_text_result(&text, &tx, &rx);
	ck_text("    1.7395 MB /   2.00 sec =    7.2945 Mbps 90 %TX 0 %RX 177 / 2001 "
		"drop/pkt "
		"8.85 %loss Trans: 1.9083 MB\n");
	begin(true, true, NUT_RTT | NUT_NODROPS | NUT_NOPERCENTLOSS);
	nut_text_result(&text, &tx, &rx);
	ck_text("    1.7395 MB /   2.00 sec =    7.2945 Mbps 90 %TX 0 %RX\n");
	begin(true, true, NUT_RTT | NUT_PARSE | NUT_XMITSTATS);
	nut_text_result(&text, &tx, &rx);
	ck_text("megabytes=1.7395 real_seconds=2.00 rate_Mbps=7.2945 tx_cpu=90 rx_cpu=0 "
		"drop=177 pkt=2001 data_loss=8.84558 tx_megabytes=1.9083\n");
	/* Little loss has five decimals. */
	tx.bytes = 16000000;
	rx.exact = true;
	rx.bytes = 15999000;
	begin(true, true, NUT_RTT | NUT_NODROPS);
	nut_text_result(&text, &tx, &rx);
	ck_text("    1.7395 MB /   2.00 sec =    7.2945 Mbps 90 %TX 0 %RX 0.00625 "
		"%loss\n");
}
END_TEST

START_TEST(test_result_jitter_owd)
{
	struct nut_result tx = result(0.2384, 2.0, 85), rx = result(0.2384, 2.0, 0);

	tx.exact = rx.exact = true;
	tx.bytes = rx.bytes = 250000;
	rx.mbps = 0.9999;
	rx.jitter = (struct nut_spread){true, 0, 0.1229, 3.749};
	rx.owd = (struct nut_spread){true, 0.016, 0.1085, 3.803};
	begin(true, true, NUT_RTT);
	params.do_jitter = params.do_owd = NUT_MIN | NUT_AVG | NUT_MAX;
	nut_text_result(&text, &tx, &rx);
	ck_text("    0.2384 MB /   2.00 sec =    0.9999 Mbps 85 %TX 0 %RX 0 / 250 "
		"drop/pkt "
		"0.00 %loss 0.0000 msMinJitter 0.1229 msAvgJitter 3.7490 msMaxJitter "
		"0.0160 "
		"msMinOWD 0.1085 msAvgOWD 3.8030 msMaxOWD\n");
	begin(true, true, NUT_RTT | NUT_PARSE);
	params.do_jitter = NUT_MAX;
	params.do_owd = NUT_AVG;
	nut_text_result(&text, &tx, &rx);
	ck_text("megabytes=0.2384 real_seconds=2.00 rate_Mbps=0.9999 tx_cpu=85 rx_cpu=0 "
		"drop=0 "
		"pkt=250 data_loss=0.00000 msmaxjitter=3.7490 msavgOWD=0.1085\n");
}
END_TEST

static struct nut_interval udp_interval(void)
{
	return (struct nut_interval){
		.now = {.seconds = 0.5,
			.bytes = 446000,
			.sent_bytes = 502000,
			.drops = 56,
			.pkts = 502,
			.loss = 56.0 / 502},
		.total = {.seconds = 1.0,
			  .bytes = 896000,
			  .sent_bytes = 1002000,
			  .drops = 106,
			  .pkts = 1002,
			  .loss = 106.0 / 1002},
		.have_loss = true,
	};
}

START_TEST(test_interval_udp)
{
	struct nut_interval i = udp_interval();

	begin(false, true, NUT_RTT);
	nut_text_interval(&text, &i);
	ck_text("    0.4253 MB /   0.50 sec =    7.1360 Mbps    56 /   502 ~drop/pkt "
		"11.16 "
		"~%loss\n");
	begin(false, true, NUT_RTT | NUT_RUNNINGTOTAL | NUT_XMITSTATS);
	nut_text_interval(&text, &i);
	ck_text("    0.4253 MB /   0.50 sec =    7.1360 Mbps    56 /   502 ~drop/pkt "
		"11.16 "
		"~%loss Tot:     0.8545 MB /   1.00 sec =    7.1680 Mbps   106 /  1002 "
		"~drop/pkt 10.58 ~%loss Trans:     0.4787 MB Tot:     0.9556 MB\n");
	begin(false, true, NUT_RTT | NUT_PARSE | NUT_RUNNINGTOTAL | NUT_XMITSTATS);
	nut_text_interval(&text, &i);
	ck_text("megabytes=0.4253 real_sec=0.50 rate_Mbps=7.1360 drop=56 pkt=502 "
		"data_loss=11.15538 total_megabytes=0.8545 total_real_sec=1.00 "
		"total_rate_Mbps=7.1680 drop=106 pkt=1002 data_loss=10.57884 "
		"tx_megabytes=0.4787 tx_total_megabytes=0.9556\n");
	i.now.loss = 0.0002495;
	begin(false, true, NUT_RTT | NUT_NODROPS);
	nut_text_interval(&text, &i);
	ck_text("    0.4253 MB /   0.50 sec =    7.1360 Mbps 0.02495 ~%loss\n");
	i.have_loss = false;
	begin(false, true, NUT_RTT);
	text.ident = "lab7";
	nut_text_interval(&text, &i);
	ck_text("lab7:     0.4253 MB /   0.50 sec =    7.1360 Mbps\n");
}
END_TEST

START_TEST(test_interval_tcp)
{
	struct nut_interval i = {
		.now = {.seconds = 0.5, .bytes = 3145728},
		.total = {.seconds = 1, .bytes = 6291456},
		.have_retrans = true,
		.retrans = 1,
		.retrans_total = 7,
		.have_cwnd = true,
		.cwnd_kb = 575,
		.owd = {true, 0.02, 0.3328, 3.075},
	};

	begin(false, false, NUT_RTT | NUT_RUNNINGTOTAL);
	params.do_owd = NUT_MAX;
	nut_text_interval(&text, &i);
	ck_text("    3.0000 MB /   0.50 sec =   50.3316 Mbps     1 retrans    575 "
		"KB-cwnd "
		"3.0750 msMaxOWD Tot:     6.0000 MB /   1.00 sec =   50.3316 Mbps     7 "
		"retrans "
		"   575 KB-cwnd\n");
	begin(false, false, NUT_RTT | NUT_PARSE);
	nut_text_interval(&text, &i);
	ck_text("megabytes=3.0000 real_sec=0.50 rate_Mbps=50.3316 retrans=1 cwnd=575\n");
}
END_TEST

/* Own columns go behind the rate; those of the server make room. */
START_TEST(test_relay)
{
	const struct nut_interval own = {
		.have_retrans = true, .retrans = 3, .have_cwnd = true, .cwnd_kb = 575};

	begin(true, false, NUT_RTT);
	nut_text_relay(&text, "    2.9375 MB /   0.50 sec =   49.2805 Mbps Tot: x", &own);
	nut_text_relay(&text, "    2.9375 MB /   0.50 sec =   49.2805 Mbps     0 retrans",
		       &own);
	nut_text_relay(&text, "    2.9375 MB /   0.50 sec =   49.2805 Mbps", NULL);
	nut_text_relay(&text, "anything", &own);
	text.ident = "x";
	nut_text_relay(&text, "anything", NULL);
	ck_text("    2.9375 MB /   0.50 sec =   49.2805 Mbps     3 retrans    575 "
		"KB-cwnd Tot: x\n"
		"    2.9375 MB /   0.50 sec =   49.2805 Mbps     3 retrans    575 "
		"KB-cwnd\n"
		"    2.9375 MB /   0.50 sec =   49.2805 Mbps\n"
		"anything\n"
		"x: anything\n");
}
END_TEST

START_TEST(test_head)
{
	begin(true, false, NUT_RTT);
	params.rate_kbps = 20000;
	params.tos = 0xB8;
	params.nodelay = 1;
	params.timeout_s = 1;
	nut_text_head(&text);
	ck_text("nuttcp-t: v8.2.2: socket\n"
		"nuttcp-t: buflen=65536, nstream=1, port=22100 tcp -> 127.0.0.1\n"
		"nuttcp-t: time limit = 1.00 second\n"
		"nuttcp-t: rate limit = 20.000 Mbps (aggregate), tos = 0xB8\n"
		"nuttcp-t: v8.2.2: nodelay\n");
	begin(true, true, NUT_RTT);
	params.rate_kbps = 20000;
	params.irate = 1;
	params.maxburst = 20;
	params.buflen_bytes = 1024;
	params.nbuf = 100;
	text.host = "name";
	text.address = "192.0.2.1";
	text.ident = "lab7";
	nut_text_head(&text);
	ck_text("nuttcp-t-lab7: v8.2.2: socket\n"
		"nuttcp-t-lab7: buflen=1024, nbuf=100, nstream=1, port=22100 udp -> name "
		"af=inet "
		"ip=192.0.2.1\n"
		"nuttcp-t-lab7: time limit = 2.00 seconds\n"
		"nuttcp-t-lab7: rate limit = 20.000 Mbps (instantaneous), packet burst = "
		"20, "
		"2441 pps\n");
	begin(false, true, NUT_RTT | NUT_PARSE);
	params.interval_s = 0.5;
	params.tos = 0xB8;
	params.srcport = 22060;
	text.family = AF_INET6;
	nut_text_head(&text);
	ck_text("nuttcp-r: v8.2.2: socket\n"
		"nuttcp-r: buflen=1000 nstream=1 port=22100 srcport=22060 mode=udp "
		"af=inet6\n"
		"nuttcp-r: tos=0xB8\n"
		"nuttcp-r: reporting_interval=0.50\n");
}
END_TEST

static void own_figures(struct nut_result *r)
{
	r->calls = 96;
	r->used = (struct cpuuse){.at_ns = 1010000000,
				  .user_ns = 690000000,
				  .system_ns = 20000000,
				  .voluntary_switches = 7,
				  .involuntary_switches = 755};
}

/* The largest memory size differs from run to run: cut out. */
static void cut_maxrss(void)
{
	char *at = strstr(out, "maxrss"), *from = at;

	ck_assert_ptr_nonnull(at);
	while (from > out && from[-1] >= '0' && from[-1] <= '9')
		from--;
	memmove(from, at, strlen(at) + 1);
}

static struct nut_result sender_in_full(void)
{
	struct nut_result tx = sender_of_three();

	own_figures(&tx);
	tx.seconds = 1.01;
	tx.kbytes_ps = 4364.97;
	tx.mbps = 35.7578;
	return tx;
}

START_TEST(test_block)
{
	struct nut_result tx = sender_in_full();

	begin(true, false, NUT_RTT);
	text.cpu_lines = true;
	nut_text_block(&text, &tx, NULL);
	fflush(text.out);
	cut_maxrss();
	ck_assert_str_eq(
		out,
		"nuttcp-t: 4.3053 MB in 1.01 real seconds = 4364.97 KB/sec = 35.7578 "
		"Mbps\n"
		"nuttcp-t: 4.3053 MB in 0.71 CPU seconds = 6209.33 KB/cpu sec\n"
		"nuttcp-t: retrans = 1572 ( 556+484+532 ) cwnd = 199 KB ( 73+36+90 )\n"
		"nuttcp-t: 96 I/O calls, msec/call = 10.77, calls/sec = 95.05\n"
		"nuttcp-t: 0.6user 0.0sys 0:01real 0% 0i+0d maxrss 0+0pf 7+755csw\n");
	fclose(text.out);
	free(out);
}
END_TEST

START_TEST(test_block_parse)
{
	struct nut_result tx = sender_in_full();

	begin(true, false, NUT_RTT | NUT_PARSE);
	text.cpu_lines = true;
	nut_text_block(&text, &tx, NULL);
	fflush(text.out);
	ck_assert_ptr_nonnull(
		strstr(out, "nuttcp-t: retrans=1572 retrans_by_stream=556+484+532 "
			    "cwnd=199 cwnd_by_stream=73+36+90\n"
			    "nuttcp-t: io_calls=96 msec_per_call=10.77 "
			    "calls_per_sec=95.05\n"
			    "nuttcp-t: stats=cpu user=0.6 system=0.0 elapsed=0:01 "
			    "cpu=0% memory=0i+0d-"));
	fclose(text.out);
	free(out);
}
END_TEST

START_TEST(test_block_udp)
{
	struct nut_result rx = result(0.8574, 1.0, 0), tx = result(0.9537, 1.0, 40);

	own_figures(&rx);
	rx.exact = true;
	rx.bytes = 899000;
	rx.jitter = (struct nut_spread){true, 0, 0.269, 1.397};
	begin(false, true, NUT_RTT);
	nut_text_block(&text, &rx, &tx);
	fflush(text.out);
	ck_assert_ptr_nonnull(
		strstr(out, "real seconds = 877.98 KB/sec = 7.1924 Mbps\n"
			    "nuttcp-r: 101 / 1000 drop/pkt 10.10% data loss\n"
			    "nuttcp-r: min-jitter = 0.0000 ms, avg-jitter = 0.2690 ms, "
			    "max-jitter = 1.3970 ms\n"
			    "nuttcp-r: 96 I/O calls"));
	fclose(text.out);
	free(out);
}
END_TEST

START_TEST(test_error_lines)
{
	struct err e = {.code = ERR_SYS,
			.sys_errno = 111,
			.what = "connect",
			.text = "Connection refused"};

	begin(true, false, NUT_RTT);
	nut_text_error(text.out, &text, &e);
	e = (struct err){.code = ERR_TIMEOUT,
			 .text = "timeout while draining socket send queue"};
	text.transmit = false;
	nut_text_error(text.out, &text, &e);
	ck_text("nuttcp-t: v8.2.2: Error: connect: Connection refused\nerrno=111\n"
		"nuttcp-r: v8.2.2: Error: timeout while draining socket send queue\n");
}
END_TEST

/* The server's text in the verbose report: loss behind its result, CPU lines for -vv. */
START_TEST(test_server_text)
{
	struct nut_result tx = result(0.9546, 1.0, 74), rx = result(0.9546, 1.0, 0);
	static struct nut_conf conf;
	struct nut_report r = {.conf = &conf};
	struct nut_flow *flow = calloc(1, sizeof(*flow));
	const struct nut_end end = {
		.flow = flow,
		.own = &tx,
		.tx = &tx,
		.rx = &rx,
		.server_text =
			"nuttcp-r: v8.2.2: socket\n"
			"nuttcp-r: 0.9546 MB in 1.00 real seconds = 1 KB/sec = 8 Mbps\n"
			"nuttcp-r: 0.9546 MB in 0.01 CPU seconds = 109651.04 KB/cpu "
			"sec\n",
	};

	nut_conf_default(&conf);
	conf.verbose = 1;
	conf.result_line = false;
	tx.exact = true;
	tx.bytes = 1001000;
	begin(true, true, NUT_RTT);
	text.ident = "lab7";
	r.text = text;
	r.out = text.out;
	nut_report_text.end(&r, &end);
	fflush(text.out);
	ck_assert_ptr_nonnull(
		strstr(out, "\n\nnuttcp-r-lab7: v8.2.2: socket\n"
			    "nuttcp-r-lab7: 0.9546 MB in 1.00 real seconds = 1 "
			    "KB/sec = 8 Mbps\n"
			    "nuttcp-r-lab7: 0 / 1001 drop/pkt 0.00% data loss\n"));
	ck_assert_ptr_null(strstr(out, "KB/cpu"));
	fclose(text.out);
	free(out);
	free(flow);
}
END_TEST

CHECK_MAIN("nut_text", test_result_tcp, test_result_one_side, test_result_udp,
	   test_result_jitter_owd, test_interval_udp, test_interval_tcp, test_relay,
	   test_head, test_block, test_block_parse, test_block_udp, test_error_lines,
	   test_server_text)
