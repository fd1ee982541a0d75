/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What SCTP streams need beyond TCP's. A kernel without SCTP refuses the socket. */
#ifndef I3_SCTP_H
#define I3_SCTP_H

#include "session.h"

/* For struct sock_req.setup, arg is the session: -N, -M, --nstreams, -X. */
int i3_sctp_setup(void *session, int fd, int family, struct err *e);

/* Server: a socket that listens for associations. Returns it or -1 with s->fault. */
int i3_sctp_listen(struct i3_session *s);

#endif
