/* SPDX-License-Identifier: BSD-2-Clause */
#include "data.h"

#include <arpa/inet.h>
#include <string.h>

#include "payload.h"

#define AT_SECONDS 8
#define AT_MICROS  12
#define AT_COUNT   24
#define AT_SECOND  28

static const char marks[][NUT_MARK_BYTES + 1] = {
	[NUT_BOD0] = "BOD0",    [NUT_BOD1] = "BOD1",    [NUT_EOD] = "EOD0",
	[NUT_EOD + 1] = "EOD1", [NUT_EOD + 2] = "EOD2", [NUT_EOD + 3] = "EOD3",
	[NUT_EOD + 4] = "EOD4",
};

enum nut_mark nut_mark_of(const unsigned char *data, size_t len)
{
	if (len > NUT_MARK_BYTES)
		return NUT_DATA;
	for (int m = NUT_BOD0; len == NUT_MARK_BYTES && m <= NUT_EOD_LAST; m++) {
		if (memcmp(data, marks[m], NUT_MARK_BYTES) == 0)
			return (enum nut_mark)m;
	}
	return NUT_OTHER;
}

void nut_mark_put(enum nut_mark mark, unsigned char out[static NUT_MARK_BYTES])
{
	memcpy(out, marks[mark], NUT_MARK_BYTES);
}

void nut_data_fill(unsigned char *buf, size_t len)
{
	payload_fill(buf, len, PAYLOAD_PRINTABLE, NULL);
	if (len >= NUT_STAMP_BYTES)
		memset(buf + AT_SECONDS, 0, 8);
	if (len >= NUT_HEAD_BYTES)
		memset(buf + AT_COUNT, 0, 8);
}

void nut_data_put_time(unsigned char *buf, size_t len, uint64_t wall_us)
{
	uint32_t s = htonl((uint32_t)(wall_us / 1000000));
	uint32_t us = htonl((uint32_t)(wall_us % 1000000));

	if (len < NUT_STAMP_BYTES)
		return;
	memcpy(buf + AT_SECONDS, &s, sizeof(s));
	memcpy(buf + AT_MICROS, &us, sizeof(us));
}

uint64_t nut_data_time(const unsigned char *buf, size_t len, uint64_t now_us)
{
	uint64_t now_s = now_us / 1000000;
	uint32_t s, us;
	int32_t off;

	if (len < NUT_STAMP_BYTES)
		return 0;
	memcpy(&s, buf + AT_SECONDS, sizeof(s));
	memcpy(&us, buf + AT_MICROS, sizeof(us));
	s = ntohl(s);
	us = ntohl(us);
	if (s == 0 || us >= 1000000)
		return 0;
	/* Signed distance: right across the end of 32 bits in 2106. */
	off = (int32_t)(s - (uint32_t)now_s);
	return (now_s + (uint64_t)(int64_t)off) * 1000000 + us;
}

void nut_data_put_tcp(unsigned char *buf, size_t len, uint32_t retrans, uint32_t second)
{
	if (len < NUT_HEAD_BYTES)
		return;
	memcpy(buf + AT_COUNT, &retrans, sizeof(retrans));
	memcpy(buf + AT_SECOND, &second, sizeof(second));
}

void nut_data_put_count(unsigned char *buf, size_t len, uint64_t bytes)
{
	if (len >= NUT_HEAD_BYTES)
		memcpy(buf + AT_COUNT, &bytes, sizeof(bytes));
}

struct nut_tcp_head nut_data_first(const unsigned char head[static NUT_HEAD_BYTES])
{
	struct nut_tcp_head h = {.known = true};
	uint32_t magic;

	memcpy(&magic, head + AT_SECOND, sizeof(magic));
	if (magic == __builtin_bswap32(NUT_MAGIC_RETRANS) ||
	    magic == __builtin_bswap32(NUT_MAGIC_HOST)) {
		h.swapped = true;
		magic = __builtin_bswap32(magic);
	}
	h.host_wide = magic == NUT_MAGIC_HOST;
	h.known = h.host_wide || magic == NUT_MAGIC_RETRANS;
	return h;
}

void nut_data_tcp(const unsigned char head[static NUT_HEAD_BYTES],
		  const struct nut_tcp_head *h, uint32_t *retrans, uint32_t *cwnd_kb)
{
	memcpy(retrans, head + AT_COUNT, sizeof(*retrans));
	memcpy(cwnd_kb, head + AT_SECOND, sizeof(*cwnd_kb));
	if (h->swapped) {
		*retrans = __builtin_bswap32(*retrans);
		*cwnd_kb = __builtin_bswap32(*cwnd_kb);
	}
}

uint64_t nut_data_count(const unsigned char head[static NUT_HEAD_BYTES], bool first,
			bool *swapped)
{
	uint64_t count;

	memcpy(&count, head + AT_COUNT, sizeof(count));
	if (first)
		*swapped = count > UINT64_C(1) << 32;
	return *swapped ? __builtin_bswap64(count) : count;
}
