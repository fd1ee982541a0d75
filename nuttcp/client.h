/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The client: asks a server for a test, runs its own end, tells the result. */
#ifndef NUT_CLIENT_H
#define NUT_CLIENT_H

#include "conf.h"
#include "ctl.h"
#include "report.h"
#include "stopper.h"

enum nut_exit { NUT_OK = 0, NUT_FAILED = 1 };

struct nut_client {
	const struct nut_conf *conf;
	struct nut_report *report;
	struct stopper *stop;
	struct nut_ctl ctl;
	int server_version;
	struct addr local, peer; /* of the control connection */
	char peer_host[ADDR_HOST_MAX];
	int ctl_mss_bytes;
	struct nut_params request; /* as sent */
	struct nut_params own;     /* the same for this end */

	/* the server's text */
	struct nut_result server;
	bool done;
	size_t text_bytes;
	char *text; /* lines for the verbose report */
	size_t text_size;
	FILE *store;
	int64_t retrans_at_relay;
};

/* Returns the exit status. report: out and err to write to, and how. */
int nut_client(const struct nut_conf *conf, struct nut_report *report,
	       struct stopper *stop);

/* client_ctl.c: connect, HELO, request, OK. Returns 0; 1 when the control port refused
 * and a classic transfer is to be tried; -1 when all has been said. */
int nut_client_ask(struct nut_client *c);

/* client_run.c: the test. Returns the exit status. */
int nut_client_run(struct nut_client *c);
int nut_client_classic(struct nut_client *c);

/* client_third.c: what a server's client for a third party, or its traceroute, prints. */
int nut_client_relay(struct nut_client *c);

/* Own flow's settings; host: where to connect for data. */
struct nut_flow_conf nut_client_flow(struct nut_client *c, const char *const *host,
				     unsigned count);

#endif
