/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The answer to TCP_INFO, as Linux lays it out in the machine's byte order. Each kernel
 * only ever adds at the end and returns as much as it has, so the offsets below hold on
 * all of them, whatever header the program was built with. "end" is the length from which
 * on the fields above it, down to the "end" before, exist.
 *
 *    0 state u8           1 ca_state u8        2 retransmits u8    3 probes u8
 *    4 backoff u8         5 options u8         6 wscales 4+4 bits
 *    7 first bit-field of 1: the application limited the delivery rate (4.9)
 *    8 rto                12 ato               16 snd_mss          20 rcv_mss
 *   24 unacked            28 sacked            32 lost             36 retrans
 *   40 fackets            44..56 ages of last data and ack sent and received
 *   60 pmtu               64 rcv_ssthresh      68 rtt us           72 rttvar us
 *   76 snd_ssthresh       80 snd_cwnd          84 advmss           88 reordering
 *   92 rcv_rtt us         96 rcv_space         100 total_retrans   end 104 (2.6)
 *  104 pacing_rate u64    112 max_pacing_rate u64, byte/s          end 120 (3.15)
 *  120 bytes_acked u64    128 bytes_received u64                   end 136 (4.1)
 *  136 segs_out           140 segs_in                              end 144 (4.2)
 *  144 notsent_bytes      148 min_rtt us
 *  152 data_segs_in       156 data_segs_out                        end 160 (4.6)
 *  160 delivery_rate u64, byte/s                                   end 168 (4.9)
 *  168 busy_time u64      176 rwnd_limited u64
 *  184 sndbuf_limited u64, all us                                  end 192 (4.10)
 *  192 delivered          196 delivered_ce                         end 200 (4.18)
 *  200 bytes_sent u64     208 bytes_retrans u64
 *  216 dsack_dups         220 reord_seen                           end 224 (4.19)
 *  224 rcv_ooopack        228 snd_wnd                              end 232 (5.4)
 *  232 rcv_wnd            236 rehash                               end 240 (6.2)
 *
 * All without a type are u32. */
#include "tcpinfo.h"

#include <endian.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define SSTHRESH_NONE 0x7fffffffU /* the kernel's "infinite" */
#define MIN_RTT_NONE  UINT32_MAX  /* no sample yet */
#define ANSWER_MAX    1024        /* room for the fields of kernels to come */

/* A bit-field in the kernel's header: the compiler counts from the other end on a big
 * endian machine. */
#define APP_LIMITED (BYTE_ORDER == LITTLE_ENDIAN ? 0x01 : 0x80)

static uint32_t u32_at(const void *p, size_t at)
{
	uint32_t v;

	memcpy(&v, (const char *)p + at, sizeof(v));
	return v;
}

static uint64_t u64_at(const void *p, size_t at)
{
	uint64_t v;

	memcpy(&v, (const char *)p + at, sizeof(v));
	return v;
}

/* byte/s to bit/s; "no limit" stays what it is. */
static uint64_t bits(uint64_t bytes)
{
	return bytes > UINT64_MAX / 8 ? UINT64_MAX : bytes * 8;
}

static void decode_base(const void *p, struct tcp_stat *t)
{
	uint32_t ssthresh = u32_at(p, 76);

	t->have |= TCP_HAVE_BASE;
	t->ca_state = ((const uint8_t *)p)[1];
	t->snd_mss_bytes = u32_at(p, 16);
	t->rcv_mss_bytes = u32_at(p, 20);
	t->unacked_segs = u32_at(p, 24);
	t->pmtu_bytes = u32_at(p, 60);
	t->rtt_us = u32_at(p, 68);
	t->rttvar_us = u32_at(p, 72);
	t->snd_ssthresh_segs = ssthresh >= SSTHRESH_NONE ? UINT32_MAX : ssthresh;
	t->snd_cwnd_segs = u32_at(p, 80);
	t->reordering = u32_at(p, 88);
	t->rcv_rtt_us = u32_at(p, 92);
	t->rcv_space_bytes = u32_at(p, 96);
	t->retransmits = u32_at(p, 100);
}

/* Linux 3.15 to 4.9. */
static void decode_rates(const void *p, size_t len, struct tcp_stat *t)
{
	if (len >= 120) {
		t->have |= TCP_HAVE_PACING;
		t->pacing_bps = bits(u64_at(p, 104));
		t->max_pacing_bps = bits(u64_at(p, 112));
	}
	if (len >= 136) {
		t->have |= TCP_HAVE_BYTES;
		t->bytes_acked = u64_at(p, 120);
		t->bytes_received = u64_at(p, 128);
	}
	if (len >= 144) {
		t->have |= TCP_HAVE_SEGS;
		t->segs_out = u32_at(p, 136);
		t->segs_in = u32_at(p, 140);
	}
	if (len >= 160) {
		uint32_t min_rtt_us = u32_at(p, 148);

		t->have |= TCP_HAVE_NOTSENT;
		t->notsent_bytes = u32_at(p, 144);
		t->data_segs_in = u32_at(p, 152);
		t->data_segs_out = u32_at(p, 156);
		if (min_rtt_us != MIN_RTT_NONE) {
			t->have |= TCP_HAVE_MIN_RTT;
			t->min_rtt_us = min_rtt_us;
		}
	}
	if (len >= 168) {
		t->have |= TCP_HAVE_DELIVERY;
		t->delivery_bps = bits(u64_at(p, 160));
		t->delivery_app_limited = (((const uint8_t *)p)[7] & APP_LIMITED) != 0;
	}
}

/* Linux 4.10 to 6.2. */
static void decode_limits(const void *p, size_t len, struct tcp_stat *t)
{
	if (len >= 192) {
		t->have |= TCP_HAVE_LIMITED;
		t->busy_us = u64_at(p, 168);
		t->rwnd_limited_us = u64_at(p, 176);
		t->sndbuf_limited_us = u64_at(p, 184);
	}
	if (len >= 200) {
		t->have |= TCP_HAVE_DELIVERED;
		t->delivered_segs = u32_at(p, 192);
		t->delivered_ce_segs = u32_at(p, 196);
	}
	if (len >= 224) {
		t->have |= TCP_HAVE_BYTES_SENT;
		t->bytes_sent = u64_at(p, 200);
		t->bytes_retrans = u64_at(p, 208);
		t->dsack_dups = u32_at(p, 216);
		t->reord_seen = u32_at(p, 220);
	}
	if (len >= 232) {
		t->have |= TCP_HAVE_SND_WND;
		t->rcv_ooopack = u32_at(p, 224);
		t->snd_wnd_bytes = u32_at(p, 228);
	}
	if (len >= 240) {
		t->have |= TCP_HAVE_RCV_WND;
		t->rcv_wnd_bytes = u32_at(p, 232);
	}
}

void tcpinfo_decode(const void *info, size_t len, struct tcp_stat *t)
{
	*t = (struct tcp_stat){.have = 0};
	if (len < 104)
		return;
	decode_base(info, t);
	decode_rates(info, len, t);
	decode_limits(info, len, t);
}

int tcpinfo_get(int fd, struct tcp_stat *t)
{
	unsigned char answer[ANSWER_MAX];
	socklen_t len = sizeof(answer);

	*t = (struct tcp_stat){.have = 0};
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, answer, &len) < 0)
		return -1;
	tcpinfo_decode(answer, len, t);
	if (!t->have)
		return -1;
	len = sizeof(t->congestion);
	if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, t->congestion, &len) == 0) {
		t->congestion[sizeof(t->congestion) - 1] = '\0';
		t->have |= TCP_HAVE_CONGESTION;
	}
	return 0;
}

/* What bbr answers to TCP_CC_INFO: u32 bandwidth low and high word (byte/s), min_rtt us,
 * pacing gain and cwnd gain (1/256). Other algorithms answer something else or nothing.
 */
static void get_bbr(int fd, struct tcp_stat *t)
{
	uint32_t info[16];
	socklen_t len = sizeof(info);

	if (strcmp(t->congestion, "bbr") != 0 ||
	    getsockopt(fd, IPPROTO_TCP, TCP_CC_INFO, info, &len) < 0 ||
	    len < 5 * sizeof(info[0]))
		return;
	t->have |= TCP_HAVE_BBR;
	t->bbr_bps = bits(info[0] | (uint64_t)info[1] << 32);
	t->bbr_pacing_gain = info[3];
}

int tcpinfo_get_all(int fd, struct tcp_stat *t)
{
	uint32_t mem[16];
	socklen_t len = sizeof(mem);
	int unread;

	if (tcpinfo_get(fd, t) < 0)
		return -1;
	get_bbr(fd, t);
	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, mem, &len) == 0 &&
	    len > SK_MEMINFO_WMEM_QUEUED * sizeof(mem[0])) {
		t->have |= TCP_HAVE_MEMINFO;
		t->rcvbuf_bytes = mem[SK_MEMINFO_RCVBUF];
		t->sndbuf_bytes = mem[SK_MEMINFO_SNDBUF];
		t->wqueued_bytes = mem[SK_MEMINFO_WMEM_QUEUED];
	}
	if (ioctl(fd, SIOCINQ, &unread) == 0 && unread >= 0) {
		t->have |= TCP_HAVE_INQ;
		t->inq_bytes = (uint32_t)unread;
	}
	return 0;
}
