/* SPDX-License-Identifier: BSD-2-Clause */
#include "udpbatch.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#ifndef SOL_UDP
#define SOL_UDP 17
#endif
#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

#define OLD_GSO_MAX 64     /* datagrams a call that older kernels take */
#define PLAIN_MAX   64     /* messages of one sendmmsg() */
#define RX_SLOTS    16     /* messages of one recvmmsg() */
#define RX_BYTES    65536u /* of one message */
/* Odd, so that the heads of all slots don't share a few lines of the cache. */
#define RX_STRIDE (RX_BYTES + 1344u)

/* ---- send ---- */

int udp_tx_init(struct udp_tx *t, int fd, size_t len, unsigned most, bool gso,
		struct err *e)
{
	unsigned fits = (unsigned)(UDPBATCH_GSO_BYTES / len);

	if (gso && fits < 2)
		gso = false;
	if (gso && most > fits)
		most = fits;
	if (most > (gso ? UDPBATCH_GSO_MAX : PLAIN_MAX))
		most = gso ? UDPBATCH_GSO_MAX : PLAIN_MAX;
	if (most == 0)
		most = 1;
	*t = (struct udp_tx){.fd = fd, .len = len, .most = most, .gso = gso};
	t->row = calloc(most, len);
	return t->row ? 0 : err_sys(e, "calloc");
}

void udp_tx_free(struct udp_tx *t)
{
	free(t->row);
	t->row = NULL;
}

static bool queue_full(int error)
{
	return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS ||
	       error == EINTR;
}

static int send_cut(struct udp_tx *t, unsigned n)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(uint16_t))] = {0};
	struct iovec iov = {.iov_base = t->row, .iov_len = n * t->len};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	uint16_t size = (uint16_t)t->len;

	c->cmsg_level = SOL_UDP;
	c->cmsg_type = UDP_SEGMENT;
	c->cmsg_len = CMSG_LEN(sizeof(size));
	memcpy(CMSG_DATA(c), &size, sizeof(size));
	return sendmsg(t->fd, &msg, MSG_DONTWAIT) < 0 ? -1 : (int)n;
}

static int send_plain(struct udp_tx *t, unsigned n)
{
	struct mmsghdr msgs[PLAIN_MAX];
	struct iovec iov[PLAIN_MAX];

	if (n > PLAIN_MAX)
		n = PLAIN_MAX;
	if (n == 1)
		return send(t->fd, t->row, t->len, MSG_DONTWAIT) < 0 ? -1 : 1;
	memset(msgs, 0, n * sizeof(msgs[0]));
	for (unsigned i = 0; i < n; i++) {
		iov[i] = (struct iovec){udp_tx_at(t, i), t->len};
		msgs[i].msg_hdr.msg_iov = &iov[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	return sendmmsg(t->fd, msgs, n, MSG_DONTWAIT);
}

/* The kernel or the path refuses to cut: fewer at once, then none at all. */
static void cut_less(struct udp_tx *t, unsigned n)
{
	if (n > OLD_GSO_MAX)
		t->most = OLD_GSO_MAX;
	else
		t->gso = false;
}

int udp_tx_send(struct udp_tx *t, unsigned n)
{
	int sent = -1;

	if (n > t->most)
		n = t->most;
	while (t->gso && n > 1) {
		sent = send_cut(t, n);
		if (sent >= 0 || queue_full(errno))
			return sent < 0 ? 0 : sent;
		if (errno != EINVAL && errno != EMSGSIZE && errno != EIO &&
		    errno != EOPNOTSUPP)
			return -1;
		cut_less(t, n);
		if (n > t->most)
			n = t->most;
	}
	sent = send_plain(t, n);
	if (sent < 0 && queue_full(errno))
		return 0;
	return sent;
}

/* ---- receive ---- */

struct udp_rx {
	unsigned char *buf;
	struct mmsghdr msgs[RX_SLOTS];
	struct iovec iov[RX_SLOTS];
	_Alignas(struct cmsghdr) char control[RX_SLOTS][CMSG_SPACE(sizeof(int))];
};

struct udp_rx *udp_rx_new(struct err *e)
{
	struct udp_rx *r = calloc(1, sizeof(*r));

	if (r)
		r->buf = malloc((size_t)RX_SLOTS * RX_STRIDE);
	if (!r || !r->buf) {
		free(r);
		err_sys(e, "malloc");
		return NULL;
	}
	for (size_t i = 0; i < RX_SLOTS; i++) {
		struct msghdr *m = &r->msgs[i].msg_hdr;

		r->iov[i] = (struct iovec){r->buf + i * RX_STRIDE, RX_BYTES};
		m->msg_iov = &r->iov[i];
		m->msg_iovlen = 1;
		m->msg_control = r->control[i];
	}
	return r;
}

void udp_rx_free(struct udp_rx *r)
{
	if (r)
		free(r->buf);
	free(r);
}

bool udp_rx_join(int fd)
{
	int on = 1;

	return setsockopt(fd, SOL_UDP, UDP_GRO, &on, sizeof(on)) == 0;
}

/* Length of the joined datagrams, or the whole when they were not joined. */
static size_t part_bytes(struct msghdr *m, size_t whole)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		int size;

		if (c->cmsg_level != SOL_UDP || c->cmsg_type != UDP_GRO)
			continue;
		memcpy(&size, CMSG_DATA(c), sizeof(size));
		if (size > 0)
			return (size_t)size;
	}
	return whole;
}

static int split(struct udp_rx *r, size_t slot,
		 void (*fn)(void *arg, const unsigned char *data, size_t len), void *arg)
{
	const unsigned char *data = r->iov[slot].iov_base;
	size_t whole = r->msgs[slot].msg_len;
	size_t part = part_bytes(&r->msgs[slot].msg_hdr, whole);
	int count = 1;

	while (whole > part) {
		fn(arg, data, part);
		data += part;
		whole -= part;
		count++;
	}
	fn(arg, data, whole);
	return count;
}

int udp_rx_recv(struct udp_rx *r, int fd,
		void (*fn)(void *arg, const unsigned char *data, size_t len), void *arg)
{
	int count = 0, n;

	for (size_t i = 0; i < RX_SLOTS; i++)
		r->msgs[i].msg_hdr.msg_controllen = sizeof(r->control[i]);
	n = recvmmsg(fd, r->msgs, RX_SLOTS, MSG_DONTWAIT, NULL);
	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
	for (int i = 0; i < n; i++)
		count += split(r, (size_t)i, fn, arg);
	return count;
}
