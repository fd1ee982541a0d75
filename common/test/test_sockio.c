/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "check_main.h"
#include "sock_help.h"

/* ---- waiting ---------------------------------------------------------------------- */

START_TEST(wait_ends_in_time)
{
	int fd[2];

	unix_pair(fd);
	for (int i = -1; i < 1; i++) {
		uint64_t deadline_ns = in_ms(30);
		struct err e;

		ck_assert_int_eq(
			sock_wait(i < 0 ? -1 : fd[i], POLLIN, deadline_ns, NULL, &e), -1);
		ck_assert_int_eq(e.code, ERR_TIMEOUT);
		ck_assert_uint_ge(mono_now_ns(), deadline_ns);
	}
	/* Ready counts, even after the deadline; broken counts as ready. */
	ck_assert_int_eq(sock_wait(fd[0], POLLOUT, 0, NULL, NULL), 0);
	close(fd[1]);
	ck_assert_int_eq(sock_wait(fd[0], 0, MONO_NEVER, NULL, NULL), 0);
	close(fd[0]);
}
END_TEST

START_TEST(wait_for_nothing_open)
{
	struct err e;
	int fd[2];

	unix_pair(fd);
	close(fd[0]);
	close(fd[1]);
	ck_assert_int_eq(sock_wait(fd[0], POLLIN, MONO_NEVER, NULL, &e), -1);
	ck_assert_int_eq(e.sys_errno, EBADF);
}
END_TEST

/* Most likely the other thread waits by then; the outcome is the same if it does not. */
static void *trip_later(void *arg)
{
	poll(NULL, 0, 50);
	stopper_trip(arg, 7);
	return NULL;
}

START_TEST(stopped_while_waiting)
{
	static char big[1 << 20];
	struct stopper stop;
	pthread_t thread;
	struct err e;
	int fd[2];

	unix_pair(fd);
	ck_assert_int_eq(stopper_init(&stop, &e), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, trip_later, &stop), 0);
	ck_assert_int_eq(sock_read(fd[0], big, 1, MONO_NEVER, &stop, &e), -1);
	ck_assert_int_eq(e.code, ERR_STOPPED);
	ck_assert_str_eq(e.what, "read");
	pthread_join(thread, NULL);
	stopper_free(&stop);

	ck_assert_int_eq(stopper_init(&stop, &e), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, trip_later, &stop), 0);
	ck_assert_int_eq(sock_write(fd[0], big, sizeof(big), MONO_NEVER, &stop, &e), -1);
	ck_assert_int_eq(e.code, ERR_STOPPED);
	ck_assert_str_eq(e.what, "write");
	pthread_join(thread, NULL);
	/* No data keeps a stopped reader busy. */
	ck_assert_int_eq(sock_read(fd[1], big, 1, MONO_NEVER, &stop, &e), -1);
	ck_assert_int_eq(e.code, ERR_STOPPED);
	ck_assert_int_eq(sock_wait(-1, 0, MONO_NEVER, &stop, &e), -1);
	ck_assert_int_eq(e.code, ERR_STOPPED);
	stopper_free(&stop);
	close(fd[0]);
	close(fd[1]);
}
END_TEST

/* ---- whole messages --------------------------------------------------------------- */

START_TEST(short_only_at_end_of_file)
{
	char buf[8] = "";
	struct err e;
	int fd[2];

	unix_pair(fd);
	ck_assert_int_eq(sock_write(fd[0], "abcde", 5, in_ms(1000), NULL, &e), 0);
	ck_assert_int_eq(sock_read(fd[1], buf, 3, in_ms(1000), NULL, &e), 3);
	ck_assert_str_eq(buf, "abc");
	ck_assert_int_eq(sock_read(fd[1], buf, 8, in_ms(50), NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_TIMEOUT);
	ck_assert_str_eq(e.what, "read");
	ck_assert_int_eq(sock_write(fd[0], "xy", 2, in_ms(1000), NULL, &e), 0);
	close(fd[0]);
	ck_assert_int_eq(sock_read(fd[1], buf, 8, in_ms(1000), NULL, &e), 2);
	ck_assert_int_eq(sock_read(fd[1], buf, 8, in_ms(1000), NULL, &e), 0);
	ck_assert_int_eq(sock_write(fd[1], "z", 1, in_ms(1000), NULL, &e), -1);
	ck_assert_int_eq(e.sys_errno, EPIPE);
	ck_assert_str_eq(e.what, "write");
	close(fd[1]);
}
END_TEST

START_TEST(writer_gives_up_in_time)
{
	static char big[1 << 20];
	uint64_t deadline_ns = in_ms(50);
	struct err e;
	int fd[2];

	unix_pair(fd);
	ck_assert_int_eq(sock_write(fd[0], big, sizeof(big), deadline_ns, NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_TIMEOUT);
	ck_assert_str_eq(e.what, "write");
	ck_assert_uint_ge(mono_now_ns(), deadline_ns);
	close(fd[0]);
	close(fd[1]);
}
END_TEST

enum { PARCEL = 3000017 };

struct parcel {
	int fd;
	unsigned char *data;
	int rc;
};

static void *send_parcel(void *arg)
{
	struct parcel *p = arg;

	p->rc = sock_write(p->fd, p->data, PARCEL, in_ms(10000), NULL, NULL);
	return NULL;
}

static void ignore(int signo)
{
	(void)signo;
}

/* Many short reads and writes, every millisecond a signal in between. */
START_TEST(large_message_among_signals)
{
	const struct sock_opts small = {.sndbuf_bytes = 5000, .rcvbuf_bytes = 5000};
	const struct sigaction act = {.sa_handler = ignore};
	const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	struct parcel p = {.data = malloc(PARCEL), .rc = -1};
	unsigned char *got = malloc(PARCEL);
	pthread_t thread;
	struct err e;

	for (size_t i = 0; i < PARCEL; i++)
		p.data[i] = (unsigned char)(i * 7 + (i >> 9));
	sigaction(SIGALRM, &act, NULL);
	for (int nonblock = 0; nonblock <= 1; nonblock++) {
		int out, in;

		tcp_pair(&out, &in, &small);
		if (nonblock) {
			ck_assert_int_eq(fcntl(out, F_SETFL, O_NONBLOCK), 0);
			ck_assert_int_eq(fcntl(in, F_SETFL, O_NONBLOCK), 0);
		}
		p.fd = out;
		memset(got, 0, PARCEL);
		setitimer(ITIMER_REAL, &often, NULL);
		ck_assert_int_eq(pthread_create(&thread, NULL, send_parcel, &p), 0);
		ck_assert_int_eq(sock_read(in, got, PARCEL, in_ms(10000), NULL, &e),
				 PARCEL);
		pthread_join(thread, NULL);
		setitimer(ITIMER_REAL, &never, NULL);
		ck_assert_int_eq(p.rc, 0);
		ck_assert_int_eq(memcmp(p.data, got, PARCEL), 0);
		close(out);
		close(in);
	}
	free(p.data);
	free(got);
}
END_TEST

/* ---- the end of a connection ------------------------------------------------------ */

/* Write until no more fits. Returns how many bytes. */
static size_t stuff(int fd)
{
	static const char junk[4096];
	size_t sent = 0;
	ssize_t n;

	while ((n = send(fd, junk, sizeof(junk), MSG_DONTWAIT | MSG_NOSIGNAL)) > 0)
		sent += (size_t)n;
	ck_assert_int_eq(errno, EAGAIN);
	return sent;
}

static int unacknowledged(int fd)
{
	int n = -1;

	ck_assert_int_eq(ioctl(fd, SIOCOUTQ, &n), 0);
	return n;
}

static void reset(int fd)
{
	const struct linger now = {.l_onoff = 1, .l_linger = 0};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
}

/* What the peer does in a process of its own; out is closed there. */
enum peer {
	PEER_READS_ALL,
	PEER_HALF_CLOSED_READS_ALL, /* closes its writing side first, reads later */
	PEER_RESETS,                /* closes with much unread */
	PEER_READS_LATE,
	PEER_READS_NOTHING,
	PEER_SENDS_FOR_EVER,
	PEER_SENDS_A_WHILE, /* now and then for 1.5 s, then closes */
};

static void play(enum peer role, int fd)
{
	static char buf[65536];

	alarm(15);
	switch (role) {
	case PEER_HALF_CLOSED_READS_ALL:
		shutdown(fd, SHUT_WR);
		poll(NULL, 0, 100);
		while (recv(fd, buf, sizeof(buf), 0) > 0)
			;
		break;
	case PEER_READS_LATE:
	case PEER_READS_ALL:
		if (role == PEER_READS_LATE)
			poll(NULL, 0, 1000);
		while (recv(fd, buf, sizeof(buf), 0) > 0)
			;
		break;
	case PEER_RESETS:
		poll(NULL, 0, 50);
		reset(fd);
		break;
	case PEER_READS_NOTHING:
		poll(NULL, 0, -1);
		break;
	case PEER_SENDS_A_WHILE:
		for (int i = 0; i < 30 && send(fd, "x", 1, MSG_NOSIGNAL) == 1; i++)
			poll(NULL, 0, 50);
		break;
	case PEER_SENDS_FOR_EVER:
		/* It takes what it gets, so that only its own sending keeps us. */
		while (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) != 0)
			if (send(fd, buf, 1000, MSG_NOSIGNAL) < 0)
				break;
		while (send(fd, buf, 1000, MSG_NOSIGNAL) > 0)
			;
		break;
	}
}

static pid_t start_peer(enum peer role, int fd, int out)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		close(out);
		play(role, fd);
		_exit(0);
	}
	close(fd);
	return pid;
}

static void end_peer(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

START_TEST(finish_waits_for_the_peer)
{
	static const enum peer roles[] = {PEER_READS_ALL, PEER_HALF_CLOSED_READS_ALL};

	for (size_t i = 0; i < ARRAY_LEN(roles); i++) {
		struct err e;
		int out, in;
		pid_t peer;

		tcp_pair(&out, &in, NULL);
		stuff(out);
		ck_assert_int_gt(unacknowledged(out), 0);
		peer = start_peer(roles[i], in, out);
		ck_assert_msg(sock_finish(out, 10 * NS_PER_S, MONO_NEVER, NULL, &e) == 0,
			      "%s: %s", e.what, e.text);
		ck_assert_int_eq(unacknowledged(out), 0);
		close(out);
		end_peer(peer);
	}
}
END_TEST

START_TEST(finish_with_a_peer_that_stays)
{
	uint64_t start_ns;
	struct err e;
	int out, in;

	tcp_pair(&out, &in, NULL);
	ck_assert_int_eq(sock_write(out, "abc", 3, in_ms(1000), NULL, &e), 0);
	ck_assert_int_eq(sock_write(in, "not wanted", 10, in_ms(1000), NULL, &e), 0);
	start_ns = mono_now_ns();
	ck_assert_int_eq(sock_finish(out, 100 * NS_PER_MS, MONO_NEVER, NULL, &e), 0);
	ck_assert_uint_ge(mono_now_ns() - start_ns, 100 * NS_PER_MS);
	close(out);
	close(in);
}
END_TEST

START_TEST(finish_while_the_peer_still_talks)
{
	uint64_t start_ns;
	struct err e;
	int out, in;
	pid_t peer;

	tcp_pair(&out, &in, NULL);
	start_ns = mono_now_ns();
	peer = start_peer(PEER_SENDS_A_WHILE, in, out);
	ck_assert_int_eq(sock_finish(out, NS_PER_S, MONO_NEVER, NULL, &e), 0);
	ck_assert_uint_ge(mono_now_ns() - start_ns, 1400 * NS_PER_MS);
	close(out);
	end_peer(peer);
}
END_TEST

START_TEST(finish_of_a_broken_connection)
{
	struct err e;
	int out, in;
	pid_t peer;

	/* Broken on the way. */
	tcp_pair(&out, &in, NULL);
	stuff(out);
	peer = start_peer(PEER_RESETS, in, out);
	ck_assert_int_eq(sock_finish(out, 10 * NS_PER_S, MONO_NEVER, NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_SYS);
	ck_assert_int_eq(e.sys_errno, ECONNRESET);
	close(out);
	end_peer(peer);

	/* Broken before. */
	tcp_pair(&out, &in, NULL);
	reset(in);
	ck_assert_int_eq(sock_finish(out, 10 * NS_PER_S, MONO_NEVER, NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_SYS);
	ck_assert_int_eq(e.sys_errno, ECONNRESET);
	close(out);

	/* The peer was done with sending, and broke it then. */
	tcp_pair(&out, &in, NULL);
	stuff(out);
	ck_assert_int_eq(shutdown(in, SHUT_WR), 0);
	peer = start_peer(PEER_RESETS, in, out);
	ck_assert_int_eq(sock_finish(out, 10 * NS_PER_S, MONO_NEVER, NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_SYS);
	close(out);
	end_peer(peer);
}
END_TEST

START_TEST(finish_can_be_stopped)
{
	struct stopper stop;
	pthread_t thread;
	struct err e;
	int out, in;

	tcp_pair(&out, &in, NULL);
	stuff(out);
	ck_assert_int_eq(stopper_init(&stop, &e), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, trip_later, &stop), 0);
	ck_assert_int_eq(sock_finish(out, 10 * NS_PER_S, MONO_NEVER, &stop, &e), -1);
	ck_assert_int_eq(e.code, ERR_STOPPED);
	pthread_join(thread, NULL);
	stopper_free(&stop);
	close(out);
	close(in);
}
END_TEST

/* A clock on which a second passes at each timer signal. */
static uint64_t fake_ns;

static void a_second_later(int signo)
{
	(void)signo;
	fake_ns += NS_PER_S;
}

/* sock_finish() with 500 such seconds to the real one, and with patience for all but the
 * case in question. Returns how long it took. */
static uint64_t finish_soon(int fd, int *rc, struct err *e)
{
	const struct sigaction act = {.sa_handler = a_second_later};
	const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
	uint64_t start_ns = fake_ns = 1000 * NS_PER_S;

	sigaction(SIGALRM, &act, NULL);
	mono_fake(&fake_ns);
	setitimer(ITIMER_REAL, &often, NULL);
	*rc = sock_finish(fd, 100000 * NS_PER_S, 60 * NS_PER_S, NULL, e);
	setitimer(ITIMER_REAL, &never, NULL);
	mono_fake(NULL);
	return fake_ns - start_ns;
}

START_TEST(finish_does_not_wait_for_ever)
{
	static const struct {
		enum peer role;
		uint64_t least_s;
		const char *text;
	} rows[] = {
		/* A pair of local sockets: nothing acknowledges for a process that
		 * does not read. */
		{PEER_READS_NOTHING, 150, "the peer has gone silent, with "},
		{PEER_SENDS_FOR_EVER, 60, "the peer has got everything but still sends"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t took_ns;
		struct err e;
		int pair[2], rc;
		pid_t peer;

		if (rows[i].role == PEER_READS_NOTHING)
			unix_pair(pair);
		else
			tcp_pair(&pair[0], &pair[1], NULL);
		stuff(pair[0]);
		peer = start_peer(rows[i].role, pair[1], pair[0]);
		took_ns = finish_soon(pair[0], &rc, &e);
		ck_assert_int_eq(rc, -1);
		ck_assert_int_eq(e.code, ERR_TIMEOUT);
		ck_assert_msg(strncmp(e.text, rows[i].text, strlen(rows[i].text)) == 0,
			      "%s", e.text);
		ck_assert_uint_ge(took_ns, rows[i].least_s * NS_PER_S);
		ck_assert_uint_lt(took_ns, 2000 * NS_PER_S);
		close(pair[0]);
		end_peer(peer);
	}
}
END_TEST

START_TEST(finish_waits_while_the_peer_answers)
{
	uint64_t took_ns;
	struct err e;
	int out, in, rc;
	pid_t peer;

	tcp_pair(&out, &in, NULL);
	stuff(out);
	peer = start_peer(PEER_READS_LATE, in, out);
	took_ns = finish_soon(out, &rc, &e);
	ck_assert_msg(rc == 0, "%s: %s", e.what, e.text);
	close(out);
	end_peer(peer);
	/* Else this has shown nothing. */
	ck_assert_uint_gt(took_ns, 150 * NS_PER_S);
}
END_TEST

CHECK_MAIN("sockio", wait_ends_in_time, wait_for_nothing_open, stopped_while_waiting,
	   short_only_at_end_of_file, writer_gives_up_in_time,
	   large_message_among_signals, finish_waits_for_the_peer,
	   finish_with_a_peer_that_stays, finish_while_the_peer_still_talks,
	   finish_of_a_broken_connection, finish_can_be_stopped,
	   finish_does_not_wait_for_ever, finish_waits_while_the_peer_answers)
