/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names and addresses: resolve, compare, print. IPv4-mapped IPv6 addresses are always
 * shown as plain IPv4. */
#ifndef ADDR_H
#define ADDR_H

#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "err.h"

#define ADDR_HOST_MAX 64 /* "fe80::...%interface" with its NUL */

struct addr {
	struct sockaddr_storage ss;
	socklen_t len;
};

/* Addresses of host in the resolver's order (RFC 6724). host may be a name, a literal,
 * a literal in brackets, or "fe80::1%eth0"; NULL is the wildcard for listening. family:
 * AF_UNSPEC, AF_INET, AF_INET6. type: SOCK_STREAM or SOCK_DGRAM. Returns a list for
 * freeaddrinfo(), or NULL with e filled (what "bad hostname", text "NAME: reason"). */
struct addrinfo *addr_resolve(const char *host, uint16_t port, int family, int type,
			      struct err *e);

/* The number without port; "?" for a family that is not IP. buf is returned. */
const char *addr_host(const struct addr *a, char buf[static ADDR_HOST_MAX]);
uint16_t addr_port(const struct addr *a);
void addr_set_port(struct addr *a, uint16_t port);

/* AF_INET for an IPv4-mapped address. */
int addr_family(const struct addr *a);

/* Same host and port; IPv4 and its mapped form are the same. */
bool addr_equal(const struct addr *a, const struct addr *b);

struct addr addr_of(const struct sockaddr *sa, socklen_t len);

/* Both ends of a connected socket. Return 0 or -1 with e filled. */
int addr_local(int fd, struct addr *a, struct err *e);
int addr_peer(int fd, struct addr *a, struct err *e);

#endif
