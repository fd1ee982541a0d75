/* SPDX-License-Identifier: BSD-2-Clause */
#include "jsonw.h"

#if HAVE_CJSON

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool jsonw_available(void)
{
	return true;
}

struct cJSON *jsonw_object(void)
{
	return cJSON_CreateObject();
}

struct cJSON *jsonw_array(void)
{
	return cJSON_CreateArray();
}

void jsonw_free(struct cJSON *tree)
{
	cJSON_Delete(tree);
}

void jsonw_add(struct cJSON *to, const char *key, struct cJSON *child)
{
	bool ok = to && child;

	if (ok && !key)
		ok = cJSON_AddItemToArray(to, child);
	else if (ok && cJSON_GetObjectItemCaseSensitive(to, key))
		ok = cJSON_ReplaceItemInObjectCaseSensitive(to, key, child);
	else if (ok)
		ok = cJSON_AddItemToObject(to, key, child);
	/* Replacing reports success even if there was no memory for the key. */
	if (ok && (!key || child->string))
		return;
	if (!ok)
		cJSON_Delete(child);
	/* A tree with a hole must not look whole: an item of this type does not print. */
	if (to)
		to->type = cJSON_Invalid;
}

/* Length that the first byte of a UTF-8 character (RFC 3629) announces, 0 = none does. */
static size_t utf8_announced(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Length of the character at s, 0 when there is none. */
static size_t utf8_len(const unsigned char *s)
{
	size_t len = utf8_announced(s[0]);

	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Too long a form, a half of a pair, beyond the last character. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

static void make_utf8(char *text)
{
	unsigned char *s = (unsigned char *)text;

	while (*s != '\0') {
		size_t len = utf8_len(s);

		if (len == 0)
			*s = '?';
		s += len ? len : 1;
	}
}

void jsonw_str(struct cJSON *to, const char *key, const char *value)
{
	struct cJSON *item = value ? cJSON_CreateString(value) : cJSON_CreateNull();

	/* Words of the command line need not be UTF-8, but JSON must be. */
	if (item && value)
		make_utf8(item->valuestring);
	jsonw_add(to, key, item);
}

/* libcjson holds numbers as doubles and prints from 16 digits on with an exponent. */
#define PLAIN_MAX INT64_C(999999999999999)

void jsonw_u64(struct cJSON *to, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	jsonw_add(to, key,
		  value <= PLAIN_MAX ? cJSON_CreateNumber((double)value)
				     : cJSON_CreateRaw(text));
}

void jsonw_i64(struct cJSON *to, const char *key, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	jsonw_add(to, key,
		  value <= PLAIN_MAX && value >= -PLAIN_MAX
			  ? cJSON_CreateNumber((double)value)
			  : cJSON_CreateRaw(text));
}

void jsonw_num(struct cJSON *to, const char *key, double value)
{
	jsonw_add(to, key,
		  isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

void jsonw_bool(struct cJSON *to, const char *key, bool value)
{
	jsonw_add(to, key, cJSON_CreateBool(value));
}

void jsonw_null(struct cJSON *to, const char *key)
{
	jsonw_add(to, key, cJSON_CreateNull());
}

/* ---- trees from elsewhere ---- */

struct member {
	cJSON *item;
	size_t index;
};

static int by_key(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = strcmp(x->item->string, y->item->string);

	return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

/* members is sorted: items of one key lie side by side, in the object's order. */
static void drop_repeated(cJSON *object, struct member *members, size_t n)
{
	for (size_t i = 0, first = 0; i < n; i++) {
		cJSON *item = members[i].item;

		if (i == 0 || strcmp(members[first].item->string, item->string) != 0) {
			first = i;
			continue;
		}
		cJSON_DetachItemViaPointer(object, item);
		cJSON_ReplaceItemViaPointer(object, members[first].item, item);
		members[first].item = item;
	}
}

static void tidy_keys(cJSON *object)
{
	struct member *members;
	size_t n = 0;

	for (cJSON *item = object->child; item; item = item->next)
		n++;
	members = n > 1 ? calloc(n, sizeof(*members)) : NULL;
	if (!members) {
		if (n > 1)
			object->type = cJSON_Invalid; /* does not print: jsonw_add() */
		return;
	}
	n = 0;
	for (cJSON *item = object->child; item; item = item->next, n++)
		members[n] = (struct member){item, n};
	qsort(members, n, sizeof(*members), by_key);
	drop_repeated(object, members, n);
	free(members);
}

void jsonw_tidy(struct cJSON *tree)
{
	if (!tree)
		return;
	if (tree->valuestring)
		make_utf8(tree->valuestring);
	for (cJSON *item = tree->child; item; item = item->next) {
		if (item->string)
			make_utf8(item->string);
		jsonw_tidy(item);
	}
	if (cJSON_IsObject(tree))
		tidy_keys(tree);
}

int jsonw_print(FILE *out, const struct cJSON *tree, bool one_line)
{
	char *text;
	bool ok;

	if (!tree)
		return -1;
	text = one_line ? cJSON_PrintUnformatted(tree) : cJSON_Print(tree);
	if (!text)
		return -1;
	ok = fputs(text, out) >= 0 && fputc('\n', out) != EOF && fflush(out) == 0;
	cJSON_free(text);
	return ok ? 0 : -1;
}

#else

bool jsonw_available(void)
{
	return false;
}

struct cJSON *jsonw_object(void)
{
	return NULL;
}

struct cJSON *jsonw_array(void)
{
	return NULL;
}

void jsonw_free(struct cJSON *tree)
{
	(void)tree;
}

void jsonw_add(struct cJSON *to, const char *key, struct cJSON *child)
{
	(void)to;
	(void)key;
	(void)child;
}

void jsonw_str(struct cJSON *to, const char *key, const char *value)
{
	(void)value;
	jsonw_add(to, key, NULL);
}

void jsonw_u64(struct cJSON *to, const char *key, uint64_t value)
{
	(void)value;
	jsonw_add(to, key, NULL);
}

void jsonw_i64(struct cJSON *to, const char *key, int64_t value)
{
	(void)value;
	jsonw_add(to, key, NULL);
}

void jsonw_num(struct cJSON *to, const char *key, double value)
{
	(void)value;
	jsonw_add(to, key, NULL);
}

void jsonw_bool(struct cJSON *to, const char *key, bool value)
{
	(void)value;
	jsonw_add(to, key, NULL);
}

void jsonw_null(struct cJSON *to, const char *key)
{
	jsonw_add(to, key, NULL);
}

void jsonw_tidy(struct cJSON *tree)
{
	(void)tree;
}

int jsonw_print(FILE *out, const struct cJSON *tree, bool one_line)
{
	(void)out;
	(void)tree;
	(void)one_line;
	return -1;
}

#endif
