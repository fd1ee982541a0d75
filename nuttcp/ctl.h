/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines on the control connection. */
#ifndef NUT_CTL_H
#define NUT_CTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "proto.h"
#include "stopper.h"

struct nut_ctl {
	int fd; /* -1 = none; belongs to the caller */
	size_t used;
	bool eof;
	char buf[NUT_LINE_MAX];
};

/* Next line without its line feed, NUL bytes as blanks and other
 * control characters as question marks; what is longer than the buffer
 * comes in pieces, and so does a last line without line feed. Returns 1, 0 at the end of
 * the stream, or -1 with e filled (ERR_TIMEOUT after deadline_ns, ERR_STOPPED, ERR_SYS).
 */
int nut_ctl_line(struct nut_ctl *c, char line[static NUT_LINE_MAX], uint64_t deadline_ns,
		 struct stopper *stop, struct err *e);

/* The same without waiting: 1 a line, 0 none yet, -1 the end or an error. */
int nut_ctl_try(struct nut_ctl *c, char line[static NUT_LINE_MAX]);

/* Send a line as it stands. Returns 0 or -1 with e filled. */
int nut_ctl_send(const struct nut_ctl *c, const char *text, struct stopper *stop,
		 struct err *e);

/* Did the peer ask by urgent data to stop sending? */
bool nut_ctl_abort(const struct nut_ctl *c);

/* Before closing: no more from us, and what the peer sent unasked is dropped, lest a
 * reset overtake our last words. Waits for nothing. */
void nut_ctl_finish(int fd);

/* Notice within seconds when the host at the other end is gone, also in silence. */
void nut_ctl_guard(int fd);

#endif
