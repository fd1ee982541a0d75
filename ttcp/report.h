/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a run has to say, and who says it. Sessions fill plain structs; a reporter is a
 * table of functions that turns them into text or JSON on one stream. */
#ifndef TTCP_REPORT_H
#define TTCP_REPORT_H

#include <stdio.h>

#include "addr.h"
#include "conf.h"
#include "cpuuse.h"
#include "err.h"
#include "result.h"
#include "sock.h"

/* All there is to know at the end. */
struct ttcp_end {
	struct result result; /* total: one sample from the first byte to the last */
	struct cpuuse used;   /* at_ns: real time; the rest over the same span */
	uint64_t max_rss_kib;
	const void *buf;        /* where the buffer lay */
	struct err error;       /* code ERR_NONE: all went well */
	uint64_t sockbuf_bytes; /* of the kernel, when the transfer began; 0 = unknown */
	struct err warning;     /* a wish that was not granted, or ERR_NONE */
};

struct ttcp_report {
	FILE *out;
	const struct ttcp_conf *conf;
	const struct ttcp_reporter *how;
};

struct ttcp_reporter {
	void (*begin)(const struct ttcp_report *r);
	void (*step)(const struct ttcp_report *r, enum sock_step step);
	void (*accepted)(const struct ttcp_report *r, const struct addr *from);
	void (*warn)(const struct ttcp_report *r, const struct err *e);
	/* Last call of a run. end->result.start_wall_ns is 0 when no transfer took place:
	 * then there is only the error to tell. */
	void (*end)(const struct ttcp_report *r, const struct ttcp_end *end);
};

extern const struct ttcp_reporter ttcp_report_text, ttcp_report_json;

#endif
