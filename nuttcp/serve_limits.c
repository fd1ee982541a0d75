/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "serve.h"

int nut_serve_limits(const struct nut_conf *c, const struct nut_params *p, char *text,
		     size_t size)
{
	const struct nut_limits *l = &c->limits;
	char letter = p->trans ? 'r' : 't';

	if (l->streams && p->nstream > l->streams) {
		snprintf(text, size,
			 "nuttcp-%c: v" NUT_VERSION_TEXT
			 ": this server allows %lld stream%s\n",
			 letter, (long long)l->streams, l->streams == 1 ? "" : "s");
		return -1;
	}
	if (l->rate_kbps && (p->rate_kbps == 0 || p->rate_kbps > l->rate_kbps)) {
		snprintf(text, size,
			 "nuttcp-%c: v" NUT_VERSION_TEXT
			 ": this server allows -R%llu (kbps) at most\n",
			 letter, (unsigned long long)l->rate_kbps);
		return -1;
	}
	if (l->duration_s > 0 && p->timeout_s > l->duration_s) {
		snprintf(text, size,
			 "nuttcp-%c: v" NUT_VERSION_TEXT
			 ": this server allows -T%g at most\n",
			 letter, l->duration_s);
		return -1;
	}
	return 0;
}

/* The bytes of an address, IPv4 for a mapped one. Returns how many. */
static size_t bytes_of(const struct addr *a, unsigned char out[16])
{
	if (a->ss.ss_family == AF_INET) {
		memcpy(out, &((const struct sockaddr_in *)&a->ss)->sin_addr, 4);
		return 4;
	}
	memcpy(out, &((const struct sockaddr_in6 *)&a->ss)->sin6_addr, 16);
	if (addr_family(a) != AF_INET)
		return 16;
	memmove(out, out + 12, 4);
	return 4;
}

static bool inside(const char *net, const unsigned char *a, size_t len)
{
	unsigned char base[16];
	char host[64];
	const char *slash = strchr(net, '/');
	size_t bits = len * 8;

	strlcpy(host, net, sizeof(host));
	host[strcspn(host, "/")] = '\0';
	if (inet_pton(len == 4 ? AF_INET : AF_INET6, host, base) != 1)
		return false;
	if (slash)
		bits = (size_t)strtoul(slash + 1, NULL, 10);
	if (memcmp(base, a, bits / 8) != 0)
		return false;
	return bits % 8 == 0 || ((base[bits / 8] ^ a[bits / 8]) >> (8 - bits % 8)) == 0;
}

bool nut_serve_allowed(const struct nut_conf *c, const struct addr *client)
{
	unsigned char a[16];
	size_t len = bytes_of(client, a);

	for (int i = 0; i < c->limits.net_count; i++) {
		if (inside(c->limits.nets[i], a, len))
			return true;
	}
	return c->limits.net_count == 0;
}
