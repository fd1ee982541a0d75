/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The values of options that are words rather than numbers, and the server's limits. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "conf_values.h"
#include "units.h"

static int integer(const char *text, int64_t min, int64_t max, int64_t *out)
{
	return text ? units_parse_i64(text, min, max, out, "", NULL) : -1;
}

int nut_value_brief(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	if (!value)
		value = "1";
	if (strspn(value, "rc") == strlen(value)) {
		c->by_stream_retrans |= strchr(value, 'r') != NULL;
		c->by_stream_cwnd |= strchr(value, 'c') != NULL;
		value = "1";
	}
	if (integer(value, -1000, 1000, &c->brief) < 0)
		return err_set(e, ERR_USAGE, "", "invalid brief = %s", value);
	c->result_line = c->brief != 0;
	c->verbose = c->brief <= 0 ? 1 : 0;
	return 0;
}

int nut_value_verbose(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	(void)value, (void)e;
	c->brief = 0;
	c->result_line = false;
	if (c->verbose < 1)
		c->verbose = 1;
	return 0;
}

int nut_value_very_verbose(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	nut_value_verbose(conf, value, e);
	c->verbose = 2;
	return 0;
}

int nut_value_format(void *conf, const char *value, struct err *e)
{
	static const struct {
		const char *name;
		int64_t set;
	} flags[] = {
		{"xmitstats", NUT_XMITSTATS},
		{"debuginterval", NUT_DEBUGINTERVAL},
		{"runningtotal", NUT_RUNNINGTOTAL},
		{"-drops", NUT_NODROPS},
		{"-percentloss", NUT_NOPERCENTLOSS},
		{"debugpoll", NUT_DEBUGPOLL},
		{"parse", NUT_PARSE},
		{"debugmtu", NUT_DEBUGMTU},
		{"-retrans", NUT_NORETRANS | NUT_NOCWND},
		{"debugretrans", NUT_DEBUGRETRANS},
		{"-beta", NUT_NOBETA},
		{"rtt", NUT_RTT},
		{"debugjitter", NUT_DEBUGJITTER},
		{"-cwnd", NUT_NOCWND},
		{"debugirate", NUT_DEBUGIRATE},
	};
	struct nut_conf *c = conf;

	if (!value)
		return err_set(e, ERR_USAGE, "",
			       "invalid null format option\n"
			       "perhaps the \"-F\" flip option was intended");
	if (strcmp(value, "-rtt") == 0) {
		c->format &= ~(int64_t)NUT_RTT;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		if (strcmp(value, flags[i].name) == 0) {
			c->format |= flags[i].set;
			return 0;
		}
	}
	return err_set(e, ERR_USAGE, "", "invalid format option \"%s\"", value);
}

int nut_value_ident(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	(void)e;
	strlcpy(c->ident, value, sizeof(c->ident));
	return 0;
}

int nut_value_priority(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	c->priority_given = true;
	if (integer(value, -20, 19, &c->priority) < 0)
		return err_set(e, ERR_USAGE, "", "invalid priority = %s", value);
	return 0;
}

int nut_value_affinity(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;
	const char *slash = strchr(value, '/');
	char own[16];

	strlcpy(own, value, sizeof(own));
	own[strcspn(own, "/")] = '\0';
	if (own[0] && integer(own, 0, 1 << 20, &c->affinity) < 0)
		return err_set(e, ERR_USAGE, "", "invalid affinity = %s", own);
	return slash ? nut_value_srvr_affinity(conf, slash + 1, e) : 0;
}

int nut_value_srvr_affinity(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	if (integer(value, 0, 1 << 20, &c->srvr_affinity) < 0)
		return err_set(e, ERR_USAGE, "", "invalid srvr_affinity = %s", value);
	return 0;
}

int nut_value_x(void *conf, const char *value, struct err *e)
{
	(void)conf;
	if (!value)
		return err_set(e, ERR_USAGE, "", "invalid null x option");
	return err_set(e, ERR_USAGE, "", "invalid x option \"%s\"", value);
}

int nut_value_server(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	(void)e;
	c->role = NUT_SERVER;
	c->own_ctlport3 = value && strchr(value, 'P');
	return 0;
}

int nut_value_pass(void *conf, const char *value, struct err *e)
{
	(void)conf, (void)value, (void)e;
	return 0;
}

/* -sd and -sz only choose how files are read: the bytes are the same. */
int nut_value_pipe(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	c->pipe = true;
	if (value && strspn(value, "dz") != strlen(value))
		return err_set(e, ERR_USAGE, "", "invalid s option \"%s\"", value);
	return 0;
}

static int idle_number(const char *text, double *out, struct err *e)
{
	if (units_parse_double(text, 0.001, 1e9, out, "", NULL) == 0)
		return 0;
	*out = strtod(text, NULL);
	return err_set(e, ERR_USAGE, "", "invalid value for idle-data-timeout = %f",
		       *out);
}

int nut_value_idle(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;
	char copy[64];
	char *rest = copy, *part[3] = {NULL}, *item;
	int n = 0;

	strlcpy(copy, value, sizeof(copy));
	while ((item = strsep(&rest, "/")) != NULL && n < 3)
		part[n++] = item;
	if (item || (n != 1 && n != 3))
		return err_set(e, ERR_USAGE, "",
			       "invalid idle-data-timeout parameter = %s", value);
	if (idle_number(part[0], &c->idle_min_s, e) < 0)
		return -1;
	c->idle_default_s = c->idle_max_s = c->idle_min_s;
	if (n == 1)
		return 0;
	if (idle_number(part[1], &c->idle_default_s, e) < 0 ||
	    idle_number(part[2], &c->idle_max_s, e) < 0)
		return -1;
	if (c->idle_max_s < c->idle_min_s)
		return err_set(e, ERR_USAGE, "",
			       "error: idle-data-timeout maximum of %f < minimum of %f",
			       c->idle_max_s, c->idle_min_s);
	return 0;
}

/* ---- limits of a server ---- */

int nut_value_max_streams(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	if (integer(value, 1, NUT_STREAMS_MAX, &c->limits.streams) < 0)
		return err_set(e, ERR_USAGE, "", "invalid max-streams = %s", value);
	return 0;
}

int nut_value_max_clients(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	if (integer(value, 1, 100000, &c->limits.clients) < 0)
		return err_set(e, ERR_USAGE, "", "invalid max-clients = %s", value);
	return 0;
}

int nut_value_max_rate(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;
	struct nut_rate typed = c->rate;
	int rc = nut_value_rate(conf, value, NULL);
	double kbps = c->rate.value;
	bool pps = c->rate.pps;

	c->rate = typed;
	if (rc < 0 || pps || kbps < 1 || kbps >= NUT_RATE_UNLIMITED)
		return err_set(e, ERR_USAGE, "", "invalid max-rate = %s", value);
	c->limits.rate_kbps = (uint64_t)kbps;
	return 0;
}

int nut_value_max_time(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	if (units_parse_double(value, 0.001, 1e9, &c->limits.duration_s, "", NULL) < 0)
		return err_set(e, ERR_USAGE, "", "invalid max-time = %s", value);
	return 0;
}

int nut_value_allow(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;
	char host[64];
	unsigned char bytes[16];
	int64_t bits;
	bool six;

	strlcpy(host, value, sizeof(host));
	host[strcspn(host, "/")] = '\0';
	six = inet_pton(AF_INET6, host, bytes) == 1;
	if (c->limits.net_count == NUT_NETS_MAX ||
	    (!six && inet_pton(AF_INET, host, bytes) != 1) ||
	    (strchr(value, '/') &&
	     integer(strchr(value, '/') + 1, 0, six ? 128 : 32, &bits) < 0))
		return err_set(e, ERR_USAGE, "", "invalid allow = %s", value);
	c->limits.nets[c->limits.net_count++] = value;
	return 0;
}
