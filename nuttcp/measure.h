/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What was measured, as plain values: of one end over the whole test, and of one
 * interval. An end's figures come from its own counters or, for the other end, from the
 * text that it sent. */
#ifndef NUT_MEASURE_H
#define NUT_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpuuse.h"
#include "proto.h"

/* Minimum, average, maximum in milliseconds. */
struct nut_spread {
	bool have;
	double min_ms, avg_ms, max_ms;
};

/* TCP at the transmitting end. */
struct nut_tcp {
	bool have_retrans, host_wide; /* host_wide: of the whole machine */
	bool have_cwnd;
	int64_t retrans, cwnd_kb; /* all streams */
	unsigned streams;         /* of the two arrays, 0 = not known by stream */
	int64_t retrans_by[NUT_STREAMS_MAX], cwnd_kb_by[NUT_STREAMS_MAX];
};

struct nut_result {
	bool known;
	bool exact; /* bytes is a counter, not a rounded text */
	uint64_t bytes;
	double megabytes, seconds, kbytes_ps, mbps;
	bool have_cpu;
	int cpu_percent;
	double rtt_ms; /* 0 = not measured at this end */
	struct nut_tcp tcp;
	struct nut_spread jitter, owd;
	/* own end only */
	struct cpuuse used;
	uint64_t calls;
};

/* An interval, or the time up to now. Loss: counted, so exact when the peer's line gave
 * whole numbers. */
struct nut_span {
	double seconds;
	uint64_t bytes,
		sent_bytes; /* sent_bytes: UDP, by the newest datagram's counter */
	int64_t drops, pkts;
	double loss; /* 0..1 */
};

struct nut_interval {
	struct nut_span now, total;
	bool have_loss;    /* UDP with counters in the datagrams */
	bool have_retrans; /* TCP, one stream */
	int64_t retrans, retrans_total;
	bool have_cwnd;
	int64_t cwnd_kb;
	struct nut_spread jitter, owd;
};

/* Result of one's own end: the rates follow from bytes and seconds. */
void nut_result_own(struct nut_result *r, uint64_t bytes, const struct cpuuse *used);

/* Datagrams lost and sent, and the loss (0..1), for datagrams of buflen bytes. Counts of
 * one's own end are exact; those of the other one are taken as the whole number of
 * datagrams that its rounded text must mean. */
void nut_udp_loss(const struct nut_result *tx, const struct nut_result *rx,
		  int64_t buflen_bytes, int64_t *drops, int64_t *pkts, double *loss);

/* ---- the peer's text ---- */

/* Take what a line of the peer's report says, plain or -fparse, into r. */
void nut_result_line(struct nut_result *r, const char *line);

/* Read an interval line of the peer. Returns false when it is none. */
bool nut_interval_line(const char *line, struct nut_interval *i);

/* Where in an interval line the transmitter's own columns belong: behind the rate.
 * Retransmission columns of the peer are between *cut and *resume (the same place when
 * there are none). Returns false when it is no interval line. */
bool nut_interval_cut(const char *line, const char **cut, const char **resume);

#endif
