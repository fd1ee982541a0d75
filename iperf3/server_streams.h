/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The server's side of opening the streams of a test. */
#ifndef I3_SERVER_STREAMS_H
#define I3_SERVER_STREAMS_H

#include "session.h"

/* A client that vanished is noticed within 15 s: 5 s of silence, then 3 questions. For
 * the control connection and for streams of TCP. */
extern const struct i3_ctl_opts i3_server_watch;

/* Send CREATE_STREAMS and wait until all streams are there. Returns 0, or -1 with
 * s->fault filled, or not when a signal came. */
int i3_server_streams(struct i3_session *s);

#endif
