/* SPDX-License-Identifier: BSD-2-Clause */
#include "proto.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { INTEGER, UNSIGNED, REAL, HEX, TEXT, VERSION };

enum {
	BARE = 0,      /* ", " before it */
	SPACED = 1,    /* " , " before it: a word must end in a blank */
	THIRD = 2,     /* only in requests for a third party */
	MANDATORY = 4, /* every client sends it */
};

struct field {
	const char *name;
	enum kind kind;
	size_t offset;
	int since; /* first server that knows it */
	unsigned flags;
};

#define F(member) offsetof(struct nut_params, member)

/* In the order of the wire. */
static const struct field fields[] = {
	{"buflen", INTEGER, F(buflen_bytes), 0, MANDATORY},
	{"nbuf", UNSIGNED, F(nbuf), 0, MANDATORY},
	{"win", INTEGER, F(win_bytes), 0, MANDATORY},
	{"nstream", INTEGER, F(nstream), 0, MANDATORY},
	{"rate", UNSIGNED, F(rate_kbps), 0, MANDATORY},
	{"port", INTEGER, F(port), 0, MANDATORY},
	{"trans", INTEGER, F(trans), 0, MANDATORY},
	{"braindead", INTEGER, F(braindead), 0, MANDATORY},
	{"timeout", REAL, F(timeout_s), 0, MANDATORY},
	{"udp", INTEGER, F(udp), 0, MANDATORY},
	{"vers", VERSION, F(vers), 0, MANDATORY},
	{"interval", REAL, F(interval_s), NUT_SINCE_INTERVAL, BARE},
	{"reverse", INTEGER, F(reverse), NUT_SINCE_REVERSE, BARE},
	{"format", INTEGER, F(format), NUT_SINCE_FORMAT, BARE},
	{"traceroute", INTEGER, F(traceroute), NUT_SINCE_TRACEROUTE, BARE},
	{"irate", INTEGER, F(irate), NUT_SINCE_TRACEROUTE, BARE},
	{"thirdparty", TEXT, F(thirdparty), NUT_SINCE_THIRD, BARE},
	{"brief3", INTEGER, F(brief3), NUT_SINCE_THIRD, SPACED | THIRD},
	{"ctlport3", INTEGER, F(ctlport3), NUT_SINCE_CTLPORT3, SPACED | THIRD},
	{"multicast", INTEGER, F(ttl), NUT_SINCE_MULTICAST, SPACED},
	{"ssm", INTEGER, F(ssm), NUT_SINCE_SSM, SPACED},
	{"datamss", INTEGER, F(datamss_bytes), NUT_SINCE_MSS, SPACED},
	{"tos", HEX, F(tos), NUT_SINCE_TOS, SPACED},
	{"nbuf_bytes", INTEGER, F(nbuf_bytes), NUT_SINCE_NODELAY, SPACED},
	{"rate_pps", INTEGER, F(rate_pps), NUT_SINCE_NODELAY, SPACED},
	{"nodelay", INTEGER, F(nodelay), NUT_SINCE_NODELAY, SPACED},
	{"affinity", INTEGER, F(affinity), NUT_SINCE_AFFINITY, SPACED},
	{"srvr_affinity", INTEGER, F(srvr_affinity), NUT_SINCE_AFFINITY, SPACED | THIRD},
	{"maxburst", INTEGER, F(maxburst), NUT_SINCE_BURST, SPACED},
	{"do_jitter", INTEGER, F(do_jitter), NUT_SINCE_JITTER, SPACED},
	{"do_owd", INTEGER, F(do_owd), NUT_SINCE_JITTER, SPACED},
	{"stride", INTEGER, F(stride), NUT_SINCE_STRIDE, SPACED},
	{"multilink", INTEGER, F(multilink), NUT_SINCE_STRIDE, SPACED},
	{"group", TEXT, F(group), NUT_SINCE_GROUP, BARE},
	{"srcport", INTEGER, F(srcport), NUT_SINCE_SRCPORT, SPACED},
	{"iratesss", INTEGER, F(iratesss), NUT_SINCE_SSS, BARE},
	{"af3", INTEGER, F(af3), NUT_SINCE_AF3, BARE | THIRD},
};

#define NO_TEXT "_NULL_"

static size_t text_size(const struct field *f)
{
	return f->offset == F(thirdparty) ? NUT_HOST_MAX
					  : sizeof((struct nut_params){0}.group);
}

/* ---- versions ---- */

int nut_version_parse(const char *text)
{
	int number = 0;

	if (*text == 'v')
		text++;
	for (int part = 0; part < 3; part++) {
		int value = 0, digits = 0;

		while (*text >= '0' && *text <= '9' && digits < 3) {
			value = value * 10 + (*text++ - '0');
			digits++;
		}
		if (digits == 0 || (part < 2 && *text++ != '.'))
			return -1;
		number = number * 100 + (value > 99 ? 99 : value);
	}
	return *text == '\0' || *text == ' ' || *text == '\r' ? number : -1;
}

int nut_helo_parse(const char *line)
{
	static const char head[] = "HELO nuttcp ";

	if (strncmp(line, head, sizeof(head) - 1) != 0)
		return -1;
	return nut_version_parse(line + sizeof(head) - 1);
}

int nut_ok_parse(const char *line)
{
	int version;

	if (strncmp(line, "OK", 2) != 0)
		return -1;
	line += 2;
	line += strspn(line, " ");
	version = nut_version_parse(line);
	return version < 0 ? 0 : version;
}

/* ---- the parameter line ---- */

struct nut_params nut_params_default(void)
{
	return (struct nut_params){
		.nbuf = NUT_NBUF_UNLIMITED,
		.nstream = 1,
		.rate_kbps = NUT_RATE_UNLIMITED,
		.brief3 = 1,
		.affinity = -1,
		.srvr_affinity = -1,
		.maxburst = 1,
	};
}

static int print_value(const struct field *f, const struct nut_params *p, int version,
		       char *out, size_t size)
{
	const char *at = (const char *)p + f->offset;
	int64_t i = 0;
	uint64_t u = 0;
	double d = 0;

	if (f->kind == TEXT)
		return snprintf(out, size, "%s", *at ? at : NO_TEXT);
	if (f->kind == REAL) {
		memcpy(&d, at, sizeof(d));
		if (version < NUT_SINCE_FRACTION)
			return snprintf(out, size, "%.0f", ceil(d));
		return snprintf(out, size, "%f", d);
	}
	if (f->kind == UNSIGNED) {
		memcpy(&u, at, sizeof(u));
		return snprintf(out, size, "%llu", (unsigned long long)u);
	}
	memcpy(&i, at, sizeof(i));
	if (f->kind == VERSION)
		return snprintf(out, size, "%lld.%lld.%lld", (long long)i / 10000,
				(long long)i / 100 % 100, (long long)i % 100);
	if (f->kind == HEX)
		return snprintf(out, size, "%llX", (unsigned long long)i);
	return snprintf(out, size, "%lld", (long long)i);
}

int nut_params_print(const struct nut_params *p, int server_version, char *line,
		     size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		const struct field *f = &fields[i];
		char value[NUT_HOST_MAX];
		int n;

		if (f->since > server_version || (f->flags & THIRD && !p->thirdparty[0]))
			continue;
		print_value(f, p, server_version, value, sizeof(value));
		n = snprintf(line + used, size - used, "%s%s = %s",
			     used == 0           ? ""
			     : f->flags & SPACED ? " , "
						 : ", ",
			     f->name, value);
		if (n < 0 || (size_t)n >= size - used)
			return -1;
		used += (size_t)n;
	}
	if (used + 2 > size)
		return -1;
	line[used++] = '\n';
	line[used] = '\0';
	return (int)used;
}

static int parse_integer(const char *value, int base, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(value, &end, base);
	return errno || end == value || *end != '\0' ? -1 : 0;
}

static int parse_real(const char *value, double *out)
{
	char *end;

	/* No "inf", "nan" or hexadecimal. */
	if (strspn(value, "+-.0123456789") != strlen(value))
		return -1;
	*out = strtod(value, &end);
	return end == value || *end != '\0' ? -1 : 0;
}

static int parse_value(const struct field *f, const char *value, struct nut_params *p)
{
	char *at = (char *)p + f->offset;
	int64_t i = 0;
	uint64_t u = 0;
	double d = 0;
	char *end;

	switch (f->kind) {
	case TEXT:
		if (strcmp(value, NO_TEXT) == 0)
			value = "";
		return strlcpy(at, value, text_size(f)) < text_size(f) ? 0 : -1;
	case REAL:
		if (parse_real(value, &d) < 0)
			return -1;
		memcpy(at, &d, sizeof(d));
		return 0;
	case UNSIGNED:
		errno = 0;
		u = strtoull(value, &end, 10);
		if (errno || end == value || *end != '\0' || *value == '-')
			return -1;
		memcpy(at, &u, sizeof(u));
		return 0;
	case VERSION:
		i = nut_version_parse(value);
		if (i < 0)
			return -1;
		break;
	case INTEGER:
	case HEX:
		if (parse_integer(value, f->kind == HEX ? 16 : 10, &i) < 0)
			return -1;
		break;
	}
	memcpy(at, &i, sizeof(i));
	return 0;
}

/* A field's text between blanks; the result lies in item. */
static char *trim(char *item)
{
	size_t n;

	item += strspn(item, " \t\r");
	n = strlen(item);
	while (n > 0 && strchr(" \t\r", item[n - 1]))
		item[--n] = '\0';
	return item;
}

static int parse_item(char *item, struct nut_params *p, bool *seen)
{
	char *equal = strchr(item, '=');
	char *name;

	if (!equal)
		return 0; /* not ours to judge */
	*equal = '\0';
	name = trim(item);
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		if (strcmp(fields[i].name, name) != 0 || seen[i])
			continue;
		seen[i] = true;
		return parse_value(&fields[i], trim(equal + 1), p);
	}
	return 0;
}

int nut_params_parse(const char *line, struct nut_params *p)
{
	char copy[NUT_LINE_MAX];
	bool seen[ARRAY_LEN(fields)] = {false};
	char *rest = copy, *item;

	*p = nut_params_default();
	if (strlcpy(copy, line, sizeof(copy)) >= sizeof(copy))
		return -1;
	while ((item = strsep(&rest, ",")) != NULL) {
		if (parse_item(item, p, seen) < 0)
			return -1;
	}
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		if (fields[i].flags & MANDATORY && !seen[i])
			return -1;
	}
	return 0;
}

bool nut_thirdparty_ok(const char *host)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789-.:/+=";

	return host[0] && host[0] != '-' && strspn(host, letters) == strlen(host);
}
