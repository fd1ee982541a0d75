/* SPDX-License-Identifier: BSD-2-Clause
 *
 * -m: the data goes to a group, the marks to the receiver's own address. */
#ifndef NUT_MULTICAST_H
#define NUT_MULTICAST_H

#include "flow.h"

/* Receiver: join the group on fd[0]. Fills f->group and f->source. Both return 0 or -1
 * with e filled. */
int nut_multicast_join(struct nut_flow *f, struct err *e);

/* Transmitter: open f->group_fd. */
int nut_multicast_sender(struct nut_flow *f, struct err *e);

/* The group for a client's address when none is named: 231.x.y.z (any source) or
 * 232.x.y.z, and for IPv6 the client's address behind ff2e:: or ff3e::80. */
void nut_multicast_group(const struct addr *client, bool ssm, struct addr *group);

#endif
