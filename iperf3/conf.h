/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the user asked for. struct i3_test is the part that the client decides and tells
 * the server (proto.h sends it as JSON); struct i3_conf holds it and everything that
 * stays on this side. */
#ifndef I3_CONF_H
#define I3_CONF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"

#define I3_PORT           5201
#define I3_STREAMS_MAX    128
#define I3_BLOCK_MAX      1048576
#define I3_UDP_BLOCK_MIN  16
#define I3_UDP_BLOCK_MAX  65507
#define I3_WINDOW_MAX     536870912
#define I3_MSS_MAX        32767
#define I3_BURST_MAX      1000
#define I3_OMIT_MAX_S     600
#define I3_TIME_MAX_S     86400
#define I3_CPU_MAX        1024
#define I3_INTERVAL_MIN_S 0.1
#define I3_INTERVAL_MAX_S 60.0
#define I3_PARAMS_MAX     8192   /* bytes of JSON a server accepts */
#define I3_TCP_BLOCK      131072 /* defaults of -l */
#define I3_SCTP_BLOCK     65536
#define I3_UDP_BLOCK      1460    /* where the path tells no MSS */
#define I3_UDP_RATE_BPS   1048576 /* default of -b */
#define I3_XBIND_MAX      8

/* As in "iperf 3.N": wrappers read the first line of -v. The protocol level followed. */
#define I3_COMPAT_VERSION "3.21"

enum i3_role {
	I3_NO_ROLE,
	I3_CLIENT,
	I3_SERVER,
};

enum i3_protocol {
	I3_TCP,
	I3_UDP,
	I3_SCTP,
};

/* What client and server agree on. Strings belong to the struct (i3_test_free) and may be
 * NULL. Both sides treat a test as const once it has been checked. */
struct i3_test {
	enum i3_protocol protocol;
	bool reverse;            /* server sends */
	bool bidir;              /* both send; never with reverse */
	unsigned parallel;       /* streams of a direction, 1..I3_STREAMS_MAX */
	unsigned omit_s, time_s; /* time 0: no limit of time */
	uint64_t bytes;          /* end after so many payload bytes, 0 = no limit */
	uint64_t blocks;         /* end after so many blocks, 0 = no limit */
	uint32_t
		block_bytes; /* 0 = the protocol's default, to be replaced before start */
	uint64_t rate_bps;   /* of each stream, 0 = unlimited */
	unsigned burst;      /* blocks between two looks at the clock, 0 = 1 */
	uint64_t fq_rate_bps;     /* kernel pacing of each stream, 0 = none */
	uint32_t pacing_timer_us; /* for servers before 3.18; no effect here */
	int window_bytes;         /* 0 = the kernel's choice */
	int mss_bytes;            /* 0 = none */
	bool nodelay;
	int tos;        /* 0..255 */
	int flowlabel;  /* 0 = none */
	int server_cpu; /* -1 = none */
	bool udp_64bit; /* datagram numbers of 64 bits */
	bool repeating_payload, zerocopy, dont_fragment, skip_rx_copy, mptcp;
	bool get_server_output;
	/* --gsro. Told by both sides but needed for nothing on the wire. */
	bool gso, gro;
	uint32_t gso_datagram_bytes, gso_buffer_bytes, gro_buffer_bytes;
	char *title, *extra_data, *congestion;
	char *authtoken;    /* base64, from the client */
	char *peer_version; /* "client_version" of the parameters; server only */
};

/* Defaults of a TCP test. */
void i3_test_init(struct i3_test *t);
void i3_test_free(struct i3_test *t);
/* Copy with its own strings. Returns 0 or -1 when memory is short. */
int i3_test_copy(struct i3_test *to, const struct i3_test *from);

/* Does the local side send, receive? */
bool i3_test_sends(const struct i3_test *t, enum i3_role role);
bool i3_test_receives(const struct i3_test *t, enum i3_role role);

struct i3_conf {
	enum i3_role role;
	struct i3_test test; /* client: the test; server: what holds when a client says
			      * nothing */
	bool block_given, rate_given, time_given; /* -l, -b, -t were typed */
	bool rcv_timeout_given;

	/* where */
	const char *host; /* client: server's name */
	uint16_t port;
	int family;            /* AF_UNSPEC, AF_INET, AF_INET6 */
	const char *bind_host; /* NULL = any */
	const char *bind_dev;  /* NULL = none */
	char host_buf[256], bind_buf[256],
		dev_buf[32];             /* what the three may point into */
	uint16_t client_port;            /* --cport, 0 = ephemeral */
	const char *xbind[I3_XBIND_MAX]; /* -X */
	size_t xbind_count;
	unsigned sctp_streams; /* --nstreams, 0 = default */

	/* limits */
	unsigned connect_timeout_ms;             /* 0 = system */
	unsigned rcv_timeout_ms, snd_timeout_ms; /* snd 0 = system */
	unsigned idle_timeout_s;                 /* 0 = none */
	unsigned server_max_duration_s;          /* 0 = none */
	uint64_t server_rate_limit_bps;          /* 0 = none */
	double server_rate_limit_s;              /* seconds it is averaged over */
	bool keepalive;                          /* --cntl-ka */
	int keepalive_idle_s, keepalive_intvl_s, keepalive_count; /* 0 = system */

	/* data */
	const char *file;  /* -F */
	int cpu;           /* -A, -1 = none */
	bool no_gso;       /* --no-gso: never let the kernel cut datagrams by itself */
	bool no_fq_pacing; /* obsolete option was given: a warning is due */

	/* how to run */
	bool daemon, one_off;
	const char *pidfile;
	const char *user;            /* --username */
	const char *rsa_public_path; /* --rsa-public-key-path */
	const char *rsa_private_path, *users_path;
	unsigned skew_s;
	bool pkcs1;

	/* output */
	double interval_s; /* 0 = one report at the end */
	char format;       /* one of kmgtKMGT, 0 = adaptive */
	bool verbose, json, json_stream, json_stream_full, forceflush;
	bool timestamps;
	const char *timestamp_format; /* strftime */
	const char *logfile;
	int debug; /* 0..4 */
	bool help, version;
};

/* Defaults, then argv. Strings point into argv. Returns 0, or -1 with e filled: e->text
 * is the message; e->what is empty for a word that is no option (the message is getopt's
 * own) and "parameter" for the rest ("iperf3: parameter error - TEXT"). */
int i3_conf_parse(struct i3_conf *c, int argc, char **argv, struct err *e);
void i3_conf_free(struct i3_conf *c);

/* The long help, and the two usage lines that follow a parameter error. */
void i3_conf_help(FILE *out);
void i3_conf_usage(FILE *out);

#endif
