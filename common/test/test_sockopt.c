/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/wait.h>

#include "check_main.h"
#include "sock_help.h"

static int get(int fd, int level, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	ck_assert_int_eq(getsockopt(fd, level, name, &value, &len), 0);
	return value;
}

static const struct sock_opts everything = {
	.sndbuf_bytes = 20000,
	.rcvbuf_bytes = 30000,
	.nodelay = true,
	.dont_fragment = true,
	.tos = 0x48,
	.mss_bytes = 1000,
	.ttl = 9,
	.congestion = "reno",
	.max_pacing_bps = 80000000,
	.user_timeout_ms = 12345,
};

static void ck_everything(int fd, int family)
{
	char name[16] = "";
	socklen_t len = sizeof(name);

	/* Twice what was asked for. */
	ck_assert_int_eq(sock_sndbuf_bytes(fd), 40000);
	ck_assert_int_eq(sock_rcvbuf_bytes(fd), 60000);
	ck_assert_int_ne(get(fd, IPPROTO_TCP, TCP_NODELAY), 0);
	ck_assert_int_eq(get(fd, IPPROTO_IP, IP_TOS), 0x48);
	ck_assert_int_eq(get(fd, IPPROTO_IP, IP_TTL), 9);
	ck_assert_int_eq(get(fd, IPPROTO_IP, IP_MTU_DISCOVER), IP_PMTUDISC_DO);
	if (family == AF_INET6) {
		ck_assert_int_eq(get(fd, IPPROTO_IPV6, IPV6_TCLASS), 0x48);
		ck_assert_int_eq(get(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS), 9);
		ck_assert_int_eq(get(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER),
				 IPV6_PMTUDISC_DO);
	}
	/* 12 less when the connection uses time stamps. */
	ck_assert_int_le(get(fd, IPPROTO_TCP, TCP_MAXSEG), 1000);
	ck_assert_int_ge(get(fd, IPPROTO_TCP, TCP_MAXSEG), 988);
	ck_assert_int_eq(getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &len), 0);
	ck_assert_str_eq(name, "reno");
	ck_assert_int_eq(get(fd, SOL_SOCKET, SO_MAX_PACING_RATE), 10000000);
	ck_assert_int_eq(get(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 12345);
}

START_TEST(listener_passes_everything_on)
{
	static const char *const hosts[] = {"127.0.0.1", "::1"};
	struct sock_req req = tcp_req(NULL, AF_UNSPEC);
	int family = have_ipv6() ? AF_INET6 : AF_INET, listener;

	req.opts = everything;
	listener = must_listen(&req);
	for (size_t i = 0; i < (family == AF_INET6 ? 2 : 1); i++) {
		int out, in;
		struct err e;

		req.host = hosts[i];
		req.port = port_of(listener);
		out = sock_connect(&req, 5 * NS_PER_S, &e);
		ck_assert_msg(out >= 0, "%s: %s", e.what, e.text);
		in = must_accept(listener, NULL);
		ck_everything(out, i ? AF_INET6 : AF_INET);
		ck_everything(in, family);
		close(in);
		close(out);
	}
	close(listener);
}
END_TEST

START_TEST(accepted_socket_can_be_set_up)
{
	struct sock_opts opts = everything;
	int out, in;
	struct err e;

	opts.mss_bytes = 0;
	tcp_pair(&out, &in, NULL);
	ck_assert_int_eq(get(in, IPPROTO_TCP, TCP_NODELAY), 0);
	ck_assert_msg(sock_apply(in, AF_INET, &opts, &e) == 0, "%s: %s", e.what, e.text);
	ck_assert_int_ne(get(in, IPPROTO_TCP, TCP_NODELAY), 0);
	ck_assert_int_eq(get(in, IPPROTO_IP, IP_TOS), 0x48);
	close(out);
	close(in);
}
END_TEST

START_TEST(nothing_asked_nothing_set)
{
	const struct sock_opts nothing = {.sndbuf_bytes = 0};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int sndbuf = sock_sndbuf_bytes(fd), ttl = get(fd, IPPROTO_IP, IP_TTL);

	ck_assert_int_eq(sock_apply(fd, AF_INET, &nothing, NULL), 0);
	ck_assert_int_eq(sock_sndbuf_bytes(fd), sndbuf);
	ck_assert_int_eq(get(fd, IPPROTO_IP, IP_TTL), ttl);
	ck_assert_int_eq(get(fd, IPPROTO_TCP, TCP_NODELAY), 0);
	close(fd);
}
END_TEST

/* More than 32 bits of byte/s, and less than one. */
START_TEST(pacing_of_any_size)
{
	static const struct {
		uint64_t bps, bytes;
	} rows[] = {
		{8, 1},
		{1, 1},
		{UINT64_C(8) * (UINT32_MAX - 1), UINT32_MAX - 1},
		{UINT64_C(8) * UINT32_MAX, UINT32_MAX},
		{UINT64_C(400000000000), UINT64_C(50000000000)},
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct sock_opts opts = {.max_pacing_bps = rows[i].bps};
		uint64_t bytes = 0;
		socklen_t len = sizeof(bytes);

		ck_assert_int_eq(sock_apply(fd, AF_INET, &opts, NULL), 0);
		ck_assert_int_eq(
			getsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &bytes, &len), 0);
		if (len == sizeof(bytes))
			ck_assert_uint_eq(bytes, rows[i].bytes);
	}
	close(fd);
}
END_TEST

static const struct {
	int type;
	struct sock_opts opts;
	const char *what;
	enum err_code code;
	int sys_errno;
} refused[] = {
	{SOCK_STREAM,
	 {.congestion = "no-such"},
	 "setsockopt: congestion",
	 ERR_UNSUPPORTED,
	 ENOENT},
	{SOCK_STREAM, {.mss_bytes = 1}, "setsockopt: mss", ERR_SYS, EINVAL},
	{SOCK_STREAM, {.ttl = 256}, "setsockopt: ttl", ERR_SYS, EINVAL},
	{SOCK_DGRAM, {.nodelay = true}, "setsockopt: nodelay", ERR_SYS, ENOPROTOOPT},
};

START_TEST(refusals_have_a_name)
{
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		int fd = socket(AF_INET, refused[i].type | SOCK_CLOEXEC, 0);
		struct err e;

		ck_assert_int_eq(sock_apply(fd, AF_INET, &refused[i].opts, &e), -1);
		ck_assert_str_eq(e.what, refused[i].what);
		ck_assert_int_eq(e.code, refused[i].code);
		ck_assert_int_eq(e.sys_errno, refused[i].sys_errno);
		ck_assert_int_eq(sock_apply(fd, AF_INET, &refused[i].opts, NULL), -1);
		close(fd);
	}
}
END_TEST

START_TEST(bad_descriptor)
{
	static const struct {
		struct sock_opts opts;
		const char *what;
	} rows[] = {
		{{.sndbuf_bytes = 1}, "setsockopt: sndbuf"},
		{{.rcvbuf_bytes = 1}, "setsockopt: rcvbuf"},
		{{.so_debug = true}, "setsockopt: debug"},
		{{.dont_fragment = true}, "setsockopt: dont fragment"},
		{{.tos = 1}, "setsockopt: tos"},
		{{.max_pacing_bps = 1}, "setsockopt: pacing"},
		{{.user_timeout_ms = 1}, "setsockopt: user timeout"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e;

		ck_assert_int_eq(sock_apply(-1, AF_INET, &rows[i].opts, &e), -1);
		ck_assert_str_eq(e.what, rows[i].what);
		ck_assert_int_eq(e.sys_errno, EBADF);
	}
	ck_assert_int_eq(sock_sndbuf_bytes(-1), -1);
	ck_assert_int_eq(sock_rcvbuf_bytes(-1), -1);
	ck_assert_int_eq(sock_grow_rcvbuf(-1, 1), -1);
}
END_TEST

static void count_warning(void *arg, const struct err *e)
{
	int *warnings = arg;

	if (strcmp(e->what, "setsockopt: debug") == 0 && e->sys_errno == EACCES)
		++*warnings;
}

/* 0 = as it should be; else which step failed. */
static int debug_without_privilege(void)
{
	struct sock_req req = tcp_req("127.0.0.1", AF_INET);
	int warnings = 0, fd;

	if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0)
		return 1;
	req.opts.so_debug = true;
	req.warn = count_warning;
	req.arg = &warnings;
	fd = sock_listen(&req, NULL);
	if (fd < 0 || warnings != 1)
		return 2;
	req.warn = NULL;
	req.port = 0;
	return sock_listen(&req, NULL) < 0 ? 3 : 0;
}

START_TEST(debug_refused_is_a_warning)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(debug_without_privilege());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* The largest buffer an ordinary process may ask for, or a guess. */
static int rmem_max(void)
{
	FILE *f = fopen("/proc/sys/net/core/rmem_max", "re");
	char text[32] = "";

	if (f) {
		text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
		fclose(f);
	}
	return *text ? (int)strtol(text, NULL, 10) : 212992;
}

START_TEST(receive_buffer_only_grows)
{
	const int max = rmem_max(), more = max + 4096;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int was = sock_rcvbuf_bytes(fd);
	bool force = setsockopt(probe, SOL_SOCKET, SO_RCVBUFFORCE, &more, sizeof(more)) ==
		     0;
	int64_t want = force ? more : max;

	ck_assert_int_gt(was, 0);
	ck_assert_int_eq(sock_grow_rcvbuf(fd, was / 2), was);
	ck_assert_int_eq(sock_grow_rcvbuf(fd, 1), was);
	ck_assert_int_eq(sock_grow_rcvbuf(fd, more), want * 2);
	ck_assert_int_eq(sock_rcvbuf_bytes(fd), want * 2);
	close(probe);
	close(fd);
}
END_TEST

CHECK_MAIN("sockopt", listener_passes_everything_on, accepted_socket_can_be_set_up,
	   nothing_asked_nothing_set, pacing_of_any_size, refusals_have_a_name,
	   bad_descriptor, debug_refused_is_a_warning, receive_buffer_only_grows)
