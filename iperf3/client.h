/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The client: one test against a server. */
#ifndef I3_CLIENT_H
#define I3_CLIENT_H

#include "auth.h"
#include "conf.h"
#include "report.h"
#include "stopper.h"

/* What authentication needs; key NULL = none. */
struct i3_client_auth {
	struct i3_key *key;
	char password[I3_PASSWORD_MAX];
};

/* Run the test of c and report it. Returns the exit code. */
int i3_client_run(const struct i3_conf *c, struct i3_reporter *r, struct stopper *stop,
		  const struct i3_client_auth *auth);

#endif
