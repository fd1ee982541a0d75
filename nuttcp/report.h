/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a client has to say, and who says it: text or JSON. */
#ifndef NUT_REPORT_H
#define NUT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "conf.h"
#include "err.h"
#include "flow.h"
#include "measure.h"
#include "text.h"

struct cJSON;

/* All there is to know at the end of a test. */
struct nut_end {
	const struct nut_flow *flow; /* NULL when it never came to a test */
	const struct nut_result *own, *tx, *rx;
	const char *server_text; /* its lines, for the verbose report */
	bool interrupted;
	bool classic;       /* without a server: own figures only */
	const char *reason; /* "done", or why it ended early */
};

struct nut_report {
	FILE *out, *err;
	const struct nut_conf *conf;
	const struct nut_reporter *how;
	struct nut_text text; /* settings of the lines */
	struct cJSON *intervals;
	const char *failure; /* JSON: the error; text of the caller */
};

struct nut_reporter {
	void (*head)(struct nut_report *r);
	void (*connected)(struct nut_report *r, const struct nut_flow *f);
	void (*interval)(struct nut_report *r, const struct nut_interval *i);
	/* An interval line of the server; own: this end's columns, or NULL. */
	void (*relay)(struct nut_report *r, const char *line,
		      const struct nut_interval *own);
	/* A line of the server that is shown at once. */
	void (*server_line)(struct nut_report *r, const char *line);
	void (*interrupted)(struct nut_report *r);
	/* Lines of text: one that warns, and one that tells of the end. */
	void (*note)(struct nut_report *r, const char *text);
	void (*error)(struct nut_report *r, const struct err *e);
	/* An error that has always gone to standard output. */
	void (*error_out)(struct nut_report *r, const char *text);
	/* The end without a test: the whole text, on standard error. */
	void (*failed)(struct nut_report *r, const char *text);
	void (*end)(struct nut_report *r, const struct nut_end *e);
};

extern const struct nut_reporter nut_report_text, nut_report_json;

#endif
