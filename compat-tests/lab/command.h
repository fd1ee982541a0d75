/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The emulator's language: one command a line, on its command line and on its control
 * socket.
 *
 *     link A B PORT PORT [KEY=VALUE...]   join two ports; only before it runs
 *     set A-B|A>B KEY=VALUE...            change a link, or one way of it ("A:B" is
 * "A>B") seed N                              start the random streams anew show counters
 *     reset                               counters to zero
 *     stop                                end the emulator
 *
 * PORT is as port.h says, KEY=VALUE as linkconf.h does, and hop=ADDRESS beside them. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "engine.h"
#include "realtime.h"

struct command_run {
	struct engine *engine;
	struct realtime realtime;
	uint64_t started_ns;
	bool running; /* no more links */
	bool stop;    /* asked to end */
};

/* Carry out one line, which is cut up. What it has to say goes to out. Returns 0 or -1
 * with e filled. */
int command_line(struct command_run *run, char *line, FILE *out, struct err *e);

/* The counters, as "show" prints them: one line a way, then one a port, then one for the
 * run; each begins with its kind and name, then words key=value. */
void command_show(const struct command_run *run, FILE *out);

#endif
