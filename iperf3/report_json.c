/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The JSON reporter: one document when a test is over, or a line for each event while it
 * runs. Whatever happens, the output is whole: test_done() closes it. */
#include "report_json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "jsonw.h"

struct json {
	struct i3_reporter base;
	const struct i3_conf *c;
	const struct i3_sink *sink;
	bool begun, started;
	struct i3_begin begin; /* while begun */
	char *host;            /* begin's, kept */
	struct i3_start start; /* while started */
	/* Parts of the document, NULL = not there yet. */
	struct cJSON *connected; /* until it is part of start_tree */
	struct cJSON *start_tree, *intervals, *end_tree;
	struct cJSON *server_json;
	char *server_text;
	char *error;
	bool error_stays; /* it is not a mere note */
};

static struct json *json_of(struct i3_reporter *r)
{
	return (struct json *)r;
}

static void reset(struct json *j)
{
	j->begun = j->started = j->error_stays = false;
	jsonw_free(j->connected);
	jsonw_free(j->start_tree);
	jsonw_free(j->intervals);
	jsonw_free(j->end_tree);
	jsonw_free(j->server_json);
	free(j->host);
	free(j->server_text);
	free(j->error);
	j->host = NULL;
	j->connected = j->start_tree = j->intervals = j->end_tree = NULL;
	j->server_json = NULL;
	j->server_text = j->error = NULL;
}

/* Print a tree. Without memory for it, the least that is still JSON. */
static void print(const struct json *j, const struct cJSON *tree, bool one_line)
{
	FILE *out = j->sink->out;

	if (out && jsonw_print(out, tree, one_line) < 0 && !ferror(out)) {
		fprintf(out,
			one_line ? "{\"event\":\"error\",\"data\":\"%s\"}\n"
				 : "{\n\t\"error\":\t\"%s\"\n}\n",
			"not enough memory for the report");
		fflush(out);
	}
}

/* ---- events of --json-stream ---- */

/* Print {"event":NAME,"data":DATA} in one line. Takes data and gives it back. */
static struct cJSON *event(const struct json *j, const char *name, struct cJSON *data)
{
	struct cJSON *o = jsonw_object();

	jsonw_str(o, "event", name);
	jsonw_add(o, "data", data);
	print(j, o, true);
	data = cJSON_DetachItemFromObjectCaseSensitive(o, "data");
	jsonw_free(o);
	return data;
}

static void text_event(const struct json *j, const char *name, const char *text)
{
	struct cJSON *o = jsonw_object();

	jsonw_str(o, "event", name);
	jsonw_str(o, "data", text);
	print(j, o, true);
	jsonw_free(o);
}

/* Is the whole document wanted, at the end or by the client? */
static bool keeps_all(const struct json *j)
{
	return !j->c->json_stream || j->c->json_stream_full ||
	       (j->begun && j->begin.test->get_server_output);
}

/* ---- before the first byte ---- */

static void json_begin(struct i3_reporter *r)
{
	reset(json_of(r));
}

static void json_listening(struct i3_reporter *r, const struct i3_listening *l)
{
	(void)r;
	(void)l;
}

static void json_control(struct i3_reporter *r, const struct i3_control *c)
{
	(void)r;
	(void)c;
}

static void json_test_begin(struct i3_reporter *r, const struct i3_begin *b)
{
	struct json *j = json_of(r);

	free(j->host);
	j->host = strdup(b->host);
	j->begin = *b;
	j->begin.host = j->host;
	j->begun = true;
}

static void json_connected(struct i3_reporter *r, const struct i3_conn *c)
{
	struct json *j = json_of(r);

	if (!j->connected)
		j->connected = jsonw_array();
	jsonw_add(j->connected, NULL, i3_json_connection(c));
}

/* Make "start" of what is known. */
static void build_start(struct json *j)
{
	const struct i3_json_start s = {
		.c = j->c,
		.connected = j->connected ? j->connected : jsonw_array(),
		.begin = j->begun ? &j->begin : NULL,
		.start = j->started ? &j->start : NULL,
	};

	j->connected = NULL;
	jsonw_free(j->start_tree);
	j->start_tree = i3_json_start(&s);
}

static void json_test_start(struct i3_reporter *r, const struct i3_start *s)
{
	struct json *j = json_of(r);

	j->start = *s;
	j->started = true;
	build_start(j);
	if (j->c->json_stream)
		j->start_tree = event(j, "start", j->start_tree);
}

/* ---- while it runs, and the result ---- */

static void json_omit_end(struct i3_reporter *r)
{
	(void)r;
}

static void json_interval(struct i3_reporter *r, const struct i3_interval *i)
{
	struct json *j = json_of(r);
	struct cJSON *o;

	if (!j->begun || i->row_count == 0)
		return;
	o = i3_json_interval(i, j->begin.test);
	if (j->c->json_stream)
		o = event(j, "interval", o);
	if (!keeps_all(j)) {
		jsonw_free(o);
		return;
	}
	if (!j->intervals)
		j->intervals = jsonw_array();
	jsonw_add(j->intervals, NULL, o);
}

static void json_end(struct i3_reporter *r, const struct i3_end *e)
{
	struct json *j = json_of(r);

	if (!j->begun || e->stream_count == 0)
		return;
	jsonw_free(j->end_tree);
	j->end_tree = i3_json_end(e, j->begin.test);
}

static void json_server_output(struct i3_reporter *r, const char *text,
			       struct cJSON *json)
{
	struct json *j = json_of(r);

	if (text) {
		free(j->server_text);
		j->server_text = strdup(text);
	}
	if (json) {
		jsonw_free(j->server_json);
		j->server_json = json;
		jsonw_tidy(json);
	}
}

/* ---- trouble ---- */

static void json_fault(struct i3_reporter *r, enum i3_trouble kind, const char *text,
		       const struct i3_fault *f)
{
	struct json *j = json_of(r);
	bool note = kind == I3_TROUBLE_NOTE;
	char *error = NULL;

	(void)f;
	if (kind == I3_TROUBLE_WARNING) {
		if (j->sink->err)
			fprintf(j->sink->err, "warning: %s\n", text);
		return;
	}
	if (j->error && (j->error_stays || note))
		return;
	if (asprintf(&error, "%s%s", kind == I3_TROUBLE_INTERRUPT ? "interrupt - " : "",
		     text) < 0)
		return;
	free(j->error);
	j->error = error;
	j->error_stays = !note;
}

static void json_debug(struct i3_reporter *r, int level, const char *text)
{
	struct json *j = json_of(r);

	/* Only JSON goes to the output. */
	if (level <= j->c->debug && j->sink->err)
		fprintf(j->sink->err, "%s\n", text);
}

/* ---- the document ---- */

static struct cJSON *copy_of(const struct cJSON *tree)
{
	return tree ? cJSON_Duplicate(tree, 1) : NULL;
}

static struct cJSON *or_empty(struct cJSON *tree, bool array)
{
	return tree ? tree : array ? jsonw_array() : jsonw_object();
}

/* Takes the parts over. */
static struct cJSON *document(struct json *j)
{
	const struct i3_test *test = j->begun ? j->begin.test : &j->c->test;
	struct cJSON *o = jsonw_object();

	jsonw_add(o, "start", or_empty(j->start_tree, false));
	jsonw_add(o, "intervals", or_empty(j->intervals, true));
	jsonw_add(o, "end", or_empty(j->end_tree, false));
	if (j->error)
		jsonw_str(o, "error", j->error);
	if (test->title)
		jsonw_str(o, "title", test->title);
	if (test->extra_data)
		jsonw_str(o, "extra_data", test->extra_data);
	if (j->server_json)
		jsonw_add(o, "server_output_json", j->server_json);
	if (j->server_text)
		jsonw_str(o, "server_output_text", j->server_text);
	j->start_tree = j->intervals = j->end_tree = j->server_json = NULL;
	return o;
}

static void last_events(struct json *j)
{
	if (j->error)
		text_event(j, "error", j->error);
	if (j->server_json)
		j->server_json = event(j, "server_output_json", j->server_json);
	if (j->server_text)
		text_event(j, "server_output_text", j->server_text);
	j->end_tree = event(j, "end", or_empty(j->end_tree, false));
}

static void json_test_done(struct i3_reporter *r, bool ok)
{
	struct json *j = json_of(r);
	struct cJSON *o;

	(void)ok;
	if (!j->start_tree)
		build_start(j);
	if (j->c->json_stream)
		last_events(j);
	if (!j->c->json_stream || j->c->json_stream_full) {
		o = document(j);
		print(j, o, false);
		jsonw_free(o);
	}
	reset(j);
}

static void json_captured(struct i3_reporter *r, char **text, struct cJSON **json)
{
	struct json *j = json_of(r);

	*text = NULL;
	if (!j->start_tree)
		build_start(j);
	*json = jsonw_object();
	jsonw_add(*json, "start", or_empty(copy_of(j->start_tree), false));
	jsonw_add(*json, "intervals", or_empty(copy_of(j->intervals), true));
	jsonw_add(*json, "end", or_empty(copy_of(j->end_tree), false));
}

static void json_free(struct i3_reporter *r)
{
	if (!r)
		return;
	reset(json_of(r));
	free(r);
}

static const struct i3_report_ops json_ops = {
	.begin = json_begin,
	.listening = json_listening,
	.control = json_control,
	.test_begin = json_test_begin,
	.connected = json_connected,
	.test_start = json_test_start,
	.omit_end = json_omit_end,
	.interval = json_interval,
	.end = json_end,
	.server_output = json_server_output,
	.fault = json_fault,
	.debug = json_debug,
	.test_done = json_test_done,
	.captured = json_captured,
	.free = json_free,
};

struct i3_reporter *i3_report_json(const struct i3_conf *c, const struct i3_sink *sink)
{
	struct json *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->base.ops = &json_ops;
	j->c = c;
	j->sink = sink;
	return &j->base;
}
