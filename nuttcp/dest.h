/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The host argument: "host", "control/data", "control/data1/data2", "/data1/data2",
 * "host+stride", "name=address", "name==address". */
#ifndef NUT_DEST_H
#define NUT_DEST_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "proto.h"

struct nut_dest {
	const char *typed;
	char text[NUT_HOST_MAX * 2]; /* what the pointers below point into */
	const char *control;
	const char *data[NUT_STREAMS_MAX];
	unsigned count;
	bool paths;      /* control and data differ */
	uint32_t stride; /* added to the address for each further stream; host order */
};

/* typed must outlive d. Returns 0, or -1 with e filled: the whole text to print. */
int nut_dest_parse(struct nut_dest *d, const char *typed, int64_t nstream, struct err *e);

/* The address or name to use out of "name=address"; "name==address" is the name when it
 * resolves, else the address. Inside text. */
const char *nut_dest_host(const char *text, char *copy, size_t size, int family);

#endif
