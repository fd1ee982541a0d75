/* SPDX-License-Identifier: BSD-2-Clause
 *
 * RFC 6458, one-to-one style. */
#include "sctp.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sock.h"

#if __has_include(<linux/sctp.h>)
#include <linux/sctp.h>

/* Several local addresses: the first one picks the port, the others follow it. */
static int add_address(int fd, int family, const char *name, struct err *e)
{
	struct addr local;
	struct addrinfo *list;
	uint16_t port = 0;
	int rc = 0;

	if (addr_local(fd, &local, NULL) == 0)
		port = addr_port(&local);
	list = addr_resolve(name, port, family, SOCK_STREAM, e);
	if (!list)
		return -1;
	if (setsockopt(fd, IPPROTO_SCTP, SCTP_SOCKOPT_BINDX_ADD, list->ai_addr,
		       list->ai_addrlen) < 0)
		rc = err_sys(e, "bind");
	freeaddrinfo(list);
	return rc;
}

int i3_sctp_setup(void *session, int fd, int family, struct err *e)
{
	const struct i3_session *s = session;
	const struct i3_conf *c = s->conf;
	struct sctp_initmsg init = {.sinit_num_ostreams = (uint16_t)c->sctp_streams};

	if (s->test.nodelay &&
	    sockopt_int(fd, IPPROTO_SCTP, SCTP_NODELAY, 1, "setsockopt: nodelay", e) < 0)
		return -1;
	if (s->test.mss_bytes && sockopt_int(fd, IPPROTO_SCTP, SCTP_MAXSEG,
					     s->test.mss_bytes, "setsockopt: mss", e) < 0)
		return -1;
	if (c->sctp_streams &&
	    setsockopt(fd, IPPROTO_SCTP, SCTP_INITMSG, &init, sizeof(init)) < 0)
		return err_sys(e, "setsockopt: sctp init");
	for (size_t i = 0; i < c->xbind_count; i++)
		if (add_address(fd, family, c->xbind[i], e) < 0)
			return -1;
	return 0;
}
#else
int i3_sctp_setup(void *session, int fd, int family, struct err *e)
{
	(void)session, (void)fd, (void)family;
	return err_set(e, ERR_UNSUPPORTED, "socket", "built without SCTP");
}
#endif

int i3_sctp_listen(struct i3_session *s)
{
	struct sock_req req = {
		.host = s->conf->bind_host,
		.port = s->conf->port,
		.family = s->conf->family,
		.type = SOCK_STREAM,
		.protocol = IPPROTO_SCTP,
		.backlog = I3_STREAMS_MAX,
		.opts = {.bind_dev = s->conf->bind_dev},
		.setup = i3_sctp_setup,
		.arg = s,
	};
	struct err e;
	int fd = sock_listen(&req, &e);

	return fd < 0 ? i3_session_sock_fault(s, I3_F_STREAM_LISTEN, &e) : fd;
}
