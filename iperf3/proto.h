/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The wire format of iperf3: bytes and JSON to structs and back. Pure functions: no
 * socket, no clock, no output. Everything that comes from a peer is checked here: types,
 * ranges, lengths.
 *
 * Control connection (TCP, the same port as the data):
 *
 *   client                                    server
 *   cookie, 37 bytes               ->
 *                                  <-  PARAM_EXCHANGE
 *   length + parameters            ->
 *                                  <-  CREATE_STREAMS
 *   (streams are opened)
 *                                  <-  TEST_START TEST_RUNNING
 *   TEST_END                       ->
 *                                  <-  EXCHANGE_RESULTS
 *   length + results               ->
 *                                  <-  length + results
 *                                  <-  DISPLAY_RESULTS
 *   IPERF_DONE                     ->
 *
 * A length is 4 bytes, big-endian; the JSON has no terminating NUL. */
#ifndef I3_PROTO_H
#define I3_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf.h"
#include "fault.h"

struct cJSON;

enum i3_state {
	I3_TEST_START = 1,
	I3_TEST_RUNNING = 2,
	I3_TEST_END = 4,
	I3_PARAM_EXCHANGE = 9,
	I3_CREATE_STREAMS = 10,
	I3_SERVER_TERMINATE = 11,
	I3_CLIENT_TERMINATE = 12,
	I3_EXCHANGE_RESULTS = 13,
	I3_DISPLAY_RESULTS = 14,
	I3_IPERF_START = 15, /* never sent */
	I3_IPERF_DONE = 16,
	I3_ACCESS_DENIED = -1,
	I3_SERVER_ERROR = -2, /* followed by number and errno, 4 bytes each */
};

/* "TEST_START", or "state N". buf is used for unknown ones. */
const char *i3_state_name(int state, char *buf, size_t cap);

/* Put ? for whatever is no printable ASCII: a peer's words that users see must not move
 * their cursor or forge lines. */
void i3_make_plain(char *text);

/* ---- cookie: 36 letters of a-z2-7 and a NUL ---- */
#define I3_COOKIE_BYTES 37

/* Returns 0, or -1 with e filled when no random bytes can be had. */
int i3_cookie_make(char cookie[static I3_COOKIE_BYTES], struct err *e);
/* Up to the first NUL, as iperf3 compares them. */
bool i3_cookie_equal(const char a[static I3_COOKIE_BYTES],
		     const char b[static I3_COOKIE_BYTES]);

/* ---- SERVER_ERROR: state byte and two integers ---- */
#define I3_SERVER_ERROR_BYTES 9
void i3_server_error_put(unsigned char out[static I3_SERVER_ERROR_BYTES], int number,
			 int sys_errno);

uint32_t i3_be32_get(const unsigned char in[static 4]);
void i3_be32_put(unsigned char out[static 4], uint32_t value);

/* ---- parameters ---- */

/* The parameters of t as JSON text in one line (free() it), NULL when memory is short.
 * version goes out as client_version. */
char *i3_params_text(const struct i3_test *t, const char *version);

/* Read text of len bytes (no NUL needed) into t, which must be initialised: unknown keys
 * are ignored, missing ones and those of a wrong type leave what t holds. mismatch (may
 * be NULL) is called with each key of a wrong type. Returns 0, or -1 with f filled:
 * I3_F_RECV_PARAMS when it is no JSON object, the number of the option that is out of
 * range otherwise. On failure t may be half filled and is still to be freed. */
int i3_params_read(struct i3_test *t, const char *text, size_t len,
		   void (*mismatch)(void *arg, const char *key), void *arg,
		   struct i3_fault *f);

/* ---- results ---- */

/* One stream as its own side saw it, after the omitted time unless said otherwise. */
struct i3_result_stream {
	int id; /* i3_stream_id() */
	uint64_t bytes;
	int64_t retransmits; /* -1 = unknown or not the sender */
	double jitter_s;
	int64_t errors, packets; /* UDP, with the omitted time */
	bool has_omitted;        /* false: a peer before 3.14 */
	int64_t omitted_errors, omitted_packets;
	double start_s, end_s;
	bool has_end;                  /* false: a peer before 3.2 */
	int64_t duplicates, reordered; /* keys of ours, -1 = not told */
};

struct i3_results {
	double cpu_total, cpu_user, cpu_system; /* percent of one CPU */
	int sender_has_retransmits; /* -1 this side does not send, 1 counts, 0 does not */
	char congestion[16];        /* "" = not told */
	struct cJSON *server_output_json; /* owned; NULL = none */
	char *server_output_text;         /* owned; NULL = none */
	struct cJSON *why; /* owned; of a receiver that is ours, else NULL */
	struct i3_result_stream *streams; /* owned */
	size_t stream_count;
};

void i3_results_free(struct i3_results *r);

/* JSON text in one line (free() it), NULL when memory is short. */
char *i3_results_text(const struct i3_results *r);

/* Returns 0, or -1 with f filled: I3_F_RECV_RESULTS (no JSON, a required key missing,
 * more than 2 * I3_STREAMS_MAX streams). r needs i3_results_free() either way. */
int i3_results_read(struct i3_results *r, const char *text, size_t len,
		    struct i3_fault *f);

/* Number on the wire of the i-th stream, from 0: 1, 3, 4, 5, ... */
int i3_stream_id(size_t index);

/* ---- UDP ---- */

/* A stream opens with one datagram of 4 bytes from the client and one in answer. */
#define I3_HELLO_BYTES 4
extern const unsigned char i3_udp_hello[I3_HELLO_BYTES];  /* "9876" */
extern const unsigned char i3_udp_answer[I3_HELLO_BYTES]; /* "6789" */
/* Is this one of the answers that servers of all versions and byte orders give? */
bool i3_udp_is_answer(const void *buf, size_t len);
/* Is this one of the hellos that clients send? (Any datagram may serve as one.) */
bool i3_udp_is_hello(const void *buf, size_t len);

/* Head of a data datagram, all big-endian:
 *
 *   0   4  seconds of the sender's monotonic clock
 *   4   4  microseconds
 *   8   4  number of the datagram, from 1     (8 bytes with udp_64bit) */
struct i3_udp_head {
	uint32_t sec, usec;
	uint64_t number;
};

#define I3_UDP_HEAD_MAX 16
void i3_udp_head_put(unsigned char *out, const struct i3_udp_head *h, bool wide);
/* Returns false when len is too short for a head. */
bool i3_udp_head_get(const unsigned char *in, size_t len, struct i3_udp_head *h,
		     bool wide);

#endif
