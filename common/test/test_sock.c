/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "sock.h"

static uint64_t in_ms(uint64_t ms)
{
	return mono_now_ns() + ms * NS_PER_MS;
}

static struct sock_req tcp(const char *host, int family)
{
	return (struct sock_req){
		.host = host,
		.family = family,
		.type = SOCK_STREAM,
		.backlog = 5,
	};
}

static int must_listen(const struct sock_req *req, uint16_t *port)
{
	struct err e;
	struct addr local;
	int fd = sock_listen(req, &e);

	ck_assert_msg(fd >= 0, "%s: %s", e.what, e.text);
	ck_assert_int_eq(addr_local(fd, &local, &e), 0);
	*port = addr_port(&local);
	return fd;
}

static int must_connect(const char *host, uint16_t port)
{
	struct sock_req req = tcp(host, AF_UNSPEC);
	struct err e;
	int fd;

	req.port = port;
	fd = sock_connect(&req, 5 * NS_PER_S, &e);
	ck_assert_msg(fd >= 0, "%s: %s", e.what, e.text);
	return fd;
}

static int must_accept(int listener, struct addr *from)
{
	struct err e;
	int fd = sock_accept(listener, in_ms(5000), NULL, from, &e);

	ck_assert_msg(fd >= 0, "%s: %s", e.what, e.text);
	return fd;
}

/* ---- listen, connect, accept ------------------------------------------------------ */

START_TEST(any_address_takes_both_families)
{
	static const char *const hosts[] = {"127.0.0.1", "::1"};
	struct sock_req req = tcp(NULL, AF_UNSPEC);
	uint16_t port;
	int listener = must_listen(&req, &port);

	ck_assert_int_eq(fcntl(listener, F_GETFD), FD_CLOEXEC);
	for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
		int out = must_connect(hosts[i], port), in;
		struct addr from, local;
		char buf[ADDR_HOST_MAX];

		in = must_accept(listener, &from);
		ck_assert_str_eq(addr_host(&from, buf), hosts[i]);
		ck_assert_int_eq(addr_local(out, &local, NULL), 0);
		ck_assert(addr_equal(&local, &from));
		ck_assert_int_eq(fcntl(in, F_GETFD), FD_CLOEXEC);
		ck_assert_int_eq(fcntl(out, F_GETFD), FD_CLOEXEC);
		ck_assert_int_eq(fcntl(in, F_GETFL) & O_NONBLOCK, 0);
		ck_assert_int_eq(fcntl(out, F_GETFL) & O_NONBLOCK, 0);
		close(in);
		close(out);
	}
	close(listener);
}
END_TEST

START_TEST(one_family_keeps_the_other_out)
{
	static const struct {
		int family;
		const char *in, *out;
	} rows[] = {
		{AF_INET, "127.0.0.1", "::1"},
		{AF_INET6, "::1", "127.0.0.1"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct sock_req req = tcp(NULL, rows[i].family);
		uint16_t port;
		int listener = must_listen(&req, &port);
		struct err e;

		close(must_connect(rows[i].in, port));
		req = tcp(rows[i].out, AF_UNSPEC);
		req.port = port;
		ck_assert_int_eq(sock_connect(&req, 5 * NS_PER_S, &e), -1);
		ck_assert_int_eq(e.sys_errno, ECONNREFUSED);
		ck_assert_str_eq(e.what, "connect");
		ck_assert_str_eq(e.text, "Connection refused");
		close(listener);
	}
}
END_TEST

START_TEST(port_taken)
{
	struct sock_req req = tcp("127.0.0.1", AF_UNSPEC);
	uint16_t port;
	int listener = must_listen(&req, &port);
	struct err e;

	req.port = port;
	ck_assert_int_eq(sock_listen(&req, &e), -1);
	ck_assert_str_eq(e.what, "bind");
	ck_assert_int_eq(e.sys_errno, EADDRINUSE);
	req.host = NULL;
	ck_assert_int_eq(sock_listen(&req, &e), -1);
	ck_assert_int_eq(e.sys_errno, EADDRINUSE);
	close(listener);
}
END_TEST

START_TEST(accept_gives_up_in_time)
{
	struct sock_req req = tcp("127.0.0.1", AF_UNSPEC);
	uint16_t port;
	int listener = must_listen(&req, &port);
	uint64_t deadline_ns = in_ms(50);
	struct err e;

	ck_assert_int_eq(sock_accept(listener, deadline_ns, NULL, NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_TIMEOUT);
	ck_assert_uint_ge(mono_now_ns(), deadline_ns);
	close(listener);
}
END_TEST

/* ---- whole messages --------------------------------------------------------------- */

static void pair(int fd[2])
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
}

START_TEST(short_only_at_end_of_file)
{
	char buf[8] = "";
	struct err e;
	int fd[2];

	pair(fd);
	ck_assert_int_eq(sock_write(fd[0], "abcde", 5, in_ms(1000), NULL, &e), 0);
	ck_assert_int_eq(sock_read(fd[1], buf, 3, in_ms(1000), NULL, &e), 3);
	ck_assert_str_eq(buf, "abc");
	ck_assert_int_eq(sock_read(fd[1], buf, 8, in_ms(50), NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_TIMEOUT);
	ck_assert_int_eq(sock_write(fd[0], "xy", 2, in_ms(1000), NULL, &e), 0);
	close(fd[0]);
	ck_assert_int_eq(sock_read(fd[1], buf, 8, in_ms(1000), NULL, &e), 2);
	ck_assert_int_eq(sock_read(fd[1], buf, 8, in_ms(1000), NULL, &e), 0);
	ck_assert_int_eq(sock_write(fd[1], "z", 1, in_ms(1000), NULL, &e), -1);
	ck_assert_int_eq(e.sys_errno, EPIPE);
	close(fd[1]);
}
END_TEST

/* ---- the end of a connection ------------------------------------------------------ */

static void tcp_pair(int *out, int *in)
{
	struct sock_req req = tcp("127.0.0.1", AF_UNSPEC);
	uint16_t port;
	int listener;

	listener = must_listen(&req, &port);
	*out = must_connect("127.0.0.1", port);
	*in = must_accept(listener, NULL);
	close(listener);
}

START_TEST(finish_with_a_peer_that_stays)
{
	uint64_t start_ns = mono_now_ns();
	struct err e;
	int out, in;

	tcp_pair(&out, &in);
	ck_assert_int_eq(sock_write(out, "abc", 3, in_ms(1000), NULL, &e), 0);
	ck_assert_int_eq(sock_finish(out, 100 * NS_PER_MS, NULL, &e), 0);
	ck_assert_uint_ge(mono_now_ns() - start_ns, 100 * NS_PER_MS);
	close(out);
	close(in);
}
END_TEST

CHECK_MAIN("sock", any_address_takes_both_families, one_family_keeps_the_other_out,
	   port_taken, accept_gives_up_in_time, short_only_at_end_of_file,
	   finish_with_a_peer_that_stays)
