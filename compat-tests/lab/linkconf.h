/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a link is like, as words: "rate=20M delay=20ms queue=150K loss=1%".
 *
 *     rate=20M        bit/s; K M G are powers of 1000; 0 = no limit
 *     delay=20ms      one way; ns, us, ms, s
 *     queue=150K      bytes, powers of 1000; 0 = no limit
 *     mtu=1400        IP bytes; 0 = any
 *     loss=1%         by chance; or as a fraction, 0.01
 *     every=100       drop each 100th packet
 *     duplicate=0.1%  deliver twice
 *     jitter=100us    mean of an extra, exponential delay
 *     reorder=1%      hold a packet back ...
 *     hold=5ms        ... by this long */
#ifndef LINKCONF_H
#define LINKCONF_H

#include <stddef.h>

#include "err.h"
#include "link.h"

/* No limit, no delay, no loss; hold=5ms. */
struct link_conf linkconf_default(void);

/* Apply one word. Returns 0, or -1 with e filled (what is the word) and conf unchanged.
 */
int linkconf_word(struct link_conf *conf, const char *word, struct err *e);

/* Time with a unit. Returns 0 or -1 with e filled. */
int linkconf_duration(const char *text, uint64_t *out_ns, const char *what,
		      struct err *e);

#endif
