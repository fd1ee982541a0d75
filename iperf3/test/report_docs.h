/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Thirteen tests as iperf3 3.21 reported them in JSON, and what a session would tell the
 * reporter for each: compat-tests/golden/iperf3/json/NAME.json is the result. */
#ifndef I3_REPORT_DOCS_H
#define I3_REPORT_DOCS_H

#include "report_case.h"

#define US(from, to) .start_ns = UINT64_C(from) * 1000, .end_ns = UINT64_C(to) * 1000
#define TCP(retr, cwnd, wnd, rtt, var, mtu)                                   \
	.has_retransmits = true, .retransmits = (retr), .cwnd_bytes = (cwnd), \
	.snd_wnd_bytes = (wnd), .rtt_us = (rtt), .rttvar_us = (var), .pmtu_bytes = (mtu)
#define MAXIMA(cwnd, wnd, max, min, mean)                                      \
	.has_tcp = true, .max_cwnd_bytes = (cwnd), .max_snd_wnd_bytes = (wnd), \
	.max_rtt_us = (max), .min_rtt_us = (min), .mean_rtt_us = (mean)
#define CPU(...)            \
	(struct i3_cpu)     \
	{                   \
		__VA_ARGS__ \
	}
#define NO_CPU             \
	(struct i3_cpu)    \
	{                  \
		-1, -1, -1 \
	} /* told nothing */

#define ROWS(k, ...)                                         \
	do {                                                 \
		struct i3_row rows_[] = {__VA_ARGS__};       \
		case_interval((k), rows_, ARRAY_LEN(rows_)); \
	} while (0)
#define END(k, us, local, remote, local_cc, remote_cc, ...)                          \
	do {                                                                         \
		struct i3_stream_end ends_[] = {__VA_ARGS__};                        \
		struct i3_end e_ = docs_end(us, local, remote, local_cc, remote_cc); \
		case_end((k), &e_, ends_, ARRAY_LEN(ends_));                         \
	} while (0)

static inline struct i3_end docs_end(uint64_t us, struct i3_cpu local,
				     struct i3_cpu remote, const char *local_cc,
				     const char *remote_cc)
{
	struct i3_end e = {.duration_ns = us * 1000, .local = local};

	if (remote.total >= 0) {
		e.remote = remote;
		e.remote_known = true;
	}
	strlcpy(e.local_congestion, local_cc, sizeof(e.local_congestion));
	strlcpy(e.remote_congestion, remote_cc, sizeof(e.remote_congestion));
	return e;
}

static inline void case_start(struct report_case *k, int sndbuf, int rcvbuf)
{
	struct i3_start s = {.sndbuf_bytes = sndbuf, .rcvbuf_bytes = rcvbuf};

	k->ops->test_start(k->r, &s);
}

static inline void tcp_client(struct report_case *k)
{
	case_init(k, I3_CLIENT, I3_TCP);
	k->test.time_s = 1;
	k->test.rate_bps = 10000000;
	k->test.title = (char *)"lab7";
	k->test.extra_data = (char *)"site=a";
	case_open(k, true);
	case_begin(k, "127.0.0.1", 21107, 32768);
	case_connected(k, 4, true, 34914, 21107);
	case_start(k, 16384, 131072);
	ROWS(k, {.number = 4,
		 .sender = true,
		 US(0, 1000809),
		 .bytes = 1310720,
		 TCP(0, 1178694, 330752, 42, 19, 65535)});
	END(k, 1000809, CPU(0.21134711594468872, 0.21124737686212866, 0),
	    CPU(0.051418553012028946, 0, 0.051418553012028946), "bbr", "bbr",
	    {.number = 4,
	     .sender = true,
	     .sent = {.known = true,
		      .end_ns = 1000809000,
		      .bytes = 1310720,
		      .has_retransmits = true,
		      .retransmits = 0,
		      MAXIMA(1178694, 330752, 42, 42, 42)},
	     .received = {.known = true, .end_ns = 1001575000, .bytes = 1310720}});
}

static inline void tcp_server(struct report_case *k)
{
	case_init(k, I3_SERVER, I3_TCP);
	k->test.time_s = 1;
	k->test.rate_bps = 10000000;
	k->test.title = (char *)"lab7";
	k->test.extra_data = (char *)"site=a";
	case_open(k, true);
	case_begin(k, "127.0.0.1", 34904, 0);
	case_connected(k, 5, false, 21107, 34914);
	case_start(k, 16384, 131072);
	ROWS(k, {.number = 5, US(0, 1001068), .bytes = 1310720});
	END(k, 1001575, CPU(0.051418553012028946, 0, 0.051418553012028946), NO_CPU, "bbr",
	    "",
	    {.number = 5,
	     .received = {.known = true, .end_ns = 1001575000, .bytes = 1310720}});
}

static inline void tcp_reverse_client(struct report_case *k)
{
	case_init(k, I3_CLIENT, I3_TCP);
	k->test.time_s = 1;
	k->test.reverse = true;
	k->test.rate_bps = 30000000;
	case_open(k, true);
	case_begin(k, "127.0.0.1", 21102, 32768);
	case_connected(k, 4, false, 43732, 21102);
	case_start(k, 16384, 131072);
	ROWS(k, {.number = 4, US(0, 1001115), .bytes = 3801088});
	END(k, 1001115, CPU(0.147534770383511, 0.147435553994551, 0),
	    CPU(0.1902024304419638, 0.0950513456797019, 0.0950513456797019), "bbr", "bbr",
	    {.number = 4,
	     .sent = {.known = true,
		      .end_ns = 1002607000,
		      .bytes = 3801088,
		      .has_retransmits = true,
		      .retransmits = 0},
	     .received = {.known = true, .end_ns = 1001115000, .bytes = 3801088}});
}

static inline void tcp_reverse_server(struct report_case *k)
{
	case_init(k, I3_SERVER, I3_TCP);
	k->test.time_s = 1;
	k->test.reverse = true;
	k->test.rate_bps = 30000000;
	case_open(k, true);
	case_begin(k, "127.0.0.1", 43718, 0);
	case_connected(k, 5, true, 21102, 43732);
	case_start(k, 16384, 131072);
	ROWS(k, {.number = 5,
		 .sender = true,
		 US(0, 1001052),
		 .bytes = 3801088,
		 TCP(0, 1178694, 679936, 37, 6, 65535)});
	END(k, 1002607, CPU(0.1902024304419638, 0.0950513456797019, 0.0950513456797019),
	    NO_CPU, "bbr", "",
	    {.number = 5,
	     .sender = true,
	     .sent = {.known = true,
		      .end_ns = 1002607000,
		      .bytes = 3801088,
		      .has_retransmits = true,
		      .retransmits = 0,
		      MAXIMA(1178694, 679936, 37, 37, 37)}});
}

static inline void tcp_bidir_client(struct report_case *k)
{
	case_init(k, I3_CLIENT, I3_TCP);
	k->test.time_s = 1;
	k->test.bidir = true;
	k->test.rate_bps = 30000000;
	case_open(k, true);
	case_begin(k, "127.0.0.1", 21103, 32768);
	case_connected(k, 4, true, 56920, 21103);
	case_connected(k, 6, false, 56924, 21103);
	case_start(k, 16384, 131072);
	ROWS(k,
	     {.number = 4,
	      .sender = true,
	      US(0, 1031620),
	      .bytes = 3932160,
	      TCP(0, 1178694, 328704, 39, 8, 65535)},
	     {.number = 6, US(0, 1031625), .bytes = 3932160});
	END(k, 1031620, CPU(0.36931996617949026, 0, 0.36893344606836576),
	    CPU(0.2670560507851913, 0, 0.2661845843395543), "bbr", "bbr",
	    {.number = 4,
	     .sender = true,
	     .sent = {.known = true,
		      .end_ns = 1031620000,
		      .bytes = 3932160,
		      .has_retransmits = true,
		      .retransmits = 0,
		      MAXIMA(1178694, 328704, 39, 39, 39)},
	     .received = {.known = true, .end_ns = 1032700000, .bytes = 3932160}},
	    {.number = 6,
	     .sent = {.known = true,
		      .end_ns = 1031620000,
		      .bytes = 3932160,
		      .has_retransmits = true,
		      .retransmits = 0,
		      MAXIMA(360448, 65536, 6, 6, 6)},
	     .received = {.known = true, .end_ns = 1032700000, .bytes = 3932160}});
}

static inline void tcp_bidir_server(struct report_case *k)
{
	case_init(k, I3_SERVER, I3_TCP);
	k->test.time_s = 1;
	k->test.bidir = true;
	k->test.rate_bps = 30000000;
	case_open(k, true);
	case_begin(k, "127.0.0.1", 56914, 0);
	case_connected(k, 5, false, 21103, 56920);
	case_connected(k, 7, true, 21103, 56924);
	case_start(k, 16384, 131072);
	ROWS(k, {.number = 5, US(0, 1000640), .bytes = 3801088},
	     {.number = 7,
	      .sender = true,
	      US(0, 1000647),
	      .bytes = 3801088,
	      TCP(0, 1178694, 328704, 57, 28, 65535)});
	ROWS(k, {.number = 5, US(1000640, 1032700), .bytes = 131072},
	     {.number = 7,
	      .sender = true,
	      US(1000647, 1032702),
	      .bytes = 131072,
	      TCP(0, 1178694, 328704, 55, 25, 65535)});
	END(k, 1032700, CPU(0.2670560507851913, 0, 0.2661845843395543), NO_CPU, "bbr", "",
	    {.number = 5,
	     .received = {.known = true, .end_ns = 1032700000, .bytes = 3932160}},
	    {.number = 7,
	     .sender = true,
	     .sent = {.known = true,
		      .end_ns = 1032700000,
		      .bytes = 3932160,
		      .has_retransmits = true,
		      .retransmits = 0,
		      MAXIMA(1178694, 328704, 57, 55, 56)}});
}

static inline void tcp_parallel_omit(struct report_case *k)
{
	case_init(k, I3_CLIENT, I3_TCP);
	k->test.parallel = 2;
	k->test.omit_s = 1;
	k->test.time_s = 1;
	k->test.rate_bps = 30000000;
	case_open(k, true);
	case_begin(k, "127.0.0.1", 21104, 32768);
	case_connected(k, 4, true, 33728, 21104);
	case_connected(k, 6, true, 33734, 21104);
	case_start(k, 16384, 131072);
	ROWS(k,
	     {.number = 4,
	      .sender = true,
	      .omitted = true,
	      US(0, 1000397),
	      .bytes = 3801088,
	      TCP(0, 1178694, 3647488, 75, 53, 65535)},
	     {.number = 6,
	      .sender = true,
	      .omitted = true,
	      US(0, 1000401),
	      .bytes = 3801088,
	      TCP(0, 916762, 720896, 54, 12, 65535)});
	ROWS(k,
	     {.number = 4,
	      .sender = true,
	      US(39, 1001130),
	      .bytes = 3801088,
	      TCP(0, 785796, 3647488, 198, 201, 65535)},
	     {.number = 6,
	      .sender = true,
	      US(35, 1001134),
	      .bytes = 3801088,
	      TCP(0, 785796, 3299328, 87, 43, 65535)});
	END(k, 1001130, CPU(0.38884022573062, 0.058345964163320864, 0.3304444358079795),
	    CPU(0.17030200755543434, 0.17025205096770907, 0), "bbr", "bbr",
	    {.number = 4,
	     .sender = true,
	     .sent = {.known = true,
		      .end_ns = 1001130000,
		      .bytes = 3801088,
		      .has_retransmits = true,
		      .retransmits = 0,
		      MAXIMA(1178694, 3647488, 198, 75, 136)},
	     .received = {.known = true, .end_ns = 1001243000, .bytes = 3801088}},
	    {.number = 6,
	     .sender = true,
	     .sent = {.known = true,
		      .end_ns = 1001130000,
		      .bytes = 3801088,
		      .has_retransmits = true,
		      .retransmits = 0,
		      MAXIMA(916762, 3299328, 87, 54, 70)},
	     .received = {.known = true, .end_ns = 1001243000, .bytes = 3801088}});
}

static inline void tcp_interrupted(struct report_case *k)
{
	case_init(k, I3_CLIENT, I3_TCP);
	k->test.time_s = 5;
	k->test.rate_bps = 5000000;
	case_open(k, true);
	case_begin(k, "127.0.0.1", 21135, 32768);
	case_connected(k, 4, true, 37212, 21135);
	case_start(k, 16384, 131072);
	ROWS(k, {.number = 4,
		 .sender = true,
		 US(0, 1000569),
		 .bytes = 655360,
		 TCP(0, 1178694, 328704, 26, 13, 65535)});
	ROWS(k, {.number = 4,
		 .sender = true,
		 US(1000569, 1504155),
		 .bytes = 393216,
		 TCP(0, 1178694, 328704, 31, 10, 65535)});
	END(k, 1504155, CPU(0.0785226058078827, 0, 0.07845617382327365), NO_CPU, "bbr",
	    "",
	    {.number = 4,
	     .sender = true,
	     .sent = {.known = true,
		      .end_ns = 1504155000,
		      .bytes = 1048576,
		      .has_retransmits = true,
		      .retransmits = 0,
		      MAXIMA(1178694, 328704, 31, 26, 28)}});
	k->ops->fault(k->r, I3_TROUBLE_INTERRUPT,
		      "the client has terminated by signal Interrupt(2)", NULL);
}

static inline void udp_client(struct report_case *k)
{
	case_init(k, I3_CLIENT, I3_UDP);
	k->test.block_bytes = 1448;
	k->test.time_s = 1;
	k->test.rate_bps = 10000000;
	case_open(k, true);
	case_begin(k, "10.77.3.2", 21253, 0);
	case_connected(k, 4, true, 44109, 21253);
	case_start(k, 212992, 212992);
	ROWS(k, {.number = 4,
		 .sender = true,
		 US(0, 1001460),
		 .bytes = 1252520,
		 .packets = 865});
	END(k, 1001460, CPU(1.51255807454501, 0, 1.51255807454501),
	    CPU(0.3178041732582302, 0, 0.3179920563047914), "", "",
	    {.number = 4,
	     .sender = true,
	     .sent = {.known = true,
		      .end_ns = 1001460000,
		      .bytes = 1252520,
		      .packets = 865},
	     .received = {.known = true,
			  .end_ns = 1064490000,
			  .bytes = 655944,
			  .packets = 865,
			  .lost = 412,
			  .jitter_s = 0.00018022066258989783,
			  .has_order = true}});
}

static inline void udp_server(struct report_case *k)
{
	case_init(k, I3_SERVER, I3_UDP);
	k->test.time_s = 1;
	k->test.rate_bps = 4000000;
	case_open(k, true);
	case_begin(k, "127.0.0.1", 40970, 0);
	case_connected(k, 5, false, 21119, 52425);
	case_start(k, 212992, 212992);
	ROWS(k, {.number = 5,
		 US(0, 1000513),
		 .bytes = 501000,
		 .packets = 501,
		 .lost = 0,
		 .jitter_s = 2.2317177828574134e-06});
	END(k, 1000961, CPU(0.17622940993118663, 0.17622940993118663, 0), NO_CPU, "", "",
	    {.number = 5,
	     .received = {.known = true,
			  .end_ns = 1000961000,
			  .bytes = 501000,
			  .packets = 501,
			  .lost = 0,
			  .jitter_s = 2.2317177828574134e-06,
			  .has_order = true}});
}

static inline void udp_reverse_client(struct report_case *k)
{
	case_init(k, I3_CLIENT, I3_UDP);
	k->test.time_s = 1;
	k->test.reverse = true;
	k->test.rate_bps = 4000000;
	case_open(k, true);
	case_begin(k, "127.0.0.1", 21120, 0);
	case_connected(k, 4, false, 36293, 21120);
	case_start(k, 212992, 212992);
	ROWS(k, {.number = 4,
		 US(0, 1000531),
		 .bytes = 501000,
		 .packets = 501,
		 .lost = 0,
		 .jitter_s = 1.6261208717949489e-06});
	END(k, 1000531, CPU(0.17518364819447982, 0.17518364819447982, 0),
	    CPU(0.7386265403876116, 0, 0.7386265403876116), "", "",
	    {.number = 4,
	     .sent = {.known = true,
		      .end_ns = 1000632000,
		      .bytes = 501000,
		      .packets = 501},
	     .received = {.known = true,
			  .end_ns = 1000531000,
			  .bytes = 501000,
			  .packets = 501,
			  .lost = 0,
			  .jitter_s = 1.6261208717949489e-06,
			  .has_order = true}});
}

static inline void udp_bidir_client(struct report_case *k)
{
	case_init(k, I3_CLIENT, I3_UDP);
	k->test.time_s = 1;
	k->test.bidir = true;
	k->test.rate_bps = 4000000;
	case_open(k, true);
	case_begin(k, "127.0.0.1", 21121, 0);
	case_connected(k, 4, true, 59440, 21121);
	case_connected(k, 6, false, 40261, 21121);
	case_start(k, 212992, 212992);
	ROWS(k,
	     {.number = 4,
	      .sender = true,
	      US(0, 1001405),
	      .bytes = 501000,
	      .packets = 501},
	     {.number = 6,
	      US(0, 1001405),
	      .bytes = 501000,
	      .packets = 501,
	      .lost = 0,
	      .jitter_s = 5.98035170322324e-06});
	END(k, 1001405, CPU(0.9745406975932615, 0, 0.9745406975932615),
	    CPU(0.790160238585659, 0, 0.7900603952398687), "", "",
	    {.number = 4,
	     .sender = true,
	     .sent = {.known = true,
		      .end_ns = 1001405000,
		      .bytes = 501000,
		      .packets = 501},
	     .received = {.known = true,
			  .end_ns = 1001440000,
			  .bytes = 501000,
			  .packets = 501,
			  .lost = 0,
			  .jitter_s = 7.55555246120323e-06,
			  .has_order = true}},
	    {.number = 6,
	     .sent = {.known = true,
		      .end_ns = 1001405000,
		      .bytes = 501000,
		      .packets = 501},
	     .received = {.known = true,
			  .end_ns = 1001440000,
			  .bytes = 501000,
			  .packets = 501,
			  .lost = 0,
			  .jitter_s = 5.98035170322324e-06,
			  .has_order = true}});
}

static inline void udp_bidir_server(struct report_case *k)
{
	case_init(k, I3_SERVER, I3_UDP);
	k->test.time_s = 1;
	k->test.bidir = true;
	k->test.rate_bps = 4000000;
	case_open(k, true);
	case_begin(k, "127.0.0.1", 48970, 0);
	case_connected(k, 5, false, 21121, 59440);
	case_connected(k, 6, true, 21121, 40261);
	case_start(k, 212992, 212992);
	ROWS(k,
	     {.number = 5,
	      US(0, 1001032),
	      .bytes = 501000,
	      .packets = 501,
	      .lost = 0,
	      .jitter_s = 7.55555246120323e-06},
	     {.number = 6,
	      .sender = true,
	      US(0, 1001035),
	      .bytes = 501000,
	      .packets = 501});
	END(k, 1001440, CPU(0.790160238585659, 0, 0.7900603952398687), NO_CPU, "", "",
	    {.number = 5,
	     .received = {.known = true,
			  .end_ns = 1001440000,
			  .bytes = 501000,
			  .packets = 501,
			  .lost = 0,
			  .jitter_s = 7.55555246120323e-06,
			  .has_order = true}},
	    {.number = 6,
	     .sender = true,
	     .sent = {.known = true,
		      .end_ns = 1001440000,
		      .bytes = 501000,
		      .packets = 501}});
}

#endif
