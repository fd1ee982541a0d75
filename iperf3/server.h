/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The server: one test after the other. */
#ifndef I3_SERVER_H
#define I3_SERVER_H

#include "auth.h"
#include "conf.h"
#include "report.h"
#include "stopper.h"

struct i3_server {
	const struct i3_conf *conf;
	struct stopper *stop;
	struct i3_key *key; /* of authentication, NULL = none */
	/* For each test anew, so that a log file can be rotated. Returns NULL with e
	 * filled. */
	struct i3_reporter *(*reporter)(void *arg, struct err *e);
	void *arg;
};

/* Serve until a signal comes or, one-off, one test was served. Returns the exit code. */
int i3_server_run(const struct i3_server *srv);

#endif
