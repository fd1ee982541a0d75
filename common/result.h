/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The result that all tools share, and its JSON keys: defined here once, listed in
 * HACKING.md. A tool adds keys of its own beside them, never other names for these. */
#ifndef RESULT_H
#define RESULT_H

#include <stdint.h>

#include "sample.h"

struct cJSON;

struct result {
	const char *tool;       /* "ttcp" */
	const char *version;    /* of this program */
	const char *role;       /* "sender", "receiver", "client", "server" */
	uint64_t start_wall_ns; /* since 1970 UTC; 0 = the transfer never began */
	const char *host;       /* the peer: name as typed, or its address; NULL = none */
	uint16_t port;
	const char *protocol; /* "tcp", "udp", "sctp", "icmp" */
	struct sample total;  /* bytes, from_ns, to_ns, tcp (have = 0: none) */
	uint64_t cpu_user_ns, cpu_system_ns;
	const char *exit_reason; /* "done", or in a few words why it ended early */
};

/* Object with the shared keys, for the caller to add to and to free, see jsonw.h:
 *
 *   tool version role start_time start_time_unix_s host port protocol bytes seconds
 *   bits_per_second cpu_user_seconds cpu_system_seconds
 *   tcp {rtt_us min_rtt_us retransmits cwnd_bytes mss_bytes congestion}  exit_reason
 *
 * start_time is RFC 3339 in UTC with milliseconds, start_time_unix_s the same as a
 * number. Values that are not known are absent, not 0: bits_per_second when no time has
 * passed, cwnd_bytes of a receiver (total.flags lacks SAMPLE_SENDER). */
struct cJSON *result_json(const struct result *r);

#endif
