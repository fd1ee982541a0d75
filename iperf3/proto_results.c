/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The results of one side as JSON. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto.h"

void i3_results_free(struct i3_results *r)
{
	cJSON_Delete(r->server_output_json);
	cJSON_Delete(r->why);
	free(r->server_output_text);
	free(r->streams);
	*r = (struct i3_results){.streams = NULL};
}

static void put_num(struct cJSON *to, const char *key, double value)
{
	cJSON_AddNumberToObject(to, key, isfinite(value) ? value : 0);
}

/* Times go out in whole microseconds. */
static double to_us(double s)
{
	return s > 0 && s < 1e12 ? (double)(uint64_t)(s * 1e6 + 0.5) / 1e6 : 0;
}

static struct cJSON *stream_object(const struct i3_result_stream *s)
{
	struct cJSON *o = cJSON_CreateObject();

	put_num(o, "id", s->id);
	put_num(o, "bytes", (double)s->bytes);
	put_num(o, "retransmits", (double)s->retransmits);
	put_num(o, "jitter", s->jitter_s);
	put_num(o, "errors", (double)s->errors);
	if (s->has_omitted)
		put_num(o, "omitted_errors", (double)s->omitted_errors);
	put_num(o, "packets", (double)s->packets);
	if (s->has_omitted)
		put_num(o, "omitted_packets", (double)s->omitted_packets);
	put_num(o, "start_time", to_us(s->start_s));
	put_num(o, "end_time", to_us(s->end_s));
	if (s->duplicates >= 0)
		put_num(o, "duplicates", (double)s->duplicates);
	if (s->reordered >= 0)
		put_num(o, "reordered", (double)s->reordered);
	return o;
}

char *i3_results_text(const struct i3_results *r)
{
	struct cJSON *o = cJSON_CreateObject();
	struct cJSON *list = NULL;
	char *text;

	put_num(o, "cpu_util_total", r->cpu_total);
	put_num(o, "cpu_util_user", r->cpu_user);
	put_num(o, "cpu_util_system", r->cpu_system);
	put_num(o, "sender_has_retransmits", r->sender_has_retransmits);
	if (r->congestion[0])
		cJSON_AddStringToObject(o, "congestion_used", r->congestion);
	if (r->server_output_json)
		cJSON_AddItemReferenceToObject(o, "server_output_json",
					       r->server_output_json);
	if (r->server_output_text)
		cJSON_AddStringToObject(o, "server_output_text", r->server_output_text);
	list = cJSON_AddArrayToObject(o, "streams");
	for (size_t i = 0; i < r->stream_count; i++)
		cJSON_AddItemToArray(list, stream_object(&r->streams[i]));
	if (r->why)
		cJSON_AddItemReferenceToObject(o, "why", r->why);
	text = o ? cJSON_PrintUnformatted(o) : NULL;
	cJSON_Delete(o);
	return text;
}

/* ---- reading ---- */

/* Returns false when the key is not there as a number. */
static bool get_num(const struct cJSON *o, const char *key, double *out)
{
	const struct cJSON *item = cJSON_GetObjectItemCaseSensitive(o, key);

	if (!cJSON_IsNumber(item))
		return false;
	*out = item->valuedouble;
	return true;
}

/* Whole number; before 3.14 a negative one is printed as if it were unsigned. */
static bool get_int(const struct cJSON *o, const char *key, int64_t *out)
{
	double v;

	if (!get_num(o, key, &v))
		return false;
	if (v >= 9223372036854775808.0)
		v = -1;
	*out = v < -9223372036854774784.0 ? INT64_MIN : (int64_t)v;
	return true;
}

static bool get_count(const struct cJSON *o, const char *key, uint64_t *out)
{
	int64_t v;

	if (!get_int(o, key, &v))
		return false;
	*out = v < 0 ? 0 : (uint64_t)v;
	return true;
}

static double sane(double v, double max)
{
	return v >= 0 && v <= max ? v : 0;
}

static bool read_stream(const struct cJSON *o, struct i3_result_stream *s)
{
	int64_t id;
	bool errors, packets;
	double from = 0, to = 0;

	*s = (struct i3_result_stream){.duplicates = -1, .reordered = -1};
	if (!get_int(o, "id", &id) || !get_count(o, "bytes", &s->bytes) ||
	    !get_int(o, "retransmits", &s->retransmits) ||
	    !get_num(o, "jitter", &s->jitter_s) || !get_int(o, "errors", &s->errors) ||
	    !get_int(o, "packets", &s->packets))
		return false;
	s->id = id >= 0 && id <= INT32_MAX ? (int)id : 0;
	s->jitter_s = sane(s->jitter_s, 1e9);
	errors = get_int(o, "omitted_errors", &s->omitted_errors);
	packets = get_int(o, "omitted_packets", &s->omitted_packets);
	if (errors != packets)
		return false;
	s->has_omitted = errors;
	s->has_end = get_num(o, "end_time", &to);
	get_num(o, "start_time", &from);
	s->start_s = sane(from, 1e7);
	s->end_s = sane(to, 1e7);
	get_int(o, "duplicates", &s->duplicates);
	get_int(o, "reordered", &s->reordered);
	return true;
}

static bool read_streams(struct i3_results *r, const struct cJSON *list)
{
	int count = cJSON_GetArraySize(list);
	const struct cJSON *item;

	if (!cJSON_IsArray(list) || count > 2 * I3_STREAMS_MAX)
		return false;
	r->streams = calloc((size_t)count + 1, sizeof(*r->streams));
	if (!r->streams)
		return false;
	cJSON_ArrayForEach(item, list)
	{
		if (!cJSON_IsObject(item) ||
		    !read_stream(item, &r->streams[r->stream_count]))
			return false;
		r->stream_count++;
	}
	return true;
}

static bool read_all(struct i3_results *r, struct cJSON *o)
{
	const struct cJSON *item;
	int64_t retransmits;

	if (!get_num(o, "cpu_util_total", &r->cpu_total) ||
	    !get_num(o, "cpu_util_user", &r->cpu_user) ||
	    !get_num(o, "cpu_util_system", &r->cpu_system) ||
	    !get_int(o, "sender_has_retransmits", &retransmits))
		return false;
	r->cpu_total = sane(r->cpu_total, 1e6);
	r->cpu_user = sane(r->cpu_user, 1e6);
	r->cpu_system = sane(r->cpu_system, 1e6);
	r->sender_has_retransmits = retransmits < 0 ? -1 : retransmits > 0;
	item = cJSON_GetObjectItemCaseSensitive(o, "congestion_used");
	if (cJSON_IsString(item)) {
		strlcpy(r->congestion, item->valuestring, sizeof(r->congestion));
		i3_make_plain(r->congestion);
	}
	item = cJSON_GetObjectItemCaseSensitive(o, "server_output_text");
	if (cJSON_IsString(item))
		r->server_output_text = strdup(item->valuestring);
	r->server_output_json =
		cJSON_DetachItemFromObjectCaseSensitive(o, "server_output_json");
	if (r->server_output_json && !cJSON_IsObject(r->server_output_json)) {
		cJSON_Delete(r->server_output_json);
		r->server_output_json = NULL;
	}
	item = cJSON_GetObjectItemCaseSensitive(o, "why");
	if (cJSON_IsObject(item))
		r->why = cJSON_DetachItemFromObjectCaseSensitive(o, "why");
	return read_streams(r, cJSON_GetObjectItemCaseSensitive(o, "streams"));
}

int i3_results_read(struct i3_results *r, const char *text, size_t len,
		    struct i3_fault *f)
{
	struct cJSON *o = cJSON_ParseWithLength(text, len);
	bool ok;

	*r = (struct i3_results){.streams = NULL};
	ok = cJSON_IsObject(o) && read_all(r, o);
	cJSON_Delete(o);
	return ok ? 0 : i3_fault(f, I3_F_RECV_RESULTS);
}
