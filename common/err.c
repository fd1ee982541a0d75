/* SPDX-License-Identifier: BSD-2-Clause */
#include "err.h"

#include <errno.h>
#include <stdio.h>

#undef err_sys
#undef err_vset
#undef err_set

void err_clear(struct err *e)
{
	if (e)
		*e = (struct err){.code = ERR_NONE};
}

int err_sys(struct err *e, const char *what)
{
	int saved = errno;

	if (e) {
		char buf[sizeof(e->text)];

		e->code = ERR_SYS;
		e->sys_errno = saved;
		strlcpy(e->what, what, sizeof(e->what));
		/* strerror() shares one buffer between threads; this form does not. */
		strlcpy(e->text, strerror_r(saved, buf, sizeof(buf)), sizeof(e->text));
	}
	errno = saved;
	return -1;
}

int err_vset(struct err *e, enum err_code code, const char *what, const char *fmt,
	     va_list ap)
{
	if (e) {
		e->code = code;
		e->sys_errno = 0;
		strlcpy(e->what, what, sizeof(e->what));
		vsnprintf(e->text, sizeof(e->text), fmt, ap);
	}
	return -1;
}

int err_set(struct err *e, enum err_code code, const char *what, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_vset(e, code, what, fmt, ap);
	va_end(ap);
	return -1;
}
