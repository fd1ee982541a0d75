/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The server's side of one test. */
#ifndef I3_SERVER_TEST_H
#define I3_SERVER_TEST_H

#include "guests.h"
#include "server.h"

enum i3_served {
	I3_SERVED,      /* a test, good or bad */
	I3_NOT_SERVED,  /* turned away: does not count for a one-off server */
	I3_INTERRUPTED, /* by a signal */
};

/* Run the test of guest, whose socket is taken over. */
enum i3_served i3_server_test(const struct i3_server *srv, struct i3_guests *guests,
			      struct i3_guest *guest, struct i3_reporter *report);

#endif
