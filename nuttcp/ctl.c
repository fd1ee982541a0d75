/* SPDX-License-Identifier: BSD-2-Clause */
#include "ctl.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "mono.h"
#include "sockio.h"
#include "sockopt.h"

#define SEND_NS (10 * NS_PER_S)

/* What a peer sends is shown on terminals. */
static char printable(char c)
{
	if (c == '\0')
		return ' ';
	if (c == '\t' || c == '\r')
		return c;
	if ((c > 0 && c < ' ') || c == 0x7f)
		return '?';
	return c;
}

/* A whole line out of the buffer; at the end of the stream, or when the buffer is full,
 * what there is. */
static bool take(struct nut_ctl *c, char *line)
{
	char *end = memchr(c->buf, '\n', c->used);
	size_t len = end ? (size_t)(end - c->buf) : c->used;
	size_t gone = end ? len + 1 : len;

	if (!end && c->used < sizeof(c->buf) - 1 && !(c->eof && c->used > 0))
		return false;
	for (size_t i = 0; i < len; i++)
		line[i] = printable(c->buf[i]);
	if (len > 0 && line[len - 1] == '\r')
		len--;
	line[len] = '\0';
	c->used -= gone;
	memmove(c->buf, c->buf + gone, c->used);
	return true;
}

/* Returns 1 when something came, 0 at the end, -1 with errno. */
static int fill(struct nut_ctl *c)
{
	ssize_t n =
		recv(c->fd, c->buf + c->used, sizeof(c->buf) - 1 - c->used, MSG_DONTWAIT);

	if (n < 0)
		return -1;
	c->used += (size_t)n;
	if (n == 0)
		c->eof = true;
	return n > 0;
}

int nut_ctl_line(struct nut_ctl *c, char line[static NUT_LINE_MAX], uint64_t deadline_ns,
		 struct stopper *stop, struct err *e)
{
	for (;;) {
		if (take(c, line))
			return 1;
		if (c->eof)
			return 0;
		if (fill(c) >= 0)
			continue;
		if (sock_again(c->fd, POLLIN, deadline_ns, stop, "IO", e) < 0)
			return -1;
	}
}

int nut_ctl_try(struct nut_ctl *c, char line[static NUT_LINE_MAX])
{
	for (;;) {
		if (take(c, line))
			return 1;
		if (c->eof)
			return -1;
		if (fill(c) >= 0)
			continue;
		if (errno == EAGAIN)
			return 0;
		if (errno != EINTR) {
			c->eof = true;
			return -1;
		}
	}
}

int nut_ctl_send(const struct nut_ctl *c, const char *text, struct stopper *stop,
		 struct err *e)
{
	return sock_write(c->fd, text, strlen(text), mono_now_ns() + SEND_NS, stop, e);
}

bool nut_ctl_abort(const struct nut_ctl *c)
{
	char byte;

	return recv(c->fd, &byte, 1, MSG_OOB | MSG_DONTWAIT) == 1 && byte == 'A';
}

void nut_ctl_finish(int fd)
{
	char waste[4096];
	int most = 256;

	shutdown(fd, SHUT_WR);
	while (most-- > 0 && recv(fd, waste, sizeof(waste), MSG_DONTWAIT) > 0)
		continue;
}

void nut_ctl_guard(int fd)
{
	const struct timeval bound = {.tv_sec = SEND_NS / NS_PER_S};

	sockopt_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1, "", NULL);
	sockopt_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, 2, "", NULL);
	sockopt_int(fd, IPPROTO_TCP, TCP_KEEPINTVL, 2, "", NULL);
	sockopt_int(fd, IPPROTO_TCP, TCP_KEEPCNT, 5, "", NULL);
	sockopt_int(fd, IPPROTO_TCP, TCP_NODELAY, 1, "", NULL);
	/* A peer that does not read must not hold up the printing of a report. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof(bound));
}
