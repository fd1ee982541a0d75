/* SPDX-License-Identifier: BSD-2-Clause
 *
 * When may the next packet leave. Deadlines are absolute, one after the other from the
 * start: an early or late wake-up never moves those that follow, so the mean rate is
 * exact. Who falls behind may catch up, but by no more than catchup_ns: a longer stall
 * moves the whole schedule, instead of a burst that nobody asked for.
 *
 *     pacer_init(&p, gap_ns, 1, catchup_ns);
 *     pacer_start(&p, now);
 *     for (;;) {
 *             unsigned due = pacer_due(&p, now, most);      send up to due packets
 *             pacer_sent(&p, sent);
 *             if (!due) sleep until pacer_next_ns(&p);
 *     } */
#ifndef PACER_H
#define PACER_H

#include <stdint.h>

struct pacer {
	double gap_ns;       /* between two packets; 0 = no limit */
	unsigned burst;      /* packets that leave together */
	uint64_t catchup_ns; /* most that a late sender makes good */
	uint64_t start_ns;
	uint64_t sent; /* since start_ns */
};

/* gap_ns: mean distance of two packets, fraction allowed. burst: the first packet of each
 * group of burst waits for its time, the others follow at once (0 = 1). */
void pacer_init(struct pacer *p, double gap_ns, unsigned burst, uint64_t catchup_ns);
void pacer_start(struct pacer *p, uint64_t now_ns);

/* Gap for packets of bytes at bps bit/s; 0 for bps 0. */
double pacer_gap_ns(uint64_t bytes, uint64_t bps);

/* Packets that may leave now, at most limit. */
unsigned pacer_due(struct pacer *p, uint64_t now_ns, unsigned limit);
void pacer_sent(struct pacer *p, unsigned packets);

/* When the next packet is due, on the monotonic clock. */
uint64_t pacer_next_ns(const struct pacer *p);

#endif
