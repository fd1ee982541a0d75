/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What stands inside the test data: printable characters, and at fixed places
 *
 *     offset 8   4 bytes  time of sending, seconds        big endian, with -o
 *            12  4        microseconds                    big endian, with -o
 *            24  4        TCP: retransmissions so far     native order
 *            28  4        TCP: first buffer: a magic number or 0; later: congestion
 *                         window in KB                    native order
 *            24  8        UDP: payload bytes sent, this datagram included
 *
 * and the marks of UDP, datagrams of 4 bytes: BOD0, BOD1, EOD0 .. EOD4. */
#ifndef NUT_DATA_H
#define NUT_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUT_HEAD_BYTES  32 /* buffers shorter than this have no counters */
#define NUT_STAMP_BYTES 16 /* or no time either */
#define NUT_MARK_BYTES  4
#define NUT_EODS        5

#define NUT_MAGIC_RETRANS 0x5254524Eu /* retransmissions of this connection follow */
#define NUT_MAGIC_HOST    0x48525452u /* ... of the whole host */

enum nut_mark {
	NUT_DATA,
	NUT_BOD0,
	NUT_BOD1,
	NUT_EOD, /* plus the number 0..4 */
	NUT_EOD_LAST = NUT_EOD + NUT_EODS - 1,
	NUT_OTHER, /* short and unknown: ends the test too */
};

enum nut_mark nut_mark_of(const unsigned char *data, size_t len);
void nut_mark_put(enum nut_mark mark, unsigned char out[static NUT_MARK_BYTES]);

/* Pattern, with the places above zero. */
void nut_data_fill(unsigned char *buf, size_t len);

/* Wall clock in microseconds since 1970, cut to 32 bits of seconds. */
void nut_data_put_time(unsigned char *buf, size_t len, uint64_t wall_us);
/* now_us completes the seconds. Returns 0 when there is no time inside. */
uint64_t nut_data_time(const unsigned char *buf, size_t len, uint64_t now_us);

void nut_data_put_tcp(unsigned char *buf, size_t len, uint32_t retrans, uint32_t second);
void nut_data_put_count(unsigned char *buf, size_t len, uint64_t bytes);

/* A receiver of TCP: what the first buffer promised. */
struct nut_tcp_head {
	bool known;     /* has a magic number */
	bool swapped;   /* the other byte order */
	bool host_wide; /* NUT_MAGIC_HOST */
};

struct nut_tcp_head nut_data_first(const unsigned char head[static NUT_HEAD_BYTES]);
void nut_data_tcp(const unsigned char head[static NUT_HEAD_BYTES],
		  const struct nut_tcp_head *h, uint32_t *retrans, uint32_t *cwnd_kb);

/* A receiver of UDP: the counter; *swapped is decided by the first one. */
uint64_t nut_data_count(const unsigned char head[static NUT_HEAD_BYTES], bool first,
			bool *swapped);

#endif
