/* SPDX-License-Identifier: BSD-2-Clause */
#include "packet.h"

#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <string.h>

#define ETHERTYPE_IP4 0x0800
#define ETHERTYPE_IP6 0x86dd

#define IP4_HEADER    20
#define IP4_DF        0x4000
#define IP4_MF        0x2000
#define IP4_OFFSET    0x1fff
#define IP4_QUOTE_MAX (576 - IP4_HEADER - 8)
#define IP6_HEADER    40
#define IP6_QUOTE_MAX (1280 - IP6_HEADER - 8)
#define IP4_OPT_END   0
#define IP4_OPT_NOP   1
#define IP4_OPT_COPY  0x80 /* bit of an option's type: goes into every fragment */

#define TOS_NETWORK_CONTROL 0xc0 /* RFC 1812 4.3.2.5 */
#define TTL                 64

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static void put16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static uint64_t sum16(uint64_t sum, const uint8_t *p, size_t len)
{
	for (; len > 1; p += 2, len -= 2)
		sum += get16(p);
	return len ? sum + (uint64_t)(p[0] << 8) : sum;
}

/* Internet checksum (RFC 1071) of a sum of 16-bit words. */
static uint16_t fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* ---- looking -------------------------------------------------------------------------
 */

static void look4(struct packet *p, const uint8_t *ip, size_t len)
{
	size_t header;

	if (len < IP4_HEADER || ip[0] >> 4 != 4)
		return;
	header = (size_t)(ip[0] & 15) * 4;
	if (header < IP4_HEADER || get16(ip + 2) < header || get16(ip + 2) > len)
		return;
	p->version = 4;
	p->plain = ip[16] < 224;
	p->may_cut = (get16(ip + 6) & IP4_DF) == 0;
}

/* Upper protocol of an IPv6 packet and where it begins; the first header that cannot be
 * skipped ends the walk. */
static uint8_t upper6(const uint8_t *ip, size_t len, size_t *at)
{
	uint8_t next = ip[6];

	*at = IP6_HEADER;
	while ((next == IPPROTO_HOPOPTS || next == IPPROTO_ROUTING ||
		next == IPPROTO_DSTOPTS) &&
	       *at + 8 <= len) {
		next = ip[*at];
		*at += ((size_t)ip[*at + 1] + 1) * 8;
	}
	return next;
}

static bool is_icmp6(const uint8_t *ip, size_t len, uint8_t *type)
{
	size_t at;

	if (upper6(ip, len, &at) != IPPROTO_ICMPV6 || at >= len)
		return false;
	*type = ip[at];
	return true;
}

static void look6(struct packet *p, const uint8_t *ip, size_t len)
{
	uint8_t type;

	if (len < IP6_HEADER || ip[0] >> 4 != 6)
		return;
	p->version = 6;
	p->plain = ip[24] != 0xff;
	if (is_icmp6(ip, len, &type) && type >= ND_ROUTER_SOLICIT && type <= ND_REDIRECT)
		p->plain = false;
}

struct packet packet_look(const uint8_t *frame, size_t len, bool ethernet)
{
	struct packet p = {.ip_at = ethernet ? PACKET_ETHER : 0};

	if (len <= p.ip_at)
		return p;
	p.bytes = (uint32_t)(len - p.ip_at);
	if (!ethernet || get16(frame + 12) == ETHERTYPE_IP4)
		look4(&p, frame + p.ip_at, p.bytes);
	if (!ethernet || get16(frame + 12) == ETHERTYPE_IP6)
		look6(&p, frame + p.ip_at, p.bytes);
	if (ethernet && (frame[0] & 1)) /* to a group */
		p.plain = false;
	return p;
}

/* ---- too big -------------------------------------------------------------------------
 */

static bool may_answer4(const uint8_t *ip)
{
	size_t header = (size_t)(ip[0] & 15) * 4;
	uint8_t source = ip[12];

	if (get16(ip + 6) & IP4_OFFSET)
		return false;
	if (source == 0 || source == 127 || source >= 224)
		return false;
	if (ip[9] != IPPROTO_ICMP)
		return true;
	if (get16(ip + 2) <= header)
		return false;
	switch (ip[header]) {
	case ICMP_DEST_UNREACH:
	case ICMP_SOURCE_QUENCH:
	case ICMP_REDIRECT:
	case ICMP_TIME_EXCEEDED:
	case ICMP_PARAMETERPROB:
		return false;
	default:
		return true;
	}
}

static size_t too_big4(uint8_t *out, const uint8_t *ip, const uint8_t from[static 4],
		       uint16_t mtu, uint16_t id)
{
	size_t quote = get16(ip + 2);
	uint8_t *icmp = out + IP4_HEADER;
	size_t len;

	if (!may_answer4(ip))
		return 0;
	if (quote > IP4_QUOTE_MAX)
		quote = IP4_QUOTE_MAX;
	len = IP4_HEADER + 8 + quote;
	memset(out, 0, IP4_HEADER + 8);
	out[0] = 0x45;
	out[1] = TOS_NETWORK_CONTROL;
	put16(out + 2, (uint16_t)len);
	put16(out + 4, id);
	out[8] = TTL;
	out[9] = IPPROTO_ICMP;
	memcpy(out + 12, from, 4);
	memcpy(out + 16, ip + 12, 4);
	put16(out + 10, fold(sum16(0, out, IP4_HEADER)));
	icmp[0] = ICMP_DEST_UNREACH;
	icmp[1] = ICMP_FRAG_NEEDED;
	put16(icmp + 6, mtu);
	memcpy(icmp + 8, ip, quote);
	put16(icmp + 2, fold(sum16(0, icmp, 8 + quote)));
	return len;
}

static bool may_answer6(const uint8_t *ip, size_t len)
{
	static const uint8_t unspecified[16];
	uint8_t type;

	if (memcmp(ip + 8, unspecified, 16) == 0 || ip[8] == 0xff)
		return false;
	return !is_icmp6(ip, len, &type) || (type & ICMP6_INFOMSG_MASK);
}

static size_t too_big6(uint8_t *out, const uint8_t *ip, size_t ip_len,
		       const uint8_t from[static 16], uint16_t mtu)
{
	size_t quote = ip_len < IP6_QUOTE_MAX ? ip_len : IP6_QUOTE_MAX;
	uint8_t *icmp = out + IP6_HEADER;
	size_t body = 8 + quote;

	if (!may_answer6(ip, ip_len))
		return 0;
	memset(out, 0, IP6_HEADER + 8);
	out[0] = 0x60;
	put16(out + 4, (uint16_t)body);
	out[6] = IPPROTO_ICMPV6;
	out[7] = TTL;
	memcpy(out + 8, from, 16);
	memcpy(out + 24, ip + 8, 16);
	icmp[0] = ICMP6_PACKET_TOO_BIG;
	put16(icmp + 6, mtu); /* low half of a 32-bit field */
	memcpy(icmp + 8, ip, quote);
	/* Pseudo header (RFC 8200 8.1): both addresses, length, next header. */
	put16(icmp + 2,
	      fold(sum16(sum16(body + IPPROTO_ICMPV6, out + 8, 32), icmp, body)));
	return IP6_HEADER + body;
}

size_t packet_too_big(uint8_t out[static PACKET_REPLY_MAX], const uint8_t *frame,
		      size_t len, const struct packet *p, const struct packet_hop *hop,
		      uint16_t mtu, uint16_t id)
{
	const uint8_t *ip = frame + p->ip_at;
	size_t n = 0;

	if (p->ip_at > 0 && (frame[0] & 1))
		return 0;
	if (p->version == 4 && hop->has4)
		n = too_big4(out + p->ip_at, ip, hop->addr4, mtu, id);
	else if (p->version == 6 && hop->has6)
		n = too_big6(out + p->ip_at, ip, len - p->ip_at, hop->addr6, mtu);
	if (n == 0)
		return 0;
	if (p->ip_at > 0) {
		memcpy(out, frame + 6, 6);
		memcpy(out + 6, frame, 6);
		memcpy(out + 12, frame + 12, 2);
	}
	return n + p->ip_at;
}

/* ---- cutting -------------------------------------------------------------------------
 */

/* Copy the options that belong into every fragment; returns the length of the header with
 * them, filled up to a multiple of 4. */
static size_t later_header(uint8_t *out, const uint8_t *ip, size_t header)
{
	size_t n = IP4_HEADER, i = IP4_HEADER;

	memcpy(out, ip, IP4_HEADER);
	while (i < header && ip[i] != IP4_OPT_END) {
		size_t len = 1;

		if (ip[i] != IP4_OPT_NOP) {
			if (i + 1 >= header || ip[i + 1] < 2 || ip[i + 1] > header - i)
				break; /* malformed: leave out the rest */
			len = ip[i + 1];
		}
		if (ip[i] & IP4_OPT_COPY) {
			memcpy(out + n, ip + i, len);
			n += len;
		}
		i += len;
	}
	while (n % 4)
		out[n++] = IP4_OPT_END;
	out[0] = (uint8_t)(0x40 | n / 4);
	return n;
}

size_t packet_cut_next(struct packet_cut *c, uint8_t *out)
{
	const uint8_t *ip = c->frame + c->packet->ip_at;
	size_t header = (size_t)(ip[0] & 15) * 4, h = header, payload, n;
	unsigned flags = get16(ip + 6);
	uint8_t *o = out + c->packet->ip_at;

	if (!c->packet->may_cut || c->packet->version != 4)
		return 0;
	payload = get16(ip + 2) - header;
	if (c->done >= payload)
		return 0;
	if (c->done == 0)
		memcpy(o, ip, header);
	else
		h = later_header(o, ip, header);
	if (c->mtu < h + 8)
		return 0;
	n = payload - c->done;
	if (n > c->mtu - h) {
		n = (c->mtu - h) / 8 * 8;
		flags |= IP4_MF;
	} /* else the last one: it says what the whole packet said */
	put16(o + 6, (uint16_t)((flags & IP4_MF) |
				(((flags & IP4_OFFSET) + c->done / 8) & IP4_OFFSET)));
	put16(o + 2, (uint16_t)(h + n));
	put16(o + 10, 0);
	put16(o + 10, fold(sum16(0, o, h)));
	memcpy(o + h, ip + header + c->done, n);
	memcpy(out, c->frame, c->packet->ip_at);
	c->done += n;
	return c->packet->ip_at + h + n;
}
