/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Any frame on a link that is too narrow for it: what the emulator answers stays within
 * its bounds, and the pieces of what it cuts make the whole. The input is a byte of
 * flags, two of MTU, then the frame. */
#include <string.h>

#include "fuzz.h"
#include "lab/packet.h"

#define ETHERNET 1

static const struct packet_hop hop = {
	.has4 = true, .has6 = true, .addr4 = {192, 0, 2, 62}};

static size_t get16(const uint8_t *p)
{
	return (size_t)(p[0] << 8 | p[1]);
}

static void answer(const uint8_t *frame, size_t len, const struct packet *p, uint16_t mtu)
{
	uint8_t out[PACKET_REPLY_MAX];
	size_t n = packet_too_big(out, frame, len, p, &hop, mtu, 1);
	struct packet answered;

	MUST(n <= sizeof(out));
	if (n == 0)
		return;
	answered = packet_look(out, n, p->ip_at > 0);
	MUST(answered.version == p->version);
	/* No answer to an answer. */
	MUST(packet_too_big(out, out, n, &answered, &hop, mtu, 1) == 0);
}

static void cut(const uint8_t *frame, size_t len, const struct packet *p, uint16_t mtu)
{
	struct packet_cut c = {.frame = frame, .len = len, .packet = p, .mtu = mtu};
	const uint8_t *ip = frame + p->ip_at;
	size_t n, total = 0;
	uint8_t *out = malloc(p->ip_at + mtu);

	if (!out)
		return;
	while ((n = packet_cut_next(&c, out)) > 0) {
		struct packet piece = packet_look(out, n, p->ip_at > 0);

		MUST(n <= p->ip_at + mtu);
		MUST(piece.version == 4 && piece.may_cut);
		total += n - p->ip_at - (size_t)(out[p->ip_at] & 15) * 4;
	}
	free(out);
	if (total > 0)
		MUST(total == get16(ip + 2) - (size_t)(ip[0] & 15) * 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct packet p;
	uint8_t *frame;
	uint16_t mtu;

	if (size < 4)
		return 0;
	mtu = (uint16_t)get16(data + 1);
	if (mtu <
	    68) /* RFC 791: every link carries that much, and the emulator insists */
		mtu = 68;
	/* A copy of its own, so that the sanitizer sees its end. */
	size -= 3;
	frame = malloc(size);
	if (!frame)
		return 0;
	memcpy(frame, data + 3, size);
	p = packet_look(frame, size, data[0] & ETHERNET);
	answer(frame, size, &p, mtu);
	if (p.version == 4)
		cut(frame, size, &p, mtu);
	free(frame);
	return 0;
}
