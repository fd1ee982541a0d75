/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From the command line to the parameters of a test. */
#ifndef NUT_REQUEST_H
#define NUT_REQUEST_H

#include <stdio.h>

#include "conf.h"
#include "proto.h"

/* mss: of the control connection, for the default length of datagrams. */
struct nut_params nut_request(const struct nut_conf *c, int mss_bytes);

/* Exact rate limit of a transmitter in bit/s, 0 = none. */
double nut_request_rate_bps(const struct nut_conf *c, const struct nut_params *p);

/* Say on notes what a server of that version cannot do. Returns true when the test must
 * not take place. */
bool nut_request_too_new(const struct nut_conf *c, int server_version, FILE *notes);

/* How long a receiver waits for data. */
double nut_request_idle_s(const struct nut_conf *c, const struct nut_params *p);

/* The command line of a client that a server starts for a third party. host must outlive
 * c. */
void nut_request_third(const struct nut_params *p, const struct nut_conf *server,
		       const char *host, struct nut_conf *c);

#endif
