/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Between the files of the text reporter: its state, and lines with their prefix. */
#ifndef I3_REPORT_TEXT_H
#define I3_REPORT_TEXT_H

#include "compat.h"
#include "report.h"

struct i3_text {
	struct i3_reporter base;
	const struct i3_conf *c;
	const struct i3_sink *sink;
	const struct i3_test *test; /* from test_begin() on */
	bool heading_done;          /* of the interval rows */
	bool block_done;            /* a block of interval rows was printed */
	/* What goes to the client of --get-server-output; NULL = not asked for. */
	FILE *copy;
	char *copy_text;
	size_t copy_len;
};

#define I3_SEPARATOR "- - - - - - - - - - - - - - - - - - - - - - - - -"

/* A line with --timestamps and the client's title before it; the newline is added. */
void i3_text_line(struct i3_text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* What interval rows and summary rows begin with. */
struct i3_text_row {
	int number; /* 0 = SUM */
	bool sender;
	uint64_t start_ns, end_ns;
	uint64_t bytes;
	double bps;
};

#define I3_TEXT_ROW_MAX 192

/* "[  5][TX-C]": buf is returned. */
#define I3_TEXT_ID_MAX 32
const char *i3_text_id(const struct i3_text *t, int number, bool sender, char *buf,
		       size_t cap);
/* "[  5]   0.00-1.00   sec  4.82 GBytes  41.3 Gbits/sec" */
const char *i3_text_row(const struct i3_text *t, const struct i3_text_row *r, char *buf,
			size_t cap);

void i3_text_interval(struct i3_text *t, const struct i3_interval *i);
void i3_text_end(struct i3_text *t, const struct i3_end *e);

/* More than one stream of a direction: sums are due. */
static inline bool i3_text_sums(const struct i3_text *t)
{
	return t->test->parallel > 1;
}

static inline bool i3_text_udp(const struct i3_text *t)
{
	return t->test->protocol == I3_UDP;
}

#endif
