/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Single datagrams: send with patience for full queues, receive with a time-out. */
#ifndef UDPIO_H
#define UDPIO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "addr.h"
#include "err.h"
#include "stopper.h"

/* Largest payload of a UDP datagram over IPv4 (65535 - 20 - 8). */
#define UDP_PAYLOAD_MAX 65507

/* Send one datagram on a connected socket, blocking or not. A full queue is waited out:
 * ENOBUFS by trying again after 18 ms, as ttcp always did, EAGAIN by poll. *tries (may be
 * NULL) grows by one, and by one more for each ENOBUFS. An ICMP error of an earlier
 * datagram comes back here as ERR_SYS, for example ECONNREFUSED; this datagram was then
 * not sent. Returns 0 or -1 with e filled (ERR_SYS, ERR_STOPPED; what "send"). */
int udp_send(int fd, const void *buf, size_t len, struct stopper *stop, uint64_t *tries,
	     struct err *e);

/* Receive one datagram. Returns its real length, which is larger than cap when it was
 * cut, or -1 with e filled (ERR_TIMEOUT after deadline_ns, ERR_STOPPED, ERR_SYS; what
 * "recv"). What is there already is returned even after the deadline. from may be NULL.
 * rx_ns (may be NULL) gets the arrival time on the monotonic clock: the kernel's stamp
 * when udp_stamp() was called for fd, else the time of the call's return. */
ssize_t udp_recv(int fd, void *buf, size_t cap, uint64_t deadline_ns,
		 struct stopper *stop, struct addr *from, uint64_t *rx_ns, struct err *e);

/* Ask the kernel for receive time stamps on fd. It starts a moment later: until then a
 * stamp may tell when the datagram was read, as without. Returns 0 or -1 with e filled.
 */
int udp_stamp(int fd, struct err *e);

#endif
