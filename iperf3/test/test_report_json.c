/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Parts of the JSON reporter, and what goes wrong; see test_report_docs.c too. */
#include "report_docs.h"

#include <cjson/cJSON.h>

#include "jsonw.h"

/* ---- parts ---- */

/* The document, parsed; the case is closed. */
static cJSON *parsed(struct report_case *k)
{
	const char *end = NULL;
	cJSON *tree = cJSON_ParseWithOpts(case_out(k), &end, 0);

	ck_assert_msg(tree != NULL, "no JSON: %s", case_out(k));
	ck_assert_str_eq(end, "\n"); /* one value, nothing else */
	case_close(k);
	return tree;
}

static const char *text_at(const cJSON *tree, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(tree, key));

	return text ? text : "(none)";
}

static const cJSON *at(const cJSON *tree, const char *a, const char *b, const char *c)
{
	tree = cJSON_GetObjectItemCaseSensitive(tree, a);
	tree = b ? cJSON_GetObjectItemCaseSensitive(tree, b) : tree;
	return c ? cJSON_GetObjectItemCaseSensitive(tree, c) : tree;
}

static const cJSON *first(const cJSON *array)
{
	return cJSON_GetArrayItem(array, 0);
}

static double number_at(const cJSON *tree, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(tree, key);

	ck_assert_msg(cJSON_IsNumber(item), "%s is no number", key);
	return item->valuedouble;
}

START_TEST(which_fault_counts)
{
	static const struct {
		enum i3_trouble kind[3];
		const char *text[3];
		const char *error, *err;
	} rows[] = {
		{{I3_TROUBLE_NOTE}, {"n"}, "n", ""},
		{{I3_TROUBLE_INTERRUPT}, {"i"}, "interrupt - i", ""},
		{{I3_TROUBLE_WARNING}, {"w"}, "(none)", "warning: w\n"},
		{{I3_TROUBLE_NOTE, I3_TROUBLE_ERROR}, {"n", "e"}, "e", ""},
		{{I3_TROUBLE_ERROR, I3_TROUBLE_NOTE}, {"e", "n"}, "e", ""},
		{{I3_TROUBLE_ERROR, I3_TROUBLE_ERROR}, {"e", "f"}, "e", ""},
		{{I3_TROUBLE_NOTE, I3_TROUBLE_NOTE}, {"n", "m"}, "n", ""},
		{{I3_TROUBLE_INTERRUPT, I3_TROUBLE_ERROR},
		 {"i", "e"},
		 "interrupt - i",
		 ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct report_case k;
		cJSON *tree;

		case_init(&k, I3_CLIENT, I3_TCP);
		case_open(&k, true);
		for (size_t n = 0; n < 3 && rows[i].text[n]; n++)
			k.ops->fault(k.r, rows[i].kind[n], rows[i].text[n], NULL);
		k.ops->test_done(k.r, false);
		ck_assert_str_eq(case_err(&k), rows[i].err);
		tree = parsed(&k);
		ck_assert_str_eq(text_at(tree, "error"), rows[i].error);
		cJSON_Delete(tree);
	}
}
END_TEST

START_TEST(output_has_only_json)
{
	struct report_case k;
	cJSON *tree;

	case_init(&k, I3_SERVER, I3_TCP);
	k.c.verbose = true;
	k.c.debug = 2;
	case_open(&k, true);
	k.ops->control(k.r, &(struct i3_control){.mss_bytes = 32768});
	k.ops->listening(k.r, &(struct i3_listening){.port = 5201, .test_number = 1});
	k.ops->debug(k.r, 1, "one");
	k.ops->debug(k.r, 4, "four");
	k.ops->omit_end(k.r);
	k.ops->test_done(k.r, false);
	ck_assert_str_eq(case_err(&k), "one\n");
	tree = parsed(&k);
	cJSON_Delete(tree);
}
END_TEST

START_TEST(files)
{
	struct report_case k;
	const cJSON *file;
	cJSON *tree;

	case_init(&k, I3_CLIENT, I3_TCP);
	case_open(&k, true);
	case_begin(&k, "h", 1, 0);
	END(&k, 2467, NO_CPU, NO_CPU, "", "",
	    {.number = 5,
	     .sender = true,
	     .sent = {.known = true, .bytes = 3000000},
	     .received = {.known = true, .bytes = 2490368},
	     .file = "send.bin",
	     .file_bytes = 3000000,
	     .file_size = 3000000});
	k.ops->test_done(k.r, true);
	tree = parsed(&k);
	file = at(first(at(tree, "end", "streams", NULL)), "diskfile", NULL, NULL);
	/* Between sender and receiver. */
	ck_assert_str_eq(file->prev->string, "sender");
	ck_assert_str_eq(file->next->string, "receiver");
	ck_assert(number_at(file, "sent") == 3000000);
	ck_assert(number_at(file, "received") == 2490368);
	ck_assert(number_at(file, "size") == 3000000);
	ck_assert(number_at(file, "percent_sent") == 100);
	ck_assert(number_at(file, "percent_received") == 83);
	ck_assert_str_eq(text_at(file, "filename"), "send.bin");
	cJSON_Delete(tree);
}
END_TEST

/* Late, double and lost datagrams: each in its own key. */
START_TEST(datagrams)
{
	struct report_case k;
	const cJSON *row;
	cJSON *tree;

	case_init(&k, I3_CLIENT, I3_UDP);
	k.test.reverse = true;
	case_open(&k, true);
	case_begin(&k, "h", 1, 0);
	ROWS(&k, {.number = 5,
		  US(0, 1000000),
		  .bytes = 6000,
		  .packets = 9,
		  .lost = 3,
		  .reordered = 12,
		  .duplicates = 2});
	END(&k, 1000000, NO_CPU, NO_CPU, "", "",
	    {.number = 5,
	     .sent = {.known = true, .bytes = 9000, .packets = 10},
	     .received = {.known = true,
			  .bytes = 6000,
			  .packets = 12,
			  .lost = 3,
			  .lost_unknown = true,
			  .has_order = true,
			  .reordered = 12,
			  .duplicates = 2}});
	k.ops->test_done(k.r, true);
	tree = parsed(&k);
	row = at(first(at(tree, "intervals", NULL, NULL)), "sum", NULL, NULL);
	ck_assert(number_at(row, "reordered") == 12 && number_at(row, "duplicates") == 2);
	ck_assert(number_at(row, "lost_packets") == 3 && number_at(row, "packets") == 9);
	row = at(first(at(tree, "end", "streams", NULL)), "udp", NULL, NULL);
	ck_assert(number_at(row, "out_of_order") == 12);
	ck_assert(number_at(row, "packets") == 12 &&
		  number_at(row, "lost_percent") == 25);
	ck_assert(cJSON_IsTrue(at(row, "lost_includes_omitted", NULL, NULL)));
	row = at(tree, "end", "sum_received", NULL);
	ck_assert(number_at(row, "packets") == 12 && number_at(row, "duplicates") == 2);
	row = at(tree, "end", "sum_sent", NULL);
	ck_assert(number_at(row, "packets") == 10 && number_at(row, "lost_packets") == 0);
	ck_assert_ptr_null(at(row, "duplicates", NULL, NULL));
	cJSON_Delete(tree);
}
END_TEST

/* Nothing moved in no time: numbers all the same. */
START_TEST(no_nan)
{
	static const enum i3_protocol protocols[] = {I3_TCP, I3_UDP, I3_SCTP};

	for (size_t i = 0; i < ARRAY_LEN(protocols); i++) {
		struct report_case k;
		cJSON *tree;

		case_init(&k, I3_SERVER, protocols[i]);
		k.test.bidir = true;
		case_open(&k, true);
		case_begin(&k, "h", 1, 0);
		case_start(&k, 0, 0);
		ROWS(&k, {.number = 5}, {.number = 7, .sender = true});
		END(&k, 0, CPU(0, 0, 0), NO_CPU, "", "", {.number = 5},
		    {.number = 7, .sender = true});
		k.ops->test_done(k.r, true);
		ck_assert_ptr_null(strstr(case_out(&k), "null"));
		ck_assert_ptr_null(strstr(case_out(&k), "nan"));
		tree = parsed(&k);
		ck_assert_ptr_nonnull(at(tree, "end", "sum_sent_bidir_reverse", NULL));
		cJSON_Delete(tree);
	}
}
END_TEST

START_TEST(large_counters)
{
	struct report_case k;

	case_init(&k, I3_SERVER, I3_TCP);
	case_open(&k, true);
	case_begin(&k, "h", 1, 0);
	ROWS(&k, {.number = 5, US(0, 1000000), .bytes = UINT64_MAX});
	k.ops->test_done(k.r, true);
	ck_assert_ptr_nonnull(
		strstr(case_out(&k), "\"bytes\":\t18446744073709551615,\n"));
	cJSON_Delete(parsed(&k));
}
END_TEST

/* ---- what the server printed ---- */

START_TEST(server_output)
{
	struct report_case k;
	cJSON *tree;

	tcp_client(&k);
	k.ops->server_output(k.r, "line\n\xff\n", NULL);
	k.ops->test_done(k.r, true);
	tree = parsed(&k);
	ck_assert_str_eq(text_at(tree, "server_output_text"), "line\n?\n");
	ck_assert_str_eq(at(tree, "server_output_text", NULL, NULL)->prev->string,
			 "extra_data");
	cJSON_Delete(tree);

	tcp_client(&k);
	k.ops->server_output(k.r, NULL, cJSON_Parse("{\"a\":1,\"b\":2,\"a\":3}"));
	k.ops->test_done(k.r, true);
	tree = parsed(&k);
	ck_assert_int_eq(cJSON_GetArraySize(at(tree, "server_output_json", NULL, NULL)),
			 2);
	ck_assert(number_at(at(tree, "server_output_json", NULL, NULL), "a") == 3);
	cJSON_Delete(tree);
}
END_TEST

START_TEST(captured)
{
	struct report_case k;
	struct cJSON *json;
	const cJSON *item;
	char *text;
	cJSON *tree;

	tcp_server(&k);
	k.ops->captured(k.r, &text, &json);
	ck_assert_ptr_null(text);
	k.ops->test_done(k.r, true);
	tree = parsed(&k);
	/* The same, without what comes after "end". */
	ck_assert_int_eq(cJSON_GetArraySize(json), 3);
	cJSON_ArrayForEach(item, json) ck_assert(cJSON_Compare(
		item, cJSON_GetObjectItemCaseSensitive(tree, item->string), 1));
	cJSON_Delete(tree);
	cJSON_Delete(json);
}
END_TEST

START_TEST(stream_of_a_failure)
{
	struct report_case k;

	case_init(&k, I3_CLIENT, I3_TCP);
	k.c.json_stream = true;
	case_open(&k, true);
	k.ops->fault(k.r, I3_TROUBLE_ERROR, "unable to connect", NULL);
	k.ops->test_done(k.r, false);
	ck_assert_str_eq(case_out(&k), "{\"event\":\"error\",\"data\":\"unable to "
				       "connect\"}\n{\"event\":\"end\",\"data\":{}}\n");
	case_close(&k);
}
END_TEST

/* A server's second test has nothing of the first. */
START_TEST(tests_one_after_the_other)
{
	struct report_case k;
	cJSON *tree;

	tcp_server(&k);
	k.ops->fault(k.r, I3_TROUBLE_ERROR, "first", NULL);
	k.ops->test_done(k.r, false);
	case_skip(&k);
	k.ops->begin(k.r);
	case_begin(&k, "second", 1, 0);
	k.ops->test_done(k.r, true);
	tree = parsed(&k);
	ck_assert_ptr_null(at(tree, "error", NULL, NULL));
	ck_assert_int_eq(cJSON_GetArraySize(at(tree, "intervals", NULL, NULL)), 0);
	ck_assert_int_eq(cJSON_GetArraySize(at(tree, "start", "connected", NULL)), 0);
	ck_assert_str_eq(text_at(at(tree, "start", "accepted_connection", NULL), "host"),
			 "second");
	cJSON_Delete(tree);
}
END_TEST

/* A full disk: no crash, no second try. */
START_TEST(output_that_fails)
{
	struct report_case k;
	FILE *memory, *full = fopen("/dev/full", "w");

	ck_assert_ptr_nonnull(full);
	tcp_server(&k);
	memory = k.sink.out;
	k.sink.out = full;
	k.ops->test_done(k.r, true);
	fclose(full);
	k.sink.out = memory;
	case_close(&k);
}
END_TEST

static void *no_memory(size_t size)
{
	(void)size;
	return NULL;
}

/* It is still JSON that comes out. */
START_TEST(short_memory)
{
	cJSON_Hooks hooks = {.malloc_fn = no_memory, .free_fn = free};
	struct report_case k;
	cJSON *tree;

	tcp_server(&k);
	cJSON_InitHooks(&hooks);
	k.ops->test_done(k.r, true);
	cJSON_InitHooks(NULL);
	tree = parsed(&k);
	ck_assert_str_eq(text_at(tree, "error"), "not enough memory for the report");
	cJSON_Delete(tree);
}
END_TEST

CHECK_MAIN("report_json", which_fault_counts, output_has_only_json, files, datagrams,
	   no_nan, large_counters, server_output, captured, stream_of_a_failure,
	   tests_one_after_the_other, output_that_fails, short_memory)
