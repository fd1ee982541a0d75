/* SPDX-License-Identifier: BSD-2-Clause */
#include "test/check_main.h"
#include "compat.h"
#include "lab/packet.h"

static const uint8_t client_mac[6] = {2, 0, 0, 0, 0, 1},
		     router_mac[6] = {2, 0, 0, 0, 0, 2};
static const struct packet_hop hop = {
	.has4 = true,
	.has6 = true,
	.addr4 = {192, 0, 2, 126},
	.addr6 = {0x20, 1, 0xd, 0xb8, 0, 2, [15] = 0xfe},
};

/* The sum over a checksummed area, its checksum included, is 0xffff. */
static unsigned ones(unsigned start, const uint8_t *p, size_t len)
{
	unsigned sum = start;

	for (size_t i = 0; i < len; i++)
		sum += i % 2 ? p[i] : (unsigned)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void ether(uint8_t *f, unsigned type)
{
	memcpy(f, router_mac, 6);
	memcpy(f + 6, client_mac, 6);
	f[12] = (uint8_t)(type >> 8);
	f[13] = (uint8_t)type;
}

static void fill(uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		p[i] = (uint8_t)(i * 7);
}

/* An Ethernet frame with IPv4 of `bytes` bytes in all; returns its length. */
static size_t make4(uint8_t *f, size_t bytes, uint8_t protocol, bool df)
{
	uint8_t *ip = f + 14;

	ether(f, 0x0800);
	memset(ip, 0, 20);
	ip[0] = 0x45;
	ip[2] = (uint8_t)(bytes >> 8);
	ip[3] = (uint8_t)bytes;
	ip[5] = 0x77;
	ip[6] = df ? 0x40 : 0;
	ip[8] = 63;
	ip[9] = protocol;
	memcpy(ip + 12, (uint8_t[]){192, 0, 2, 1, 192, 0, 2, 66}, 8);
	fill(ip + 20, bytes - 20);
	return 14 + bytes;
}

static size_t make6(uint8_t *f, size_t bytes, uint8_t next)
{
	uint8_t *ip = f + 14;

	ether(f, 0x86dd);
	memset(ip, 0, 40);
	ip[0] = 0x60;
	ip[4] = (uint8_t)((bytes - 40) >> 8);
	ip[5] = (uint8_t)(bytes - 40);
	ip[6] = next;
	ip[8] = ip[24] = 0x20;
	ip[9] = ip[25] = 1;
	ip[23] = 1;
	ip[39] = 2;
	fill(ip + 40, bytes - 40);
	return 14 + bytes;
}

START_TEST(looks_at_every_kind)
{
	uint8_t f[2000];
	struct packet p;
	size_t n;

	n = make4(f, 1500, 6, true);
	p = packet_look(f, n, true);
	ck_assert_int_eq(p.version, 4);
	ck_assert_uint_eq(p.bytes, 1500);
	ck_assert(p.plain && !p.may_cut);
	p = packet_look(f + 14, n - 14, false);
	ck_assert_int_eq(p.version, 4);
	ck_assert_uint_eq(p.bytes, 1500);
	ck_assert(p.plain);
	f[0] |= 1; /* group address */
	ck_assert(!packet_look(f, n, true).plain);
	make4(f, 1500, 6, false);
	ck_assert(packet_look(f, n, true).may_cut);
	f[14 + 16] = 224;
	ck_assert(!packet_look(f, n, true).plain);

	n = make6(f, 100, 17);
	p = packet_look(f, n, true);
	ck_assert_int_eq(p.version, 6);
	ck_assert(p.plain);
	ck_assert_int_eq(packet_look(f + 14, n - 14, false).version, 6);
	f[14 + 6] = 58;
	f[14 + 40] = 135; /* neighbour solicitation */
	ck_assert(!packet_look(f, n, true).plain);
	f[14 + 40] = 128; /* echo request */
	ck_assert(packet_look(f, n, true).plain);
	f[14 + 24] = 0xff;
	ck_assert(!packet_look(f, n, true).plain);

	ether(f, 0x0806);
	p = packet_look(f, 42, true);
	ck_assert_int_eq(p.version, 0);
	ck_assert_uint_eq(p.bytes, 28);
	ck_assert(!p.plain);
}
END_TEST

START_TEST(broken_headers_are_nothing)
{
	uint8_t f[2000];
	size_t n = make4(f, 100, 17, true);

	for (size_t len = 0; len < n; len++)
		ck_assert_int_eq(packet_look(f, len, true).version, 0);
	f[14] = 0x44; /* header shorter than 20 */
	ck_assert_int_eq(packet_look(f, n, true).version, 0);
	f[14] = 0x65;
	ck_assert_int_eq(packet_look(f, n, true).version, 0);
	make4(f, 19 + 1, 17, true);
	f[14] = 0x46; /* header longer than the packet */
	ck_assert_int_eq(packet_look(f, 34, true).version, 0);
	n = make6(f, 41, 0); /* extension header cut off */
	ck_assert_int_eq(packet_look(f, n, true).version, 6);
	for (size_t len = 0; len < 14 + 40; len++)
		ck_assert_int_eq(packet_look(f, len, true).version, 0);
}
END_TEST

START_TEST(too_big_4_is_as_a_router_says_it)
{
	uint8_t f[2000], out[PACKET_REPLY_MAX];
	size_t n = make4(f, 1440, 6, true), got;
	struct packet p = packet_look(f, n, true);

	got = packet_too_big(out, f, n, &p, &hop, 1400, 9);
	ck_assert_uint_eq(got, 14 + 576);
	ck_assert_mem_eq(out, client_mac, 6);
	ck_assert_mem_eq(out + 6, router_mac, 6);
	ck_assert_mem_eq(out + 12, f + 12, 2);
	ck_assert_uint_eq(out[14], 0x45);
	ck_assert_uint_eq(out[16] << 8 | out[17], 576);
	ck_assert_uint_eq(out[19], 9);
	ck_assert_uint_eq(out[23], 1);
	ck_assert_mem_eq(out + 26, hop.addr4, 4);
	ck_assert_mem_eq(out + 30, f + 26, 4);
	ck_assert_uint_eq(ones(0, out + 14, 20), 0xffff);
	ck_assert_uint_eq(out[34], 3);
	ck_assert_uint_eq(out[35], 4);
	ck_assert_uint_eq(out[40] << 8 | out[41], 1400);
	ck_assert_uint_eq(ones(0, out + 34, 556), 0xffff);
	ck_assert_mem_eq(out + 42, f + 14, 548);

	/* A short packet is quoted whole; a bare one is answered bare. */
	n = make4(f, 101, 17, true);
	p = packet_look(f + 14, n - 14, false);
	got = packet_too_big(out, f + 14, n - 14, &p, &hop, 68, 0);
	ck_assert_uint_eq(got, 28 + 101);
	ck_assert_uint_eq(ones(0, out + 20, 109), 0xffff);
	ck_assert_mem_eq(out + 28, f + 14, 101);
}
END_TEST

START_TEST(too_big_6_is_as_a_router_says_it)
{
	uint8_t f[2000], out[PACKET_REPLY_MAX];
	size_t n = make6(f, 1500, 17), got;
	struct packet p = packet_look(f, n, true);
	unsigned pseudo;

	got = packet_too_big(out, f, n, &p, &hop, 1400, 0);
	ck_assert_uint_eq(got, 14 + 1280);
	ck_assert_uint_eq(out[14], 0x60);
	ck_assert_uint_eq(out[18] << 8 | out[19], 1240);
	ck_assert_uint_eq(out[20], 58);
	ck_assert_mem_eq(out + 22, hop.addr6, 16);
	ck_assert_mem_eq(out + 38, f + 22, 16);
	ck_assert_uint_eq(out[54], 2);
	ck_assert_uint_eq(out[55], 0);
	ck_assert_mem_eq(out + 58, ((uint8_t[]){0, 0, 0x05, 0x78}), 4);
	ck_assert_mem_eq(out + 62, f + 14, 1232);
	pseudo = ones(1240 + 58, out + 22, 32);
	ck_assert_uint_eq(ones(pseudo, out + 54, 1240), 0xffff);

	n = make6(f, 101, 17);
	p = packet_look(f, n, true);
	got = packet_too_big(out, f, n, &p, &hop, 68, 0);
	ck_assert_uint_eq(got, 14 + 48 + 101);
	pseudo = ones(109 + 58, out + 22, 32);
	ck_assert_uint_eq(ones(pseudo, out + 54, 109), 0xffff);
}
END_TEST

static size_t answer(const uint8_t *f, size_t n, const struct packet_hop *from)
{
	uint8_t out[PACKET_REPLY_MAX];
	struct packet p = packet_look(f, n, true);

	return packet_too_big(out, f, n, &p, from, 1400, 0);
}

START_TEST(no_answer_where_none_may_be_sent)
{
	static const struct packet_hop mute;
	static const uint8_t errors4[] = {3, 4, 5, 11, 12};
	uint8_t f[2000];
	size_t n;

	n = make4(f, 1500, 17, true);
	ck_assert_uint_gt(answer(f, n, &hop), 0);
	ck_assert_uint_eq(answer(f, n, &mute), 0);
	f[14 + 7] = 1; /* a later fragment */
	ck_assert_uint_eq(answer(f, n, &hop), 0);
	make4(f, 1500, 17, true);
	f[0] = 0xff; /* broadcast */
	ck_assert_uint_eq(answer(f, n, &hop), 0);
	make4(f, 1500, 17, true);
	f[14 + 12] = 224; /* from a group */
	ck_assert_uint_eq(answer(f, n, &hop), 0);
	make4(f, 1500, 1, true);
	f[34] = 8; /* echo request */
	ck_assert_uint_gt(answer(f, n, &hop), 0);
	for (size_t i = 0; i < sizeof(errors4); i++) {
		f[34] = errors4[i];
		ck_assert_uint_eq(answer(f, n, &hop), 0);
	}

	n = make6(f, 1500, 58);
	f[54] = 128;
	ck_assert_uint_gt(answer(f, n, &hop), 0);
	ck_assert_uint_eq(answer(f, n, &mute), 0);
	f[54] = 1;
	ck_assert_uint_eq(answer(f, n, &hop), 0);
	make6(f, 1500, 0); /* the error sits behind an extension header */
	f[54] = 58;
	f[55] = 0;
	f[62] = 3;
	ck_assert_uint_eq(answer(f, n, &hop), 0);
	make6(f, 1500, 17);
	memset(f + 22, 0, 16);
	ck_assert_uint_eq(answer(f, n, &hop), 0);
}
END_TEST

/* Cut and check each fragment; returns the payload put together again. */
static size_t cut(const uint8_t *f, size_t n, uint16_t mtu, uint8_t *whole,
		  unsigned *pieces)
{
	struct packet p = packet_look(f, n, true);
	struct packet_cut c = {.frame = f, .len = n, .packet = &p, .mtu = mtu};
	uint8_t out[2000];
	size_t got, total = 0;
	bool more = true;

	*pieces = 0;
	while ((got = packet_cut_next(&c, out)) > 0) {
		size_t header = (size_t)(out[14] & 15) * 4, len = got - 14 - header;
		unsigned at = (unsigned)((out[20] & 0x1f) << 8 | out[21]);

		ck_assert(more);
		ck_assert_uint_le(got - 14, mtu);
		ck_assert_uint_eq(out[16] << 8 | out[17], got - 14);
		ck_assert_uint_eq(ones(0, out + 14, header), 0xffff);
		ck_assert_mem_eq(out, f, 14);
		ck_assert_mem_eq(out + 18, f + 18, 2);
		ck_assert_uint_eq(at * 8, total);
		more = out[20] & 0x20;
		ck_assert(!more || len % 8 == 0);
		memcpy(whole + total, out + 14 + header, len);
		total += len;
		(*pieces)++;
	}
	ck_assert(!more);
	return total;
}

START_TEST(cut_pieces_make_the_whole)
{
	static const struct row {
		size_t bytes;
		uint16_t mtu;
		unsigned pieces;
	} rows[] = {{1500, 1400, 2}, {1500, 576, 3}, {1500, 68, 31}, {1400, 1399, 2}};
	uint8_t f[2000], whole[2000];
	unsigned pieces;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t n = make4(f, rows[i].bytes, 17, false);

		ck_assert_uint_eq(cut(f, n, rows[i].mtu, whole, &pieces),
				  rows[i].bytes - 20);
		ck_assert_uint_eq(pieces, rows[i].pieces);
		ck_assert_mem_eq(whole, f + 34, rows[i].bytes - 20);
	}
}
END_TEST

START_TEST(cut_copies_the_options_that_must_be)
{
	uint8_t f[2000], out[2000];
	size_t n = make4(f, 1500, 17, false);
	struct packet p;
	struct packet_cut c;

	/* Record route (not copied), no-op, then stream id (copied), end. */
	f[14] = 0x48;
	memcpy(f + 34, (uint8_t[]){7, 3, 4, 1, 0x88, 4, 9, 9, 0, 0, 0, 0}, 12);
	p = packet_look(f, n, true);
	c = (struct packet_cut){.frame = f, .len = n, .packet = &p, .mtu = 1000};
	ck_assert_uint_eq(packet_cut_next(&c, out), 14 + 32 + 968);
	ck_assert_mem_eq(out + 34, f + 34, 12);
	ck_assert_uint_eq(packet_cut_next(&c, out), 14 + 24 + 500);
	ck_assert_uint_eq(out[14], 0x46);
	ck_assert_mem_eq(out + 34, f + 38, 4);
	ck_assert_uint_eq(packet_cut_next(&c, out), 0);

	/* An option that claims more than there is. */
	f[35] = 200;
	c.done = 968;
	ck_assert_uint_eq(packet_cut_next(&c, out), 14 + 20 + 500);
}
END_TEST

START_TEST(cut_refuses_what_must_stay_whole)
{
	uint8_t f[2000], out[2000];
	size_t n = make4(f, 1500, 17, true);
	struct packet p = packet_look(f, n, true);
	struct packet_cut c = {.frame = f, .len = n, .packet = &p, .mtu = 1400};

	ck_assert_uint_eq(packet_cut_next(&c, out), 0);
	n = make6(f, 1500, 17);
	p = packet_look(f, n, true);
	ck_assert_uint_eq(packet_cut_next(&c, out), 0);
	n = make4(f, 1500, 17, false);
	p = packet_look(f, n, true);
	c.mtu = 27;
	ck_assert_uint_eq(packet_cut_next(&c, out), 0);
}
END_TEST

START_TEST(pieces_of_a_piece_keep_their_place)
{
	uint8_t f[2000], out[2000];
	size_t n = make4(f, 1220, 17, false);
	struct packet p;
	struct packet_cut c;

	f[20] = 0x20; /* more fragments, at 800 */
	f[21] = 100;
	p = packet_look(f, n, true);
	c = (struct packet_cut){.frame = f, .len = n, .packet = &p, .mtu = 620};
	ck_assert_uint_eq(packet_cut_next(&c, out), 14 + 620);
	ck_assert_uint_eq(out[20] << 8 | out[21], 0x2000 | 100);
	ck_assert_uint_eq(packet_cut_next(&c, out), 14 + 620);
	ck_assert_uint_eq(out[20] << 8 | out[21], 0x2000 | 175);
	ck_assert_uint_eq(packet_cut_next(&c, out), 0);
}
END_TEST

CHECK_MAIN("lab packets", looks_at_every_kind, broken_headers_are_nothing,
	   too_big_4_is_as_a_router_says_it, too_big_6_is_as_a_router_says_it,
	   no_answer_where_none_may_be_sent, cut_pieces_make_the_whole,
	   cut_copies_the_options_that_must_be, cut_refuses_what_must_stay_whole,
	   pieces_of_a_piece_keep_their_place)
