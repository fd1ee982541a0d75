/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Two connected TCP sockets on loopback, for tests. */
#ifndef TCP_PAIR_H
#define TCP_PAIR_H

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static inline void tcp_pair(int ends[2])
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_ge(listener, 0);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&a, sizeof(a)), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
	ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&a, &len), 0);
	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(connect(ends[0], (struct sockaddr *)&a, sizeof(a)), 0);
	ends[1] = accept(listener, NULL, NULL);
	ck_assert_int_ge(ends[1], 0);
	close(listener);
}

#endif
