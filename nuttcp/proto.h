/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The control connection of nuttcp: lines of text, ended by a line feed.
 *
 *     client: HELO nuttcp v8.2.2
 *     server: HELO nuttcp v8.2.2
 *     client: buflen = 65536, nbuf = 2147483647, win = 0, ...      all in one line
 *     server: OK v8.2.2      or an error block: KO, lines of text, KO
 *     ... data connections, test ...
 *     server: its report as text, then it closes
 *
 * Pure functions: bytes to structs and back. */
#ifndef NUT_PROTO_H
#define NUT_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

#define NUT_VERSION_TEXT "8.2.2" /* what we announce: peers decide by it */
/* Versions compare as major * 10000 + minor * 100 + delta. */
#define NUT_VERSION 80202

#define NUT_STREAMS_MAX    128
#define NUT_NBUF_UNLIMITED 2147483647u
#define NUT_RATE_UNLIMITED UINT32_MAX /* kbps */
#define NUT_LINE_MAX       4096       /* longest line that we take from a peer */
#define NUT_HOST_MAX       512        /* of a third party, with its address */
#define NUT_BUFLEN_MAX     (128 * 1024 * 1024)

/* Bits of the field "format". */
enum nut_format {
	NUT_XMITSTATS = 0x1,
	NUT_DEBUGINTERVAL = 0x2,
	NUT_RUNNINGTOTAL = 0x4,
	NUT_NODROPS = 0x8,
	NUT_NOPERCENTLOSS = 0x10,
	NUT_DEBUGPOLL = 0x20,
	NUT_PARSE = 0x40,
	NUT_DEBUGMTU = 0x80,
	NUT_NORETRANS = 0x100,
	NUT_DEBUGRETRANS = 0x200,
	NUT_NOBETA = 0x400,
	NUT_RTT = 0x800, /* on unless -f-rtt */
	NUT_DEBUGJITTER = 0x1000,
	NUT_NOCWND = 0x2000,
	NUT_DEBUGIRATE = 0x4000,
};

/* Bits of do_jitter and do_owd. */
enum { NUT_MIN = 1, NUT_AVG = 2, NUT_MAX = 4, NUT_IGNORE_OOO = 8 };

/* Versions from which on a thing works. */
enum nut_since {
	NUT_SINCE_FRACTION = 30200,
	NUT_SINCE_INTERVAL = 30302,
	NUT_SINCE_REVERSE = 30401,
	NUT_SINCE_FORMAT = 30501,
	NUT_SINCE_TRACEROUTE = 30601,
	NUT_SINCE_PARSE = 40101,
	NUT_SINCE_THIRD = 50001,
	NUT_SINCE_MULTICAST = 50101,
	NUT_SINCE_MSS = 50201,
	NUT_SINCE_TOS = 50301,
	NUT_SINCE_BOD1 = 50401,
	NUT_SINCE_NODELAY = 50501,
	NUT_SINCE_SSM = 60201,
	NUT_SINCE_CTLPORT3 = 60205,
	NUT_SINCE_AFFINITY = 60206,
	NUT_SINCE_BURST = 60207,
	NUT_SINCE_JITTER = 70001,
	NUT_SINCE_STRIDE = 70101,
	NUT_SINCE_GROUP = 70201,
	NUT_SINCE_SRCPORT = 70301,
	NUT_SINCE_CWND = 80001,
	NUT_SINCE_SSS = 80101,
	NUT_SINCE_AF3 = 80201,
};

/* The parameter line. Numbers are wide, so that nonsense from a peer is seen as such. */
struct nut_params {
	int64_t buflen_bytes;
	uint64_t nbuf; /* NUT_NBUF_UNLIMITED */
	int64_t win_bytes;
	int64_t nstream;
	uint64_t rate_kbps; /* NUT_RATE_UNLIMITED */
	int64_t port;       /* of the first stream */
	int64_t trans;      /* the client transmits */
	int64_t braindead;
	double timeout_s; /* 0 = none */
	int64_t udp;
	int64_t vers;      /* of the client */
	double interval_s; /* 0 = none */
	int64_t reverse;
	int64_t format; /* enum nut_format */
	int64_t traceroute;
	int64_t irate;
	char thirdparty[NUT_HOST_MAX]; /* "" = none */
	int64_t brief3;
	int64_t ctlport3;
	int64_t ttl; /* multicast; 0 = unicast */
	int64_t ssm; /* -1 (third party only) = by family */
	int64_t datamss_bytes;
	int64_t tos;
	int64_t nbuf_bytes;
	int64_t rate_pps;
	int64_t nodelay;
	int64_t affinity; /* -1 = none */
	int64_t srvr_affinity;
	int64_t maxburst;
	int64_t do_jitter, do_owd;
	int64_t stride;
	int64_t multilink;
	char group[64]; /* "" = none */
	int64_t srcport;
	int64_t iratesss;
	int64_t af3;
};

/* Version of "v8.2.2" or "8.2.2" as a number, -1 when it is none. */
int nut_version_parse(const char *text);

/* Version of a HELO line, -1 when it is none. */
int nut_helo_parse(const char *line);

/* Version of an OK line (0 when it has none), -1 when it is none. */
int nut_ok_parse(const char *line);

/* What an absent field means. */
struct nut_params nut_params_default(void);

/* The line for a server of that version, with its line feed: only the fields that it
 * knows. Returns its length, or -1 when it does not fit. */
int nut_params_print(const struct nut_params *p, int server_version, char *line,
		     size_t size);

/* Read a line (no line feed). Fields may come in any order; unknown ones are ignored and
 * missing ones keep their default, but the first thirteen must be there. Returns 0 or -1
 * when the line makes no sense. */
int nut_params_parse(const char *line, struct nut_params *p);

/* Is the request one that a server can serve? ctlport: its own. Returns 0, or -1 with the
 * text between the two KO of an error block in text: lines with line feeds. */
int nut_params_check(const struct nut_params *p, uint16_t ctlport, char *text,
		     size_t size);

/* Letters that the name of a third party may have. */
bool nut_thirdparty_ok(const char *host);

/* The server transmits: the roles seen from its side. */
static inline bool nut_server_transmits(const struct nut_params *p)
{
	return !p->trans;
}

#endif
