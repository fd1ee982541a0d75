/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One client of a server, from HELO to the report. */
#ifndef NUT_SERVE_H
#define NUT_SERVE_H

#include "addr.h"
#include "conf.h"
#include "ctl.h"
#include "stopper.h"

struct nut_serve {
	const struct nut_conf *conf;
	int ctl_fd;  /* closed by the caller */
	FILE *err;   /* where this end's warnings go; NULL: to the client */
	bool shared; /* other processes serve other clients; lock_fd: see flow_open.c */
	int lock_fd;
	struct stopper *stop;
};

/* Never fails in a way that matters to the next client. */
void nut_serve(const struct nut_serve *s);

/* serve_limits.c: what this server grants. Returns 0, or -1 with the text of an error
 * block. */
int nut_serve_limits(const struct nut_conf *c, const struct nut_params *p, char *text,
		     size_t size);
bool nut_serve_allowed(const struct nut_conf *c, const struct addr *client);

/* serve_third.c: run a client for the one that asked, its output to out. */
void nut_serve_third(const struct nut_serve *s, const struct nut_params *p, FILE *out);

#endif
