/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NUT_TRACE_H
#define NUT_TRACE_H

#include <stdbool.h>
#include <stdio.h>

/* Run traceroute (traceroute6, mtrace) to host and copy what it prints to out. Two
 * minutes at most. host is an address, or a name that the user typed. */
void nut_trace(const char *host, int family, bool multicast, FILE *out);

#endif
