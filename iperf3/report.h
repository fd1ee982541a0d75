/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Everything that a reporter prints, as plain values, and the table of functions that
 * each output form fills: text (report_text*.c), one JSON document or a stream of JSON
 * lines (report_json*.c). The session decides when; a reporter only formats. What both
 * forms compute they take from here (report.c), so that they cannot differ.
 *
 * Lines, keys, their order and layout are iperf3 3.21's. Where its figure is 0 because
 * nobody knows it, the 0 stays (scripts read it) and the truth stands beside it.
 *
 * Lines of ours:
 *   [  5] (receiver statistics not available)
 *          after a row of zeros: a client that was interrupted
 *   [SUM]  0.0-10.0 sec  3 duplicate datagrams received
 *          after iperf3's line for datagrams out of order
 *         UDP offload: GSO on, GRO off
 *          with -V, when either is on
 *
 * JSON keys of ours, always after those of iperf3:
 *   "sender_known": false, "receiver_known": false
 *          in an object of "end" whose figures need a side that told nothing
 *   "remote_known": false
 *          likewise in cpu_utilization_percent
 *   "reordered", "duplicates"
 *          datagrams that came late, or once more; none is lost. In rows and sums of UDP
 *          receivers, and in "udp" and "sum*" of "end" when known
 *   "lost_includes_omitted": true
 *          the peer (before 3.14) did not tell which losses fell into the omitted time:
 *          lost_packets, packets and lost_percent are those of all time
 *
 * "out_of_order" equals "reordered": iperf3 counts duplicates in it, and takes them off
 * the losses. "gso" and "gro" in test_start are 1 also when chosen without --gsro. On a
 * server, target_bitrate stands only in the first of iperf3's two places. "error" comes
 * once. Nothing but JSON goes to the output: no lines of -V; -d goes to the error stream.
 *
 * Order of calls, client:
 *   begin control test_begin connected* test_start (omit_end | interval)* end
 *   server_output? fault? test_done
 * server, for each test:
 *   begin listening test_begin connected* test_start (omit_end | interval)* end fault?
 *   test_done
 * A test that fails calls fault() at any point, and then test_done(ok = false), which
 * must leave complete output: a JSON document is printed there. After an interruption
 * end() comes before fault(). captured() is asked on the server between end() and
 * test_done(). */
#ifndef I3_REPORT_H
#define I3_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "addr.h"
#include "conf.h"
#include "fault.h"
#include "proto.h"
#include "sample.h"

struct cJSON;
struct why; /* verdict of --why; common/why.h when it exists */

/* Direction of a stream. A test without bidir has only one of them. */
enum i3_direction {
	I3_C2S, /* client sends */
	I3_S2C, /* server sends */
};

/* ---- before the first byte ---- */

struct i3_listening {
	uint16_t port;
	unsigned test_number; /* of the banner, from 1 */
};

/* Lines of -V without stamp or title. (iperf3 prints them to the terminal even when there
 * is a log file; ours go where all lines go.) 0 = line not due. */
struct i3_control {
	int mss_bytes;            /* of the control connection */
	uint32_t udp_block_bytes; /* block size chosen because -l was not given */
	bool keepalive;
	int keepalive_idle_s, keepalive_intvl_s,
		keepalive_count; /* as the kernel has them */
};

/* Parameters were sent (client) or accepted (server). test outlives test_done(); host
 * need not. */
struct i3_begin {
	enum i3_role role;
	const struct i3_test *test;
	const char *host; /* client: as typed; server: the client's address */
	uint16_t port;
	uint64_t wall_ns;             /* since 1970 UTC */
	char cookie[I3_COOKIE_BYTES]; /* a peer's need not end in a NUL */
	int mss_bytes; /* TCP: of the control connection; the server has 0 unless -M */
};

struct i3_conn {
	int number; /* in brackets, and JSON "socket": 5, 7, 9, ... */
	enum i3_direction direction;
	bool sender; /* the local side sends */
	char local_host[ADDR_HOST_MAX], remote_host[ADDR_HOST_MAX];
	uint16_t local_port, remote_port;
};

/* All streams are there. */
struct i3_start {
	int window_asked_bytes;         /* -w, 0 = none: JSON "sock_bufsize" */
	int sndbuf_bytes, rcvbuf_bytes; /* as the kernel has them */
	/* The kernel cuts (gso) or joins (gro) datagrams on this side: asked with --gsro,
	 * or chosen because the rate is unlimited. Always false for TCP. */
	bool gso, gro;
};

/* ---- while it runs ---- */

/* One stream, or the sum of one direction, in one interval. Times in ns since the start
 * of the (omitted or real) test; iperf3 prints them in whole microseconds. */
struct i3_row {
	int number; /* of the stream; 0 in a sum */
	enum i3_direction direction;
	bool sender;
	bool omitted;
	uint64_t start_ns, end_ns;
	uint64_t bytes;
	/* TCP sender */
	bool has_retransmits; /* else the four columns are absent */
	uint64_t retransmits;
	uint64_t cwnd_bytes, snd_wnd_bytes;
	uint32_t rtt_us, rttvar_us, pmtu_bytes, reorder;
	/* UDP sender: packets; UDP receiver: all. 0 <= lost <= packets. */
	uint64_t packets; /* receiver: received, plus lost */
	uint64_t lost;
	uint64_t duplicates, reordered; /* neither is part of lost or packets */
	double jitter_s;                /* sum: mean over the streams */
};

struct i3_interval {
	const struct i3_row *rows; /* streams in order of creation */
	size_t row_count;
	/* By enum i3_direction; has_sum says which exist. Also there for one stream. */
	struct i3_row sum[2];
	bool has_sum[2];
	bool omitted;
	bool last; /* cut short by the end */
};

/* ---- the result ---- */

/* One side of a stream or of a sum, without the omitted time. */
struct i3_view {
	bool known;      /* false: this side told nothing (yet); all else is 0 */
	uint64_t end_ns; /* duration as that side measured it */
	uint64_t bytes;
	bool has_retransmits;
	uint64_t retransmits;
	/* TCP, local sender only (has_tcp) */
	bool has_tcp;
	uint64_t max_cwnd_bytes, max_snd_wnd_bytes;
	uint32_t max_rtt_us, min_rtt_us, mean_rtt_us;
	uint32_t reorder;
	/* UDP */
	uint64_t packets; /* sender: sent; receiver: highest number seen */
	uint64_t lost;
	/* Peer before 3.14 with -O: lost and packets have the omitted time's too. Text
	 * prints "Unknown/TOTAL". */
	bool lost_unknown;
	bool has_order; /* the two below are known */
	uint64_t duplicates, reordered;
	double jitter_s;
};

struct i3_stream_end {
	int number;
	enum i3_direction direction;
	bool sender; /* the local side sends */
	struct i3_view sent, received;
	/* -F on this side; name NULL = none */
	const char *file;
	uint64_t file_bytes; /* moved through the file */
	uint64_t file_size;
	const struct why *why; /* NULL = not asked for */
};

struct i3_sum_end {
	bool present;
	bool sender; /* the local side sends */
	unsigned streams;
	struct i3_view sent, received;
};

struct i3_cpu {
	double total, user, system; /* percent of one CPU */
};

struct i3_end {
	uint64_t duration_ns;                /* as measured here */
	const struct i3_stream_end *streams; /* in order of creation */
	size_t stream_count;
	struct i3_sum_end sum[2];    /* by enum i3_direction */
	struct i3_cpu local, remote; /* remote 0 where the peer told nothing */
	bool remote_known;
	/* Of the last stream on each side; "" = unknown. The sender's is the local one
	 * where sum[].sender is set, the other side's else. */
	char local_congestion[16], remote_congestion[16];
	bool interrupted; /* by a signal here or by the peer */
};

/* ---- trouble ---- */

enum i3_trouble {
	I3_TROUBLE_ERROR,     /* "iperf3: error - TEXT"; JSON key "error" */
	I3_TROUBLE_INTERRUPT, /* "iperf3: interrupt - TEXT"; JSON key "error" */
	I3_TROUBLE_NOTE,      /* "iperf3: TEXT"; JSON key "error" */
	I3_TROUBLE_WARNING,   /* "warning: TEXT", never in JSON */
};

/* ---- the reporter ---- */

struct i3_reporter;

struct i3_report_ops {
	void (*begin)(struct i3_reporter *r);
	void (*listening)(struct i3_reporter *r, const struct i3_listening *l);
	void (*control)(struct i3_reporter *r, const struct i3_control *c);
	void (*test_begin)(struct i3_reporter *r, const struct i3_begin *b);
	void (*connected)(struct i3_reporter *r, const struct i3_conn *c);
	void (*test_start)(struct i3_reporter *r, const struct i3_start *s);
	void (*omit_end)(struct i3_reporter *r);
	void (*interval)(struct i3_reporter *r, const struct i3_interval *i);
	void (*end)(struct i3_reporter *r, const struct i3_end *e);
	/* What the server printed; exactly one is not NULL. json is taken over. */
	void (*server_output)(struct i3_reporter *r, const char *text,
			      struct cJSON *json);
	/* f may be NULL. A fault told by the server is one call: text prints "SERVER
	 * ERROR - " first. JSON keeps one: an error replaces a note, else the first
	 * stays. */
	void (*fault)(struct i3_reporter *r, enum i3_trouble kind, const char *text,
		      const struct i3_fault *f);
	/* -d: level 1..4. One or more lines without the last newline. */
	void (*debug)(struct i3_reporter *r, int level, const char *text);
	/* This test is over. The reporter is then ready for the next test_begin(). */
	void (*test_done)(struct i3_reporter *r, bool ok);
	/* What was printed since test_begin(), for the client: *text (to be freed) or
	 * *json (a copy, to be freed with jsonw_free()) is set. */
	void (*captured)(struct i3_reporter *r, char **text, struct cJSON **json);
	void (*free)(struct i3_reporter *r);
};

struct i3_reporter {
	const struct i3_report_ops *ops;
};

/* Where lines go. With --logfile both are the file. The caller closes them after the
 * reporter was freed. */
struct i3_sink {
	FILE *out, *err;
};

/* A reporter for c->json, c->json_stream or neither. c and the sink outlive it. NULL when
 * memory is short. */
struct i3_reporter *i3_report_text(const struct i3_conf *c, const struct i3_sink *sink);
struct i3_reporter *i3_report_json(const struct i3_conf *c, const struct i3_sink *sink);

/* ---- shared by the reporters and the session (report.c) ---- */

/* "iperf 3.21+netclassics-0.1.0": first words of -v and of a test's output. */
const char *i3_version_text(void);
/* "Linux HOST 6.1.0 #1 SMP ... x86_64" */
void i3_system_text(char *buf, size_t cap);
/* "Mon, 30 Nov 2026 18:31:51 GMT", in any locale and time zone. */
void i3_time_text(uint64_t wall_ns, char *buf, size_t cap);

/* Fill the sums of an interval from its rows, and of an end from its streams. An
 * interval's times are those of the direction's first stream, an end's the longest. A
 * sum of views is known only if all are. */
void i3_interval_sums(struct i3_interval *i);
void i3_end_sums(struct i3_end *e);

/* Seconds to the nearest microsecond, as iperf3 keeps time. */
double i3_seconds(uint64_t ns);
/* Length of an interval, in the single precision that iperf3 has it in. */
double i3_row_seconds(const struct i3_row *r);
/* When a side's view ended: the local duration for one that is not known. */
uint64_t i3_view_end_ns(const struct i3_end *e, const struct i3_view *v);
/* Bit/s; 0 for no time. */
double i3_bps(uint64_t bytes, double seconds);
/* 0 of none. */
double i3_percent(uint64_t part, uint64_t whole);

#endif
