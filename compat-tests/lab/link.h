/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One direction of an emulated link as a pure model: when a packet arrives, what becomes
 * of it, and when does it come out. No socket and no clock: times come from the caller,
 * as nanoseconds of one clock that never runs backwards.
 *
 *     arrival -> MTU -> byte-limited queue -> loss -> transmitter -> wire -> delivery
 *                       (drop-tail)                   8L/rate        delay, jitter
 *
 * Example: 20 Mbit/s, 20 ms. Two packets of 1500 bytes arrive at 0. The first is sent
 * from 0 to 0.6 ms and delivered at 20.6 ms, the second from 0.6 to 1.2 ms and delivered
 * at 21.2 ms. Between 0 and 0.6 ms the queue holds 3000 bytes.
 *
 * Each packet has its own ideal time, so that a late reader of the model's answers makes
 * no error that adds up. */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rng.h"

struct link_conf {
	uint64_t rate_bps; /* 0 = takes no time to send */
	uint64_t delay_ns;
	uint64_t queue_bytes; /* waiting and in transmission; 0 = no limit. An idle link
			       * takes any packet. */
	uint32_t mtu_bytes;   /* 0 = any size */
	double loss;          /* probability, 0..1 */
	uint64_t loss_every;  /* drop number N, 2N, 3N ...; 0 = none */
	double duplicate;     /* probability that it is delivered twice */
	uint64_t jitter_ns; /* mean of an extra, exponential delay; order is kept, so that
			     * packets close together share the longest */
	double reorder; /* probability that a packet is held back, and others pass it */
	uint64_t reorder_ns; /* by how long */
};

enum link_fate {
	LINK_PASS,
	LINK_TOO_BIG,    /* longer than mtu_bytes */
	LINK_DROP_QUEUE, /* the queue was full */
	LINK_DROP_LOSS,  /* by chance, or as every Nth */
};

struct link_answer {
	enum link_fate fate;
	/* With LINK_PASS: */
	uint64_t departs_ns; /* the last bit is on the wire */
	uint64_t deliver_ns;
	bool twice;     /* deliver two copies */
	bool reordered; /* held back */
};

struct link_sending {
	uint64_t departs_ns;
	uint32_t bytes;
};

struct link {
	struct link_conf conf;
	struct rng loss, duplicate, jitter, reorder;
	uint64_t every;      /* packets seen by loss_every since the last drop */
	uint64_t arrived_ns; /* latest arrival */
	uint64_t free_ns;    /* the transmitter is free from here on */
	uint64_t last_ns;    /* latest delivery of a packet that kept its place */
	uint64_t queued_bytes;
	struct link_sending *sending; /* ring of what makes up queued_bytes */
	size_t size, head, count;
};

/* seed and number (of the direction, within the run) choose the random streams. */
void link_init(struct link *l, const struct link_conf *conf, uint64_t seed,
	       uint64_t number);
void link_free(struct link *l);

/* Start the random streams and the count of loss_every anew. */
void link_seed(struct link *l, uint64_t seed, uint64_t number);

/* From now on. Packets already accepted keep their times; the random streams go on, the
 * count for loss_every starts anew when its N changes. */
void link_configure(struct link *l, const struct link_conf *conf);

/* A packet of `bytes` IP bytes arrives. An arrival earlier than one before is taken as
 * the same time. exempt: never lost, duplicated or held back by chance, and draws no
 * random number (address resolution and multicast, whose number nobody controls). When
 * memory is short the packet counts as one that found the queue full. */
struct link_answer link_arrive(struct link *l, uint64_t now_ns, uint32_t bytes,
			       bool exempt);

/* Bytes waiting and in transmission at now_ns. */
uint64_t link_queued_bytes(struct link *l, uint64_t now_ns);

/* Time that `bytes` take to send, to the nearest ns. */
uint64_t link_serialization_ns(uint64_t rate_bps, uint32_t bytes);

#endif
