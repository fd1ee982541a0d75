/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What became of numbered datagrams: received, lost, duplicate, late. A window of recent
 * numbers remembers which ones came, so that a duplicate is never taken for a late one
 * and hides no loss:
 *
 *     arrives  1 2 4 4 3 7    received 5 (1 2 4 3 7), duplicates 1, late 1 (3), lost 2
 *
 * Numbers start at 1. After seqwin_rebase() everything counts from that moment on; what
 * still comes from before is ignored. */
#ifndef SEQWIN_H
#define SEQWIN_H

#include <stdbool.h>
#include <stdint.h>

#define SEQWIN_BITS 65536u /* numbers remembered below the highest */

struct seqwin {
	uint64_t highest;    /* highest number seen; 0 = none */
	uint64_t base;       /* highest at the last rebase */
	uint64_t received;   /* distinct numbers above base */
	uint64_t late;       /* of them, those that came after a higher one */
	uint64_t duplicates; /* numbers that had come before, or fell out of the window */
	uint64_t bits[SEQWIN_BITS / 64];
};

enum seqwin_kind {
	SEQWIN_NEW,       /* higher than all before */
	SEQWIN_LATE,      /* lower, but the first with that number */
	SEQWIN_DUPLICATE, /* not to be counted again */
	SEQWIN_OLD,       /* from before the rebase: not to be counted */
};

void seqwin_init(struct seqwin *w);
enum seqwin_kind seqwin_put(struct seqwin *w, uint64_t number);
void seqwin_rebase(struct seqwin *w);

/* Numbers above base, up to the highest, that have not come. */
uint64_t seqwin_lost(const struct seqwin *w);

/* The 64-bit number that a 32-bit counter stands for: the one nearest to the highest. */
uint64_t seqwin_widen(const struct seqwin *w, uint32_t number);

#endif
