/* SPDX-License-Identifier: BSD-2-Clause */
#include "linkconf.h"

#include <limits.h>
#include <string.h>

#include "mono.h"
#include "units.h"

#define RATE_MAX_BPS   UINT64_C(1000000000000)
#define QUEUE_MAX      UINT64_C(1000000000)
#define MTU_MIN        68 /* RFC 791 */
#define MTU_MAX        65535
#define DURATION_MAX_S 3600

enum kind {
	KIND_RATE,
	KIND_BYTES,
	KIND_MTU,
	KIND_COUNT,
	KIND_DURATION,
	KIND_PROBABILITY,
};

static const struct key {
	const char *name;
	enum kind kind;
	size_t offset;
} keys[] = {
	{"rate", KIND_RATE, offsetof(struct link_conf, rate_bps)},
	{"delay", KIND_DURATION, offsetof(struct link_conf, delay_ns)},
	{"queue", KIND_BYTES, offsetof(struct link_conf, queue_bytes)},
	{"mtu", KIND_MTU, offsetof(struct link_conf, mtu_bytes)},
	{"loss", KIND_PROBABILITY, offsetof(struct link_conf, loss)},
	{"every", KIND_COUNT, offsetof(struct link_conf, loss_every)},
	{"duplicate", KIND_PROBABILITY, offsetof(struct link_conf, duplicate)},
	{"jitter", KIND_DURATION, offsetof(struct link_conf, jitter_ns)},
	{"reorder", KIND_PROBABILITY, offsetof(struct link_conf, reorder)},
	{"hold", KIND_DURATION, offsetof(struct link_conf, reorder_ns)},
};

struct link_conf linkconf_default(void)
{
	return (struct link_conf){.reorder_ns = 5 * NS_PER_MS};
}

/* Split "20ms" into the number and what follows it. */
static int split(const char *text, char number[static 32], const char **suffix,
		 const char *what, struct err *e)
{
	size_t n = strspn(text, "0123456789.");

	if (n == 0 || n >= 32)
		return err_set(e, ERR_USAGE, what, "not a number");
	memcpy(number, text, n);
	number[n] = '\0';
	*suffix = text + n;
	return 0;
}

int linkconf_duration(const char *text, uint64_t *out_ns, const char *what, struct err *e)
{
	static const struct unit {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char number[32];
	const char *suffix = text;
	double x;

	if (split(text, number, &suffix, what, e) < 0 ||
	    units_parse_double(number, 0, 1e15, &x, what, e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (strcmp(suffix, units[i].name) != 0)
			continue;
		x *= units[i].ns;
		if (x > DURATION_MAX_S * 1e9)
			return err_set(e, ERR_USAGE, what, "longer than an hour");
		*out_ns = (uint64_t)(x + 0.5);
		return 0;
	}
	if (x == 0 && *suffix == '\0') {
		*out_ns = 0;
		return 0;
	}
	return err_set(e, ERR_USAGE, what, "needs a unit: ns, us, ms or s");
}

static int probability(const char *text, double *out, const char *what, struct err *e)
{
	char number[32];
	const char *suffix = text;
	double x;

	if (split(text, number, &suffix, what, e) < 0)
		return -1;
	if (strcmp(suffix, "%") == 0) {
		if (units_parse_double(number, 0, 100, &x, what, e) < 0)
			return -1;
		*out = x / 100;
		return 0;
	}
	if (*suffix != '\0')
		return err_set(e, ERR_USAGE, what, "not a share (1%% or 0.01)");
	if (units_parse_double(number, 0, 1, &x, what, e) < 0)
		return err_set(e, ERR_USAGE, what, "not a share (1%% or 0.01)");
	*out = x;
	return 0;
}

static int set(struct link_conf *conf, const struct key *k, const char *value,
	       const char *what, struct err *e)
{
	void *field = (char *)conf + k->offset;
	uint64_t n;

	switch (k->kind) {
	case KIND_RATE:
		return units_parse_scaled(value, 1000, 0, RATE_MAX_BPS, field, what, e);
	case KIND_BYTES:
		return units_parse_scaled(value, 1000, 0, QUEUE_MAX, field, what, e);
	case KIND_COUNT:
		return units_parse_u64(value, 0, UINT32_MAX, field, what, e);
	case KIND_DURATION:
		return linkconf_duration(value, field, what, e);
	case KIND_PROBABILITY:
		return probability(value, field, what, e);
	case KIND_MTU:
		break;
	}
	if (units_parse_u64(value, 0, MTU_MAX, &n, what, e) < 0)
		return -1;
	if (n > 0 && n < MTU_MIN)
		return err_set(e, ERR_USAGE, what, "out of range (%d..%d)", MTU_MIN,
			       MTU_MAX);
	conf->mtu_bytes = (uint32_t)n;
	return 0;
}

int linkconf_word(struct link_conf *conf, const char *word, struct err *e)
{
	const char *equals = strchr(word, '=');

	if (!equals)
		return err_set(e, ERR_USAGE, word, "not of the form key=value");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		size_t n = strlen(keys[i].name);

		if (n == (size_t)(equals - word) && memcmp(word, keys[i].name, n) == 0)
			return set(conf, &keys[i], equals + 1, word, e);
	}
	return err_set(e, ERR_USAGE, word,
		       "no such key; there are rate delay queue mtu loss every duplicate "
		       "jitter reorder hold");
}
