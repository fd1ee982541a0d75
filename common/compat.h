/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The few library functions that plain POSIX lacks: strtonum, strlcpy, strlcat,
 * readpassphrase.
 * The only place that knows where they come from. */
#ifndef COMPAT_H
#define COMPAT_H

#include <bsd/readpassphrase.h>
#include <bsd/stdlib.h>
#include <bsd/string.h>

/* Compile-time format check for functions that print. */
#define PRINTF_LIKE(fmt_arg, first_arg) \
	__attribute__((format(printf, fmt_arg, first_arg)))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
