/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>

#include "check_main.h"
#include "compat.h"
#include "jsonw.h"

static int print_result;

/* The tree as one line without newline; frees both. Static buffer. */
static const char *text_of(struct cJSON *tree, bool one_line)
{
	static char buf[4096];
	FILE *f = fmemopen(buf, sizeof(buf), "w");

	buf[0] = '\0';
	print_result = jsonw_print(f, tree, one_line);
	fclose(f);
	jsonw_free(tree);
	return buf;
}

#if HAVE_CJSON

#include <cjson/cJSON.h>

START_TEST(every_kind)
{
	struct cJSON *o = jsonw_object();
	struct cJSON *a = jsonw_array();

	ck_assert(jsonw_available());
	jsonw_str(o, "s", "a\"b\n");
	jsonw_str(o, "none", NULL);
	jsonw_bool(o, "yes", true);
	jsonw_bool(o, "no", false);
	jsonw_null(o, "null");
	jsonw_num(o, "num", 1.5);
	jsonw_i64(a, NULL, -7);
	jsonw_u64(a, NULL, 8);
	jsonw_add(a, NULL, jsonw_object());
	jsonw_add(o, "a", a);
	ck_assert_str_eq(text_of(o, true),
			 "{\"s\":\"a\\\"b\\n\",\"none\":null,\"yes\":true,\"no\":false,"
			 "\"null\":null,\"num\":1.5,\"a\":[-7,8,{}]}\n");
	ck_assert_int_eq(print_result, 0);
}
END_TEST

START_TEST(trees_from_elsewhere)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"{}", "{}"},
		{"[]", "[]"},
		{"{\"a\":1}", "{\"a\":1}"},
		{"{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}"},
		{"{\"b\":1,\"a\":2,\"a\":3,\"a\":4,\"b\":5,\"c\":6}",
		 "{\"b\":5,\"a\":4,\"c\":6}"},
		{"{\"a\":1,\"A\":2}", "{\"a\":1,\"A\":2}"},
		{"[{\"x\":{\"y\":1,\"y\":2}},{\"x\":1,\"x\":2}]",
		 "[{\"x\":{\"y\":2}},{\"x\":2}]"},
		{"{\"t\":\"\xff-\xc3\xa9\",\"\xfe\":1,\"?\":2}",
		 "{\"t\":\"?-\xc3\xa9\",\"?\":2}"},
		{"{\"n\":1e999,\"m\":-1e999}", "{\"n\":null,\"m\":null}"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		cJSON *tree = cJSON_Parse(rows[i].in);
		char want[128];

		ck_assert_ptr_nonnull(tree);
		jsonw_tidy(tree);
		snprintf(want, sizeof(want), "%s\n", rows[i].out);
		ck_assert_str_eq(text_of(tree, true), want);
	}
	jsonw_tidy(NULL);
}
END_TEST

START_TEST(whole_numbers_keep_their_digits)
{
	static const uint64_t numbers[] = {
		0,
		1,
		INT32_MAX,
		(uint64_t)INT32_MAX + 1,
		UINT32_MAX,
		999999999999999,
		1000000000000000, /* libcjson by itself: 1e+15 */
		9007199254740992,
		9007199254740993, /* the first that a double cannot hold */
		INT64_MAX,
		UINT64_MAX,
	};
	char expected[32];

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		struct cJSON *a = jsonw_array();

		jsonw_u64(a, NULL, numbers[i]);
		snprintf(expected, sizeof(expected), "[%llu]\n",
			 (unsigned long long)numbers[i]);
		ck_assert_str_eq(text_of(a, true), expected);
		if (numbers[i] > INT64_MAX)
			continue;
		a = jsonw_array();
		jsonw_i64(a, NULL, -1 - (int64_t)numbers[i]);
		snprintf(expected, sizeof(expected), "[%lld]\n",
			 -1 - (long long)numbers[i]);
		ck_assert_str_eq(text_of(a, true), expected);
	}
}
END_TEST

START_TEST(doubles)
{
	struct cJSON *a = jsonw_array();

	jsonw_num(a, NULL, NAN);
	jsonw_num(a, NULL, INFINITY);
	jsonw_num(a, NULL, -INFINITY);
	jsonw_num(a, NULL, 0.1);
	jsonw_num(a, NULL, 9411234567.125);
	jsonw_num(a, NULL, 1.0 / 3);
	ck_assert_str_eq(text_of(a, true),
			 "[null,null,null,0.1,9411234567.125,0.33333333333333331]\n");
}
END_TEST

START_TEST(same_key_twice_replaces)
{
	struct cJSON *o = jsonw_object();

	jsonw_u64(o, "a", 1);
	jsonw_u64(o, "A", 2);
	jsonw_u64(o, "b", 3);
	jsonw_str(o, "a", "new");
	jsonw_u64(o, "b", UINT64_MAX);
	ck_assert_str_eq(text_of(o, true),
			 "{\"a\":\"new\",\"A\":2,\"b\":18446744073709551615}\n");
}
END_TEST

START_TEST(layout_of_many_lines)
{
	struct cJSON *o = jsonw_object();

	jsonw_u64(o, "a", 1);
	ck_assert_str_eq(text_of(o, false), "{\n\t\"a\":\t1\n}\n");
}
END_TEST

START_TEST(text_is_always_utf8)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
		 "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"},
		{"\xfc", "?"},
		{"a\xc3", "a?"},
		{"\xe2\x82", "??"},
		{"\xe2\x82z", "??z"},
		{"\xc0\xaf", "??"},           /* '/' in too long a form */
		{"\xe0\x80\xaf", "???"},      /* the same */
		{"\xf0\x80\x80\xaf", "????"}, /* the same */
		{"\xed\xa0\x80", "???"},      /* half of a surrogate pair */
		{"\xf4\x90\x80\x80", "????"}, /* beyond U+10FFFF */
		{"\xf5\x80\x80\x80", "????"},
		{"\x80", "?"},
		{"\xef\xbf\xbd\xf4\x8f\xbf\xbf", "\xef\xbf\xbd\xf4\x8f\xbf\xbf"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct cJSON *a = jsonw_array();
		char expected[64];

		jsonw_str(a, NULL, cases[i].in);
		snprintf(expected, sizeof(expected), "[\"%s\"]\n", cases[i].out);
		ck_assert_str_eq(text_of(a, true), expected);
	}
}
END_TEST

static int allocations_until_failure;

static void *scarce_malloc(size_t n)
{
	return allocations_until_failure-- != 0 ? malloc(n) : NULL;
}

START_TEST(short_memory_is_noticed_when_printing)
{
	cJSON_Hooks scarce = {.malloc_fn = scarce_malloc, .free_fn = free};
	int whole = 0;

	cJSON_InitHooks(&scarce);
	for (int n = 0; n < 60; n++) {
		struct cJSON *o, *inner;
		const char *text;

		allocations_until_failure = n;
		o = jsonw_object();
		inner = jsonw_object();
		jsonw_str(o, "a", "text");
		jsonw_u64(inner, "b", UINT64_MAX);
		jsonw_num(inner, "b", 1);
		jsonw_add(o, "inner", inner);
		text = text_of(o, true);
		if (print_result == 0) {
			ck_assert_str_eq(text, "{\"a\":\"text\",\"inner\":{\"b\":1}}\n");
			whole++;
		} else {
			ck_assert_str_eq(text, "");
		}
	}
	cJSON_InitHooks(NULL);
	ck_assert_int_gt(whole, 0);
	ck_assert_int_lt(whole, 60 - 8); /* at least as many can fail */
}
END_TEST

START_TEST(a_full_disk_is_noticed)
{
	FILE *f = fopen("/dev/full", "w");
	struct cJSON *o = jsonw_object();

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(jsonw_print(f, o, true), -1);
	fclose(f);
	jsonw_free(o);
}
END_TEST

#else

START_TEST(without_the_library_nothing_happens)
{
	struct cJSON *o = jsonw_object();

	ck_assert(!jsonw_available());
	jsonw_str(o, "s", "x");
	jsonw_u64(o, "u", 1);
	jsonw_i64(o, "i", 1);
	jsonw_num(o, "n", 1);
	jsonw_bool(o, "b", true);
	jsonw_null(o, "0");
	jsonw_add(o, "a", jsonw_array());
	ck_assert_str_eq(text_of(o, true), "");
	ck_assert_int_eq(print_result, -1);
}
END_TEST

#endif

START_TEST(null_trees)
{
	jsonw_str(NULL, "s", "x");
	jsonw_u64(NULL, NULL, 1);
	jsonw_i64(NULL, "i", 1);
	jsonw_num(NULL, "n", 1);
	jsonw_bool(NULL, "b", true);
	jsonw_null(NULL, "0");
	jsonw_add(NULL, "a", jsonw_array());
	jsonw_free(NULL);
	ck_assert_str_eq(text_of(NULL, true), "");
	ck_assert_int_eq(print_result, -1);
}
END_TEST

#if HAVE_CJSON
CHECK_MAIN("jsonw", every_kind, trees_from_elsewhere, whole_numbers_keep_their_digits,
	   doubles, same_key_twice_replaces, layout_of_many_lines, text_is_always_utf8,
	   short_memory_is_noticed_when_printing, a_full_disk_is_noticed, null_trees)
#else
CHECK_MAIN("jsonw", without_the_library_nothing_happens, null_trees)
#endif
