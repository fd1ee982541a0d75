/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the test traffic is made of. */
#ifndef PAYLOAD_H
#define PAYLOAD_H

#include <stddef.h>

#include "err.h"

enum payload_kind {
	PAYLOAD_PRINTABLE, /* 0x20..0x7e repeated, from 0x20: ttcp */
	PAYLOAD_DIGITS, /* "0123456789" repeated: iperf3 --repeating-payload, iperf 2 */
	PAYLOAD_RANDOM, /* from the kernel's generator, does not compress: iperf3 */
	PAYLOAD_ZERO,
};

/* Fill buf. Returns 0, or -1 with e filled when no random bytes can be had. */
int payload_fill(void *buf, size_t len, enum payload_kind kind, struct err *e);

/* A buffer whose start is offset bytes behind a multiple of align bytes. align need not
 * be a power of two; offset is taken modulo align; align 0 = none, offset as it is. *base
 * is what free() wants. NULL, also in *base, with e filled when memory is short. */
void *payload_alloc(size_t len, size_t align, size_t offset, void **base, struct err *e);

#endif
