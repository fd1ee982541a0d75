/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Many datagrams in one call. The sender fills a row of datagrams of equal length and
 * hands it over at once: cut up by the kernel (UDP_SEGMENT, Linux 4.18) where it can and
 * the path allows, else with sendmmsg(2). The receiver takes what has come with
 * recvmmsg(2), joined by the kernel where the sender's row crossed unbroken (UDP_GRO,
 * Linux 5.0). On the wire nothing differs from single datagrams. */
#ifndef UDPBATCH_H
#define UDPBATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

#define UDPBATCH_GSO_BYTES 65507 /* most in one call */
#define UDPBATCH_GSO_MAX   128   /* datagrams in one call (64 before Linux 6.x) */

struct udp_tx {
	int fd;             /* connected */
	size_t len;         /* of each datagram */
	unsigned most;      /* datagrams a call */
	bool gso;           /* the kernel cuts; becomes false for good when it refuses */
	unsigned char *row; /* most * len bytes */
};

/* For a connected socket. most: datagrams wanted in one call; becomes less where the
 * kernel's limits ask for it. gso: let the kernel cut. Returns 0, or -1 with e filled
 * (memory). To be freed with udp_tx_free(). */
int udp_tx_init(struct udp_tx *t, int fd, size_t len, unsigned most, bool gso,
		struct err *e);
void udp_tx_free(struct udp_tx *t);

/* Room of the i-th datagram of the row. */
static inline unsigned char *udp_tx_at(const struct udp_tx *t, unsigned i)
{
	return t->row + (size_t)i * t->len;
}

/* Send the first n of the row, n <= most, without waiting. Returns how many were taken
 * (the first ones), 0 when the queue is full, or -1 with errno. */
int udp_tx_send(struct udp_tx *t, unsigned n);

struct udp_rx; /* buffers; may serve many sockets in turn, for one thread */

/* NULL with e filled when memory is short. */
struct udp_rx *udp_rx_new(struct err *e);
void udp_rx_free(struct udp_rx *r);

/* Let the kernel join datagrams on fd. Returns false where it cannot. */
bool udp_rx_join(int fd);

/* Take what has come on fd, without waiting, and give each datagram to fn in order.
 * Returns the number of datagrams, 0 when there was none, or -1 with errno. */
int udp_rx_recv(struct udp_rx *r, int fd,
		void (*fn)(void *arg, const unsigned char *data, size_t len), void *arg);

#endif
