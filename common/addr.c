/* SPDX-License-Identifier: BSD-2-Clause */
#include "addr.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

/* A copy with an IPv4-mapped address turned into plain IPv4. */
static struct addr unmapped(const struct addr *a)
{
	struct addr plain = {.len = sizeof(struct sockaddr_in)};
	struct sockaddr_in6 in6;
	struct sockaddr_in in = {.sin_family = AF_INET};

	if (a->ss.ss_family != AF_INET6)
		return *a;
	memcpy(&in6, &a->ss, sizeof(in6));
	if (!IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr))
		return *a;
	in.sin_port = in6.sin6_port;
	memcpy(&in.sin_addr, &in6.sin6_addr.s6_addr[12], sizeof(in.sin_addr));
	memcpy(&plain.ss, &in, sizeof(in));
	return plain;
}

static int lookup(const char *host, uint16_t port, int family, int type, int flags,
		  struct addrinfo **list)
{
	struct addrinfo hints = {
		.ai_family = family,
		.ai_socktype = type,
		.ai_flags = flags | AI_NUMERICSERV,
	};
	char service[sizeof("65535")];

	snprintf(service, sizeof(service), "%u", (unsigned)port);
	return getaddrinfo(host, service, &hints, list);
}

/* The family of a literal address, AF_UNSPEC for a name. */
static int literal_family(const char *host)
{
	struct addrinfo *list;
	int family;

	if (lookup(host, 0, AF_UNSPEC, SOCK_STREAM, AI_NUMERICHOST, &list))
		return AF_UNSPEC;
	family = list->ai_family;
	freeaddrinfo(list);
	return family;
}

static const char *ip_version(int family)
{
	return family == AF_INET6 ? "IPv6" : "IPv4";
}

/* Long names are cut, so that the reason is not. */
#define HOST_SHOWN "%.120s"

static void fill_err(struct err *e, const char *host, int family, int gai, int sys_errno)
{
	const char *what = "bad hostname";
	int literal = family == AF_UNSPEC ? AF_UNSPEC : literal_family(host);
	char buf[64];

	if (literal != AF_UNSPEC && literal != family) {
		err_set(e, ERR_RESOLVE, what, HOST_SHOWN ": is %s, but %s was asked for",
			host, ip_version(literal), ip_version(family));
	} else if (gai == EAI_SYSTEM) {
		err_set(e, ERR_RESOLVE, what, HOST_SHOWN ": %s", host,
			strerror_r(sys_errno, buf, sizeof(buf)));
		if (e)
			e->sys_errno = sys_errno;
	} else {
		err_set(e, ERR_RESOLVE, what, HOST_SHOWN ": %s", host, gai_strerror(gai));
	}
}

struct addrinfo *addr_resolve(const char *host, uint16_t port, int family, int type,
			      struct err *e)
{
	struct addrinfo *list = NULL;
	char inner[256];
	const char *name = host;
	size_t n = host ? strlen(host) : 0;
	int gai;

	if (n > 2 && n - 2 < sizeof(inner) && host[0] == '[' && host[n - 1] == ']') {
		memcpy(inner, host + 1, n - 2);
		inner[n - 2] = '\0';
		name = inner;
	}
	gai = lookup(name, port, family, type, host ? 0 : AI_PASSIVE, &list);
	if (gai) {
		fill_err(e, name ? name : "any address", family, gai, errno);
		return NULL;
	}
	return list;
}

const char *addr_host(const struct addr *a, char buf[static ADDR_HOST_MAX])
{
	struct addr plain = unmapped(a);
	int family = plain.ss.ss_family;

	if ((family != AF_INET && family != AF_INET6) ||
	    getnameinfo((const struct sockaddr *)&plain.ss, plain.len, buf, ADDR_HOST_MAX,
			NULL, 0, NI_NUMERICHOST))
		strlcpy(buf, "?", ADDR_HOST_MAX);
	return buf;
}

uint16_t addr_port(const struct addr *a)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	switch (a->ss.ss_family) {
	case AF_INET:
		memcpy(&in, &a->ss, sizeof(in));
		return ntohs(in.sin_port);
	case AF_INET6:
		memcpy(&in6, &a->ss, sizeof(in6));
		return ntohs(in6.sin6_port);
	default:
		return 0;
	}
}

void addr_set_port(struct addr *a, uint16_t port)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	switch (a->ss.ss_family) {
	case AF_INET:
		memcpy(&in, &a->ss, sizeof(in));
		in.sin_port = htons(port);
		memcpy(&a->ss, &in, sizeof(in));
		break;
	case AF_INET6:
		memcpy(&in6, &a->ss, sizeof(in6));
		in6.sin6_port = htons(port);
		memcpy(&a->ss, &in6, sizeof(in6));
		break;
	default:
		break;
	}
}

int addr_family(const struct addr *a)
{
	return unmapped(a).ss.ss_family;
}

bool addr_equal(const struct addr *a, const struct addr *b)
{
	struct addr x = unmapped(a), y = unmapped(b);
	struct sockaddr_in x4, y4;
	struct sockaddr_in6 x6, y6;

	if (x.ss.ss_family != y.ss.ss_family)
		return false;
	switch (x.ss.ss_family) {
	case AF_INET:
		memcpy(&x4, &x.ss, sizeof(x4));
		memcpy(&y4, &y.ss, sizeof(y4));
		return x4.sin_port == y4.sin_port &&
		       x4.sin_addr.s_addr == y4.sin_addr.s_addr;
	case AF_INET6:
		memcpy(&x6, &x.ss, sizeof(x6));
		memcpy(&y6, &y.ss, sizeof(y6));
		return x6.sin6_port == y6.sin6_port &&
		       x6.sin6_scope_id == y6.sin6_scope_id &&
		       IN6_ARE_ADDR_EQUAL(&x6.sin6_addr, &y6.sin6_addr);
	default:
		return false;
	}
}

struct addr addr_of(const struct sockaddr *sa, socklen_t len)
{
	struct addr a = {.len = len};

	if (a.len > sizeof(a.ss))
		a.len = sizeof(a.ss);
	memcpy(&a.ss, sa, a.len);
	return a;
}

int addr_local(int fd, struct addr *a, struct err *e)
{
	*a = (struct addr){.len = sizeof(a->ss)};
	if (getsockname(fd, (struct sockaddr *)&a->ss, &a->len) < 0)
		return err_sys(e, "getsockname");
	return 0;
}

int addr_peer(int fd, struct addr *a, struct err *e)
{
	*a = (struct addr){.len = sizeof(a->ss)};
	if (getpeername(fd, (struct sockaddr *)&a->ss, &a->len) < 0)
		return err_sys(e, "getpeername");
	return 0;
}
