/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whole JSON documents and streams of the reporter, byte by byte: the files in
 * compat-tests/golden/iperf3/json. */
#include "report_docs.h"

#include <cjson/cJSON.h>

#define FOLDER "compat-tests/golden/iperf3/json/"

static char *slurp(FILE *f)
{
	char *text = NULL;
	size_t cap = 0;
	ssize_t len = getdelim(&text, &cap, EOF, f);

	ck_assert_int_gt((int)len, 0);
	return text;
}

/* Replace word in text, which is freed. */
static char *replaced(char *text, const char *word, const char *by)
{
	char *out = NULL, *rest = text;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	for (char *at; (at = strstr(rest, word)); rest = at + strlen(word))
		fprintf(f, "%.*s%s", (int)(at - rest), rest, by);
	fputs(rest, f);
	fclose(f);
	free(text);
	return out;
}

/* What differs from host to host and from version to version. */
static char *neutral(const char *text)
{
	char system[512];
	char *out = strdup(text);

	i3_system_text(system, sizeof(system));
	out = replaced(out, system, "Linux testhost 6.1.0 #1 SMP PREEMPT_DYNAMIC x86_64");
	return replaced(out, i3_version_text(), "iperf 3.21+");
}

/* Compare with the file, or write it when UPDATE_GOLDEN is set. */
static void compare(const char *name, const char *text)
{
	bool update = getenv("UPDATE_GOLDEN") != NULL;
	char *now = neutral(text), *want = NULL;
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), FOLDER "%s.json", name);
	f = fopen(path, update ? "w" : "r");
	ck_assert_msg(f != NULL, "%s: run it from the root of the tree", path);
	if (update) {
		fputs(now, f);
	} else {
		want = slurp(f);
		ck_assert_str_eq(now, want);
	}
	fclose(f);
	free(want);
	free(now);
}

static const struct {
	const char *name;
	void (*feed)(struct report_case *k);
} docs[] = {
	{"tcp_client", tcp_client},
	{"tcp_server", tcp_server},
	{"tcp_reverse_client", tcp_reverse_client},
	{"tcp_reverse_server", tcp_reverse_server},
	{"tcp_bidir_client", tcp_bidir_client},
	{"tcp_bidir_server", tcp_bidir_server},
	{"tcp_parallel_omit", tcp_parallel_omit},
	{"tcp_interrupted", tcp_interrupted},
	{"udp_client", udp_client},
	{"udp_server", udp_server},
	{"udp_reverse_client", udp_reverse_client},
	{"udp_bidir_client", udp_bidir_client},
	{"udp_bidir_server", udp_bidir_server},
};

START_TEST(documents)
{
	for (size_t i = 0; i < ARRAY_LEN(docs); i++) {
		struct report_case k;

		docs[i].feed(&k);
		k.ops->test_done(k.r, true);
		ck_assert_str_eq(case_err(&k), "");
		compare(docs[i].name, case_out(&k));
		case_close(&k);
	}
}
END_TEST

START_TEST(a_failure_before_the_test)
{
	struct report_case k;

	case_init(&k, I3_CLIENT, I3_TCP);
	k.test.title = (char *)"lab7";
	case_open(&k, true);
	k.ops->fault(k.r, I3_TROUBLE_ERROR, "unable to connect: \"x\"", NULL);
	k.ops->test_done(k.r, false);
	ck_assert_str_eq(case_err(&k), "");
	compare("failure", case_out(&k));
	case_close(&k);
}
END_TEST

START_TEST(a_failure_after_the_parameters)
{
	struct report_case k;

	case_init(&k, I3_SERVER, I3_TCP);
	k.test.mss_bytes = 1200;
	case_open(&k, true);
	case_begin(&k, "127.0.0.1", 5, 0);
	case_connected(&k, 5, false, 21107, 34914);
	k.ops->fault(k.r, I3_TROUBLE_ERROR, "test authorization failed", NULL);
	k.ops->test_done(k.r, false);
	compare("failure_later", case_out(&k));
	case_close(&k);
}
END_TEST

/* ---- lines while it runs ---- */

static void stream_case(struct report_case *k, bool full)
{
	case_init(k, I3_CLIENT, I3_TCP);
	k->c.json_stream = true;
	k->c.json_stream_full = full;
	case_open(k, true);
	ck_assert_int_eq((int)k->out_len, 0);
	case_begin(k, "h", 5201, 32768);
	case_connected(k, 5, true, 1, 2);
	case_start(k, 16384, 131072);
	fflush(k->sink.out);
	ROWS(k, {.number = 5,
		 .sender = true,
		 US(0, 1000000),
		 .bytes = 1000,
		 TCP(1, 2, 3, 4, 5, 6)});
	ROWS(k, {.number = 5,
		 .sender = true,
		 US(1000000, 1500000),
		 .bytes = 2000,
		 TCP(1, 2, 3, 4, 5, 6)});
	END(k, 1500000, CPU(1, 2, 3), CPU(4, 5, 6), "bbr", "reno",
	    {.number = 5,
	     .sender = true,
	     .sent = {.known = true, .bytes = 3000, .has_retransmits = true},
	     .received = {.known = true, .bytes = 3000}});
}

START_TEST(stream_of_lines)
{
	struct report_case k;

	stream_case(&k, false);
	k.ops->server_output(k.r, "line\n", NULL);
	k.ops->test_done(k.r, true);
	compare("stream", case_out(&k));
	case_close(&k);
}
END_TEST

START_TEST(stream_and_document)
{
	struct report_case k;

	stream_case(&k, true);
	k.ops->fault(k.r, I3_TROUBLE_ERROR, "late", NULL);
	k.ops->server_output(k.r, NULL, cJSON_Parse("{\"a\":[1,2]}"));
	k.ops->test_done(k.r, false);
	compare("stream_full", case_out(&k));
	case_close(&k);
}
END_TEST

CHECK_MAIN("report_docs", documents, a_failure_before_the_test,
	   a_failure_after_the_parameters, stream_of_lines, stream_and_document)
