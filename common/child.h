/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The process itself: background, pid file, standard descriptors, children. */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "err.h"

/* Open /dev/null for each of 0, 1, 2 that is closed, so that no socket lands there, but
 * the wrong way round: to read from it or write to it still fails (EBADF), lest output
 * be lost without a word. To be called first in main(). Returns 0 or -1 with e filled. */
int child_std_fds(struct err *e);

/* Go to the background: new session, standard descriptors on /dev/null, working directory
 * kept when keep_cwd. The foreground process leaves with _exit(0), its stdio flushed.
 * Other descriptors stay open; threads do not come along. Returns 0 in the background
 * process, or -1 with e filled in the foreground. */
int child_daemon(bool keep_cwd, struct err *e);

/* Write the pid (decimal, no newline) to path; refuse when it names a live process other
 * than this one (ERR_USAGE). Anything else in the file is overwritten. Call it after
 * child_daemon(). Returns 0 or -1 with e filled. */
int child_pidfile_write(const char *path, struct err *e);

/* Remove the file if it still names this process: a child leaves its parent's alone. */
void child_pidfile_remove(const char *path);

/* fork() with stdio flushed before. Returns as fork does, -1 with e filled. */
pid_t child_fork(struct err *e);

/* Collect children that have ended, without waiting. Returns how many. */
int child_reap(void);

#endif
