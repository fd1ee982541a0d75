/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the options mean together. */
#include <arpa/inet.h>
#include <string.h>

#include "conf.h"
#include "jsonw.h"

#define UDP_LEAST     5 /* shorter datagrams are marks */
#define UDP_MOST      65507
#define UDP_BUFLEN    8192
#define MCAST_BUFLEN  1024
#define UDP_KBPS      1000
#define MOST_COUNTERS 32 /* buffers below have no room for them */

static int usage(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

static int usage(struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_vset(e, ERR_USAGE, "", fmt, ap);
	va_end(ap);
	return -1;
}

static int check_server(struct nut_conf *c, struct err *e)
{
	if (c->ctl_srcport)
		return usage(e, "can't specify source control port in server mode");
	if (c->role == NUT_SERVER && c->pipe)
		return usage(e,
			     "option \"-s\" invalid with \"-S\" server mode\n"
			     "option \"-s\" can be used with \"-1\" oneshot server mode");
	if (c->json)
		return usage(e, "--json is for clients");
	if (c->v4unmapped)
		c->v4mapped = false;
	return 0;
}

static int check_udp(struct nut_conf *c, FILE *notes, struct err *e)
{
	if (c->ttl || c->jitter)
		c->udp = true;
	if (!c->udp)
		return 0;
	if (c->flip)
		return usage(e, "flip option not supported for UDP");
	if (c->pipe)
		return usage(e,
			     "option \"-s\" not supported for UDP: datagrams get lost");
	if (!c->buflen_given)
		c->buflen_bytes = c->ttl ? MCAST_BUFLEN : UDP_BUFLEN;
	if (c->buflen_bytes > UDP_MOST) {
		fprintf(notes, "UDP buflen = %lld > MAXUDPBUFLEN, set to %d\n",
			(long long)c->buflen_bytes, UDP_MOST);
		c->buflen_bytes = UDP_MOST;
	}
	if (c->buflen_bytes < UDP_LEAST) {
		fprintf(notes, "UDP buflen = %lld < %d, set to %d\n",
			(long long)c->buflen_bytes, UDP_LEAST, UDP_LEAST);
		c->buflen_bytes = UDP_LEAST;
	}
	if (!c->rate.given)
		c->rate = (struct nut_rate){.given = true, .value = UDP_KBPS};
	return 0;
}

static int check_multicast(const struct nut_conf *c, struct err *e)
{
	unsigned char a[16];

	if (!c->ttl)
		return c->group ? usage(e, "can't use \"-g\" option for non-multicast")
				: 0;
	if (c->nstream > 1)
		return usage(e, "multicast allows one stream only");
	if (!c->group)
		return 0;
	if (inet_pton(AF_INET, c->group, a) == 1) {
		if (c->ssm > 0 && a[0] != 232)
			return usage(e, "bad SSM multicast IP address: %s: use 232.x.y.z",
				     c->group);
		if (c->ssm <= 0 && a[0] != 231)
			return usage(e, "bad ASM multicast IP address: %s: use 231.x.y.z",
				     c->group);
		return 0;
	}
	if (inet_pton(AF_INET6, c->group, a) != 1 || a[0] != 0xff)
		return usage(e, "bad multicast IP address: %s", c->group);
	return 0;
}

static int check_rate(struct nut_conf *c, struct err *e)
{
	struct nut_rate *r = &c->rate;

	if (c->jitter && r->value <= 0)
		return usage(e, "jitter option not supported for unlimited rate");
	if (c->jitter && r->aggregate)
		return usage(
			e,
			"jitter option requires \"-Ri\" instantaneous rate limit option");
	if (c->jitter)
		r->instant = true;
	if (r->smoothed && c->udp)
		return usage(e, "smoothed slow start not allowed for UDP");
	if (r->smoothed && c->nstream > 1)
		return usage(e, "smoothed slow start not allowed for multiple streams");
	if (r->smoothed && c->burst > 1)
		return usage(e, "maxburst > 1 not allowed with smoothed slow start");
	if (r->value > 0 && !r->pps && r->value >= NUT_RATE_UNLIMITED)
		r->value = 0;
	/* The request has whole kbps: the server could only send faster than asked. */
	if (c->receive && r->value > 0 &&
	    r->value * (r->pps ? (double)c->buflen_bytes / 125 : 1) < 1)
		return usage(e,
			     "invalid rate limit: a server cannot send less than 1 kbps");
	return 0;
}

static int check_ports(const struct nut_conf *c, struct err *e)
{
	int64_t last = c->port + c->nstream - 1;

	if (last > 65535)
		return usage(e, "invalid port/nstream = %lld/%lld", (long long)c->port,
			     (long long)c->nstream);
	if (c->ctlport >= c->port && c->ctlport <= last)
		return usage(e, "ctlport = %lld overlaps port/nstream = %lld/%lld",
			     (long long)c->ctlport, (long long)c->port,
			     (long long)c->nstream);
	return 0;
}

static int check_dest(struct nut_conf *c, FILE *notes, struct err *e)
{
	if (c->third && strlen(c->third) > 80)
		return usage(e, "3rd party host '%s' too long", c->third);
	if (c->third && !nut_thirdparty_ok(c->third))
		return usage(e, "invalid 3rd party host '%s'", c->third);
	if (!c->host)
		return 0;
	if (nut_dest_parse(&c->dest, c->host, c->nstream, e) < 0)
		return -1;
	if (c->dest.paths && c->receive && !c->flip)
		return usage(e, "multiple control/data paths not supported for receive");
	if (c->dest.paths && !c->receive && c->flip)
		return usage(
			e,
			"multiple control/data paths not supported for flipped transmit");
	if (!c->dest.stride)
		return 0;
	if (c->nstream == 1)
		fprintf(notes, "Warning: stride %u not meaningful for a single stream\n",
			(unsigned)c->dest.stride);
	if (c->udp)
		return usage(e, "stride %u not valid for UDP", (unsigned)c->dest.stride);
	if (c->family == AF_INET6 || strchr(c->dest.control, ':'))
		return usage(e, "stride %u not valid for IPv6", (unsigned)c->dest.stride);
	if (c->multilink)
		return usage(e, "don't use both multilink and address stride");
	return 0;
}

static void check_times(struct nut_conf *c, FILE *notes)
{
	if (!c->timeout_given && !c->nbuf_given && !c->pipe)
		c->timeout_s = 10;
	if (c->interval_s > 0 && c->timeout_s > 0 && c->interval_s >= c->timeout_s) {
		fprintf(notes,
			"ignoring interval=%f which is greater than or equal "
			"timeout=%f\n",
			c->interval_s, c->timeout_s);
		c->interval_s = 0;
	}
	if (!c->udp && c->buflen_bytes < MOST_COUNTERS && !(c->format & NUT_NORETRANS))
		fputs("Unable to print retransmission information if TCP buflen < 32\n",
		      notes);
	if (c->udp && c->buflen_bytes < MOST_COUNTERS && c->interval_s > 0)
		fputs("Unable to print interval loss information if UDP buflen < 32\n",
		      notes);
}

int nut_conf_check(struct nut_conf *c, FILE *notes, struct err *e)
{
	if (c->json && !jsonw_available())
		return usage(e, "--json is not in this build");
	if (c->role != NUT_CLIENT)
		return check_server(c, e);
	if (!c->host) {
		c->role = NUT_ONESHOT;
		return 0; /* the caller tells of the classic receiver */
	}
	if (c->nstream > NUT_STREAMS_MAX) {
		fprintf(notes, "nstream = %lld > MAXSTREAM, set to %d\n",
			(long long)c->nstream, NUT_STREAMS_MAX);
		c->nstream = NUT_STREAMS_MAX;
	}
	if (c->srvwin_given == false)
		c->srvwin_bytes = c->win_bytes;
	if (c->json && (c->third || c->traceroute))
		return usage(e, "--json is for tests of this host's own");
	if (c->third && c->pipe)
		return usage(e, "option \"-s\" not supported for a third party");
	if (check_udp(c, notes, e) < 0 || check_multicast(c, e) < 0 ||
	    check_rate(c, e) < 0 || check_ports(c, e) < 0 || check_dest(c, notes, e) < 0)
		return -1;
	check_times(c, notes);
	return 0;
}
