/* SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON out, over libcjson: whole 64-bit counters, no NaN, no key twice, always UTF-8.
 * Built without libcjson, jsonw_available() is false, every tree is NULL and nothing
 * prints. */
#ifndef JSONW_H
#define JSONW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct cJSON; /* libcjson's own type: iperf3 needs the whole library */

bool jsonw_available(void);

/* A new object or array. When memory runs out, here or while adding, the tree no longer
 * prints; every function takes it, and NULL, all the same: one check, at jsonw_print().
 */
struct cJSON *jsonw_object(void);
struct cJSON *jsonw_array(void);
void jsonw_free(struct cJSON *tree);

/* Add to an object (key) or to an array (key NULL). A key that is already there is
 * replaced. Whole numbers keep all digits (from 10^15 on the item is a cJSON_Raw).
 * Numbers that are not finite become null, and so does a NULL text. */
void jsonw_str(struct cJSON *to, const char *key, const char *value);
void jsonw_u64(struct cJSON *to, const char *key, uint64_t value);
void jsonw_i64(struct cJSON *to, const char *key, int64_t value);
void jsonw_num(struct cJSON *to, const char *key, double value);
void jsonw_bool(struct cJSON *to, const char *key, bool value);
void jsonw_null(struct cJSON *to, const char *key);
/* Takes over child. */
void jsonw_add(struct cJSON *to, const char *key, struct cJSON *child);

/* Make a tree that came from elsewhere keep the promises above: of a key that comes
 * several times the last value stays, in the first one's place; what is not UTF-8 becomes
 * '?'. Numbers print as the parser understood them. */
void jsonw_tidy(struct cJSON *tree);

/* Write the tree and a newline: in libcjson's layout (tabs), or all in one line. Returns
 * 0, or -1 when memory is short or the stream fails. */
int jsonw_print(FILE *out, const struct cJSON *tree, bool one_line);

#endif
