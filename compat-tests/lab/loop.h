/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The emulator's one thread. It sleeps until shortly before the next packet is due, spins
 * the rest - a timer alone wakes up 30 to 50 us late - and hands out whatever is due.
 * Signals and the control socket come through the same wait. */
#ifndef LOOP_H
#define LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "command.h"

struct loop_conf {
	uint64_t
		spin_ns; /* how long before a deadline to stop sleeping; 0 = never spin */
	const char *control; /* path of the control socket, NULL = none */
	bool until_eof; /* end when standard input does: whoever started us is gone */
};

/* Run until SIGTERM, SIGINT, SIGHUP, the command "stop", or the end of standard input.
 * SIGUSR1 prints the counters to standard output. ready() is called when all is in place.
 * Returns 0, or -1 with e filled. */
int loop_run(const struct loop_conf *conf, struct command_run *run,
	     void (*ready)(void *arg), void *arg, struct err *e);

#endif
