/* SPDX-License-Identifier: BSD-2-Clause */
#include "multicast.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "sockopt.h"

void nut_multicast_group(const struct addr *client, bool ssm, struct addr *group)
{
	*group = *client;
	if (client->ss.ss_family == AF_INET) {
		struct sockaddr_in *in = (struct sockaddr_in *)&group->ss;
		uint32_t low = ntohl(in->sin_addr.s_addr) & 0xffffff;

		in->sin_addr.s_addr = htonl((ssm ? 232u : 231u) << 24 | low);
	} else {
		static const unsigned char any[8] = {0xff, 0x2e};
		static const unsigned char one[13] = {0xff, 0x3e, [12] = 0x80};
		struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&group->ss;

		memcpy(in6->sin6_addr.s6_addr, ssm ? one : any,
		       ssm ? sizeof(one) : sizeof(any));
	}
}

static void choose_group(struct nut_flow *f, struct addr *group)
{
	const struct nut_params *p = f->c.p;
	const struct addr *client = f->c.server ? &f->c.peer : &f->c.local;
	const struct addr *sender = f->c.transmit ? &f->c.local : &f->c.peer;
	char text[ADDR_HOST_MAX];

	nut_multicast_group(client, p->ssm > 0, group);
	if (p->group[0] && group->ss.ss_family == AF_INET)
		inet_pton(AF_INET, p->group,
			  &((struct sockaddr_in *)&group->ss)->sin_addr);
	else if (p->group[0])
		inet_pton(AF_INET6, p->group,
			  &((struct sockaddr_in6 *)&group->ss)->sin6_addr);
	addr_set_port(group, (uint16_t)p->port);
	strlcpy(f->group, addr_host(group, text), sizeof(f->group));
	strlcpy(f->source, addr_host(sender, text), sizeof(f->source));
}

static int join(int fd, const struct addr *group, const struct addr *source, bool ssm)
{
	bool six = group->ss.ss_family == AF_INET6;
	int level = six ? IPPROTO_IPV6 : IPPROTO_IP;
	struct group_req any = {.gr_group = group->ss};
	struct group_source_req one = {.gsr_group = group->ss, .gsr_source = source->ss};

	if (six)
		any.gr_interface = one.gsr_interface =
			((const struct sockaddr_in6 *)&source->ss)->sin6_scope_id;
	return ssm ? setsockopt(fd, level, MCAST_JOIN_SOURCE_GROUP, &one, sizeof(one))
		   : setsockopt(fd, level, MCAST_JOIN_GROUP, &any, sizeof(any));
}

int nut_multicast_join(struct nut_flow *f, struct err *e)
{
	struct addr group;

	choose_group(f, &group);
	/* Through the interface that has the control connection, for any-source IPv4. */
	if (group.ss.ss_family == AF_INET && f->c.p->ssm <= 0) {
		struct ip_mreq m = {
			.imr_multiaddr = ((struct sockaddr_in *)&group.ss)->sin_addr,
			.imr_interface = ((struct sockaddr_in *)&f->c.local.ss)->sin_addr,
		};

		if (setsockopt(f->fd[0], IPPROTO_IP, IP_ADD_MEMBERSHIP, &m, sizeof(m)) <
		    0)
			return err_sys(e, "setsockopt: multicast");
		return 0;
	}
	if (join(f->fd[0], &group, &f->c.peer, f->c.p->ssm > 0) < 0)
		return err_sys(e, "setsockopt: multicast");
	return 0;
}

static int set_sender(const struct nut_flow *f, int fd, struct err *e)
{
	int ttl = (int)f->c.p->ttl;

	if (f->c.family == AF_INET6)
		return sockopt_int(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, ttl,
				   "setsockopt: multicast", e);
	if (setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF,
		       &((const struct sockaddr_in *)&f->c.local.ss)->sin_addr,
		       sizeof(struct in_addr)) < 0)
		return err_sys(e, "setsockopt: multicast");
	return sockopt_int(fd, IPPROTO_IP, IP_MULTICAST_TTL, ttl, "setsockopt: multicast",
			   e);
}

int nut_multicast_sender(struct nut_flow *f, struct err *e)
{
	const struct sock_opts opts = {.tos = (int)f->c.p->tos,
				       .sndbuf_bytes = (int)f->c.p->win_bytes};
	struct addr group, local = f->c.local;

	choose_group(f, &group);
	f->group_fd = socket(f->c.family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (f->group_fd < 0)
		return err_sys(e, "socket");
	addr_set_port(&local, 0);
	/* The receiver may want this very source address. */
	if (bind(f->group_fd, (struct sockaddr *)&local.ss, local.len) < 0)
		return err_sys(e, "bind");
	if (sockopt_apply(f->group_fd, f->c.family, &opts, NULL, e) < 0 ||
	    set_sender(f, f->group_fd, e) < 0)
		return -1;
	if (connect(f->group_fd, (struct sockaddr *)&group.ss, group.len) < 0)
		return err_sys(e, "connect");
	return 0;
}
