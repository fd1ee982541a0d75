/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Links between ports: takes frames in, asks the model, delivers them when they are due,
 * and counts. Ports 2k and 2k+1 are the ends of link k; way i leads from port i to port
 * i ^ 1. */
#ifndef ENGINE_H
#define ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "eventq.h"
#include "late.h"
#include "link.h"
#include "packet.h"
#include "port.h"

#define ENGINE_LINKS_MAX 16
#define ENGINE_WAYS_MAX  (2 * ENGINE_LINKS_MAX)
#define ENGINE_NAME_MAX  24

/* Of plain packets, that is unicast IP without neighbour discovery, but for the last two.
 *     in + twice + cut = out + drop_queue + drop_loss + too_big + drop_memory + flight */
struct engine_count {
	uint64_t in, in_bytes, out, out_bytes;
	uint64_t drop_queue, drop_loss;
	uint64_t too_big; /* too long to pass, dropped */
	uint64_t answers; /* "too big" told to their sender */
	uint64_t cut;     /* fragments made, less the packets they were made of */
	uint64_t twice, reordered;
	uint64_t drop_memory; /* the emulator's own limit, not the link's */
	uint64_t flight;      /* accepted and not yet delivered; not a sum, never reset */
	uint64_t queue_max_bytes;
	uint64_t other_in, other_out; /* address resolution, multicast */
	struct late late;             /* of all that is delivered */
};

struct engine_way {
	char from[ENGINE_NAME_MAX], to[ENGINE_NAME_MAX];
	struct link link;
	struct packet_hop hop; /* who answers for the link's own MTU */
	struct engine_count count;
};

struct engine {
	struct port ports[ENGINE_WAYS_MAX];
	struct engine_way ways[ENGINE_WAYS_MAX];
	size_t n; /* ports, ways */
	struct eventq queue;
	uint64_t seed;
	uint16_t ip_id;
	uint8_t frame[PORT_FRAME_MAX];
	uint8_t reply[PACKET_REPLY_MAX];
};

/* A zeroed engine has no links. Closes the ports, too. */
void engine_free(struct engine *g);

/* Add link `a`-`b`, whose ports are open already; the engine takes them over. Returns 0,
 * or -1 with e filled: too many links, a name that is empty, too long, or in use for a
 * link between the same two. */
int engine_add(struct engine *g, const char *a, const struct port *port_a, const char *b,
	       const struct port *port_b, struct err *e);

/* Apply words such as "rate=20M" (linkconf.h) and "hop=ADDRESS" (who answers "too big";
 * one for IPv4, one for IPv6) to the link "a-b", or to one way of it, "a>b" or "a:b". All
 * or none. Returns 0 or -1 with e filled. */
int engine_set(struct engine *g, const char *name, char *const *words, size_t n,
	       struct err *e);

/* New random streams for all ways. */
void engine_seed(struct engine *g, uint64_t seed);

/* Counters to zero. */
void engine_reset(struct engine *g);

/* Take in what waits at port i, up to a limit, so that others get their turn. Returns 0,
 * or -1 with e filled when the port is gone. */
int engine_take(struct engine *g, size_t i, struct err *e);

/* When the next packet is due: MONO_NEVER when none is on its way. */
uint64_t engine_next_ns(const struct engine *g);

/* Deliver what is due, up to a limit. */
void engine_deliver(struct engine *g);

#endif
