/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernel's own view of a TCP connection, with units in the names. */
#ifndef TCPINFO_H
#define TCPINFO_H

#include <stddef.h>

#include "sample.h"

/* Fill t from TCP_INFO and TCP_CONGESTION of fd. Returns 0, or -1 with t->have = 0 when
 * fd is no TCP socket or the kernel gives nothing. */
int tcpinfo_get(int fd, struct tcp_stat *t);

/* The same, and also buffer sizes, unread bytes and what bbr believes: three more system
 * calls, for --why. */
int tcpinfo_get_all(int fd, struct tcp_stat *t);

/* Decode a TCP_INFO answer of len bytes as the kernel wrote it: a field counts only when
 * it lies wholly inside len. Rates become bit/s; bytes_acked stays as Linux counts it,
 * with the SYN as its first byte at the end that connected. For tests, and for recorded
 * answers. */
void tcpinfo_decode(const void *info, size_t len, struct tcp_stat *t);

#endif
