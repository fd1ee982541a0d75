/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One test, as both roles see it once the parameters are known: streams, clocks, reports,
 * results. client.c and server.c own the order of the control messages. */
#ifndef I3_SESSION_H
#define I3_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "addr.h"
#include "conf.h"
#include "cpuuse.h"
#include "ctl.h"
#include "fault.h"
#include "proto.h"
#include "report.h"
#include "stream.h"
#include "ticker.h"

#define I3_ALL_STREAMS (2 * I3_STREAMS_MAX)

/* Why i3_session_run() returned. */
enum i3_ending {
	I3_END_TIME,  /* the time is over (client) */
	I3_END_LIMIT, /* all bytes, blocks or the file went through (client) */
	I3_END_STATE, /* the peer sent a state: session.state */
	I3_END_SIGNAL,
	I3_END_FAULT, /* session.fault says what */
};

struct i3_session {
	const struct i3_conf *conf;
	struct i3_reporter *report;
	enum i3_role role;
	struct i3_test test; /* owned */
	char cookie[I3_COOKIE_BYTES];
	char guest[ADDR_HOST_MAX]; /* server: address of the client */
	struct i3_ctl ctl;
	int state; /* last one received */
	struct i3_fault fault;

	struct i3_shared shared;
	unsigned char *block; /* owned: shared.block */
	struct i3_stream *streams[I3_ALL_STREAMS];
	size_t stream_count;
	struct i3_workers tx, rx;

	/* clocks, monotonic */
	uint64_t begin_ns;  /* of the transfer, omitted time included */
	uint64_t origin_ns; /* zero of the times in reports: begin, then end of omit */
	uint64_t last_ns;   /* end of the last interval reported */
	uint64_t end_ns;    /* of the transfer */
	bool omitting, running, ended;
	struct ticker ticker;
	struct cpuuse cpu_start, cpu_end;
	/* -n, -k, -F: all is sent, the peer gets the rest; 0 = not yet */
	uint64_t delivering_ns, delivered_ns, undelivered_bytes;
	uint64_t failed_ns; /* when a stream was found broken, 0 = none */

	/* --rcv-timeout */
	uint64_t heard_bytes, heard_ns;
	/* --server-bitrate-limit: bytes of the last intervals, a ring */
	uint64_t *rate_ring;
	size_t rate_slots, rate_count;
	uint64_t rate_last_bytes;
	struct ticker rate_ticker;
	double measured_bps; /* that broke the limit */

	/* the result */
	struct i3_reading final[I3_ALL_STREAMS];
	struct i3_results peer;
	bool peer_known;
	struct i3_stream_end ends[I3_ALL_STREAMS];
	struct i3_row rows[I3_ALL_STREAMS];
};

/* s takes over test. Returns NULL when memory is short. */
struct i3_session *i3_session_new(const struct i3_conf *conf, struct i3_reporter *report,
				  struct i3_test *test);
void i3_session_free(struct i3_session *s);

/* Payload, limits and so on, once the parameters are final. -1: s->fault. */
int i3_session_prepare(struct i3_session *s);
/* How many streams this test has, and the direction of the i-th. */
size_t i3_session_streams(const struct i3_session *s);
enum i3_direction i3_session_direction(const struct i3_session *s, size_t index);
/* The next stream on fd, which is taken over, and report it. -1: s->fault. */
int i3_session_add(struct i3_session *s, int fd);
/* Options of a stream's socket (conf and test). */
struct sock_opts i3_session_sock_opts(const struct i3_session *s);
/* The fault that an error of sock_connect(), sock_apply() means; what tells. */
int i3_session_sock_fault(struct i3_session *s, int number, const struct err *e);
/* Is the socket as large as -w asked? -1: s->fault. */
int i3_session_check_window(struct i3_session *s, int fd);

/* Server: what a state means that s->state holds and that does not belong there. Returns
 * -1 with s->fault filled. */
int i3_session_odd_state(struct i3_session *s);

/* Run from TEST_RUNNING until something ends it. Reports intervals. */
enum i3_ending i3_session_run(struct i3_session *s);
/* Stop the transfer, report the last interval. On a client receivers go on reading, so
 * that a server that is blocked in sending can listen to us; they no longer count. */
void i3_session_stop(struct i3_session *s);

/* When the workers have ended: close the files of -F. Returns 0, or -1 with s->fault when
 * one of them did not take all that came. */
int i3_session_close_files(struct i3_session *s);
/* Report the result. */
void i3_session_report_end(struct i3_session *s, bool interrupted);

/* ---- tally.c ---- */

void i3_tally_interval(struct i3_session *s, uint64_t now_ns, bool last);
/* The omitted time is over: what was counted so far is set apart. */
void i3_tally_omit_end(struct i3_session *s, uint64_t now_ns);
/* Our results for the peer. Returns 0 or -1 when memory is short; i3_results_free(). */
int i3_tally_results(struct i3_session *s, struct i3_results *r);
/* Take over the peer's. -1: s->fault (a stream that does not exist). */
int i3_tally_peer(struct i3_session *s, struct i3_results *r);
void i3_tally_end(struct i3_session *s, struct i3_end *e);

#endif
