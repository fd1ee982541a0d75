/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Frames as the emulator sees them: what they are, what a router says when they are too
 * long for the next link, and how IPv4 is cut to fit. Pure functions over bytes that
 * come from a test: every length is checked.
 *
 * A frame is an Ethernet frame of packet sockets (14 bytes of header, no VLAN) or, from a
 * TUN device, a bare IP packet. */
#ifndef PACKET_H
#define PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKET_ETHER     14
#define PACKET_REPLY_MAX (PACKET_ETHER + 1280)

struct packet {
	int version; /* 4 or 6; 0 = neither, or a header that makes no sense */
	uint32_t
		bytes; /* what the link is charged for: the frame without Ethernet's 14 */
	size_t ip_at;  /* offset of the IP header in the frame */
	bool plain;    /* unicast IP that is no neighbour discovery: subject to chance */
	bool may_cut;  /* IPv4 without "don't fragment" */
};

struct packet packet_look(const uint8_t *frame, size_t len, bool ethernet);

/* The hop that answers, as it calls itself. */
struct packet_hop {
	bool has4, has6;
	uint8_t addr4[4], addr6[16];
};

/* Write the frame that tells the sender of a too long packet so: ICMP "fragmentation
 * needed" (RFC 792, RFC 1191; quotes up to 576 bytes in all, RFC 1812 4.3.2.3) or ICMPv6
 * "packet too big" (RFC 4443 3.2; up to 1280 in all). id is the IPv4 identification.
 * Returns its length, or 0 where none may be sent: hop has no address of that version,
 * the packet is itself an ICMP error, a later fragment, or from or to no single host (RFC
 * 1122 3.2.2, RFC 4443 2.4). */
size_t packet_too_big(uint8_t out[static PACKET_REPLY_MAX], const uint8_t *frame,
		      size_t len, const struct packet *p, const struct packet_hop *hop,
		      uint16_t mtu, uint16_t id);

/* Cutting an IPv4 packet (RFC 791 3.2). Zero the struct, set the first four, then call
 * packet_cut_next() until it returns 0. */
struct packet_cut {
	const uint8_t *frame;
	size_t len;
	const struct packet *packet;
	uint16_t mtu;
	size_t done; /* payload bytes that have been cut off */
};

/* Write the next fragment, with the frame's own Ethernet header. out holds at least
 * ip_at + mtu bytes. Returns its length; 0 when all is done or cannot be cut. */
size_t packet_cut_next(struct packet_cut *c, uint8_t *out);

#endif
