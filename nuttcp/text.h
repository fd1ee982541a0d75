/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The lines of nuttcp, each as it has been since 6.1, plain or -fparse. Both ends use
 * them: a server's lines go over the control connection. */
#ifndef NUT_TEXT_H
#define NUT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "err.h"
#include "flow.h"
#include "measure.h"
#include "proto.h"

struct nut_text {
	FILE *out;
	const struct nut_params *p;
	bool transmit;     /* role of the process that writes */
	const char *ident; /* "" = none */
	bool cpu_lines;    /* -vv, and every server */
	/* result line only */
	bool by_stream_retrans, by_stream_cwnd, blank_first;
	/* header only */
	const char *host;    /* as typed, or the peer's address */
	const char *address; /* of a host that was typed as a name; NULL = none */
	int family;
	bool priority_given;
	int priority;
	int affinity; /* -1 = none */
};

/* "nuttcp-t: v8.2.2: socket" and all that is known before the connections are. */
void nut_text_head(const struct nut_text *t);
/* What the connections are like. */
void nut_text_connected(const struct nut_text *t, const struct nut_flow *f);

/* A window that is smaller than what was asked for. */
void nut_text_window_warning(FILE *out, const struct nut_text *t,
			     const struct nut_flow *f);

void nut_text_interval(const struct nut_text *t, const struct nut_interval *i);

/* An interval line of the server, with the client's own columns put in. */
void nut_text_relay(const struct nut_text *t, const char *line,
		    const struct nut_interval *own);

/* The verbose result of the end that writes. loss: of a UDP receiver at the client. */
void nut_text_block(const struct nut_text *t, const struct nut_result *r,
		    const struct nut_result *tx_for_loss);
void nut_text_udp_loss(const struct nut_text *t, const struct nut_result *tx,
		       const struct nut_result *rx);

/* The one-line result. Either end may be unknown. */
void nut_text_result(const struct nut_text *t, const struct nut_result *tx,
		     const struct nut_result *rx);

/* "nuttcp-t: v8.2.2: Error: connect: Connection refused" and "errno=111". */
void nut_text_error(FILE *out, const struct nut_text *t, const struct err *e);

#endif
