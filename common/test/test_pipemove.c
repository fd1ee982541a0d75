/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "mono.h"
#include "pipemove.h"
#include "tcp_pair.h"

/* Bytes that repeat with no period that a block could hide. */
static unsigned char byte_at(uint64_t pos)
{
	return (unsigned char)(pos * UINT64_C(2654435761) >> 13);
}

struct end {
	int fd;
	uint64_t bytes, got;
	size_t piece;
	uint64_t gap_ns;
	bool wrong;
};

static void *produce(void *arg)
{
	struct end *p = arg;
	unsigned char *buf = malloc(p->piece);

	for (uint64_t pos = 0; pos < p->bytes;) {
		size_t len = p->bytes - pos < p->piece ? (size_t)(p->bytes - pos)
						       : p->piece;
		size_t done = 0;

		for (size_t i = 0; i < len; i++)
			buf[i] = byte_at(pos + i);
		while (done < len) {
			ssize_t n = write(p->fd, buf + done, len - done);

			if (n <= 0)
				goto out;
			done += (size_t)n;
		}
		pos += len;
		if (p->gap_ns)
			mono_sleep_until_ns(mono_now_ns() + p->gap_ns);
	}
out:
	free(buf);
	close(p->fd);
	return NULL;
}

static void *consume(void *arg)
{
	struct end *c = arg;
	unsigned char *buf = malloc(c->piece);
	ssize_t n;

	while ((n = read(c->fd, buf, c->piece)) > 0) {
		for (ssize_t i = 0; i < n; i++, c->got++)
			c->wrong |= buf[i] != byte_at(c->got);
		if (c->gap_ns)
			mono_sleep_until_ns(mono_now_ns() + c->gap_ns);
	}
	free(buf);
	return NULL;
}

struct receiver {
	struct pipemove m;
	int rc;
	struct err e;
};

static void *receive(void *arg)
{
	struct receiver *r = arg;

	r->rc = pipemove_recv(&r->m, &r->e);
	close(r->m.fd);
	return NULL;
}

/* producer -> pipe -> send -> TCP -> recv -> pipe -> consumer */
struct chain {
	uint64_t bytes;
	size_t send_block, recv_block;
	bool full_blocks, nonblocking;
	int pipe_bytes;
	size_t piece;
	uint64_t slow_reader_ns;
};

static void run_chain(struct chain c)
{
	struct counters sent = {0}, received = {0};
	struct pipemove m = {.block_bytes = c.send_block, .count = &sent};
	struct receiver r = {.m = {.block_bytes = c.recv_block,
				   .full_blocks = c.full_blocks,
				   .count = &received}};
	struct end from = {.bytes = c.bytes, .piece = c.piece};
	struct end to = {.piece = c.piece, .gap_ns = c.slow_reader_ns};
	pthread_t threads[3];
	int in[2], out[2], ends[2];
	struct err e = {0};

	tcp_pair(ends);
	ck_assert_int_eq(pipe(in), 0);
	ck_assert_int_eq(pipe(out), 0);
	if (c.pipe_bytes) {
		fcntl(in[0], F_SETPIPE_SZ, c.pipe_bytes);
		fcntl(out[0], F_SETPIPE_SZ, c.pipe_bytes);
	}
	if (c.nonblocking) {
		fcntl(in[0], F_SETFL, O_NONBLOCK);
		fcntl(out[1], F_SETFL, O_NONBLOCK);
	}
	from.fd = in[1];
	to.fd = out[0];
	m.sock = ends[0];
	m.fd = in[0];
	r.m.sock = ends[1];
	r.m.fd = out[1];
	pthread_create(&threads[0], NULL, produce, &from);
	pthread_create(&threads[1], NULL, consume, &to);
	pthread_create(&threads[2], NULL, receive, &r);
	ck_assert_msg(pipemove_send(&m, &e) == 0, "%s: %s", e.what, e.text);
	shutdown(ends[0], SHUT_WR);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	ck_assert_msg(r.rc == 0, "%s: %s", r.e.what, r.e.text);
	ck_assert_uint_eq(to.got, c.bytes);
	ck_assert(!to.wrong);
	ck_assert_uint_eq(counter_get(&sent.bytes), c.bytes);
	ck_assert_uint_eq(counter_get(&received.bytes), c.bytes);
	close(in[0]);
	close(out[0]);
	close(ends[0]);
	close(ends[1]);
}

START_TEST(every_byte_in_order)
{
	static const uint64_t sizes[] = {0, 1, 4095, 65537, 5000000};
	static const size_t blocks[] = {0, 1000, 8192};

	for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
		for (size_t b = 0; b < ARRAY_LEN(blocks); b++)
			run_chain((struct chain){.bytes = sizes[s],
						 .send_block = blocks[b],
						 .recv_block = blocks[(b + 1) % 3],
						 .piece = 7777});
	}
}
END_TEST

START_TEST(small_pipes_and_odd_pieces)
{
	run_chain((struct chain){.bytes = 1000000, .pipe_bytes = 4096, .piece = 333});
	run_chain((struct chain){.bytes = 300000,
				 .pipe_bytes = 4096,
				 .piece = 10,
				 .send_block = 65536,
				 .recv_block = 65536});
}
END_TEST

START_TEST(inherited_nonblocking_descriptors)
{
	run_chain((struct chain){.bytes = 3000000, .piece = 5000, .nonblocking = true});
	run_chain((struct chain){.bytes = 3000000,
				 .piece = 5000,
				 .nonblocking = true,
				 .send_block = 8192,
				 .recv_block = 8192});
}
END_TEST

START_TEST(a_slow_reader_loses_nothing)
{
	run_chain((struct chain){
		.bytes = 4000000, .piece = 100000, .slow_reader_ns = 10 * NS_PER_MS});
	run_chain((struct chain){.bytes = 4000000,
				 .piece = 100000,
				 .slow_reader_ns = 10 * NS_PER_MS,
				 .recv_block = 8192});
}
END_TEST

/* Writes of the receiver, seen through a packet-like pipe: each is one block. */
START_TEST(full_blocks_are_full)
{
	struct counters count = {0};
	struct receiver r = {
		.m = {.block_bytes = 10000, .full_blocks = true, .count = &count}};
	static char piece[3000];
	char block[20000];
	pthread_t thread;
	int out[2], ends[2];

	tcp_pair(ends);
	ck_assert_int_eq(pipe2(out, O_DIRECT), 0); /* keeps writes apart */
	r.m.sock = ends[1];
	r.m.fd = out[1];
	pthread_create(&thread, NULL, receive, &r);
	for (int i = 0; i < 11; i++) {
		ck_assert_int_eq(write(ends[0], piece, sizeof(piece)), sizeof(piece));
		mono_sleep_until_ns(mono_now_ns() + NS_PER_MS);
	}
	close(ends[0]);
	pthread_join(thread, NULL);
	/* A packet pipe cuts at 4096: two full pages and the rest. */
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(read(out[0], block, sizeof(block)), 4096);
		ck_assert_int_eq(read(out[0], block, sizeof(block)), 4096);
		ck_assert_int_eq(read(out[0], block, sizeof(block)), 10000 - 8192);
	}
	ck_assert_int_eq(read(out[0], block, sizeof(block)), 3000);
	ck_assert_int_eq(read(out[0], block, sizeof(block)), 0);
}
END_TEST

static struct receiver receive_into(int fd, uint64_t bytes, size_t block)
{
	struct counters count = {0};
	struct receiver r = {.m = {.fd = fd, .block_bytes = block, .count = &count}};
	struct end from = {.bytes = bytes, .piece = 10000};
	pthread_t thread;
	int ends[2];

	tcp_pair(ends);
	from.fd = ends[0];
	r.m.sock = ends[1];
	pthread_create(&thread, NULL, produce, &from);
	r.rc = pipemove_recv(&r.m, &r.e);
	close(ends[1]);
	pthread_join(thread, NULL);
	r.m.count = NULL;
	return r;
}

START_TEST(a_sink_that_refuses_is_an_error)
{
	static const size_t blocks[] = {0, 8192};

	sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
	for (size_t b = 0; b < 2; b++) {
		struct receiver r;
		int full = open("/dev/full", O_WRONLY);
		int out[2];

		r = receive_into(full, 1000000, blocks[b]);
		ck_assert_int_eq(r.rc, -1);
		ck_assert_int_eq(r.e.sys_errno, ENOSPC);
		close(full);

		ck_assert_int_eq(pipe(out), 0);
		close(out[0]);
		r = receive_into(out[1], 1000000, blocks[b]);
		ck_assert_int_eq(r.rc, -1);
		ck_assert_int_eq(r.e.sys_errno, EPIPE);
		close(out[1]);
	}
}
END_TEST

/* The reader goes while the network is silent: an error only if there is more to come. */
START_TEST(a_reader_may_leave_at_the_end)
{
	static const size_t blocks[] = {0, 8192};

	for (size_t i = 0; i < 4; i++) {
		struct counters count = {0};
		struct receiver r = {
			.m = {.block_bytes = blocks[i % 2], .count = &count}};
		bool more = i >= 2;
		pthread_t thread;
		int out[2], ends[2];
		char c;

		sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
		tcp_pair(ends);
		ck_assert_int_eq(pipe(out), 0);
		r.m.sock = ends[1];
		r.m.fd = out[1];
		pthread_create(&thread, NULL, receive, &r);
		ck_assert_int_eq(write(ends[0], "x", 1), 1);
		ck_assert_int_eq(read(out[0], &c, 1), 1);
		close(out[0]);
		mono_sleep_until_ns(mono_now_ns() + 20 * NS_PER_MS);
		if (more)
			ck_assert_int_eq(write(ends[0], "y", 1), 1);
		else
			shutdown(ends[0], SHUT_WR);
		pthread_join(thread, NULL);
		ck_assert_int_eq(r.rc, more ? -1 : 0);
		if (more)
			ck_assert_int_eq(r.e.sys_errno, EPIPE);
		ck_assert_uint_eq(counters_read(&count).bytes, 1);
		close(ends[0]);
		close(ends[1]);
	}
}
END_TEST

/* The network breaks while the source is silent: noticed all the same. */
START_TEST(a_reset_is_noticed_in_silence)
{
	static const size_t blocks[] = {0, 8192};

	for (size_t b = 0; b < 2; b++) {
		const struct linger now = {.l_onoff = 1};
		struct counters count = {0};
		struct pipemove m = {.block_bytes = blocks[b], .count = &count};
		struct err e;
		int in[2], ends[2];

		tcp_pair(ends);
		ck_assert_int_eq(pipe(in), 0);
		m.sock = ends[0];
		m.fd = in[0];
		setsockopt(ends[1], SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		close(ends[1]);
		ck_assert_int_eq(pipemove_send(&m, &e), -1);
		ck_assert_int_eq(e.sys_errno, ECONNRESET);
		close(in[0]);
		close(in[1]);
		close(ends[0]);
	}
}
END_TEST

static void check_file(FILE *f, uint64_t bytes)
{
	uint64_t pos = 0;
	int c;

	rewind(f);
	for (; (c = fgetc(f)) != EOF; pos++)
		ck_assert_int_eq(c, byte_at(pos));
	ck_assert_uint_eq(pos, bytes);
}

START_TEST(into_a_file_also_when_appending)
{
	for (int append = 0; append < 2; append++) {
		FILE *f = tmpfile();
		struct receiver r;

		if (append)
			ck_assert_int_eq(fcntl(fileno(f), F_SETFL, O_APPEND), 0);
		r = receive_into(fileno(f), 3000001, 0);
		ck_assert_int_eq(r.rc, 0);
		check_file(f, 3000001);
		fclose(f);
	}
}
END_TEST

START_TEST(out_of_a_file_from_where_it_stands)
{
	struct counters count = {0};
	struct pipemove m = {.count = &count};
	struct end to = {.piece = 10000};
	FILE *f = tmpfile();
	pthread_t thread;
	struct err e;
	int ends[2];

	fputs("skipped", f);
	for (uint64_t i = 0; i < 3000001; i++)
		fputc(byte_at(i), f);
	fflush(f);
	ck_assert_int_eq(lseek(fileno(f), 7, SEEK_SET), 7);
	tcp_pair(ends);
	m.sock = ends[0];
	m.fd = fileno(f);
	to.fd = ends[1];
	pthread_create(&thread, NULL, consume, &to);
	ck_assert_int_eq(pipemove_send(&m, &e), 0);
	close(ends[0]);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(to.got, 3000001);
	ck_assert(!to.wrong);
	fclose(f);
	close(ends[1]);
}
END_TEST

static void *trip_soon(void *arg)
{
	mono_sleep_until_ns(mono_now_ns() + 50 * NS_PER_MS);
	stopper_trip(arg, 7);
	return NULL;
}

START_TEST(stops_while_everything_is_silent)
{
	struct counters count = {0};
	struct stopper stop;
	struct pipemove m = {.count = &count, .stop = &stop};
	pthread_t thread;
	struct err e;
	int ends[2], in[2];

	tcp_pair(ends);
	ck_assert_int_eq(pipe(in), 0);
	for (int direction = 0; direction < 2; direction++) {
		ck_assert_int_eq(stopper_init(&stop, &e), 0);
		pthread_create(&thread, NULL, trip_soon, &stop);
		m.sock = ends[0];
		m.fd = in[direction];
		ck_assert_int_eq(
			direction ? pipemove_recv(&m, &e) : pipemove_send(&m, &e), -1);
		ck_assert_int_eq(e.code, ERR_STOPPED);
		pthread_join(thread, NULL);
		stopper_free(&stop);
	}
}
END_TEST

CHECK_MAIN("pipemove", every_byte_in_order, small_pipes_and_odd_pieces,
	   inherited_nonblocking_descriptors, a_slow_reader_loses_nothing,
	   full_blocks_are_full, a_sink_that_refuses_is_an_error,
	   a_reader_may_leave_at_the_end, a_reset_is_noticed_in_silence,
	   into_a_file_also_when_appending, out_of_a_file_from_where_it_stands,
	   stops_while_everything_is_silent)
