/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A fuzz target is one function: it gets any bytes and must survive. fuzz_NAME.c has one
 * target, seeds/NAME/ its first inputs. "make fuzz" runs them under libFuzzer; every
 * other build makes replay_NAME, which runs the target on files. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Called by libFuzzer, which wants 0 back. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold for every input. */
#define MUST(condition)           \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

#endif
