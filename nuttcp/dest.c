/* SPDX-License-Identifier: BSD-2-Clause */
#include "dest.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "addr.h"

static int parse_stride(struct nut_dest *d, const char *text, struct err *e)
{
	struct in_addr quad;
	char *end;
	long value;

	if (strchr(text, '.') && inet_pton(AF_INET, text, &quad) == 1) {
		d->stride = ntohl(quad.s_addr);
		return 0;
	}
	value = strtol(text, &end, 0);
	if (end == text || *end != '\0' || value < 0 || value > INT32_MAX)
		return err_set(e, ERR_USAGE, "", "invalid stride = %s", text);
	d->stride = (uint32_t)value;
	return 0;
}

static int split_paths(struct nut_dest *d, int64_t nstream, struct err *e)
{
	char *rest = d->text, *item;

	if (*rest == '/')
		rest++;
	else
		d->control = strsep(&rest, "/");
	while (rest && (item = strsep(&rest, "/")) != NULL) {
		if (*item == '\0')
			return err_set(e, ERR_USAGE, "",
				       "bad hostname or address: empty data path: %s",
				       d->typed);
		if (d->count >= NUT_STREAMS_MAX || d->count >= (uint64_t)nstream)
			return err_set(e, ERR_USAGE, "",
				       "bad hostname or address: too many data paths for "
				       "nstream=%lld: %s",
				       (long long)nstream, d->typed);
		d->data[d->count++] = item;
	}
	if (!d->control)
		d->control = d->data[0];
	d->paths = true;
	return 0;
}

int nut_dest_parse(struct nut_dest *d, const char *typed, int64_t nstream, struct err *e)
{
	size_t len = strlen(typed);
	char *plus;

	*d = (struct nut_dest){.typed = typed};
	if (strlcpy(d->text, typed, sizeof(d->text)) >= sizeof(d->text))
		return err_set(e, ERR_USAGE, "", "bad hostname or address: too long");
	if (len == 0)
		return err_set(e, ERR_USAGE, "", "bad hostname or address: empty");
	if (typed[len - 1] == '/')
		return err_set(e, ERR_USAGE, "",
			       "bad hostname or address: trailing '/' not allowed: %s",
			       typed);
	plus = strchr(d->text, '+');
	if (plus) {
		*plus = '\0';
		if (parse_stride(d, plus + 1, e) < 0)
			return -1;
	}
	if (strchr(d->text, '/'))
		return split_paths(d, nstream, e);
	d->control = d->text;
	d->data[0] = d->text;
	d->count = 1;
	return 0;
}

const char *nut_dest_host(const char *text, char *copy, size_t size, int family)
{
	const char *equal = strchr(text, '=');
	struct addrinfo *list;

	if (!equal)
		return text;
	if (equal[1] != '=')
		return equal + 1;
	strlcpy(copy, text, size);
	copy[strcspn(copy, "=")] = '\0';
	list = addr_resolve(copy, 0, family, SOCK_STREAM, NULL);
	if (!list)
		return equal + 2;
	freeaddrinfo(list);
	return copy;
}
