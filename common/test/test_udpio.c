/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "sock.h"
#include "udpio.h"

/* send(2) as the kernel has it, with a device queue that is full full_times. */
static int full_times;

ssize_t send(int fd, const void *buf, size_t len, int flags)
{
	if (full_times > 0) {
		full_times--;
		errno = ENOBUFS;
		return -1;
	}
	return sendto(fd, buf, len, flags, NULL, 0);
}

static uint64_t in_ms(uint64_t ms)
{
	return mono_now_ns() + ms * NS_PER_MS;
}

/* A receiver on loopback and a socket connected to it. */
static void udp_pair(int *out, int *in)
{
	struct sock_req req = {.host = "127.0.0.1", .type = SOCK_DGRAM};
	struct addr local;
	struct err e;

	*in = sock_listen(&req, &e);
	ck_assert_msg(*in >= 0, "%s: %s", e.what, e.text);
	ck_assert_int_eq(addr_local(*in, &local, &e), 0);
	req.port = addr_port(&local);
	*out = sock_connect(&req, NS_PER_S, &e);
	ck_assert_msg(*out >= 0, "%s: %s", e.what, e.text);
}

START_TEST(length_is_the_real_one)
{
	char buf[16] = "";
	struct addr from, local;
	uint64_t tries = 0;
	struct err e;
	int out, in;

	udp_pair(&out, &in);
	ck_assert_int_eq(udp_send(out, "hello", 5, NULL, &tries, &e), 0);
	ck_assert_int_eq(udp_send(out, "0123456789", 10, NULL, &tries, &e), 0);
	ck_assert_int_eq(udp_send(out, "", 0, NULL, NULL, &e), 0);
	ck_assert_uint_eq(tries, 2);
	ck_assert_int_eq(
		udp_recv(in, buf, sizeof(buf), in_ms(5000), NULL, &from, NULL, &e), 5);
	ck_assert_str_eq(buf, "hello");
	ck_assert_int_eq(addr_local(out, &local, &e), 0);
	ck_assert(addr_equal(&from, &local));
	ck_assert_int_eq(udp_recv(in, buf, 4, in_ms(5000), NULL, NULL, NULL, &e), 10);
	ck_assert_str_eq(buf, "0123o");
	/* What is there is taken even when the deadline has passed. */
	ck_assert_int_eq(udp_recv(in, buf, 4, 0, NULL, NULL, NULL, &e), 0);
	close(out);
	close(in);
}
END_TEST

START_TEST(largest_and_too_large)
{
	static char big[UDP_PAYLOAD_MAX + 1];
	uint64_t tries = 0;
	struct err e;
	int out, in;

	udp_pair(&out, &in);
	ck_assert_int_eq(udp_send(out, big, UDP_PAYLOAD_MAX, NULL, &tries, &e), 0);
	ck_assert_int_eq(
		udp_recv(in, big, sizeof(big), in_ms(5000), NULL, NULL, NULL, &e),
		UDP_PAYLOAD_MAX);
	ck_assert_int_eq(udp_send(out, big, sizeof(big), NULL, &tries, &e), -1);
	ck_assert_int_eq(e.code, ERR_SYS);
	ck_assert_int_eq(e.sys_errno, EMSGSIZE);
	ck_assert_str_eq(e.what, "send");
	ck_assert_uint_eq(tries, 2);
	close(out);
	close(in);
}
END_TEST

START_TEST(nobody_there)
{
	char byte;
	struct err e;
	int out, in;

	udp_pair(&out, &in);
	close(in);
	ck_assert_int_eq(udp_send(out, "x", 1, NULL, NULL, &e), 0);
	ck_assert_int_eq(udp_send(out, "x", 1, NULL, NULL, &e), -1);
	ck_assert_int_eq(e.sys_errno, ECONNREFUSED);
	ck_assert_int_eq(udp_send(out, "x", 1, NULL, NULL, &e), 0);
	ck_assert_int_eq(udp_recv(out, &byte, 1, in_ms(5000), NULL, NULL, NULL, &e), -1);
	ck_assert_int_eq(e.sys_errno, ECONNREFUSED);
	ck_assert_str_eq(e.what, "recv");
	close(out);
}
END_TEST

START_TEST(full_device_queue_is_waited_out)
{
	uint64_t tries = 0, start_ns = mono_now_ns();
	struct stopper stop;
	char byte = 0;
	struct err e;
	int out, in;

	udp_pair(&out, &in);
	full_times = 3;
	ck_assert_int_eq(udp_send(out, "x", 1, NULL, &tries, &e), 0);
	ck_assert_uint_eq(tries, 4);
	ck_assert_uint_ge(mono_now_ns() - start_ns, 54 * NS_PER_MS);
	ck_assert_int_eq(udp_recv(in, &byte, 1, in_ms(5000), NULL, NULL, NULL, &e), 1);

	full_times = INT32_MAX;
	ck_assert_int_eq(stopper_init(&stop, &e), 0);
	stopper_trip(&stop, 1);
	ck_assert_int_eq(udp_send(out, "x", 1, &stop, &tries, &e), -1);
	ck_assert_int_eq(e.code, ERR_STOPPED);
	full_times = 0;
	/* Not even what is there already: a flood must not keep a stopped receiver. */
	ck_assert_int_eq(udp_send(out, "x", 1, NULL, &tries, &e), 0);
	ck_assert_int_eq(udp_recv(in, &byte, 1, MONO_NEVER, &stop, NULL, NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_STOPPED);
	stopper_free(&stop);
	close(out);
	close(in);
}
END_TEST

/* A datagram socket whose peer reads nothing blocks: here a child reads after a while. */
START_TEST(full_socket_is_waited_out)
{
	uint64_t tries = 0;
	int fd[2], sent = 0;
	struct err e;
	char byte = 0;
	pid_t reader;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fd), 0);
	while (sendto(fd[0], "x", 1, MSG_DONTWAIT, NULL, 0) == 1)
		sent++;
	ck_assert_int_gt(sent, 0);
	ck_assert_int_eq(errno, EAGAIN);
	reader = fork();
	if (reader == 0) {
		poll(NULL, 0, 50);
		while (sent-- > 0 && recv(fd[1], &byte, 1, 0) == 1)
			;
		_exit(sent > 0);
	}
	ck_assert_int_eq(udp_send(fd[0], "y", 1, NULL, &tries, &e), 0);
	ck_assert_uint_eq(tries, 1);
	ck_assert_int_eq(waitpid(reader, NULL, 0), reader);
	ck_assert_int_eq(udp_recv(fd[1], &byte, 1, in_ms(5000), NULL, NULL, NULL, &e), 1);
	ck_assert_int_eq(byte, 'y');
	close(fd[0]);
	close(fd[1]);
}
END_TEST

START_TEST(gives_up_in_time)
{
	uint64_t deadline_ns;
	struct err e;
	char byte;
	int out, in;

	udp_pair(&out, &in);
	deadline_ns = in_ms(30);
	ck_assert_int_eq(udp_recv(in, &byte, 1, deadline_ns, NULL, NULL, NULL, &e), -1);
	ck_assert_int_eq(e.code, ERR_TIMEOUT);
	ck_assert_str_eq(e.what, "recv");
	ck_assert_uint_ge(mono_now_ns(), deadline_ns);
	close(out);
	close(in);
}
END_TEST

/* Send, let it lie, read: how long after sending did it arrive? */
static uint64_t arrived_after_ns(int out, int in, uint64_t lie_ns)
{
	uint64_t sent_ns = mono_now_ns(), rx_ns = 0;
	struct err e;
	char byte;

	ck_assert_int_eq(udp_send(out, "x", 1, NULL, NULL, &e), 0);
	while (mono_sleep_until_ns(sent_ns + lie_ns) < 0)
		;
	ck_assert_int_eq(udp_recv(in, &byte, 1, in_ms(5000), NULL, NULL, &rx_ns, &e), 1);
	ck_assert_uint_le(rx_ns, mono_now_ns());
	/* The two clocks are not read in the same instant. */
	ck_assert_uint_ge(rx_ns + NS_PER_MS, sent_ns);
	return mono_since_ns(sent_ns, rx_ns);
}

START_TEST(kernel_tells_the_arrival)
{
	const uint64_t lie_ns = 40 * NS_PER_MS;
	uint64_t after_ns = lie_ns;
	struct err e;
	int out, in;

	udp_pair(&out, &in);
	ck_assert_uint_ge(arrived_after_ns(out, in, lie_ns), lie_ns);
	ck_assert_int_eq(udp_stamp(in, &e), 0);
	for (int i = 0; i < 50 && after_ns >= lie_ns / 2; i++)
		after_ns = arrived_after_ns(out, in, lie_ns);
	ck_assert_uint_lt(after_ns, lie_ns / 2);
	close(out);
	close(in);
	ck_assert_int_eq(udp_stamp(in, &e), -1);
	ck_assert_str_eq(e.what, "setsockopt: timestamp");
}
END_TEST

CHECK_MAIN("udpio", length_is_the_real_one, largest_and_too_large, nobody_there,
	   full_device_queue_is_waited_out, full_socket_is_waited_out, gives_up_in_time,
	   kernel_tells_the_arrival)
