/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a server refuses, in the order and with the words of nuttcp 8.2.2. */
#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "proto.h"

#define UDP_MOST 65507 /* largest datagram over IPv4 */

struct answer {
	const struct nut_params *p;
	uint16_t ctlport;
	char *text;
	size_t size;
};

static int refuse(const struct answer *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

static int refuse(const struct answer *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(a->text, a->size, fmt, ap);
	va_end(ap);
	return -1;
}

static int invalid(const struct answer *a, const char *what, const char *name,
		   int64_t value)
{
	return refuse(a, "nuttcp-%c: v" NUT_VERSION_TEXT ": %s\n%s = %lld\n",
		      a->p->trans ? 'r' : 't', what, name, (long long)value);
}

static int check_words(const struct answer *a)
{
	static const char numbers[] = "0123456789abcdefABCDEF.:";
	const struct nut_params *p = a->p;
	struct in6_addr addr;

	if (p->thirdparty[0] && !nut_thirdparty_ok(p->thirdparty))
		return refuse(a,
			      "nuttcp-t: v" NUT_VERSION_TEXT ": invalid 3rd party host\n"
			      "3rd party host = '%s'\n",
			      p->thirdparty);
	if (!p->group[0])
		return 0;
	if (strspn(p->group, numbers) != strlen(p->group) ||
	    (inet_pton(AF_INET, p->group, &addr) != 1 &&
	     inet_pton(AF_INET6, p->group, &addr) != 1))
		return refuse(a,
			      "nuttcp-%c: v" NUT_VERSION_TEXT
			      ": invalid multicast group\n"
			      "multicast group = '%s'\n",
			      strspn(p->group, numbers) == strlen(p->group) ? 'r' : 't',
			      p->group);
	return 0;
}

static int check_ports(const struct answer *a)
{
	const struct nut_params *p = a->p;
	char letter = p->trans ? 'r' : 't';

	if (p->port < 1024 || p->port + p->nstream - 1 > 65535)
		return refuse(a,
			      "nuttcp-%c: v" NUT_VERSION_TEXT ": invalid port/nstream\n"
			      "port/nstream = %lld/%lld\n",
			      letter, (long long)p->port, (long long)p->nstream);
	if (p->srcport != 0 && (p->srcport < 1024 || p->srcport > 65535))
		return invalid(a, "invalid srcport", "srcport", p->srcport);
	if (a->ctlport >= p->port && a->ctlport < p->port + p->nstream)
		return refuse(a,
			      "nuttcp-%c: v" NUT_VERSION_TEXT
			      ": ctlport overlaps port/nstream\n"
			      "ctlport = %u, port/nstream = %lld/%lld\n",
			      letter, (unsigned)a->ctlport, (long long)p->port,
			      (long long)p->nstream);
	return 0;
}

static int check_sizes(const struct answer *a)
{
	const struct nut_params *p = a->p;
	int64_t least = p->thirdparty[0] ? 0 : 1;

	if (p->buflen_bytes < least || p->buflen_bytes > NUT_BUFLEN_MAX)
		return invalid(a, "invalid buflen", "buflen", p->buflen_bytes);
	if (p->nbuf < 1 || p->nbuf > INT64_MAX)
		return invalid(a, "invalid nbuf", "nbuf", (int64_t)p->nbuf);
	if (p->win_bytes < 0 || p->win_bytes > INT32_MAX)
		return invalid(a, "invalid win", "win", p->win_bytes);
	if (p->nstream < 1 || p->nstream > NUT_STREAMS_MAX)
		return invalid(a, "invalid nstream", "nstream", p->nstream);
	if (p->timeout_s < 0 || p->timeout_s > 1e9)
		return refuse(a,
			      "nuttcp-%c: v" NUT_VERSION_TEXT ": invalid timeout\n"
			      "timeout = %f\n",
			      p->trans ? 'r' : 't', p->timeout_s);
	return check_ports(a);
}

static int check_start(const struct answer *a)
{
	const struct nut_params *p = a->p;
	char letter = p->trans ? 'r' : 't';

	if (!p->iratesss)
		return 0;
	if (p->udp)
		return refuse(a,
			      "nuttcp-%c: v" NUT_VERSION_TEXT
			      ": iratesss not allowed for udp\n",
			      letter);
	if (p->nstream > 1)
		return invalid(a, "nstream > 1 not allowed with iratesss", "nstream",
			       p->nstream);
	if (p->maxburst > 1)
		return invalid(a, "maxburst > 1 not allowed with iratesss", "maxburst",
			       p->maxburst);
	return 0;
}

static int check_options(const struct answer *a)
{
	const struct nut_params *p = a->p;
	int64_t least_ssm = p->thirdparty[0] ? -1 : 0;

	if (p->ctlport3 != 0 && (p->ctlport3 < 1024 || p->ctlport3 > 65535))
		return invalid(a, "invalid ctlport3", "ctlport3", p->ctlport3);
	if (p->interval_s < 0 || p->interval_s > 1e9)
		return refuse(a,
			      "nuttcp-%c: v" NUT_VERSION_TEXT ": invalid interval\n"
			      "interval = %f\n",
			      p->trans ? 'r' : 't', p->interval_s);
	if (p->ttl < 0 || p->ttl > 255)
		return invalid(a, "invalid multicast ttl", "multicast ttl", p->ttl);
	if (p->ssm < least_ssm || p->ssm > 1)
		return invalid(a, "invalid ssm value", "ssm", p->ssm);
	if (p->datamss_bytes < 0 || p->datamss_bytes > 65535)
		return invalid(a, "invalid datamss", "datamss", p->datamss_bytes);
	if (p->tos < 0 || p->tos > 255)
		return invalid(a, "invalid tos", "tos", p->tos);
	if (p->nbuf_bytes < 0 || p->nbuf_bytes > 1)
		return invalid(a, "invalid nbuf_bytes", "nbuf_bytes", p->nbuf_bytes);
	if (p->rate_pps < 0 || p->rate_pps > 1)
		return invalid(a, "invalid rate_pps", "rate_pps", p->rate_pps);
	if (p->nodelay < 0 || p->nodelay > 1)
		return invalid(a, "invalid nodelay", "nodelay", p->nodelay);
	return 0;
}

static int check_measures(const struct answer *a)
{
	const struct nut_params *p = a->p;

	if (p->maxburst < 1 || p->maxburst > INT32_MAX)
		return invalid(a, "invalid maxburst", "maxburst", p->maxburst);
	if (p->do_jitter < 0 || p->do_jitter > 15)
		return invalid(a, "invalid do_jitter", "do_jitter", p->do_jitter);
	if (p->do_jitter && !p->udp)
		return refuse(a, "jitter option not supported for TCP\n");
	if (p->do_jitter && (p->rate_kbps == 0 || p->rate_kbps >= NUT_RATE_UNLIMITED))
		return refuse(a, "jitter option not supported for unlimited rate\n");
	if (p->do_jitter && !p->irate)
		return refuse(a, "jitter option requires instantaneous rate limit\n");
	if (p->do_owd < 0 || p->do_owd > 7)
		return invalid(a, "invalid do_owd", "do_owd", p->do_owd);
	if (p->udp && p->buflen_bytes > UDP_MOST)
		return invalid(a, "invalid buflen", "buflen", p->buflen_bytes);
	return 0;
}

int nut_params_check(const struct nut_params *p, uint16_t ctlport, char *text,
		     size_t size)
{
	const struct answer a = {p, ctlport, text, size};

	if (check_words(&a) < 0 || check_sizes(&a) < 0 || check_start(&a) < 0 ||
	    check_options(&a) < 0 || check_measures(&a) < 0)
		return -1;
	return 0;
}
