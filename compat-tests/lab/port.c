/* SPDX-License-Identifier: BSD-2-Clause */
#include "port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mono.h"

#define RCVBUF_BYTES (8 << 20)

/* A stamp further from now than this comes from a wall clock that was set meanwhile. */
#define STAMP_MAX_AGE_NS (200 * NS_PER_MS)

struct place {
	bool tun;
	char dev[IFNAMSIZ];
	char netns[PORT_NAME_MAX]; /* path, or empty */
};

static int parse_spec(const char *spec, struct place *at, struct err *e)
{
	const char *dev = spec, *ns;
	size_t len;

	*at = (struct place){0};
	if (strncmp(dev, "tun:", 4) == 0) {
		at->tun = true;
		dev += 4;
	}
	ns = strchr(dev, '@');
	len = ns ? (size_t)(ns - dev) : strlen(dev);
	if (len == 0 || len >= sizeof(at->dev) || strlen(spec) >= PORT_NAME_MAX - 16)
		return err_set(e, ERR_USAGE, spec,
			       "not of the form [tun:]DEVICE[@NAMESPACE]");
	memcpy(at->dev, dev, len);
	if (ns)
		snprintf(at->netns, sizeof(at->netns), "%s%s",
			 strchr(ns, '/') ? "" : "/run/netns/", ns + 1);
	return 0;
}

/* Go to a namespace. Returns a descriptor of the one left, for leave(), or -1. */
static int enter(const char *path, struct err *e)
{
	int home = -1, there = -1;

	there = open(path, O_RDONLY | O_CLOEXEC);
	if (there < 0)
		return err_sys(e, path);
	home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (home < 0) {
		err_sys(e, "/proc/self/ns/net");
		goto out;
	}
	if (setns(there, CLONE_NEWNET) < 0) {
		err_sys(e, path);
		close(home);
		home = -1;
	}
out:
	close(there);
	return home;
}

static int leave(int home, struct err *e)
{
	int rc = setns(home, CLONE_NEWNET);

	if (rc < 0)
		err_sys(e, "return to own namespace");
	close(home);
	return rc;
}

static int set_int(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value));
}

static int open_packet(const char *dev, struct err *e)
{
	struct sockaddr_ll sll = {.sll_family = AF_PACKET,
				  .sll_protocol = htons(ETH_P_ALL)};
	/* Protocol 0: nothing arrives before bind() has chosen the device. */
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return err_sys(e, "packet socket");
	sll.sll_ifindex = (int)if_nametoindex(dev);
	if (sll.sll_ifindex == 0) {
		err_sys(e, dev);
		goto fail;
	}
	if (set_int(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1) < 0 ||
	    set_int(fd, SOL_PACKET, PACKET_AUXDATA, 1) < 0) {
		err_sys(e, "packet socket options");
		goto fail;
	}
	/* Without these it works too, only not as well: own frames are recognised when
	 * they are read, and a small buffer shows in the count of drops. */
	set_int(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
	set_int(fd, SOL_PACKET, PACKET_QDISC_BYPASS, 1);
	if (set_int(fd, SOL_SOCKET, SO_RCVBUFFORCE, RCVBUF_BYTES) < 0)
		set_int(fd, SOL_SOCKET, SO_RCVBUF, RCVBUF_BYTES);
	if (bind(fd, (struct sockaddr *)&sll, sizeof(sll)) < 0) {
		err_sys(e, dev);
		goto fail;
	}
	return fd;
fail:
	close(fd);
	return -1;
}

static int open_tun(const char *dev, struct err *e)
{
	struct ifreq ifr = {.ifr_flags = IFF_TUN | IFF_NO_PI};
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return err_sys(e, "/dev/net/tun");
	memcpy(ifr.ifr_name, dev, strlen(dev));
	if (ioctl(fd, TUNSETIFF, &ifr) < 0) {
		err_sys(e, dev);
		close(fd);
		return -1;
	}
	return fd;
}

int port_open(struct port *p, const char *spec, struct err *e)
{
	struct place at;
	int home = -1;

	*p = (struct port){.fd = -1};
	if (parse_spec(spec, &at, e) < 0)
		return -1;
	strlcpy(p->name, spec, sizeof(p->name));
	p->ethernet = !at.tun;
	if (at.netns[0] && (home = enter(at.netns, e)) < 0)
		return -1;
	p->fd = at.tun ? open_tun(at.dev, e) : open_packet(at.dev, e);
	if (home >= 0 && leave(home, p->fd < 0 ? NULL : e) < 0)
		port_close(p);
	return p->fd < 0 ? -1 : 0;
}

void port_close(struct port *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

int64_t port_clock_offset_ns(void)
{
	int64_t best_gap = INT64_MAX, offset = 0;

	/* The reading with the least time between both clocks; one is enough but for an
	 * interrupt in between. */
	for (int i = 0; i < 3 && best_gap > 1000; i++) {
		int64_t before = (int64_t)mono_now_ns(), wall = (int64_t)wall_now_ns();
		int64_t after = (int64_t)mono_now_ns();

		if (after - before < best_gap) {
			best_gap = after - before;
			offset = wall - before - best_gap / 2;
		}
	}
	return offset;
}

struct notes {
	int64_t wall_ns; /* 0 = no stamp */
	bool unfinished;
};

static struct notes read_notes(struct msghdr *m)
{
	struct notes n = {0};

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
			struct timespec ts;

			memcpy(&ts, CMSG_DATA(c), sizeof(ts));
			n.wall_ns = ts.tv_sec * (int64_t)NS_PER_S + ts.tv_nsec;
		} else if (c->cmsg_level == SOL_PACKET &&
			   c->cmsg_type == PACKET_AUXDATA) {
			struct tpacket_auxdata aux;

			memcpy(&aux, CMSG_DATA(c), sizeof(aux));
			n.unfinished = aux.tp_status & TP_STATUS_CSUMNOTREADY;
		}
	}
	return n;
}

static uint64_t arrival_ns(int64_t wall_ns, int64_t offset_ns)
{
	uint64_t now_ns = mono_now_ns(), at_ns;

	if (wall_ns == 0)
		return now_ns;
	at_ns = (uint64_t)(wall_ns - offset_ns);
	if (at_ns > now_ns || now_ns - at_ns > STAMP_MAX_AGE_NS)
		return now_ns;
	return at_ns;
}

/* One frame from a packet socket; 0 for one to be passed over. */
static ssize_t recv_packet(struct port *p, uint8_t *buf, int64_t offset_ns,
			   uint64_t *rx_ns)
{
	struct sockaddr_ll from;
	struct iovec iov = {.iov_base = buf, .iov_len = PORT_FRAME_MAX};
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(struct timespec)) +
			   CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	} control;
	struct msghdr m = {.msg_name = &from,
			   .msg_namelen = sizeof(from),
			   .msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(p->fd, &m, 0);
	struct notes notes;

	if (n < 0)
		return -1;
	if (from.sll_pkttype == PACKET_OUTGOING)
		return 0;
	notes = read_notes(&m);
	if (notes.unfinished || (m.msg_flags & MSG_TRUNC))
		p->unfinished++;
	*rx_ns = arrival_ns(notes.wall_ns, offset_ns);
	return n;
}

ssize_t port_recv(struct port *p, uint8_t buf[static PORT_FRAME_MAX], int64_t offset_ns,
		  uint64_t *rx_ns, struct err *e)
{
	ssize_t n;

	err_clear(e);
	do {
		if (p->ethernet) {
			n = recv_packet(p, buf, offset_ns, rx_ns);
		} else {
			n = read(p->fd, buf, PORT_FRAME_MAX);
			*rx_ns = mono_now_ns();
		}
	} while (n == 0 || (n < 0 && errno == EINTR));
	if (n < 0 && errno != EAGAIN && errno != ENETDOWN)
		err_sys(e, p->name);
	return n;
}

void port_send(struct port *p, const uint8_t *frame, size_t len)
{
	ssize_t n;

	do
		n = write(p->fd, frame, len);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		p->send_errors++;
		p->send_errno = errno;
	}
}

void port_count_drops(struct port *p)
{
	struct tpacket_stats stats;
	socklen_t len = sizeof(stats);

	/* The kernel starts anew with each reading. */
	if (p->ethernet &&
	    getsockopt(p->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len) == 0)
		p->kernel_drops += stats.tp_drops;
}
