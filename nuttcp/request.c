/* SPDX-License-Identifier: BSD-2-Clause */
#include "request.h"

#include <arpa/inet.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>

#include "addr.h"

#define NO_MSS_BYTES 1448 /* when the control connection does not know */

static int64_t buflen(const struct nut_conf *c, int mss_bytes)
{
	int64_t n = c->buflen_bytes;

	if (c->third && !c->buflen_given)
		return 0; /* that client finds its own */
	if (!c->udp || c->buflen_given || c->ttl)
		return n;
	if (mss_bytes <= 0)
		mss_bytes = NO_MSS_BYTES;
	while (n > mss_bytes && n > 64)
		n /= 2;
	return n;
}

static uint64_t nbuf(const struct nut_conf *c, int64_t buflen_bytes)
{
	if (!c->nbuf_given)
		return NUT_NBUF_UNLIMITED;
	if (!c->nbuf_bytes || c->third)
		return c->nbuf;
	return c->nbuf / (uint64_t)buflen_bytes;
}

double nut_request_rate_bps(const struct nut_conf *c, const struct nut_params *p)
{
	if (c->rate.value <= 0)
		return 0;
	if (c->rate.pps)
		return c->rate.value * (double)p->buflen_bytes * 8;
	return c->rate.value * 1000;
}

static uint64_t rate_kbps(const struct nut_conf *c, const struct nut_params *p)
{
	double kbps = nut_request_rate_bps(c, p) / 1000;

	if (c->rate.value <= 0)
		return NUT_RATE_UNLIMITED;
	if (c->third && c->rate.pps)
		kbps = c->rate.value; /* packets per second: that client works it out */
	if (kbps >= NUT_RATE_UNLIMITED)
		return NUT_RATE_UNLIMITED;
	return kbps < 1 ? 1 : (uint64_t)kbps;
}

/* A name is sent with its address, in case the server cannot resolve it. */
static void third_host(const struct nut_conf *c, char out[static NUT_HOST_MAX])
{
	char text[ADDR_HOST_MAX];
	struct addrinfo *list;
	struct addr a;

	strlcpy(out, c->third, NUT_HOST_MAX);
	if (strpbrk(c->third, "/+="))
		return;
	list = addr_resolve(c->third, 0, c->family, SOCK_STREAM, NULL);
	if (!list)
		return;
	a = addr_of(list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	if (strcmp(addr_host(&a, text), c->third) != 0 && !strchr(text, '%'))
		snprintf(out, NUT_HOST_MAX, "%s==%s", c->third, text);
}

static void third_fields(const struct nut_conf *c, struct nut_params *p)
{
	third_host(c, p->thirdparty);
	p->brief3 = c->brief;
	p->ctlport3 = c->ctlport3;
	p->ssm = c->ttl ? c->ssm : -1;
	p->nbuf_bytes = c->nbuf_bytes;
	p->rate_pps = c->rate.pps;
	p->affinity = c->affinity;
	p->srvr_affinity = c->srvr_affinity;
	p->af3 = c->family == AF_INET ? 4 : c->family == AF_INET6 ? 6 : 0;
	if (c->verbose == 2)
		p->brief3 = 0;
}

struct nut_params nut_request(const struct nut_conf *c, int mss_bytes)
{
	struct nut_params p = nut_params_default();

	p.buflen_bytes = buflen(c, mss_bytes);
	p.nbuf = nbuf(c, p.buflen_bytes);
	p.win_bytes = c->srvwin_bytes;
	p.nstream = c->nstream;
	p.rate_kbps = rate_kbps(c, &p);
	p.port = c->port;
	p.trans = nut_transmits(c);
	p.braindead = c->braindead;
	p.timeout_s = c->timeout_s;
	p.udp = c->udp;
	p.vers = NUT_VERSION;
	p.interval_s = c->interval_s;
	p.reverse = c->flip;
	p.format = c->format;
	p.traceroute = c->traceroute;
	p.irate = c->rate.instant;
	p.ttl = c->ttl;
	p.ssm = c->ssm > 0;
	p.datamss_bytes = c->mss_bytes;
	p.tos = c->tos;
	p.nodelay = c->nodelay;
	p.affinity = c->srvr_affinity;
	p.maxburst = c->burst;
	p.do_jitter = c->jitter;
	p.do_owd = c->owd;
	p.stride = (int32_t)htonl(c->dest.stride);
	p.multilink = c->multilink;
	if (c->group)
		strlcpy(p.group, c->group, sizeof(p.group));
	p.srcport = c->srcport;
	p.iratesss = c->rate.smoothed;
	if (c->third)
		third_fields(c, &p);
	return p;
}

/* ---- older servers ---- */

struct need {
	bool wanted;
	const char *what;
	int since;
	bool go_on; /* without it */
};

bool nut_request_too_new(const struct nut_conf *c, int version, FILE *notes)
{
	bool receive = c->receive || c->third;
	bool outwards = c->receive && !c->flip;
	const struct need needs[] = {
		{c->interval_s > 0, "interval option", NUT_SINCE_INTERVAL, false},
		{c->flip, "flip option", NUT_SINCE_REVERSE, false},
		{c->format & ~NUT_RTT, "format option", NUT_SINCE_FORMAT, true},
		{c->traceroute, "traceroute option", NUT_SINCE_TRACEROUTE, false},
		{c->rate.instant && receive, "instantaneous rate option",
		 NUT_SINCE_TRACEROUTE, true},
		{c->format & NUT_PARSE, "\"-fparse\" option", NUT_SINCE_PARSE, false},
		{c->third != NULL, "3rd party nuttcp", NUT_SINCE_THIRD, false},
		{c->ttl > 0, "multicast", NUT_SINCE_MULTICAST, false},
		{c->mss_bytes && receive, "mss option", NUT_SINCE_MSS, false},
		{c->tos && receive, "tos option", NUT_SINCE_TOS, false},
		{c->nodelay && receive, "TCP_NODELAY opt", NUT_SINCE_NODELAY, false},
		{c->ttl && c->ssm > 0, "ssm", NUT_SINCE_SSM, false},
		{c->ctlport3 != 0, "ctlport3 option", NUT_SINCE_CTLPORT3, false},
		{c->srvr_affinity >= 0, "affinity option", NUT_SINCE_AFFINITY, false},
		{c->burst > 1 && receive, "packet burst", NUT_SINCE_BURST, false},
		{c->jitter && !c->receive, "jitter", NUT_SINCE_JITTER, false},
		{c->owd != 0, "owd", NUT_SINCE_JITTER, false},
		{c->dest.stride && receive, "stride", NUT_SINCE_STRIDE, false},
		{c->multilink && receive, "multilink", NUT_SINCE_STRIDE, false},
		{c->group != NULL, "multicast group option", NUT_SINCE_GROUP, false},
		{c->srcport && outwards, "source port option", NUT_SINCE_SRCPORT, false},
		{c->rate.smoothed && receive, "smoothed slow start option", NUT_SINCE_SSS,
		 true},
		{c->third && c->family != AF_UNSPEC, "third party \"-4/-6\"",
		 NUT_SINCE_AF3, true},
	};
	bool stop = false;

	for (size_t i = 0; i < ARRAY_LEN(needs); i++) {
		const struct need *n = &needs[i];

		if (!n->wanted || version >= n->since)
			continue;
		fprintf(notes,
			"nuttcp-%c: %s not supported by server version %d.%d.%d, need >= "
			"%d.%d.%d\n",
			c->receive ? 'r' : 't', n->what, version / 10000,
			version / 100 % 100, version % 100, n->since / 10000,
			n->since / 100 % 100, n->since % 100);
		stop = stop || !n->go_on;
	}
	return stop;
}

double nut_request_idle_s(const struct nut_conf *c, const struct nut_params *p)
{
	double bits = (double)p->buflen_bytes * 8 * (double)p->nbuf;
	double s = c->idle_default_s;

	if (p->interval_s > 0)
		s = p->interval_s;
	else if (p->timeout_s > 0)
		s = p->timeout_s / 2;
	else if (p->rate_kbps > 0 && p->rate_kbps < NUT_RATE_UNLIMITED &&
		 p->nbuf != NUT_NBUF_UNLIMITED)
		s = bits / 1000 / (double)p->rate_kbps / 2;
	return s < c->idle_min_s ? c->idle_min_s : s > c->idle_max_s ? c->idle_max_s : s;
}

/* ---- for a third party ---- */

static void third_rate(const struct nut_params *p, struct nut_conf *c)
{
	bool limited = p->rate_kbps > 0 && p->rate_kbps < NUT_RATE_UNLIMITED;

	if (!limited && !p->udp)
		return;
	c->rate = (struct nut_rate){
		.given = true,
		.value = limited ? (double)p->rate_kbps : 0,
		.pps = p->rate_pps != 0,
		.instant = p->irate != 0,
		.smoothed = p->iratesss != 0,
	};
	c->burst = p->maxburst;
}

void nut_request_third(const struct nut_params *p, const struct nut_conf *server,
		       const char *host, struct nut_conf *c)
{
	nut_conf_default(c);
	c->host = host;
	c->as_third = true;
	c->receive = !p->trans;
	c->family = p->af3 == 4 ? AF_INET : p->af3 == 6 ? AF_INET6 : AF_UNSPEC;
	c->port = p->port;
	c->srcport = p->srcport;
	c->ctlport = p->ctlport3            ? p->ctlport3
		     : server->own_ctlport3 ? server->ctlport
					    : c->ctlport;
	c->udp = p->udp != 0;
	c->buflen_given = p->buflen_bytes > 0;
	if (c->buflen_given)
		c->buflen_bytes = p->buflen_bytes;
	c->nbuf_given = p->nbuf != NUT_NBUF_UNLIMITED;
	c->nbuf = p->nbuf;
	c->nbuf_bytes = p->nbuf_bytes != 0;
	c->timeout_given = p->timeout_s > 0;
	c->timeout_s = p->timeout_s;
	c->interval_s = p->interval_s;
	third_rate(p, c);
	c->win_bytes = c->srvwin_bytes = p->win_bytes;
	c->braindead = p->braindead != 0;
	c->nstream = p->nstream;
	c->multilink = p->multilink != 0;
	c->flip = p->reverse != 0;
	c->nodelay = p->nodelay != 0;
	c->mss_bytes = p->datamss_bytes;
	c->tos = p->tos;
	c->jitter = (int)p->do_jitter;
	c->owd = (int)p->do_owd;
	c->ttl = p->ttl;
	c->ssm = (int)p->ssm;
	c->group = p->group[0] ? p->group : NULL;
	c->format = p->format;
	c->brief = p->brief3;
	c->result_line = p->brief3 != 0;
	c->verbose = p->brief3 <= 0 ? 1 : 0;
	c->traceroute = p->traceroute != 0;
	c->affinity = p->affinity;
	c->srvr_affinity = p->srvr_affinity;
	c->idle_min_s = server->idle_min_s;
	c->idle_default_s = server->idle_default_s;
	c->idle_max_s = server->idle_max_s;
}
