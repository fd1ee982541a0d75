/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the command line asks of nuttcp. */
#ifndef NUT_CONF_H
#define NUT_CONF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dest.h"
#include "err.h"
#include "opts.h"
#include "proto.h"

enum nut_role { NUT_CLIENT, NUT_SERVER, NUT_ONESHOT };

enum { NUT_IDENT_MAX = 40, NUT_NETS_MAX = 32 };

/* -R. value is in kbps or packets per second. */
struct nut_rate {
	bool given;
	double value; /* 0 = no limit */
	bool pps;
	bool aggregate, instant, smoothed; /* a, i, is as typed */
};

/* What a server grants to anybody; 0 = no limit. */
struct nut_limits {
	int64_t streams, clients;
	uint64_t rate_kbps;
	double duration_s;
	const char *nets[NUT_NETS_MAX]; /* "192.0.2.0/24"; none = everybody */
	int net_count;
};

struct nut_conf {
	enum nut_role role;
	bool transmit_given, receive;
	int family; /* AF_UNSPEC */
	int64_t port, srcport;
	bool port_given, ctlport_given;
	int64_t ctlport, ctl_srcport, ctlport3;
	bool own_ctlport3; /* -SP */
	bool udp;
	int64_t buflen_bytes;
	bool buflen_given;
	uint64_t nbuf; /* as typed: buffers, or bytes */
	bool nbuf_given, nbuf_bytes;
	double timeout_s;
	bool timeout_given;
	double interval_s;
	struct nut_rate rate;
	int64_t burst;
	int64_t win_bytes, srvwin_bytes;
	bool srvwin_given, braindead;
	int64_t nstream;
	bool nstream_cut; /* more were asked for than there may be */
	bool multilink, flip, nodelay, so_debug, pipe;
	int64_t mss_bytes, tos;
	int jitter, owd;
	int64_t ttl; /* 0 = unicast */
	int ssm;     /* -1 = by family */
	const char *group;
	char ident[NUT_IDENT_MAX + 1];
	int verbose;   /* 0, 1, 2 */
	int64_t brief; /* -b; 1 unless given */
	bool result_line, by_stream_retrans, by_stream_cwnd;
	int64_t format;
	bool retry, traceroute, as_third;
	bool priority_given;
	int64_t priority, affinity, srvr_affinity; /* -1 = none */
	double idle_min_s, idle_default_s, idle_max_s;
	bool no3rdparty, nofork, single_threaded, v4mapped, v4unmapped;
	bool json, spin;
	struct nut_limits limits;
	bool help, long_help, version, short_version;
	const char *host, *third;
	struct nut_dest dest;
};

extern const struct opts nut_opts;

static inline bool nut_transmits(const struct nut_conf *c)
{
	return !c->receive;
}

/* Defaults, then the command line, then the checks across options; messages about what
 * was changed go to notes (one line each, no prefix). Returns 0, or -1 with e filled: the
 * whole text to print; an empty text wants the usage. */
int nut_conf_parse(struct nut_conf *c, int argc, char **argv, FILE *notes, struct err *e);

void nut_conf_default(struct nut_conf *c);

/* conf_check.c: the checks alone, for a conf that was filled by other means. */
int nut_conf_check(struct nut_conf *c, FILE *notes, struct err *e);

#endif
