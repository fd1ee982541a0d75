/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "check_main.h"
#include "mono.h"
#include "mover.h"
#include "tcp_pair.h"

static struct counters zero_counters(void)
{
	return (struct counters){0};
}

static int block_byte(uint64_t pos)
{
	return (int)(pos % 251);
}

/* Reads everything and checks that byte i of the stream is byte i % block of the block.
 */
struct checker {
	int fd;
	uint64_t block_bytes, got;
	bool wrong;
};

static void *check_stream(void *arg)
{
	struct checker *c = arg;
	unsigned char buf[50000];
	ssize_t n;

	while ((n = read(c->fd, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++, c->got++)
			c->wrong |= buf[i] != block_byte(c->got % c->block_bytes);
	}
	return NULL;
}

static void send_and_check(size_t block_bytes, size_t call_bytes, uint64_t bytes,
			   uint64_t calls)
{
	struct counters count = zero_counters();
	unsigned char *block = malloc(block_bytes);
	pthread_t thread;
	struct checker c = {.block_bytes = block_bytes};
	struct mover_tx tx = {.block = block,
			      .block_bytes = block_bytes,
			      .call_bytes = call_bytes,
			      .count = &count};
	struct err e;
	int ends[2];

	for (size_t i = 0; i < block_bytes; i++)
		block[i] = (unsigned char)block_byte(i);
	tcp_pair(ends);
	tx.fd = ends[0];
	c.fd = ends[1];
	pthread_create(&thread, NULL, check_stream, &c);
	/* In two runs: the second must go on inside the block where the first ended. */
	ck_assert_int_eq(mover_tx_run(&tx, bytes / 3, &e), 0);
	ck_assert_int_eq(mover_tx_run(&tx, bytes - bytes / 3, &e), 0);
	close(ends[0]);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(c.got, bytes);
	ck_assert(!c.wrong);
	ck_assert_uint_eq(counter_get(&count.bytes), bytes);
	if (calls)
		ck_assert_uint_eq(counter_get(&count.calls), calls);
	free(block);
	close(ends[1]);
}

START_TEST(sends_exactly_the_bytes_asked_for)
{
	send_and_check(1000, 1000, 30000, 30);
	send_and_check(8192, 8192, 3 * 8192 * 100, 300);
	send_and_check(8192, MOVER_CALL_BYTES, 12345677, 0);
	send_and_check(1, 1, 30, 30);
	send_and_check(1, 4096, 5000, 0);
	send_and_check(1 << 20, MOVER_CALL_BYTES, 10000000, 0);
	send_and_check(300, 299, 9000, 30);
}
END_TEST

START_TEST(sends_nothing_when_asked_for_nothing)
{
	struct counters count = zero_counters();
	struct mover_tx tx = {.fd = -1, .block = "x", .block_bytes = 1, .count = &count};
	struct err e;

	ck_assert_int_eq(mover_tx_run(&tx, 0, &e), 0);
	ck_assert_uint_eq(counter_get(&count.calls), 0);
}
END_TEST

static void *trip_soon(void *arg)
{
	mono_sleep_until_ns(mono_now_ns() + 50 * NS_PER_MS);
	stopper_trip(arg, 7);
	return NULL;
}

START_TEST(a_sender_without_a_reader_can_be_stopped)
{
	struct counters count = zero_counters();
	char block[65536] = {0};
	struct stopper stop;
	struct mover_tx tx = {.block = block,
			      .block_bytes = sizeof(block),
			      .call_bytes = MOVER_CALL_BYTES,
			      .count = &count,
			      .stop = &stop};
	pthread_t thread;
	struct err e;
	int ends[2];

	tcp_pair(ends);
	tx.fd = ends[0];
	ck_assert_int_eq(stopper_init(&stop, &e), 0);
	pthread_create(&thread, NULL, trip_soon, &stop);
	ck_assert_int_eq(mover_tx_run(&tx, UINT64_MAX, &e), -1);
	ck_assert_int_eq(e.code, ERR_STOPPED);
	pthread_join(thread, NULL);
	/* Everything that was counted is with the kernel, nothing more. */
	ck_assert_uint_gt(counter_get(&count.bytes), 0);
	stopper_free(&stop);
}
END_TEST

START_TEST(a_silent_sender_can_be_stopped)
{
	struct counters count = zero_counters();
	char buf[1000];
	struct stopper stop;
	struct mover_rx rx = {
		.buf = buf, .buf_bytes = sizeof(buf), .count = &count, .stop = &stop};
	pthread_t thread;
	struct err e;
	int ends[2];

	tcp_pair(ends);
	rx.fd = ends[1];
	ck_assert_int_eq(stopper_init(&stop, &e), 0);
	pthread_create(&thread, NULL, trip_soon, &stop);
	ck_assert_int_eq(mover_rx_run(&rx, UINT64_MAX, &e), -1);
	ck_assert_int_eq(e.code, ERR_STOPPED);
	pthread_join(thread, NULL);
	stopper_free(&stop);
}
END_TEST

struct feeder {
	int fd;
	uint64_t bytes;
	size_t piece;
	uint64_t gap_ns;
};

static void *feed(void *arg)
{
	const struct feeder *f = arg;
	char *piece = calloc(1, f->piece);

	for (uint64_t left = f->bytes; left > 0;) {
		size_t len = left < f->piece ? (size_t)left : f->piece;
		ssize_t n = write(f->fd, piece, len);

		if (n <= 0)
			break;
		left -= (uint64_t)n;
		if (f->gap_ns)
			mono_sleep_until_ns(mono_now_ns() + f->gap_ns);
	}
	free(piece);
	shutdown(f->fd, SHUT_WR);
	return NULL;
}

static void receive_all(struct mover_rx rx, struct feeder f, uint64_t limit, int result,
			uint64_t bytes)
{
	struct counters count = zero_counters();
	pthread_t thread;
	struct err e;
	int ends[2];

	tcp_pair(ends);
	f.fd = ends[0];
	rx.fd = ends[1];
	rx.count = &count;
	pthread_create(&thread, NULL, feed, &f);
	ck_assert_int_eq(mover_rx_run(&rx, limit, &e), result);
	ck_assert_uint_eq(counter_get(&count.bytes), bytes);
	close(ends[1]);
	pthread_join(thread, NULL);
	close(ends[0]);
}

START_TEST(receives_every_byte)
{
	static char buf[MOVER_BUF_BYTES];
	const struct mover_rx plain = {.buf = buf, .buf_bytes = sizeof(buf)};
	struct mover_rx fast = plain;
	struct mover_rx trunc = plain;
	struct mover_rx touch = plain;

	fast.bufs_a_call = 4;
	fast.collect = true;
	trunc.no_copy = true;
	touch.touch = true;
	receive_all(plain, (struct feeder){.bytes = 0, .piece = 1}, UINT64_MAX, 1, 0);
	receive_all(plain, (struct feeder){.bytes = 1, .piece = 1}, UINT64_MAX, 1, 1);
	receive_all(plain, (struct feeder){.bytes = 3000000, .piece = 10000}, UINT64_MAX,
		    1, 3000000);
	/* Fast enough for the kernel to collect, with an odd rest at the end. */
	receive_all(fast, (struct feeder){.bytes = 200000001, .piece = 1 << 18},
		    UINT64_MAX, 1, 200000001);
	receive_all(trunc, (struct feeder){.bytes = 3000000, .piece = 10000}, UINT64_MAX,
		    1, 3000000);
	receive_all(touch, (struct feeder){.bytes = 3000000, .piece = 10000}, UINT64_MAX,
		    1, 3000000);
	receive_all(plain, (struct feeder){.bytes = 3000000, .piece = 10000}, 1000001, 0,
		    1000001);
}
END_TEST

START_TEST(a_trickle_after_a_flood_is_seen_at_once)
{
	/* The mark that a fast sender earned must not hold back what comes slowly. */
	static char buf[MOVER_BUF_BYTES];
	struct counters count = zero_counters();
	struct mover_rx rx = {.buf = buf,
			      .buf_bytes = sizeof(buf),
			      .bufs_a_call = 4,
			      .collect = true,
			      .count = &count};
	struct feeder flood = {.bytes = 200000000, .piece = 1 << 18};
	pthread_t thread;
	uint64_t start_ns;
	struct err e;
	int ends[2];

	tcp_pair(ends);
	rx.fd = ends[1];
	flood.fd = dup(ends[0]);
	pthread_create(&thread, NULL, feed, &flood);
	ck_assert_int_eq(mover_rx_run(&rx, 200000000, &e), 0);
	pthread_join(thread, NULL);
	close(ends[0]);
	close(flood.fd);
	start_ns = mono_now_ns();
	ck_assert_int_eq(mover_rx_run(&rx, UINT64_MAX, &e), 1);
	ck_assert_uint_lt(mono_now_ns() - start_ns, NS_PER_S);
	close(ends[1]);
}
END_TEST

START_TEST(a_reset_is_an_error)
{
	struct counters count = zero_counters();
	char buf[1000];
	struct mover_rx rx = {.buf = buf, .buf_bytes = sizeof(buf), .count = &count};
	struct mover_tx tx = {.block = buf, .block_bytes = sizeof(buf), .count = &count};
	const struct linger now = {.l_onoff = 1};
	struct err e;
	int ends[2];

	memset(buf, 0, sizeof(buf));
	tcp_pair(ends);
	setsockopt(ends[0], SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(ends[0]);
	rx.fd = ends[1];
	ck_assert_int_eq(mover_rx_run(&rx, UINT64_MAX, &e), -1);
	ck_assert_int_eq(e.sys_errno, ECONNRESET);
	tx.fd = ends[1];
	ck_assert_int_eq(mover_tx_run(&tx, UINT64_MAX, &e), -1);
	ck_assert_int_eq(e.sys_errno, EPIPE);
	close(ends[1]);
}
END_TEST

/* A peer that sends as much as it gets and reads only after that: without dropping what
 * it sends, both would wait for ever. */
static void *echo(void *arg)
{
	int fd = *(int *)arg;
	char *buf = malloc(1 << 20);
	ssize_t n;

	while ((n = read(fd, buf, 1 << 20)) > 0) {
		for (ssize_t done = 0; done < n;) {
			ssize_t m = write(fd, buf + done, (size_t)(n - done));

			if (m <= 0)
				goto out;
			done += m;
		}
	}
out:
	shutdown(fd, SHUT_WR);
	free(buf);
	return NULL;
}

START_TEST(an_echoing_peer_does_not_block_the_sender)
{
	struct counters count = zero_counters();
	char block[65536] = {0};
	struct mover_tx tx = {.block = block,
			      .block_bytes = sizeof(block),
			      .call_bytes = MOVER_CALL_BYTES,
			      .discard_input = true,
			      .count = &count};
	pthread_t thread;
	struct err e;
	int ends[2];

	tcp_pair(ends);
	tx.fd = ends[0];
	pthread_create(&thread, NULL, echo, &ends[1]);
	ck_assert_int_eq(mover_tx_run(&tx, 100u << 20, &e), 0);
	shutdown(ends[0], SHUT_WR);
	while (read(ends[0], block, sizeof(block)) > 0) {
	}
	close(ends[0]);
	pthread_join(thread, NULL);
}
END_TEST

CHECK_MAIN("mover", sends_exactly_the_bytes_asked_for,
	   sends_nothing_when_asked_for_nothing, a_sender_without_a_reader_can_be_stopped,
	   a_silent_sender_can_be_stopped, receives_every_byte,
	   a_trickle_after_a_flood_is_seen_at_once, a_reset_is_an_error,
	   an_echoing_peer_does_not_block_the_sender)
