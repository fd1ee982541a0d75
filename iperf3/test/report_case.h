/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A reporter that writes into memory, and short ways to feed it. */
#ifndef I3_REPORT_CASE_H
#define I3_REPORT_CASE_H

#include <stdlib.h>
#include <string.h>

#include "../../common/test/check_main.h"
#include "compat.h"
#include "mono.h"
#include "report.h"

#define CASE_COOKIE "x4crwx27lhebupwbqjqo3prpc4h3vtgmmk2b"
#define CASE_WALL   (UINT64_C(1796063511) * NS_PER_S + 407 * NS_PER_MS)

struct report_case {
	struct i3_conf c;
	struct i3_test test;
	struct i3_sink sink;
	struct i3_reporter *r;
	const struct i3_report_ops *ops;
	char *out, *err; /* what was printed, see case_out() */
	size_t out_len, err_len;
	size_t skip; /* of out, not of interest */
};

/* Role and protocol; change c and test before case_open(). */
static inline void case_init(struct report_case *k, enum i3_role role,
			     enum i3_protocol protocol)
{
	memset(k, 0, sizeof(*k));
	i3_test_init(&k->test);
	k->test.protocol = protocol;
	k->test.block_bytes = protocol == I3_UDP ? 1000 : 131072;
	k->test.time_s = 2;
	k->c.role = role;
	k->c.interval_s = 1;
}

static inline void case_open(struct report_case *k, bool json)
{
	k->c.json = json;
	k->c.test.title = k->test.title;
	k->c.test.extra_data = k->test.extra_data;
	k->sink.out = open_memstream(&k->out, &k->out_len);
	k->sink.err = open_memstream(&k->err, &k->err_len);
	ck_assert(k->sink.out && k->sink.err);
	k->r = json ? i3_report_json(&k->c, &k->sink) : i3_report_text(&k->c, &k->sink);
	ck_assert_ptr_nonnull(k->r);
	k->ops = k->r->ops;
	k->ops->begin(k->r);
}

/* begin was called; this is what follows until the rows. Streams 5, 7, ... */
static inline void case_begin(struct report_case *k, const char *host, uint16_t port,
			      int mss)
{
	struct i3_begin b = {
		.role = k->c.role,
		.test = &k->test,
		.host = host,
		.port = port,
		.wall_ns = CASE_WALL,
		.cookie = CASE_COOKIE,
		.mss_bytes = mss,
	};

	k->ops->test_begin(k->r, &b);
}

static inline enum i3_direction case_direction(const struct report_case *k, bool sender)
{
	return sender == (k->c.role == I3_CLIENT) ? I3_C2S : I3_S2C;
}

static inline void case_connected(struct report_case *k, int number, bool sender,
				  uint16_t local_port, uint16_t remote_port)
{
	struct i3_conn conn = {
		.number = number,
		.direction = case_direction(k, sender),
		.sender = sender,
		.local_host = "127.0.0.1",
		.remote_host = "127.0.0.1",
		.local_port = local_port,
		.remote_port = remote_port,
	};

	k->ops->connected(k->r, &conn);
}

/* Completes directions and sums. */
static inline void case_interval(struct report_case *k, struct i3_row *rows, size_t n)
{
	struct i3_interval i = {.rows = rows, .row_count = n};

	for (size_t x = 0; x < n; x++)
		rows[x].direction = case_direction(k, rows[x].sender);
	i.omitted = n > 0 && rows[0].omitted;
	i3_interval_sums(&i);
	k->ops->interval(k->r, &i);
}

/* The same for e->streams; every known view that has no time gets the duration. */
static inline void case_end(struct report_case *k, struct i3_end *e,
			    struct i3_stream_end *streams, size_t n)
{
	for (size_t x = 0; x < n; x++) {
		struct i3_stream_end *s = &streams[x];

		s->direction = case_direction(k, s->sender);
		if (s->sent.known && !s->sent.end_ns)
			s->sent.end_ns = e->duration_ns;
		if (s->received.known && !s->received.end_ns)
			s->received.end_ns = e->duration_ns;
	}
	e->streams = streams;
	e->stream_count = n;
	i3_end_sums(e);
	k->ops->end(k->r, e);
}

static inline const char *case_out(struct report_case *k)
{
	fflush(k->sink.out);
	return k->out + k->skip;
}

/* Forget what was printed until now. */
static inline void case_skip(struct report_case *k)
{
	fflush(k->sink.out);
	k->skip = k->out_len;
}

static inline const char *case_err(struct report_case *k)
{
	fflush(k->sink.err);
	return k->err;
}

static inline void case_close(struct report_case *k)
{
	k->ops->free(k->r);
	fclose(k->sink.out);
	fclose(k->sink.err);
	free(k->out);
	free(k->err);
	/* Strings of the test are literals. */
}

#endif
