/* SPDX-License-Identifier: BSD-2-Clause */
#include "seqwin.h"

#include <string.h>

void seqwin_init(struct seqwin *w)
{
	memset(w, 0, sizeof(*w));
}

static uint64_t *word(struct seqwin *w, uint64_t number)
{
	return &w->bits[number % SEQWIN_BITS / 64];
}

static uint64_t bit(uint64_t number)
{
	return UINT64_C(1) << (number % 64);
}

/* Make room for the numbers above the highest, up to number. */
static void advance(struct seqwin *w, uint64_t number)
{
	if (number - w->highest >= SEQWIN_BITS) {
		memset(w->bits, 0, sizeof(w->bits));
		return;
	}
	for (uint64_t n = w->highest + 1; n <= number;) {
		if (n % 64 == 0 && number - n >= 64) {
			*word(w, n) = 0;
			n += 64;
		} else {
			*word(w, n) &= ~bit(n);
			n++;
		}
	}
}

enum seqwin_kind seqwin_put(struct seqwin *w, uint64_t number)
{
	if (number > w->highest) {
		advance(w, number);
		*word(w, number) |= bit(number);
		w->highest = number;
		w->received++;
		return SEQWIN_NEW;
	}
	if (number <= w->base)
		return SEQWIN_OLD;
	if (w->highest - number >= SEQWIN_BITS || (*word(w, number) & bit(number))) {
		w->duplicates++;
		return SEQWIN_DUPLICATE;
	}
	*word(w, number) |= bit(number);
	w->received++;
	w->late++;
	return SEQWIN_LATE;
}

void seqwin_rebase(struct seqwin *w)
{
	w->base = w->highest;
	w->received = w->late = w->duplicates = 0;
}

uint64_t seqwin_lost(const struct seqwin *w)
{
	return w->highest - w->base - w->received;
}

uint64_t seqwin_widen(const struct seqwin *w, uint32_t number)
{
	uint32_t ahead = number - (uint32_t)w->highest;

	if (ahead < UINT32_C(0x80000000))
		return w->highest + ahead;
	ahead = (uint32_t)w->highest - number;
	return w->highest >= ahead ? w->highest - ahead : number;
}
