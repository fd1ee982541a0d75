/* SPDX-License-Identifier: BSD-2-Clause */
#include "conf_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"

static int bad(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

static int bad(struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_vset(e, ERR_USAGE, "", fmt, ap);
	va_end(ap);
	return -1;
}

/* A decimal number, sign and fraction allowed; *rest is what follows it. */
static int number(const char *text, double *out, const char **rest)
{
	char digits[32];
	size_t n = strspn(text, "+-.0123456789");
	char *end;

	if (n == 0 || n >= sizeof(digits))
		return -1;
	memcpy(digits, text, n);
	digits[n] = '\0';
	*out = strtod(digits, &end);
	if (end == digits || *end != '\0')
		return -1;
	*rest = text + n;
	return 0;
}

/* A whole number and nothing else. */
static int whole(const char *text, int64_t *out)
{
	const char *rest;
	double value;

	if (!text || number(text, &value, &rest) < 0 || *rest != '\0' ||
	    value != floor(value) || fabs(value) > 9e15)
		return -1;
	*out = (int64_t)value;
	return 0;
}

/* C-style: 0x1f and 017 too. */
static int whole_any_base(const char *text, long *out, const char **rest)
{
	char *end;

	*out = strtol(text, &end, 0);
	*rest = end;
	return end == text ? -1 : 0;
}

/* One letter out of letters, each step a factor of base. */
static int scale(const char *rest, const char *letters, double base, double *factor)
{
	const char *at;

	*factor = 1;
	if (*rest == '\0')
		return 0;
	at = strchr(letters, *rest | 0x20);
	if (!at || rest[1] != '\0')
		return -1;
	*factor = pow(base, (double)(at - letters + 1));
	return 0;
}

int nut_value_buflen(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;
	double n, factor;
	const char *rest;

	if (number(value, &n, &rest) < 0 || scale(rest, "km", 1024, &factor) < 0)
		return bad(e, "invalid buflen = %s", value);
	n = floor(n * factor);
	if (n < 1 || n > NUT_BUFLEN_MAX)
		return bad(e, "invalid buflen = %.0f", n);
	c->buflen_bytes = (int64_t)n;
	c->buflen_given = true;
	return 0;
}

int nut_value_nbuf(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;
	double n = 0, factor = 1;
	const char *rest = "";
	char *end;

	c->nbuf_given = true;
	c->nbuf_bytes = false;
	c->nbuf = 2048;
	if (!value || *value == '\0')
		return 0;
	if (strncmp(value, "0x", 2) == 0) {
		n = (double)strtoull(value, &end, 0);
		rest = end;
	} else if (number(value, &n, &rest) < 0) {
		return bad(e, "invalid nbuf = %s", value);
	}
	if (*rest != '\0') {
		c->nbuf_bytes = true;
		if (strcmp(rest, "b") != 0 && scale(rest, "kmgtp", 1024, &factor) < 0)
			return bad(e, "invalid nbuf = %s", value);
	}
	n = floor(n * factor);
	if (n < 0 || n > 9e18)
		return bad(e, "invalid nbuf = %.0f", n);
	if (n > 0)
		c->nbuf = (uint64_t)n;
	else
		c->nbuf_bytes = false;
	return 0;
}

int nut_value_nb(void *conf, const char *value, struct err *e)
{
	(void)conf, (void)value;
	return bad(
		e,
		"option \"-nb\" no longer supported, use \"-n###[k|m|g|t|p]\" instead");
}

static int seconds(const char *value, const char *name, bool days, double *out,
		   struct err *e)
{
	const char *rest;
	double n;

	if (number(value, &n, &rest) < 0)
		return bad(e, "invalid %s = %s", name, value);
	if (strcmp(rest, "m") == 0)
		n *= 60;
	else if (strcmp(rest, "h") == 0)
		n *= 3600;
	else if (days && strcmp(rest, "d") == 0)
		n *= 86400;
	else if (*rest != '\0' && strcmp(rest, "s") != 0)
		return bad(e, "invalid %s = %s", name, value);
	if (n < 0 || n > 1e9)
		return bad(e, "invalid %s = %f", name, n);
	*out = n;
	return 0;
}

int nut_value_timeout(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;
	double s = 0;

	if (value && *value && seconds(value, "timeout", true, &s, e) < 0)
		return -1;
	c->timeout_given = true;
	c->timeout_s = s > 0 ? s : 10;
	return 0;
}

int nut_value_interval(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;
	double s = 0;

	if (value && *value && seconds(value, "interval", false, &s, e) < 0)
		return -1;
	if (s > 0 && s < 0.001)
		return bad(e, "invalid interval = %f", s);
	c->interval_s = s > 0 ? s : 1;
	return 0;
}

static int burst(struct nut_conf *c, const char *value, struct err *e)
{
	if (whole(value, &c->burst) < 0)
		return bad(e, "invalid maxburst = %s", value ? value : "");
	if (c->burst < 1 || c->burst > 1000000)
		return bad(e, "invalid maxburst = %lld", (long long)c->burst);
	return 0;
}

int nut_value_burst(void *conf, const char *value, struct err *e)
{
	return burst(conf, value, e);
}

/* The unit behind a rate: a factor for kbps, or packets per second. */
static int rate_unit(const char *unit, struct nut_rate *r)
{
	size_t n = strlen(unit);

	r->pps = n > 0 && unit[n - 1] == 'p';
	n -= r->pps;
	if (n > 1)
		return -1;
	if (n == 1 && !strchr("kKmMgG", unit[0]))
		return -1;
	if (n == 1 && r->pps)
		r->value *= unit[0] == 'k' || unit[0] == 'K'   ? 1e3
			    : unit[0] == 'm' || unit[0] == 'M' ? 1e6
							       : 1e9;
	else if (n == 1)
		r->value *= unit[0] == 'm' || unit[0] == 'M'   ? 1e3
			    : unit[0] == 'g' || unit[0] == 'G' ? 1e6
							       : 1;
	return 0;
}

int nut_value_rate(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;
	struct nut_rate r = {.given = true};
	const char *at = value, *slash, *rest;
	char unit[8];

	if (*at == 'a') {
		r.aggregate = true;
		at++;
	} else if (*at == 'i') {
		r.instant = true;
		at++;
		if (*at == 's') {
			r.smoothed = true;
			at++;
		}
	}
	c->rate = r;
	if (*at == 'u' && at[1] == '\0')
		return 0;
	if (*at == 'u')
		at++;
	slash = strchr(at, '/');
	if (slash && burst(c, slash + 1, e) < 0)
		return -1;
	if (number(at, &r.value, &rest) < 0 || r.value < 0)
		return bad(e, "invalid rate limit = %s", value);
	strlcpy(unit, rest, sizeof(unit));
	if (slash && (size_t)(slash - rest) < sizeof(unit))
		unit[slash - rest] = '\0';
	if (rate_unit(unit, &r) < 0)
		return bad(e, "invalid rate limit = %s", value);
	if (*value == 'u')
		r.value = 0;
	c->rate = r;
	return 0;
}

int nut_value_unlimited(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	(void)value, (void)e;
	c->udp = true;
	c->rate = (struct nut_rate){.given = true};
	return 0;
}

static int window(const char *value, const char *name, int64_t *out, struct err *e)
{
	double n, factor = 1024;
	const char *rest;

	if (number(value, &n, &rest) < 0)
		return bad(e, "invalid %s = %s", name, value);
	if (strcmp(rest, "b") == 0)
		factor = 1;
	else if (*rest != '\0' && scale(rest, "kmg", 1024, &factor) < 0)
		return bad(e, "invalid %s = %s", name, value);
	n = floor(n * factor);
	if (n < 0)
		return bad(e, "invalid %s = %.0f", name, n);
	*out = n > INT32_MAX ? INT32_MAX : (int64_t)n;
	return 0;
}

int nut_value_win(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	return window(value, "sendwin", &c->win_bytes, e);
}

int nut_value_srvwin(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	c->srvwin_given = true;
	return window(value, "srvrwin", &c->srvwin_bytes, e);
}

int nut_value_braindead(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	c->braindead = true;
	return value && *value ? window(value, "sendwin", &c->win_bytes, e) : 0;
}

int nut_value_nstream(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;
	const char *rest;
	double n;

	if (number(value, &n, &rest) < 0 || (*rest && strcmp(rest, "m") != 0) ||
	    n != floor(n))
		return bad(e, "invalid nstream = %s", value);
	if (n < 1 || n > 1e9)
		return bad(e, "invalid nstream = %.0f", n);
	c->multilink = *rest == 'm';
	c->nstream = (int64_t)n;
	return 0;
}

/* Number up to the end or to the letter that follows it. */
static int port_of(const char *text, const char *stop, const char *name, int64_t *out,
		   const char **rest, struct err *e)
{
	size_t n = strspn(text, "+-0123456789");
	char digits[16];

	*rest = text + n;
	if (n >= sizeof(digits) || n == 0 || (**rest && !strchr(stop, **rest)))
		return bad(e, "invalid %s = %s", name, text);
	memcpy(digits, text, n);
	digits[n] = '\0';
	if (whole(digits, out) < 0)
		return bad(e, "invalid %s = %s", name, text);
	if (*out < 1024 || *out > 65535)
		return bad(e, "invalid %s = %lld", name, (long long)*out);
	return 0;
}

int nut_value_port(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;
	const char *rest;
	bool pair = strchr(value, ':') != NULL;

	c->port_given = true;
	if (port_of(value, ":", pair ? "source port" : "port",
		    pair ? &c->srcport : &c->port, &rest, e) < 0)
		return -1;
	return pair ? port_of(rest + 1, "", "port", &c->port, &rest, e) : 0;
}

int nut_value_ctlport(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;
	const char *rest;
	bool source = strchr(value, ':') != NULL;
	bool third = strchr(value, '/') != NULL;

	c->ctlport_given = true;
	if (source && third)
		return bad(e, "invalid ctlport = %s", strchr(value, ':') + 1);
	if (port_of(value, ":/", source ? "source control port" : "ctlport",
		    source ? &c->ctl_srcport : &c->ctlport, &rest, e) < 0)
		return -1;
	if (source)
		return port_of(rest + 1, "", "ctlport", &c->ctlport, &rest, e);
	if (third)
		return port_of(rest + 1, "", "third party ctlport", &c->ctlport3, &rest,
			       e);
	return 0;
}

int nut_value_mss(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	if (whole(value, &c->mss_bytes) < 0)
		return bad(e, "invalid datamss = %s", value);
	if (c->mss_bytes < 0 || c->mss_bytes > 65535)
		return bad(e, "invalid datamss = %lld", (long long)c->mss_bytes);
	return 0;
}

int nut_value_tos(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;
	const char *rest;
	long n;

	if (whole_any_base(value, &n, &rest) < 0)
		return bad(e, "invalid dscp = %s", value);
	if (strcmp(rest, "t") == 0) {
		if (n < 0 || n > 255)
			return bad(e, "invalid tos = %ld", n);
		c->tos = n;
	} else if (strcmp(rest, "p") == 0) {
		if (n < 0 || n > 7)
			return bad(e, "invalid precedence = %ld", n);
		c->tos = n << 5;
	} else if (*rest == '\0') {
		if (n < 0 || n > 63)
			return bad(e, "invalid dscp = %ld", n);
		c->tos = n << 2;
	} else {
		return bad(e, "invalid dscp = %s", value);
	}
	return 0;
}

static int spread(const char *value, const char *letters, int fallback, const char *name,
		  int *out, struct err *e)
{
	*out = 0;
	for (const char *p = value ? value : ""; *p; p++) {
		const char *at = strchr(letters, *p);

		if (!at)
			return bad(e, "invalid %s option \"%s\"", name, value);
		*out |= 1 << (at - letters);
	}
	if (!(*out & (NUT_MIN | NUT_AVG | NUT_MAX)))
		*out |= fallback;
	return 0;
}

int nut_value_jitter(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	return spread(value, "maxo", NUT_MAX, "jitter", &c->jitter, e);
}

int nut_value_owd(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	return spread(value, "max", NUT_AVG, "one-way delay", &c->owd, e);
}

int nut_value_multicast(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;
	const char *digits = value ? value : "";

	c->ttl = 1;
	if (*digits == 'a' || *digits == 's')
		c->ssm = *digits++ == 's';
	if (*digits && whole(digits, &c->ttl) < 0)
		return bad(e, "invalid multicast ttl = %s", digits);
	if (c->ttl < 1 || c->ttl > 255)
		return bad(e, "invalid multicast ttl = %lld", (long long)c->ttl);
	return 0;
}
