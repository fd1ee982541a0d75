/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "compat.h"
#include "udpbatch.h"

struct pair {
	int tx, rx;
};

static struct pair open_pair(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	struct pair p = {socket(AF_INET, SOCK_DGRAM, 0), socket(AF_INET, SOCK_DGRAM, 0)};

	ck_assert_int_eq(bind(p.rx, (struct sockaddr *)&a, sizeof(a)), 0);
	ck_assert_int_eq(getsockname(p.rx, (struct sockaddr *)&a, &len), 0);
	ck_assert_int_eq(connect(p.tx, (struct sockaddr *)&a, sizeof(a)), 0);
	return p;
}

struct seen {
	unsigned count;
	size_t len;
	unsigned char next;
	bool order;
};

static void look(void *arg, const unsigned char *data, size_t len)
{
	struct seen *s = arg;

	s->order = s->order && data[0] == s->next && data[len - 1] == s->next;
	s->next++;
	s->count++;
	s->len = len;
}

/* n datagrams of len bytes cross one by one, in order, whatever helps on the way. */
static void cross(size_t len, unsigned n, bool gso, bool join)
{
	struct pair p = open_pair();
	struct seen seen = {.order = true};
	struct udp_rx *rx = udp_rx_new(NULL);
	struct udp_tx tx;
	unsigned sent = 0;

	if (join)
		udp_rx_join(p.rx);
	ck_assert_int_eq(udp_tx_init(&tx, p.tx, len, n, gso, NULL), 0);
	while (sent < n) {
		unsigned now = n - sent < tx.most ? n - sent : tx.most;
		int took;

		for (unsigned i = 0; i < now; i++)
			memset(udp_tx_at(&tx, i), (int)(sent + i), len);
		took = udp_tx_send(&tx, now);
		ck_assert_int_gt(took, 0);
		sent += (unsigned)took;
	}
	while (seen.count < n) {
		struct pollfd fd = {.fd = p.rx, .events = POLLIN};

		ck_assert_int_eq(poll(&fd, 1, 2000), 1);
		ck_assert_int_gt(udp_rx_recv(rx, p.rx, look, &seen), 0);
	}
	ck_assert_uint_eq(seen.count, n);
	ck_assert_uint_eq(seen.len, len);
	ck_assert(seen.order);
	ck_assert_int_eq(udp_rx_recv(rx, p.rx, look, &seen), 0);
	udp_tx_free(&tx);
	udp_rx_free(rx);
	close(p.tx);
	close(p.rx);
}

START_TEST(all_ways)
{
	static const struct {
		size_t len;
		unsigned n;
	} rows[] = {{1448, 1}, {1448, 44}, {1448, 60}, {64, 100},
		    {16, 200}, {32768, 4}, {65507, 2}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (int way = 0; way < 4; way++)
			cross(rows[i].len, rows[i].n, way & 1, way & 2);
}
END_TEST

START_TEST(nobody_there)
{
	struct pair p = open_pair();
	struct udp_tx tx;

	close(p.rx);
	ck_assert_int_eq(udp_tx_init(&tx, p.tx, 100, 8, true, NULL), 0);
	udp_tx_send(&tx, 1);
	ck_assert_int_eq(udp_tx_send(&tx, 1), -1);
	udp_tx_free(&tx);
	close(p.tx);
}
END_TEST

CHECK_MAIN("udpbatch", all_ways, nobody_there)
