/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One run: connect or accept, move the bytes, say how fast. */
#ifndef TTCP_RUN_H
#define TTCP_RUN_H

#include "conf.h"
#include "counters.h"
#include "report.h"
#include "stopper.h"

enum ttcp_exit {
	TTCP_OK = 0,
	TTCP_FAILED = 1,
	TTCP_SIGNAL = 128, /* plus the signal's number */
};

/* No datagram is longer, over IPv4 or IPv6. */
#define TTCP_DATAGRAM_MAX 65536

struct ttcp_run {
	const struct ttcp_conf *conf;
	const struct ttcp_report *report;
	struct stopper *stop;
	struct counters count;
	int fd; /* the data socket */
	void *buf, *buf_base;
	size_t buf_bytes;
	bool begun;    /* the report has had its first line */
	unsigned told; /* and these steps: 1 << enum sock_step */
	struct err warning;
	uint64_t sockbuf_bytes;      /* as the kernel has it, when the transfer begins */
	struct cpuuse before, after; /* the measured span */
	uint64_t start_wall_ns;
	struct addr peer;
	struct tcp_stat tcp;
};

/* Returns the exit status. stop must be fresh: once the name of the host is known it is
 * tied to SIGINT, SIGTERM and SIGHUP. */
int ttcp_run(const struct ttcp_conf *conf, const struct ttcp_report *report,
	     struct stopper *stop);

/* The clock: everything between the two calls is what the report is about. Starting it
 * again moves the start. */
void ttcp_clock_start(struct ttcp_run *t);
void ttcp_clock_stop(struct ttcp_run *t);

/* Tell of a wish that is not granted; the last one stands in the result too. */
void ttcp_warn(struct ttcp_run *t, const struct err *e);

/* -w. Returns 0, or -1 with ERR_STOPPED. */
int ttcp_pause(const struct ttcp_run *t, struct err *e);

/* xfer_tcp.c, xfer_udp.c: the transfer on t->fd, the clock included. Return 0 or -1 with
 * e filled. */
int ttcp_tcp(struct ttcp_run *t, struct err *e);
int ttcp_udp_send(struct ttcp_run *t, struct err *e);
int ttcp_udp_recv(struct ttcp_run *t, struct err *e);

#endif
