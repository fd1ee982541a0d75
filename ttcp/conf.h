/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the command line asks of ttcp. */
#ifndef TTCP_CONF_H
#define TTCP_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "opts.h"

enum { TTCP_RECEIVE, TTCP_TRANSMIT };

struct ttcp_conf {
	int role;           /* -t, -r: the last one counts */
	bool swap;          /* -R -C -S: the receiver connects, the transmitter listens */
	bool memory;        /* -s: made-up data out, received data thrown away */
	bool udp;           /* -u */
	const char *host;   /* of the end that connects */
	uint16_t port;      /* -p */
	int family;         /* -4 -6 */
	uint64_t buf_bytes; /* -l */
	bool buf_given;     /* -l was given: then it is the size of each system call */
	uint64_t buf_count; /* -n */
	uint64_t sockbuf_bytes; /* -b, 0 = leave it to the kernel */
	bool nodelay, debug, verbose, full_blocks, touch; /* -D -d -v -B -T */
	uint64_t align_bytes, offset_bytes;               /* -A -O */
	char unit;                                        /* -f */
	const char *device;                               /* -I */
	uint64_t pause_us;                                /* -w */
	double idle_s;                                    /* --idle-timeout */
	bool json;                                        /* --json */
	bool help, version;
};

/* This end connects, the other one listens. */
static inline bool ttcp_connects(const struct ttcp_conf *c)
{
	return (c->role == TTCP_TRANSMIT) != c->swap;
}

extern const struct opts ttcp_opts;

/* Defaults, then the command line, then the checks across options. Returns 0, or -1 with
 * e filled; ERR_USAGE with an empty "what" wants the usage text after it. */
int ttcp_conf_parse(struct ttcp_conf *c, int argc, char **argv, struct err *e);

#endif
