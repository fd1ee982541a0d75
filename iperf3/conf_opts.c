/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The option table of iperf3: one row each, and how its value is read. */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "conf_opts.h"
#include "conf_values.h"
#include "fault.h"

#define ANY    OPT_ANY
#define CLIENT I3_OPT_CLIENT
#define SERVER I3_OPT_SERVER

/* A value that iperf3 refuses, in its words. */
static int refuse(struct err *e, int number)
{
	struct i3_fault f = {0};

	i3_fault(&f, number);
	return err_set(e, ERR_USAGE, "parameter", "%s", f.text);
}

static int refuse_unit(struct err *e, const char *value)
{
	struct i3_fault f = {0};

	i3_fault_arg(&f, I3_F_UNIT, value);
	return err_set(e, ERR_USAGE, "parameter", "%s", f.text);
}

/* A function of the name take_NAME that reads one option into c. */
#define TAKE(name)                                                                   \
	static int read_##name(struct i3_conf *c, const char *value, struct err *e); \
	static int take_##name(void *conf, const char *value, struct err *e)         \
	{                                                                            \
		return read_##name(conf, value, e);                                  \
	}                                                                            \
	static int read_##name(struct i3_conf *c, const char *value, struct err *e)

/* A whole number within min..max into an unsigned field. */
#define TAKE_INT(name, field, type, min, max, number) \
	TAKE(name)                                    \
	{                                             \
		long v = i3_value_int(value);         \
                                                      \
		if (v < (min) || v > (max))           \
			return refuse(e, number);     \
		c->field = (type)v;                   \
		return 0;                             \
	}

/* A number with suffix, up to max. */
#define TAKE_SCALED(name, field, type, base, max, number) \
	TAKE(name)                                        \
	{                                                 \
		uint64_t v;                               \
                                                          \
		if (!i3_value_scaled(value, base, &v))    \
			return refuse_unit(e, value);     \
		if (v > (max))                            \
			return refuse(e, number);         \
		c->field = (type)v;                       \
		return 0;                                 \
	}

TAKE_INT(port, port, uint16_t, 1, 65535, I3_F_BAD_PORT)
TAKE_INT(cport, client_port, uint16_t, 1, 65535, I3_F_BAD_PORT)
TAKE_INT(parallel, test.parallel, unsigned, 1, I3_STREAMS_MAX, I3_F_NUM_STREAMS)
TAKE_INT(omit, test.omit_s, unsigned, 0, I3_OMIT_MAX_S, I3_F_OMIT)
TAKE_INT(mss, test.mss_bytes, int, 0, I3_MSS_MAX, I3_F_MSS)
TAKE_INT(idle_timeout, idle_timeout_s, unsigned, 1, I3_TIME_MAX_S, I3_F_IDLE_TIMEOUT)
TAKE_INT(max_duration, server_max_duration_s, unsigned, 0, I3_TIME_MAX_S, I3_F_DURATION)
TAKE_INT(skew, skew_s, unsigned, 1, 1000000000, I3_F_SKEW)
TAKE_INT(snd_timeout, snd_timeout_ms, unsigned, 0, 86400000, I3_F_SND_TIMEOUT)
TAKE_SCALED(bytes, test.bytes, uint64_t, 1024, UINT64_MAX, I3_F_UNIT)
TAKE_SCALED(blocks, test.blocks, uint64_t, 1024, UINT64_MAX, I3_F_UNIT)
TAKE_SCALED(window, test.window_bytes, int, 1024, I3_WINDOW_MAX, I3_F_BUF_SIZE)
TAKE_SCALED(pacing_timer, test.pacing_timer_us, uint32_t, 1024, UINT32_MAX, I3_F_UNIT)
TAKE_SCALED(nstreams, sctp_streams, unsigned, 1024, 65535, I3_F_SCTP_INIT)
TAKE_SCALED(connect_timeout, connect_timeout_ms, unsigned, 1024, INT32_MAX, I3_F_UNIT)
TAKE_SCALED(fq_rate, test.fq_rate_bps, uint64_t, 1000, UINT64_MAX, I3_F_UNIT)

TAKE(time)
{
	long v = i3_value_int(value);

	if (v < 0 || v > I3_TIME_MAX_S)
		return refuse(e, I3_F_DURATION);
	c->test.time_s = (unsigned)v;
	c->time_given = true;
	return 0;
}

TAKE(length)
{
	uint64_t v;

	if (!i3_value_scaled(value, 1024, &v))
		return refuse_unit(e, value);
	/* The limits of UDP are looked at when the protocol is known. */
	c->test.block_bytes = v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
	c->block_given = v != 0;
	return 0;
}

TAKE(rcv_timeout)
{
	long v = i3_value_int(value);

	if (v < 100 || v > 86400000)
		return refuse(e, I3_F_RCV_TIMEOUT);
	c->rcv_timeout_ms = (unsigned)v;
	c->rcv_timeout_given = true;
	return 0;
}

TAKE(interval)
{
	double v;

	if (!i3_value_seconds(value, &v) || v < 0 || v > I3_INTERVAL_MAX_S ||
	    (v > 0 && v < I3_INTERVAL_MIN_S))
		return refuse(e, I3_F_INTERVAL);
	c->interval_s = v;
	return 0;
}

TAKE(format)
{
	if (!value[0] || !strchr("kmgtKMGT", value[0]))
		return refuse(e, I3_F_BAD_FORMAT);
	c->format = value[0];
	return 0;
}

TAKE(bitrate)
{
	const char *slash = strchr(value, '/');
	uint64_t v;

	if (!i3_value_scaled(value, 1000, &v))
		return refuse_unit(e, value);
	if (slash) {
		long burst = i3_value_int(slash + 1);

		if (burst <= 0 || burst > I3_BURST_MAX)
			return refuse(e, I3_F_BURST);
		c->test.burst = (unsigned)burst;
	}
	c->test.rate_bps = v;
	c->rate_given = true;
	return 0;
}

TAKE(rate_limit)
{
	const char *slash = strchr(value, '/');
	uint64_t v;
	double s;

	if (!i3_value_scaled(value, 1000, &v))
		return refuse_unit(e, value);
	if (slash) {
		if (!i3_value_seconds(slash + 1, &s) || s < 0 || s > I3_INTERVAL_MAX_S ||
		    (s > 0 && s < I3_INTERVAL_MIN_S))
			return refuse(e, I3_F_TOTAL_INTERVAL);
		c->server_rate_limit_s = s;
	}
	c->server_rate_limit_bps = v;
	return 0;
}

/* Split "host%dev". A link-local address keeps its scope: there % is part of the name. */
static int host_and_dev(struct i3_conf *c, const char *value, char *buf, size_t cap,
			const char **host, struct err *e)
{
	const char *percent = strchr(value, '%');
	size_t len = percent ? (size_t)(percent - value) : strlen(value);

	if (percent && memchr(value, ':', len))
		len = strlen(value);
	if (len >= cap)
		return refuse(e, I3_F_BIND_DEV_NO_SUPPORT);
	memcpy(buf, value, len);
	buf[len] = '\0';
	*host = buf;
	if (value[len] == '%') {
		strlcpy(c->dev_buf, value + len + 1, sizeof(c->dev_buf));
		c->bind_dev = c->dev_buf;
	}
	return 0;
}

TAKE(client)
{
	if (c->role == I3_SERVER)
		return refuse(e, I3_F_SERVER_CLIENT);
	c->role = I3_CLIENT;
	return host_and_dev(c, value, c->host_buf, sizeof(c->host_buf), &c->host, e);
}

TAKE(server)
{
	(void)value;
	if (c->role == I3_CLIENT)
		return refuse(e, I3_F_SERVER_CLIENT);
	c->role = I3_SERVER;
	return 0;
}

TAKE(bind)
{
	return host_and_dev(c, value, c->bind_buf, sizeof(c->bind_buf), &c->bind_host, e);
}

TAKE(affinity)
{
	const char *comma = strchr(value, ',');
	long own = -1, other = -1;

	own = i3_value_int(value);
	if (comma)
		other = i3_value_int(comma + 1);
	if (own < 0 || own > I3_CPU_MAX || (comma && (other < 0 || other > I3_CPU_MAX)))
		return refuse(e, I3_F_AFFINITY);
	c->cpu = (int)own;
	if (comma)
		c->test.server_cpu = (int)other;
	return 0;
}

TAKE(timestamps)
{
	(void)e;
	c->timestamps = true;
	if (value)
		c->timestamp_format = value;
	return 0;
}

TAKE(debug)
{
	long level = value ? i3_value_int(value) : 4;

	(void)e;
	c->debug = level < 1 || level > 4 ? 4 : (int)level;
	return 0;
}

/* "idle/interval/count", each may be empty. */
TAKE(keepalive)
{
	int *fields[] = {&c->keepalive_idle_s, &c->keepalive_intvl_s,
			 &c->keepalive_count};

	c->keepalive = true;
	for (size_t i = 0; value && i < ARRAY_LEN(fields); i++) {
		long v = i3_value_int(value);

		if (v < 0 || v > 32767)
			return refuse(e, I3_F_CNTL_KA);
		*fields[i] = (int)v;
		value = strchr(value, '/');
		if (value)
			value++;
	}
	if (c->keepalive_idle_s &&
	    c->keepalive_idle_s <= c->keepalive_intvl_s * c->keepalive_count)
		return refuse(e, I3_F_CNTL_KA);
	return 0;
}

TAKE(udp)
{
	(void)value, (void)e;
	c->test.protocol = I3_UDP;
	return 0;
}

TAKE(sctp)
{
	(void)value;
#ifdef IPPROTO_SCTP
	(void)e;
	c->test.protocol = I3_SCTP;
	return 0;
#else
	(void)c;
	return refuse(e, I3_F_NO_SCTP);
#endif
}

TAKE(xbind)
{
	if (c->xbind_count >= I3_XBIND_MAX)
		return refuse(e, I3_F_UNIMPLEMENTED);
	c->xbind[c->xbind_count++] = value;
	return 0;
}

TAKE(reverse)
{
	(void)value;
	if (c->test.bidir)
		return refuse(e, I3_F_REVERSE_BIDIR);
	c->test.reverse = true;
	return 0;
}

TAKE(bidir)
{
	(void)value;
	if (c->test.reverse)
		return refuse(e, I3_F_REVERSE_BIDIR);
	c->test.bidir = true;
	return 0;
}

TAKE(version4)
{
	(void)value, (void)e;
	c->family = AF_INET;
	return 0;
}

TAKE(version6)
{
	(void)value, (void)e;
	c->family = AF_INET6;
	return 0;
}

TAKE(tos)
{
	long v;

	if (!i3_value_any_base(value, 0, 255, &v))
		return refuse(e, I3_F_BAD_TOS);
	c->test.tos = (int)v;
	return 0;
}

TAKE(dscp)
{
	int tos = i3_value_dscp(value);

	if (tos < 0)
		return refuse(e, I3_F_DSCP);
	c->test.tos = tos;
	return 0;
}

TAKE(flowlabel)
{
	long v;

	if (!i3_value_any_base(value, 1, 0xfffff, &v))
		return refuse(e, I3_F_SET_FLOW);
	c->test.flowlabel = (int)v;
	return 0;
}

/* Text that becomes the test's own. */
static int keep(char **field, const char *value, struct err *e)
{
	free(*field);
	*field = strdup(value);
	return *field ? 0 : err_sys(e, "parameter");
}

TAKE(title)
{
	return keep(&c->test.title, value, e);
}

TAKE(extra_data)
{
	return keep(&c->test.extra_data, value, e);
}

TAKE(congestion)
{
	return keep(&c->test.congestion, value, e);
}

TAKE(json_stream)
{
	(void)value, (void)e;
	c->json = c->json_stream = true;
	return 0;
}

#define IN(member)      OPT_FIELD(struct i3_conf, member)
#define CALL(roles, fn) OPT_CALL, roles, 0, 0, 0, take_##fn
#define FLAG(roles, m)  OPT_FLAG, roles, IN(m), 0, 0, NULL
#define TEXT(roles, m)  OPT_STR, roles, IN(m), 0, 0, NULL
#define HEAD(text)                                                    \
	{                                                             \
		0, NULL, NULL, OPT_HEAD, OPT_ANY, 0, 0, 0, NULL, text \
	}
#define SAME OPT_SAME, ANY, 0, 0, 0, NULL, NULL

/* clang-format off */
static const struct opt rows[] = {
	HEAD("Server or Client:"),
	{'p', "port", "N", CALL(ANY, port), "port to listen on or to connect to (5201)"},
	{'f', "format", "LETTER", CALL(ANY, format), "unit of rates: k m g t bits, K M G T bytes"},
	{'i', "interval", "S", CALL(ANY, interval), "seconds between two reports (1); 0: one at the end"},
	{'I', "pidfile", "FILE", TEXT(ANY, pidfile), "write the process id to FILE"},
	{'F', "file", "NAME", TEXT(ANY, file), "send from, or receive into, a file"},
	{'A', "affinity", "N[,M]", CALL(ANY, affinity), "run on CPU N, the server on M"},
	{'B', "bind", "HOST[%DEV]", CALL(ANY, bind), "local address (and device)"},
	{0, "bind-dev", "DEV", TEXT(ANY, bind_dev), "use only this network device"},
	{'V', "verbose", NULL, FLAG(ANY, verbose), "say more"},
	{'J', "json", NULL, FLAG(ANY, json), "one JSON document instead of text"},
	{0, "json-stream", NULL, CALL(ANY, json_stream), "one JSON object a line while the test runs"},
	{0, "json-stream-full-output", NULL, FLAG(ANY, json_stream_full), "with --json-stream: also the whole document"},
	{0, "logfile", "FILE", TEXT(ANY, logfile), "append all output to FILE"},
	{0, "forceflush", NULL, FLAG(ANY, forceflush), "flush after each interval"},
	{0, "timestamps", "[FORMAT]", CALL(ANY, timestamps), "time before each line, in strftime(3) format"},
	{0, "rcv-timeout", "MS", CALL(ANY, rcv_timeout), "give up when nothing came for so long (120000)"},
	{0, "snd-timeout", "MS", CALL(ANY, snd_timeout), "TCP_USER_TIMEOUT of all connections"},
	{0, "cntl-ka", "[IDLE/INTVL/COUNT]", CALL(ANY, keepalive), "keepalive of the control connection"},
	{'m', "mptcp", NULL, FLAG(ANY, test.mptcp), "MPTCP instead of TCP for the data"},
	{'d', NULL, NULL, CALL(ANY, debug), "trace the protocol"},
	{0, "debug", "[LEVEL]", CALL(ANY, debug), "the same, 1 to 4"},
	{'v', "version", NULL, FLAG(ANY, version), "print the version and exit"},
	{'h', "help", NULL, FLAG(ANY, help), "print this help and exit"},
	HEAD("Server specific:"),
	{'s', "server", NULL, CALL(ANY, server), "be a server"},
	{'D', "daemon", NULL, FLAG(SERVER, daemon), "run in the background"},
	{'1', "one-off", NULL, FLAG(SERVER, one_off), "serve one test, then exit"},
	{0, "server-bitrate-limit", "RATE[/S]", CALL(SERVER, rate_limit), "refuse or stop tests above this total (mean of S seconds: 5)"},
	{0, "idle-timeout", "S", CALL(SERVER, idle_timeout), "start anew when no client came for S seconds"},
	{0, "server-max-duration", "S", CALL(SERVER, max_duration), "refuse longer tests"},
	{0, "rsa-private-key-path", "FILE", TEXT(SERVER, rsa_private_path), "key that opens what clients send"},
	{0, "authorized-users-path", "FILE", TEXT(SERVER, users_path), "who may run tests"},
	{0, "time-skew-threshold", "S", CALL(SERVER, skew), "clock difference accepted (10)"},
	{0, "use-pkcs1-padding", NULL, FLAG(ANY, pkcs1), "authentication as before 3.17"},
	HEAD("Client specific:"),
	{'c', "client", "HOST[%DEV]", CALL(ANY, client), "be a client of HOST"},
	{'u', "udp", NULL, CALL(CLIENT, udp), "UDP instead of TCP"},
	{0, "sctp", NULL, CALL(CLIENT, sctp), "SCTP instead of TCP"},
	{'X', "xbind", "NAME", CALL(ANY, xbind), "further address of an SCTP association"},
	{0, "nstreams", "N", CALL(CLIENT, nstreams), "SCTP streams"},
	{0, "connect-timeout", "MS", CALL(CLIENT, connect_timeout), "for the control connection"},
	{'b', "bitrate", "RATE[/N]", CALL(CLIENT, bitrate), "bits/s of each stream, 0: unlimited (UDP 1M); N blocks at once"},
	{0, "bandwidth", "RATE[/N]", SAME},
	{0, "pacing-timer", "US", CALL(CLIENT, pacing_timer), "for servers before 3.18 (1000)"},
	{0, "fq-rate", "RATE", CALL(CLIENT, fq_rate), "pacing by the kernel, bits/s"},
	{0, "no-fq-socket-pacing", NULL, FLAG(CLIENT, no_fq_pacing), NULL},
	{'t', "time", "S", CALL(CLIENT, time), "duration (10); 0: without end"},
	{'n', "bytes", "SIZE", CALL(CLIENT, bytes), "end after so many bytes"},
	{'k', "blockcount", "N", CALL(CLIENT, blocks), "end after so many blocks"},
	{'l', "length", "SIZE", CALL(CLIENT, length), "block (TCP 128K) or datagram (what fits) length"},
	{0, "cport", "PORT", CALL(CLIENT, cport), "local port of the first stream"},
	{'P', "parallel", "N", CALL(CLIENT, parallel), "streams (1)"},
	{'R', "reverse", NULL, CALL(CLIENT, reverse), "the server sends"},
	{0, "bidir", NULL, CALL(CLIENT, bidir), "both send"},
	{'w', "window", "SIZE", CALL(CLIENT, window), "socket buffers"},
	{'C', "congestion", "NAME", CALL(CLIENT, congestion), "congestion control"},
	{0, "linux-congestion", "NAME", SAME},
	{'M', "set-mss", "N", CALL(CLIENT, mss), "TCP segment size"},
	{'N', "no-delay", NULL, FLAG(CLIENT, test.nodelay), "TCP_NODELAY"},
	{'4', "version4", NULL, CALL(ANY, version4), "IPv4 only"},
	{'6', "version6", NULL, CALL(ANY, version6), "IPv6 only"},
	{'S', "tos", "N", CALL(CLIENT, tos), "type of service, 0 to 255"},
	{0, "dscp", "N", CALL(CLIENT, dscp), "the same by DSCP, 0 to 63 or a name"},
	{'L', "flowlabel", "N", CALL(CLIENT, flowlabel), "IPv6 flow label"},
	{'Z', "zerocopy", NULL, FLAG(CLIENT, test.zerocopy), "send with sendfile(2)"},
	{0, "skip-rx-copy", NULL, FLAG(CLIENT, test.skip_rx_copy), "receivers drop data inside the kernel"},
	{'O', "omit", "S", CALL(CLIENT, omit), "seconds of warm-up that don't count"},
	{'T', "title", "TEXT", CALL(CLIENT, title), "text before each line"},
	{0, "extra-data", "TEXT", CALL(CLIENT, extra_data), "text for the JSON of both sides"},
	{0, "get-server-output", NULL, FLAG(CLIENT, test.get_server_output), "show what the server printed"},
	{0, "udp-counters-64bit", NULL, FLAG(CLIENT, test.udp_64bit), "wide datagram numbers"},
	{0, "gsro", NULL, FLAG(CLIENT, test.gso), "UDP segmentation and joining by the kernel, told to the server"},
	{0, "no-gsro", NULL, FLAG(ANY, no_gso), "never segment or join by the kernel, not even by itself"},
	{0, "repeating-payload", NULL, FLAG(CLIENT, test.repeating_payload), "0123456789 instead of random payload"},
	{0, "dont-fragment", NULL, FLAG(CLIENT, test.dont_fragment), "set the DF bit (UDP, IPv4)"},
	{0, "username", "NAME", TEXT(CLIENT, user), "for authentication"},
	{0, "rsa-public-key-path", "FILE", TEXT(CLIENT, rsa_public_path), "key of the server"},
};
/* clang-format on */

const struct opts i3_opts = {
	.tool = "iperf3",
	.grammar = OPTS_GETOPT,
	.rows = rows,
	.count = ARRAY_LEN(rows),
};
