/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How a UDP stream comes into being: the client sends a hello of 4 bytes, the server
 * answers with 4 bytes. Either may get lost: the client repeats its hello, the server its
 * answer. */
#ifndef I3_UDP_OPEN_H
#define I3_UDP_OPEN_H

#include "session.h"

/* Client: say hello on a connected socket until the server answers. last: no further
 * stream follows, so a state on the control connection means that the server has heard
 * us. Returns 0; 1 when the server says something on the control connection instead; -1
 * with s->fault filled, or not when a signal came. */
int i3_udp_hello_send(struct i3_session *s, int fd, bool receives, bool last);

/* Server: the socket that takes hellos, on any address of the control connection's
 * family. Returns it or -1 with s->fault filled. */
int i3_udp_door_open(struct i3_session *s);

/* Server: wait for the next hello at the door, answer it. Returns a socket connected to
 * the client, from the very address it had sent to; -1 with s->fault filled, or not when
 * a signal came. */
int i3_udp_door_wait(struct i3_session *s, int door, uint64_t deadline_ns);

#endif
