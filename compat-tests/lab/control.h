/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Commands to a running emulator: a Unix socket of type SOCK_SEQPACKET. Each message is
 * one line of command.h, each answer one message: "ok", then what the command printed, or
 * "error: " and the reason. Answers come from the emulator's only thread, so asking costs
 * packets some 50 us of lateness. */
#ifndef CONTROL_H
#define CONTROL_H

#include <stddef.h>

#include "command.h"

#define CONTROL_CLIENTS_MAX 8

/* Make the socket at path, for this user alone. Returns it, or -1 with e filled (a path
 * in use is refused). */
int control_open(const char *path, struct err *e);

/* Take the next caller; returns its socket, or -1 when there is none. */
int control_accept(int listener);

/* Answer what waits at fd. Returns -1 when the caller is gone and fd is to be closed. */
int control_serve(int fd, struct command_run *run);

#endif
