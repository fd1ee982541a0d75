/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The server: a process for each client, so that each test has its own CPU figures and
 * none can harm another; with --nofork one client after the other. */
#ifndef NUT_SERVER_H
#define NUT_SERVER_H

#include "conf.h"
#include "err.h"
#include "stopper.h"

/* Is standard input a connection, as a super-server hands it over? */
bool nut_server_on_stdin(void);

/* Serve that one client. */
void nut_server_inetd(const struct nut_conf *c, struct stopper *stop);

/* Listen: a socket handed over by systemd, or one of our own. Returns it, or -1 with e
 * filled. */
int nut_server_listen(const struct nut_conf *c, struct err *e);

/* Serve clients until stopped, or just one with -1. err: where warnings go, NULL = to the
 * client. Returns 0, or -1 with e filled. */
int nut_server_run(const struct nut_conf *c, int listener, FILE *err,
		   struct stopper *stop, struct err *e);

#endif
