/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What went wrong, as a value. Library code fills a struct err and returns -1 (or
 * NULL); it never prints and never exits. The caller that owns the screen decides.
 *
 *     struct err e;
 *     int fd = sock_connect(&req, timeout_ns, &e);
 *     if (fd < 0)
 *             report->error(&e);
 */
#ifndef ERR_H
#define ERR_H

#include <stdarg.h>

#include "compat.h"

enum err_code {
	ERR_NONE = 0,
	ERR_USAGE,       /* the user asked for something that makes no sense */
	ERR_RESOLVE,     /* a name has no address */
	ERR_SYS,         /* a system call failed: sys_errno says why */
	ERR_TIMEOUT,     /* nobody answered in time */
	ERR_PEER,        /* the peer broke the protocol */
	ERR_STOPPED,     /* a stopper was tripped: nothing is wrong */
	ERR_UNSUPPORTED, /* this kernel or build cannot do it */
};

struct err {
	enum err_code code;
	int sys_errno;  /* errno of the failed call, or 0 */
	char what[64];  /* what was tried, short: "connect", "setsockopt: sndbuf" */
	char text[192]; /* why, without "what": "Connection refused" */
};

/* All three return -1, so that a function can end in "return err_sys(e, ...)". e may
 * be NULL when nobody wants to know.
 *
 * err_sys: a system call failed; takes errno as it stands.
 * err_set: anything else; text is formatted. */
int err_sys(struct err *e, const char *what);
int err_set(struct err *e, enum err_code code, const char *what, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
int err_vset(struct err *e, enum err_code code, const char *what, const char *fmt,
	     va_list ap) PRINTF_LIKE(4, 0);

void err_clear(struct err *e);

#ifdef __clang_analyzer__ /* it sees one file at a time: tell it what all three return \
			   */
#define err_sys(...)  (err_sys(__VA_ARGS__), -1)
#define err_vset(...) (err_vset(__VA_ARGS__), -1)
#define err_set(...)  (err_set(__VA_ARGS__), -1)
#endif

#endif
