/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <unistd.h>

#include "addr.h"
#include "check_main.h"

static struct addr first(const char *host, uint16_t port, int family)
{
	struct err e;
	struct addrinfo *list = addr_resolve(host, port, family, SOCK_STREAM, &e);
	struct addr a;

	ck_assert_msg(list != NULL, "%s: %s", host, e.text);
	a = addr_of(list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	return a;
}

static const struct {
	const char *host;
	int family, got_family;
	const char *shown;
} good[] = {
	{"127.0.0.1", AF_UNSPEC, AF_INET, "127.0.0.1"},
	{"127.1", AF_UNSPEC, AF_INET, "127.0.0.1"},
	{"[127.0.0.1]", AF_INET, AF_INET, "127.0.0.1"},
	{"::1", AF_UNSPEC, AF_INET6, "::1"},
	{"[::1]", AF_INET6, AF_INET6, "::1"},
	{"::ffff:192.0.2.7", AF_UNSPEC, AF_INET, "192.0.2.7"},
	{"::ffff:192.0.2.7", AF_INET, AF_INET, "192.0.2.7"},
	{"fe80::1%lo", AF_UNSPEC, AF_INET6, "fe80::1%lo"},
	{"[fe80::1%lo]", AF_UNSPEC, AF_INET6, "fe80::1%lo"},
	{"localhost", AF_INET, AF_INET, "127.0.0.1"},
	{NULL, AF_INET, AF_INET, "0.0.0.0"},
	{NULL, AF_INET6, AF_INET6, "::"},
};

START_TEST(resolves_what_people_type)
{
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		char buf[ADDR_HOST_MAX];
		struct addr a = first(good[i].host, 5001, good[i].family);

		ck_assert_str_eq(addr_host(&a, buf), good[i].shown);
		ck_assert_int_eq(addr_family(&a), good[i].got_family);
		ck_assert_uint_eq(addr_port(&a), 5001);
	}
}
END_TEST

static const struct {
	const char *host;
	int family;
	const char *text;
} bad[] = {
	{"::1", AF_INET, "::1: is IPv6, but IPv4 was asked for"},
	{"[fe80::1%lo]", AF_INET, "fe80::1%lo: is IPv6, but IPv4 was asked for"},
	{"127.0.0.1", AF_INET6, "127.0.0.1: is IPv4, but IPv6 was asked for"},
	{"fe80::1%no-such-if", AF_UNSPEC,
	 "fe80::1%no-such-if: Name or service not known"},
	{"", AF_UNSPEC, ": Name or service not known"},
	{"[]", AF_UNSPEC, "[]: Name or service not known"},
};

START_TEST(says_why_not)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e;

		ck_assert_ptr_null(
			addr_resolve(bad[i].host, 1, bad[i].family, SOCK_STREAM, &e));
		ck_assert_int_eq(e.code, ERR_RESOLVE);
		ck_assert_str_eq(e.what, "bad hostname");
		ck_assert_str_eq(e.text, bad[i].text);
	}
}
END_TEST

/* A resolver that is cut off says "temporary failure", a working one "not known". Either
 * way it was asked: the name is no number, though it begins with a digit. */
START_TEST(name_may_begin_with_a_digit)
{
	struct err e;

	ck_assert_ptr_null(addr_resolve("3com.invalid", 1, AF_UNSPEC, SOCK_STREAM, &e));
	ck_assert_int_eq(strncmp(e.text, "3com.invalid: ", 14), 0);
	ck_assert_uint_gt(strlen(e.text), 14);
	ck_assert_ptr_null(addr_resolve("3com.invalid", 1, AF_UNSPEC, SOCK_STREAM, NULL));
}
END_TEST

START_TEST(reason_survives_a_long_name)
{
	struct err e;
	char name[1000];

	memset(name, 'x', sizeof(name) - 1);
	name[0] = '[';
	name[sizeof(name) - 2] = ']';
	name[sizeof(name) - 1] = '\0';
	ck_assert_ptr_null(addr_resolve(name, 1, AF_UNSPEC, SOCK_STREAM, &e));
	ck_assert_ptr_nonnull(strstr(e.text, "x: "));
}
END_TEST

START_TEST(compares_across_mapping)
{
	struct addr v4 = first("127.0.0.1", 80, AF_UNSPEC);
	struct addr mapped = first("::ffff:127.0.0.1", 80, AF_INET6);
	struct addr other = first("127.0.0.2", 80, AF_UNSPEC);
	struct addr v6 = first("fe80::1", 80, AF_UNSPEC);
	struct addr scoped = first("fe80::1%lo", 80, AF_UNSPEC);
	struct addr none = {.len = 0};
	char buf[ADDR_HOST_MAX];

	ck_assert_int_eq(mapped.ss.ss_family, AF_INET6);
	ck_assert(addr_equal(&v4, &mapped));
	ck_assert(addr_equal(&mapped, &v4));
	ck_assert(!addr_equal(&v4, &other));
	ck_assert(!addr_equal(&v4, &v6));
	ck_assert(addr_equal(&v6, &v6));
	ck_assert(!addr_equal(&v6, &scoped));
	ck_assert(!addr_equal(&none, &none));
	addr_set_port(&mapped, 81);
	ck_assert(!addr_equal(&v4, &mapped));
	addr_set_port(&v4, 81);
	ck_assert(addr_equal(&v4, &mapped));
	ck_assert_str_eq(addr_host(&mapped, buf), "127.0.0.1");
	ck_assert_str_eq(addr_host(&none, buf), "?");
	ck_assert_uint_eq(addr_port(&none), 0);
	addr_set_port(&none, 7);
}
END_TEST

START_TEST(longest_address_fits)
{
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_scope_id = UINT32_MAX};
	char buf[ADDR_HOST_MAX];
	struct addr a;

	memset(&in6.sin6_addr, 0xfe, sizeof(in6.sin6_addr));
	a = addr_of((const struct sockaddr *)&in6, sizeof(in6));
	ck_assert_str_eq(addr_host(&a, buf),
			 "fefe:fefe:fefe:fefe:fefe:fefe:fefe:fefe%4294967295");
}
END_TEST

START_TEST(both_ends_of_a_socket)
{
	struct addr to = first("127.0.0.1", 9, AF_INET), local, peer;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char buf[ADDR_HOST_MAX];
	struct err e;

	ck_assert_int_eq(addr_peer(fd, &peer, &e), -1);
	ck_assert_int_eq(e.sys_errno, ENOTCONN);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&to.ss, to.len), 0);
	ck_assert_int_eq(addr_peer(fd, &peer, &e), 0);
	ck_assert_int_eq(addr_local(fd, &local, &e), 0);
	ck_assert(addr_equal(&peer, &to));
	ck_assert_str_eq(addr_host(&local, buf), "127.0.0.1");
	ck_assert_uint_ne(addr_port(&local), 0);
	close(fd);
	ck_assert_int_eq(addr_local(fd, &local, &e), -1);
	ck_assert_str_eq(e.what, "getsockname");
}
END_TEST

CHECK_MAIN("addr", resolves_what_people_type, says_why_not, name_may_begin_with_a_digit,
	   reason_survives_a_long_name, compares_across_mapping, longest_address_fits,
	   both_ends_of_a_socket)
