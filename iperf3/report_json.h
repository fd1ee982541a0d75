/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Between the files of the JSON reporter: one function for each part of the document.
 * All return a tree to be freed or handed on (jsonw.h). */
#ifndef I3_REPORT_JSON_H
#define I3_REPORT_JSON_H

#include "report.h"

/* What "start" is made of: as much as is known yet, NULL = not yet. */
struct i3_json_start {
	const struct i3_conf *c;
	struct cJSON *connected; /* taken over */
	const struct i3_begin *begin;
	const struct i3_start *start;
};

struct cJSON *i3_json_connection(const struct i3_conn *conn);
struct cJSON *i3_json_start(const struct i3_json_start *s);
struct cJSON *i3_json_interval(const struct i3_interval *i, const struct i3_test *test);
struct cJSON *i3_json_end(const struct i3_end *e, const struct i3_test *test);

#endif
