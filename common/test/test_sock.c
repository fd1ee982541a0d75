/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check_main.h"
#include "sock_help.h"

/* ---- a resolver whose answers are in the question --------------------------------- */

static struct addrinfo *answer(const char *host, int family, int type, uint16_t port)
{
	struct addrinfo *ai = calloc(1, sizeof(*ai) + sizeof(struct sockaddr_in6));
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};

	ai->ai_addr = (struct sockaddr *)(ai + 1);
	ai->ai_socktype = type;
	if (family != AF_INET6 && inet_pton(AF_INET, host, &in.sin_addr) == 1) {
		ai->ai_family = AF_INET;
		ai->ai_addrlen = sizeof(in);
		memcpy(ai->ai_addr, &in, sizeof(in));
		return ai;
	}
	if (family != AF_INET && inet_pton(AF_INET6, host, &in6.sin6_addr) == 1) {
		ai->ai_family = AF_INET6;
		ai->ai_addrlen = sizeof(in6);
		memcpy(ai->ai_addr, &in6, sizeof(in6));
		return ai;
	}
	free(ai);
	return NULL;
}

void freeaddrinfo(struct addrinfo *ai)
{
	while (ai) {
		struct addrinfo *next = ai->ai_next;

		free(ai);
		ai = next;
	}
}

/* Replaces the C library's: host is a list, "::1 127.0.0.1". */
int getaddrinfo(const char *restrict host, const char *restrict service,
		const struct addrinfo *restrict hints, struct addrinfo **restrict res)
{
	struct addrinfo **end = res;
	char list[128], *rest = list, *word;

	*res = NULL;
	strlcpy(list, host ? host : "0.0.0.0 ::", sizeof(list));
	while ((word = strsep(&rest, " "))) {
		*end = answer(word, hints->ai_family, hints->ai_socktype,
			      (uint16_t)strtol(service, NULL, 10));
		if (*end)
			end = &(*end)->ai_next;
	}
	return *res ? 0 : EAI_NONAME;
}

/* ---- listen, accept --------------------------------------------------------------- */

START_TEST(any_address_takes_both_families)
{
	static const char *const hosts[] = {"127.0.0.1", "::1"};
	struct sock_req req = tcp_req(NULL, AF_UNSPEC);
	int listener = must_listen(&req);

	ck_assert_int_eq(fcntl(listener, F_GETFD), FD_CLOEXEC);
	for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
		struct addr from, local;
		char buf[ADDR_HOST_MAX];
		int out, in;

		if (i == 1 && !have_ipv6())
			continue;
		out = must_connect(hosts[i], port_of(listener));
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

	for (size_t i = 0; have_ipv6() && i < ARRAY_LEN(rows); i++) {
		struct sock_req req = tcp_req(NULL, rows[i].family);
		int listener = must_listen(&req);
		uint16_t port = port_of(listener);
		struct err e;

		close(must_connect(rows[i].in, port));
		req = tcp_req(rows[i].out, AF_UNSPEC);
		req.port = port;
		ck_assert_int_eq(sock_connect(&req, 5 * NS_PER_S, &e), -1);
		ck_assert_int_eq(e.code, ERR_SYS);
		ck_assert_int_eq(e.sys_errno, ECONNREFUSED);
		ck_assert_str_eq(e.what, "connect");
		ck_assert_str_eq(e.text, "Connection refused");
		close(listener);
	}
}
END_TEST

/* From here on socket(AF_INET6, ...) fails in this process as on a kernel without IPv6.
 */
static int forget_ipv6(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args) +
				 (BYTE_ORDER == BIG_ENDIAN ? 4 : 0)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog prog = {.len = ARRAY_LEN(code), .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
			       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0
		       ? -1
		       : 0;
}

/* 0 = as it should be; else which step failed. */
static int listen_without_ipv6(void)
{
	struct sock_req req = tcp_req(NULL, AF_UNSPEC);
	struct addr local;
	struct err e;
	int fd;

	if (forget_ipv6() < 0)
		return 0; /* a sandbox of its own forbids it: nothing to see here */
	fd = sock_listen(&req, &e);
	if (fd < 0 || addr_local(fd, &local, NULL) < 0)
		return 2;
	if (local.ss.ss_family != AF_INET)
		return 3;
	req.family = AF_INET6;
	if (sock_listen(&req, &e) >= 0 || e.sys_errno != EAFNOSUPPORT)
		return 4;
	return strcmp(e.what, "socket") ? 5 : 0;
}

START_TEST(without_ipv6_there_is_ipv4)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(listen_without_ipv6());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(port_taken)
{
	static const int types[] = {SOCK_STREAM, SOCK_DGRAM};

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		struct sock_req req = tcp_req("127.0.0.1", AF_UNSPEC);
		struct err e;
		int fd;

		req.type = types[i];
		fd = must_listen(&req);
		req.port = port_of(fd);
		ck_assert_int_eq(sock_listen(&req, &e), -1);
		ck_assert_str_eq(e.what, "bind");
		ck_assert_int_eq(e.sys_errno, EADDRINUSE);
		/* Neither does "any address" fall back to something else. */
		req.host = NULL;
		ck_assert_int_eq(sock_listen(&req, &e), -1);
		ck_assert_int_eq(e.sys_errno, EADDRINUSE);
		/* The next address of the list is tried. */
		req.host = "127.0.0.1 127.0.0.2";
		close(must_listen(&req));
		close(fd);
	}
}
END_TEST

/* IPv4 alone is for machines without IPv6, not for a port that is taken there: half of
 * the senders would reach somebody else. */
START_TEST(port_taken_in_ipv6_only)
{
	struct sock_req req = tcp_req("::1", AF_INET6);
	struct err e;
	int fd;

	if (!have_ipv6())
		return;
	fd = must_listen(&req);
	req = tcp_req(NULL, AF_UNSPEC);
	req.port = port_of(fd);
	ck_assert_int_eq(sock_listen(&req, &e), -1);
	ck_assert_int_eq(e.sys_errno, EADDRINUSE);
	close(fd);
}
END_TEST

/* A server that was just stopped, with a connection left in TIME_WAIT, starts again. */
START_TEST(port_of_old_connections_is_free)
{
	struct sock_req req = tcp_req("127.0.0.1", AF_UNSPEC);
	int listener = must_listen(&req), out, in;
	struct err e;
	char byte;

	req.port = port_of(listener);
	out = must_connect("127.0.0.1", req.port);
	in = must_accept(listener, NULL);
	close(in);
	ck_assert_int_eq(sock_read(out, &byte, 1, in_ms(5000), NULL, &e), 0);
	close(out);
	close(listener);
	close(must_listen(&req));
}
END_TEST

START_TEST(accept_gives_up_in_time)
{
	struct sock_req req = tcp_req("127.0.0.1", AF_UNSPEC);
	int listener = must_listen(&req);
	uint64_t deadline_ns = in_ms(50);
	struct err e;

	ck_assert_int_eq(sock_accept(listener, deadline_ns, NULL, NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_TIMEOUT);
	ck_assert_str_eq(e.what, "accept");
	ck_assert_uint_ge(mono_now_ns(), deadline_ns);
	close(listener);
	ck_assert_int_eq(sock_accept(listener, in_ms(5000), NULL, NULL, &e), -1);
	ck_assert_int_eq(e.sys_errno, EBADF);
}
END_TEST

/* ---- connect ---------------------------------------------------------------------- */

START_TEST(second_address_after_a_refusal)
{
	struct sock_req req = tcp_req("127.0.0.1", AF_UNSPEC);
	int listener = must_listen(&req), out;
	struct addr peer;
	char buf[ADDR_HOST_MAX];

	out = must_connect("::1 127.0.0.2 127.0.0.1 127.0.0.3", port_of(listener));
	ck_assert_int_eq(addr_peer(out, &peer, NULL), 0);
	ck_assert_str_eq(addr_host(&peer, buf), "127.0.0.1");
	close(out);
	close(listener);
}
END_TEST

/* A listener that no longer answers: its queue is full. Fills fd with what fills it. */
static int mute_listener(const char *host, uint16_t port, int fd[2])
{
	struct sock_req req = tcp_req(host, AF_UNSPEC);
	int listener;

	req.port = port;
	req.backlog = 0;
	listener = must_listen(&req);
	req.port = port_of(listener);
	fd[0] = sock_connect(&req, NS_PER_S, NULL);
	fd[1] = sock_connect(&req, 100 * NS_PER_MS, NULL);
	ck_assert_int_ge(fd[0], 0);
	return listener;
}

START_TEST(silence_has_an_end)
{
	struct sock_req req = tcp_req("127.0.0.1", AF_UNSPEC);
	int full[2], mute = mute_listener("127.0.0.1", 0, full);
	uint64_t start_ns = mono_now_ns(), took_ns;
	struct err e;

	req.port = port_of(mute);
	ck_assert_int_eq(sock_connect(&req, 200 * NS_PER_MS, &e), -1);
	took_ns = mono_now_ns() - start_ns;
	ck_assert_int_eq(e.code, ERR_TIMEOUT);
	ck_assert_int_eq(e.sys_errno, ETIMEDOUT);
	ck_assert_str_eq(e.what, "connect");
	ck_assert_str_eq(e.text, "Connection timed out");
	ck_assert_uint_ge(took_ns, 200 * NS_PER_MS);
	ck_assert_uint_lt(took_ns, 2 * NS_PER_S);
	close(mute);
	close(full[0]);
	close(full[1]);
}
END_TEST

START_TEST(silent_address_leaves_time_for_the_next)
{
	struct sock_req req = tcp_req("127.0.0.1", AF_UNSPEC);
	int listener = must_listen(&req), full[2], mute, out;
	uint64_t start_ns, took_ns;
	struct addr peer;
	struct err e;
	char buf[ADDR_HOST_MAX];

	req.port = port_of(listener);
	mute = mute_listener("127.0.0.2", req.port, full);
	req.host = "127.0.0.2 127.0.0.1";
	start_ns = mono_now_ns();
	out = sock_connect(&req, NS_PER_S, &e);
	took_ns = mono_now_ns() - start_ns;
	ck_assert_msg(out >= 0, "%s: %s", e.what, e.text);
	ck_assert_int_eq(addr_peer(out, &peer, NULL), 0);
	ck_assert_str_eq(addr_host(&peer, buf), "127.0.0.1");
	ck_assert_uint_ge(took_ns, 500 * NS_PER_MS);
	ck_assert_uint_lt(took_ns, NS_PER_S);
	close(out);
	close(listener);
	close(mute);
	close(full[0]);
	close(full[1]);
}
END_TEST

START_TEST(name_without_address)
{
	struct sock_req req = tcp_req("nowhere", AF_UNSPEC);
	struct err e;

	ck_assert_int_eq(sock_connect(&req, NS_PER_S, &e), -1);
	ck_assert_int_eq(e.code, ERR_RESOLVE);
	ck_assert_str_eq(e.what, "bad hostname");
	ck_assert_str_eq(e.text, "nowhere: Name or service not known");
	ck_assert_int_eq(sock_listen(&req, &e), -1);
	ck_assert_int_eq(e.code, ERR_RESOLVE);
	ck_assert_int_eq(sock_connect(&req, NS_PER_S, NULL), -1);
}
END_TEST

START_TEST(local_address_as_asked)
{
	struct sock_req req = tcp_req("127.0.0.1", AF_UNSPEC);
	int listener = must_listen(&req), probe, out, in;
	struct addr from;
	char buf[ADDR_HOST_MAX];
	struct err e;

	req.port = port_of(listener);
	req.bind_host = "127.0.0.3";
	probe = must_listen(&(struct sock_req){.host = "127.0.0.3", .type = SOCK_STREAM});
	req.bind_port = port_of(probe);
	ck_assert_int_eq(sock_connect(&req, NS_PER_S, &e), -1);
	ck_assert_str_eq(e.what, "bind");
	ck_assert_int_eq(e.sys_errno, EADDRINUSE);
	close(probe);
	out = sock_connect(&req, NS_PER_S, &e);
	ck_assert_msg(out >= 0, "%s: %s", e.what, e.text);
	in = must_accept(listener, &from);
	ck_assert_str_eq(addr_host(&from, buf), "127.0.0.3");
	ck_assert_uint_eq(addr_port(&from), req.bind_port);
	close(in);
	close(out);
	close(listener);
	req.bind_host = "::1";
	ck_assert_int_eq(sock_connect(&req, NS_PER_S, &e), -1);
	ck_assert_str_eq(e.what, "bad hostname");
	ck_assert_str_eq(e.text, "::1: is IPv6, but IPv4 was asked for");
}
END_TEST

START_TEST(socket_does_not_meet_itself)
{
	static const int types[] = {SOCK_STREAM, SOCK_DGRAM};

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		struct sock_req req = tcp_req("127.0.0.1", AF_UNSPEC);
		struct err e;
		int probe;

		req.type = types[i];
		probe = must_listen(&req);
		req.port = req.bind_port = port_of(probe);
		close(probe);
		ck_assert_int_eq(sock_connect(&req, NS_PER_S, &e), -1);
		ck_assert_str_eq(e.what, "connect");
		ck_assert_int_eq(e.sys_errno, ECONNREFUSED);
	}
}
END_TEST

START_TEST(device_as_asked)
{
	struct sock_req req = tcp_req("127.0.0.1", AF_UNSPEC);
	struct err e;

	req.opts.bind_dev = "no-such-dev";
	ck_assert_int_eq(sock_listen(&req, &e), -1);
	ck_assert_str_eq(e.what, "setsockopt: bind device");
	ck_assert_int_eq(e.sys_errno, ENODEV);
	req.opts.bind_dev = "lo";
	close(must_listen(&req));
}
END_TEST

/* ---- milestones ------------------------------------------------------------------- */

static void note(void *arg, enum sock_step step)
{
	static const char letters[] = {
		[SOCK_STEP_SOCKET] = 's', [SOCK_STEP_SNDBUF] = '<',
		[SOCK_STEP_RCVBUF] = '>', [SOCK_STEP_NODELAY] = 'd',
		[SOCK_STEP_LISTEN] = 'l', [SOCK_STEP_CONNECT] = 'c',
	};
	const char letter[2] = {letters[step], '\0'};

	strlcat(arg, letter, 32);
}

START_TEST(milestones_in_order)
{
	struct sock_req req = tcp_req("127.0.0.1", AF_UNSPEC);
	char seen[32] = "";
	int listener, out;

	req.step = note;
	req.arg = seen;
	req.opts.rcvbuf_bytes = 20000;
	listener = must_listen(&req);
	ck_assert_str_eq(seen, "s>l");

	seen[0] = '\0';
	req.host = "127.0.0.2 127.0.0.1";
	req.port = port_of(listener);
	req.opts.sndbuf_bytes = 20000;
	req.opts.nodelay = true;
	out = sock_connect(&req, NS_PER_S, NULL);
	ck_assert_int_ge(out, 0);
	ck_assert_str_eq(seen, "s<>ds<>dc");
	close(out);

	seen[0] = '\0';
	req.type = SOCK_DGRAM;
	req.port = 0;
	req.opts = (struct sock_opts){.rcvbuf_bytes = 20000};
	out = must_listen(&req);
	ck_assert_str_eq(seen, "s>");
	ck_assert_int_eq(fcntl(out, F_GETFL) & O_NONBLOCK, 0);
	close(out);
	close(listener);
}
END_TEST

/* ---- stop ------------------------------------------------------------------------- */

/* Trips the stopper after a moment in which the other thread, most likely, got to wait;
 * the outcome is the same if it did not. */
static void *trip_later(void *arg)
{
	poll(NULL, 0, 50);
	stopper_trip(arg, 7);
	return NULL;
}

START_TEST(stopped_while_waiting)
{
	struct sock_req req = tcp_req("127.0.0.1", AF_UNSPEC);
	int full[2], mute = mute_listener("127.0.0.1", 0, full);
	int listener = must_listen(&req);
	struct stopper stop;
	pthread_t thread;
	struct err e;

	ck_assert_int_eq(stopper_init(&stop, &e), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, trip_later, &stop), 0);
	ck_assert_int_eq(sock_accept(listener, MONO_NEVER, &stop, NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_STOPPED);
	ck_assert_str_eq(e.what, "accept");
	pthread_join(thread, NULL);
	stopper_free(&stop);

	ck_assert_int_eq(stopper_init(&stop, &e), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, trip_later, &stop), 0);
	req.stop = &stop;
	req.port = port_of(mute);
	req.host = "127.0.0.1 127.0.0.1";
	ck_assert_int_eq(sock_connect(&req, 0, &e), -1);
	ck_assert_int_eq(e.code, ERR_STOPPED);
	pthread_join(thread, NULL);
	stopper_free(&stop);
	close(listener);
	close(mute);
	close(full[0]);
	close(full[1]);
}
END_TEST

CHECK_MAIN("sock", any_address_takes_both_families, one_family_keeps_the_other_out,
	   without_ipv6_there_is_ipv4, port_taken, port_taken_in_ipv6_only,
	   port_of_old_connections_is_free, accept_gives_up_in_time,
	   second_address_after_a_refusal, silence_has_an_end,
	   silent_address_leaves_time_for_the_next, name_without_address,
	   local_address_as_asked, socket_does_not_meet_itself, device_as_asked,
	   milestones_in_order, stopped_while_waiting)
