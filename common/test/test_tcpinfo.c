/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/tcp.h>
#include <netinet/in.h>
#include <unistd.h>

#include "check_main.h"
#include "sock.h"
#include "tcpinfo.h"

/* A recorded-looking answer, with the offsets of this machine's header. */
static const struct tcp_info answer = {
	.tcpi_ca_state = 3,
	.tcpi_delivery_rate_app_limited = 1,
	.tcpi_snd_mss = 1448,
	.tcpi_rcv_mss = 536,
	.tcpi_unacked = 17,
	.tcpi_pmtu = 1500,
	.tcpi_rtt = 44123,
	.tcpi_rttvar = 321,
	.tcpi_snd_ssthresh = 77,
	.tcpi_snd_cwnd = 88,
	.tcpi_reordering = 5,
	.tcpi_rcv_rtt = 44001,
	.tcpi_rcv_space = 14480,
	.tcpi_total_retrans = 9,
	.tcpi_pacing_rate = UINT64_C(5000000000),
	.tcpi_max_pacing_rate = UINT64_MAX,
	.tcpi_bytes_acked = UINT64_C(1) << 40,
	.tcpi_bytes_received = UINT64_C(3) << 40,
	.tcpi_segs_out = 1001,
	.tcpi_segs_in = 1002,
	.tcpi_notsent_bytes = 1003,
	.tcpi_min_rtt = 43999,
	.tcpi_data_segs_in = 1004,
	.tcpi_data_segs_out = 1005,
	.tcpi_delivery_rate = 2500000,
	.tcpi_busy_time = UINT64_C(1) << 33,
	.tcpi_rwnd_limited = UINT64_C(1) << 34,
	.tcpi_sndbuf_limited = UINT64_C(1) << 35,
	.tcpi_delivered = 2001,
	.tcpi_delivered_ce = 2002,
	.tcpi_bytes_sent = UINT64_C(5) << 40,
	.tcpi_bytes_retrans = UINT64_C(6) << 40,
	.tcpi_dsack_dups = 3001,
	.tcpi_reord_seen = 3002,
	.tcpi_rcv_ooopack = 4001,
	.tcpi_snd_wnd = 4002,
};

START_TEST(offsets_are_those_of_the_header)
{
	struct tcp_stat t;

	tcpinfo_decode(&answer, sizeof(answer), &t);
	ck_assert_uint_eq(t.ca_state, 3);
	ck_assert_uint_eq(t.snd_mss_bytes, 1448);
	ck_assert_uint_eq(t.rcv_mss_bytes, 536);
	ck_assert_uint_eq(t.unacked_segs, 17);
	ck_assert_uint_eq(t.pmtu_bytes, 1500);
	ck_assert_uint_eq(t.rtt_us, 44123);
	ck_assert_uint_eq(t.rttvar_us, 321);
	ck_assert_uint_eq(t.snd_ssthresh_segs, 77);
	ck_assert_uint_eq(t.snd_cwnd_segs, 88);
	ck_assert_uint_eq(t.reordering, 5);
	ck_assert_uint_eq(t.rcv_rtt_us, 44001);
	ck_assert_uint_eq(t.rcv_space_bytes, 14480);
	ck_assert_uint_eq(t.retransmits, 9);
	ck_assert_uint_eq(t.pacing_bps, UINT64_C(40000000000));
	ck_assert(t.max_pacing_bps == UINT64_MAX);
	ck_assert_uint_eq(t.bytes_acked, UINT64_C(1) << 40);
	ck_assert_uint_eq(t.bytes_received, UINT64_C(3) << 40);
	ck_assert_uint_eq(t.segs_out, 1001);
	ck_assert_uint_eq(t.segs_in, 1002);
	ck_assert_uint_eq(t.notsent_bytes, 1003);
	ck_assert_uint_eq(t.min_rtt_us, 43999);
	ck_assert_uint_eq(t.data_segs_in, 1004);
	ck_assert_uint_eq(t.data_segs_out, 1005);
	ck_assert_uint_eq(t.delivery_bps, 20000000);
	ck_assert_uint_eq(t.delivery_app_limited, 1);
	ck_assert_uint_eq(t.busy_us, UINT64_C(1) << 33);
	ck_assert_uint_eq(t.rwnd_limited_us, UINT64_C(1) << 34);
	ck_assert_uint_eq(t.sndbuf_limited_us, UINT64_C(1) << 35);
	ck_assert_uint_eq(t.delivered_segs, 2001);
	ck_assert_uint_eq(t.delivered_ce_segs, 2002);
	ck_assert_uint_eq(t.bytes_sent, UINT64_C(5) << 40);
	ck_assert_uint_eq(t.bytes_retrans, UINT64_C(6) << 40);
	ck_assert_uint_eq(t.dsack_dups, 3001);
	ck_assert_uint_eq(t.reord_seen, 3002);
	ck_assert_uint_eq(t.rcv_ooopack, 4001);
	ck_assert_uint_eq(t.snd_wnd_bytes, 4002);
}
END_TEST

/* Fields newer than the header that Debian 12 builds with. */
START_TEST(newer_than_the_header)
{
	unsigned char raw[280] = {0};
	const uint32_t rcv_wnd = 65536;
	struct tcp_stat t;

	memcpy(raw + 232, &rcv_wnd, sizeof(rcv_wnd));
	tcpinfo_decode(raw, sizeof(raw), &t);
	ck_assert_uint_eq(t.have & TCP_HAVE_RCV_WND, TCP_HAVE_RCV_WND);
	ck_assert_uint_eq(t.rcv_wnd_bytes, 65536);
	ck_assert_uint_eq(t.delivery_app_limited, 0);
	tcpinfo_decode(raw, 239, &t);
	ck_assert_uint_eq(t.have & TCP_HAVE_RCV_WND, 0);
	ck_assert_uint_eq(t.rcv_wnd_bytes, 0);
}
END_TEST

START_TEST(only_what_lies_inside)
{
	static const struct {
		size_t from;
		uint32_t bits;
	} steps[] = {
		{104, TCP_HAVE_BASE},
		{120, TCP_HAVE_PACING},
		{136, TCP_HAVE_BYTES},
		{144, TCP_HAVE_SEGS},
		{160, TCP_HAVE_NOTSENT | TCP_HAVE_MIN_RTT},
		{168, TCP_HAVE_DELIVERY},
		{192, TCP_HAVE_LIMITED},
		{200, TCP_HAVE_DELIVERED},
		{224, TCP_HAVE_BYTES_SENT},
		{232, TCP_HAVE_SND_WND},
		{240, TCP_HAVE_RCV_WND},
	};

	for (size_t len = 0; len <= 280; len++) {
		/* Exactly as large as it says, so that a sanitizer sees a read beyond. */
		unsigned char *raw = calloc(1, len ? len : 1);
		uint32_t want = 0;
		struct tcp_stat t;

		for (size_t i = 0; i < ARRAY_LEN(steps); i++)
			want |= len >= steps[i].from ? steps[i].bits : 0;
		tcpinfo_decode(raw, len, &t);
		ck_assert_msg(t.have == want, "%zu: %x, not %x", len, t.have, want);
		free(raw);
	}
}
END_TEST

START_TEST(no_value_is_not_a_value)
{
	struct tcp_info raw = {
		.tcpi_snd_ssthresh = 0x7fffffff,
		.tcpi_min_rtt = UINT32_MAX,
		.tcpi_pacing_rate = UINT64_MAX,
	};
	struct tcp_stat t;

	tcpinfo_decode(&raw, sizeof(raw), &t);
	ck_assert_uint_eq(t.snd_ssthresh_segs, UINT32_MAX);
	ck_assert_uint_eq(t.have & TCP_HAVE_MIN_RTT, 0);
	ck_assert_uint_eq(t.min_rtt_us, 0);
	ck_assert(t.pacing_bps == UINT64_MAX);
}
END_TEST

static void connection(int *out, int *in, const struct sock_opts *opts)
{
	struct sock_req req = {
		.host = "127.0.0.1",
		.type = SOCK_STREAM,
		.backlog = 1,
		.opts = *opts,
	};
	int listener = sock_listen(&req, NULL);
	struct addr local;

	ck_assert_int_eq(addr_local(listener, &local, NULL), 0);
	req.port = addr_port(&local);
	*out = sock_connect(&req, 5 * NS_PER_S, NULL);
	*in = sock_accept(listener, mono_now_ns() + 5 * NS_PER_S, NULL, NULL, NULL);
	close(listener);
	ck_assert_int_ge(*out, 0);
	ck_assert_int_ge(*in, 0);
}

/* What the kernel says about bytes that were counted here. */
START_TEST(live_connection)
{
	enum { SIZE = 16384, TIMES = 50, LEFT = 100 };
	const struct sock_opts opts = {.max_pacing_bps = 8000000000};
	static char buf[SIZE];
	uint64_t deadline_ns = mono_now_ns() + 10 * NS_PER_S;
	struct tcp_stat tx, rx;
	int out, in;

	connection(&out, &in, &opts);
	for (int i = 0; i < TIMES; i++) {
		ck_assert_int_eq(sock_write(out, buf, SIZE, deadline_ns, NULL, NULL), 0);
		ck_assert_int_eq(sock_read(in, buf, SIZE, deadline_ns, NULL, NULL), SIZE);
	}
	ck_assert_int_eq(sock_write(out, buf, LEFT, deadline_ns, NULL, NULL), 0);
	ck_assert_int_eq(sock_read(in, buf, 1, deadline_ns, NULL, NULL), 1);
	/* The last acknowledgement may be delayed. */
	do {
		ck_assert_int_eq(tcpinfo_get_all(out, &tx), 0);
	} while (tx.unacked_segs && mono_now_ns() < deadline_ns);
	ck_assert_int_eq(tcpinfo_get_all(in, &rx), 0);

	ck_assert_uint_eq(tx.have & TCP_HAVE_BASE, TCP_HAVE_BASE);
	ck_assert_uint_gt(tx.rtt_us, 0);
	ck_assert_uint_lt(tx.rtt_us, 1000000);
	ck_assert_uint_gt(tx.snd_cwnd_segs, 0);
	ck_assert_uint_gt(tx.snd_mss_bytes, 500);
	ck_assert_uint_gt(tx.pmtu_bytes, tx.snd_mss_bytes);
	ck_assert_uint_eq(tx.have & TCP_HAVE_CONGESTION, TCP_HAVE_CONGESTION);
	ck_assert_uint_gt(strlen(tx.congestion), 2);
	if (tx.have & TCP_HAVE_PACING)
		ck_assert_uint_eq(tx.max_pacing_bps, opts.max_pacing_bps);
	if (tx.have & TCP_HAVE_BYTES) {
		ck_assert_uint_ge(tx.bytes_acked, SIZE * TIMES + LEFT);
		ck_assert_uint_le(tx.bytes_acked, SIZE * TIMES + LEFT + 1);
		ck_assert_uint_eq(rx.bytes_received, SIZE * TIMES + LEFT);
	}
	if (tx.have & TCP_HAVE_MIN_RTT)
		ck_assert_uint_le(tx.min_rtt_us, tx.rtt_us + tx.rttvar_us);
	if (tx.have & TCP_HAVE_BYTES_SENT)
		ck_assert_uint_eq(tx.bytes_sent - tx.bytes_retrans, SIZE * TIMES + LEFT);
	if (tx.have & TCP_HAVE_LIMITED)
		ck_assert_uint_ge(tx.busy_us, tx.rwnd_limited_us);
	if (rx.have & TCP_HAVE_RCV_WND)
		ck_assert_uint_eq(rx.rcv_wnd_bytes, tx.snd_wnd_bytes);
	if (tx.have & TCP_HAVE_MEMINFO) {
		ck_assert_int_eq((int)tx.sndbuf_bytes, sock_sndbuf_bytes(out));
		ck_assert_int_eq((int)rx.rcvbuf_bytes, sock_rcvbuf_bytes(in));
	}
	ck_assert_uint_eq(rx.have & TCP_HAVE_INQ, TCP_HAVE_INQ);
	ck_assert_uint_eq(rx.inq_bytes, LEFT - 1);
	close(out);
	close(in);
}
END_TEST

START_TEST(bbr_where_the_kernel_has_it)
{
	const struct sock_opts plain = {.congestion = NULL}, bbr = {.congestion = "bbr"};
	struct tcp_stat t;
	char byte = 'x';
	int out, in, probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int there = sock_apply(probe, AF_INET, &bbr, NULL) == 0;

	close(probe);
	connection(&out, &in, there ? &bbr : &plain);
	ck_assert_int_eq(sock_write(out, &byte, 1, MONO_NEVER, NULL, NULL), 0);
	ck_assert_int_eq(sock_read(in, &byte, 1, MONO_NEVER, NULL, NULL), 1);
	ck_assert_int_eq(tcpinfo_get_all(out, &t), 0);
	ck_assert_int_eq(!!(t.have & TCP_HAVE_BBR), strcmp(t.congestion, "bbr") == 0);
	if (there) {
		ck_assert_str_eq(t.congestion, "bbr");
		/* Start-up: 2 / ln 2 = 739 / 256. */
		ck_assert_uint_eq(t.bbr_pacing_gain, 739);
		ck_assert_uint_gt(t.bbr_bps, 0);
	}
	close(out);
	close(in);
}
END_TEST

START_TEST(no_tcp_no_answer)
{
	int fd[2] = {socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), -1};

	for (size_t i = 0; i < ARRAY_LEN(fd); i++) {
		struct tcp_stat t = {.have = ~0U};

		ck_assert_int_eq(tcpinfo_get_all(fd[i], &t), -1);
		ck_assert_uint_eq(t.have, 0);
	}
	close(fd[0]);
}
END_TEST

CHECK_MAIN("tcpinfo", offsets_are_those_of_the_header, newer_than_the_header,
	   only_what_lies_inside, no_value_is_not_a_value, live_connection,
	   bbr_where_the_kernel_has_it, no_tcp_no_answer)
