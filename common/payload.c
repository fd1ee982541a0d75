/* SPDX-License-Identifier: BSD-2-Clause */
#include "payload.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static int fill_random(unsigned char *buf, size_t len, struct err *e)
{
	while (len > 0) {
		ssize_t n = getrandom(buf, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "getrandom");
		buf += n;
		len -= (size_t)n;
	}
	return 0;
}

/* count characters from first, over and over */
static void fill_cycle(unsigned char *buf, size_t len, unsigned first, unsigned count)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = (unsigned char)(first + i % count);
}

int payload_fill(void *buf, size_t len, enum payload_kind kind, struct err *e)
{
	switch (kind) {
	case PAYLOAD_PRINTABLE:
		fill_cycle(buf, len, ' ', '~' - ' ' + 1);
		return 0;
	case PAYLOAD_DIGITS:
		fill_cycle(buf, len, '0', 10);
		return 0;
	case PAYLOAD_RANDOM:
		return fill_random(buf, len, e);
	case PAYLOAD_ZERO:
		memset(buf, 0, len);
		return 0;
	}
	return err_set(e, ERR_USAGE, "payload", "no such kind");
}

void *payload_alloc(size_t len, size_t align, size_t offset, void **base, struct err *e)
{
	size_t room = align, up;

	*base = NULL;
	if (align != 0)
		offset %= align;
	/* The start moves up by align at most, then by offset. */
	if (__builtin_add_overflow(room, offset, &room) ||
	    __builtin_add_overflow(room, len, &room))
		errno = ENOMEM;
	else
		*base = malloc(room ? room : 1);
	if (!*base) {
		err_sys(e, "malloc");
		return NULL;
	}
	up = align ? align - (uintptr_t)*base % align : 0;
	return (char *)*base + up + offset;
}
