/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The measurement as plain values: no pointers, no formatting. Sessions make samples out
 * of counters at each tick; reporters print them; --why judges them. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdint.h>

/* TCP_INFO and its relatives with units in the names. A field counts only when its bit
 * is set in have: an old kernel gives less, and zero is not the same as missing. */
enum tcp_stat_have {
	TCP_HAVE_BASE = 1 << 0,       /* kernel 2.6: state, rtt, cwnd, retransmits */
	TCP_HAVE_PACING = 1 << 1,     /* 3.15 */
	TCP_HAVE_BYTES = 1 << 2,      /* 4.1: bytes_acked, bytes_received */
	TCP_HAVE_SEGS = 1 << 3,       /* 4.2: segs_out, segs_in */
	TCP_HAVE_NOTSENT = 1 << 4,    /* 4.6: notsent, min_rtt, data_segs */
	TCP_HAVE_DELIVERY = 1 << 5,   /* 4.9: delivery_rate */
	TCP_HAVE_LIMITED = 1 << 6,    /* 4.10: busy, rwnd_limited, sndbuf_limited */
	TCP_HAVE_DELIVERED = 1 << 7,  /* 4.18 */
	TCP_HAVE_BYTES_SENT = 1 << 8, /* 4.19: bytes_sent, bytes_retrans, dsack, reord */
	TCP_HAVE_SND_WND = 1 << 9,    /* 5.4: rcv_ooopack, snd_wnd */
	TCP_HAVE_RCV_WND = 1 << 10,   /* 6.2 */
	TCP_HAVE_MEMINFO = 1 << 11,   /* SO_MEMINFO: sndbuf, rcvbuf, wqueued */
	TCP_HAVE_INQ = 1 << 12,       /* SIOCINQ */
	TCP_HAVE_BBR = 1 << 13,       /* TCP_CC_INFO of bbr */
	TCP_HAVE_MIN_RTT = 1 << 14,   /* min_rtt holds a measured value */
	TCP_HAVE_CONGESTION = 1 << 15,
};

struct tcp_stat {
	uint32_t have; /* enum tcp_stat_have */
	/* base */
	uint8_t ca_state;
	uint32_t snd_mss_bytes, rcv_mss_bytes;
	uint32_t unacked_segs;
	uint32_t rtt_us, rttvar_us, rcv_rtt_us;
	uint32_t snd_cwnd_segs;
	uint32_t snd_ssthresh_segs; /* UINT32_MAX: none yet, still in slow start */
	uint32_t rcv_space_bytes;
	uint32_t retransmits; /* segments, since connect */
	uint32_t pmtu_bytes, reordering;
	/* newer kernels */
	uint64_t pacing_bps, max_pacing_bps; /* bit/s; UINT64_MAX = none */
	uint64_t bytes_acked, bytes_received;
	uint32_t segs_out, segs_in, data_segs_in, data_segs_out;
	uint32_t notsent_bytes, min_rtt_us;
	uint64_t delivery_bps; /* of the last rate sample */
	uint8_t delivery_app_limited;
	uint64_t busy_us, rwnd_limited_us, sndbuf_limited_us;
	uint32_t delivered_segs, delivered_ce_segs;
	uint64_t bytes_sent, bytes_retrans;
	uint32_t dsack_dups, reord_seen;
	uint32_t rcv_ooopack, snd_wnd_bytes, rcv_wnd_bytes;
	/* beside TCP_INFO */
	uint32_t sndbuf_bytes, rcvbuf_bytes, wqueued_bytes, inq_bytes;
	uint64_t bbr_bps;
	uint32_t bbr_pacing_gain; /* in 1/256 */
	char congestion[16];
};

enum sample_flag {
	SAMPLE_SENDER = 1 << 0,  /* this end sent */
	SAMPLE_OMITTED = 1 << 1, /* inside the warm-up (-O): not in the result */
	SAMPLE_FINAL = 1 << 2,   /* the whole test */
	SAMPLE_REMOTE = 1 << 3,  /* as told by the peer */
};

/* One stream, one interval. Times are since the start of the test. */
struct sample {
	uint64_t from_ns, to_ns;
	uint64_t bytes;                /* payload only, no headers */
	uint64_t calls;                /* counters.h */
	uint64_t pkts, lost, dup, ooo; /* UDP; dup and ooo are never part of lost */
	double jitter_s;               /* RFC 1889 A.8 */
	uint64_t call_ns, call_since_ns, source_wait_ns, io_end_ns; /* counters.h */
	uint64_t cpu_ns;     /* user + system of the worker's thread */
	struct tcp_stat tcp; /* have = 0 where the kernel gave none */
	unsigned flags;      /* enum sample_flag */
};

#endif
