/* SPDX-License-Identifier: BSD-2-Clause */
#include "conf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "jsonw.h"
#include "udpio.h"

/* A buffer beyond this is a typing error, not a measurement. */
#define BUF_BYTES_MAX (1024.0 * 1024 * 1024)
#define UDP_BUF_MIN   5 /* shorter datagrams are guards */

static int unit(void *conf, const char *value, struct err *e)
{
	struct ttcp_conf *c = conf;

	(void)e;
	/* As in every ttcp: what is no unit means K. */
	c->unit = 'K';
	if (value[0] && strchr("kKmMgG", value[0]))
		c->unit = value[0];
	return 0;
}

#define FIELD(member) OPT_FIELD(struct ttcp_conf, member)

static const struct opt rows[] = {
	{'t', NULL, NULL, OPT_SET, OPT_ANY, FIELD(role), TTCP_TRANSMIT, 0, NULL,
	 "transmit; needs HOST"},
	{'r', NULL, NULL, OPT_SET, OPT_ANY, FIELD(role), TTCP_RECEIVE, 0, NULL,
	 "receive (the default)"},
	{'s', NULL, NULL, OPT_TOGGLE, OPT_ANY, FIELD(memory), 0, 0, NULL,
	 "-t: send a made-up pattern; -r: throw the data away"},
	{'l', NULL, "BYTES", OPT_SIZE, OPT_ANY, FIELD(buf_bytes), 1, BUF_BYTES_MAX, NULL,
	 "length of the buffer: of each read and write (8192)"},
	{'n', NULL, "COUNT", OPT_SIZE, OPT_ANY, FIELD(buf_count), 0, 0, NULL,
	 "number of buffers that -t -s sends (2048)"},
	{'p', NULL, "PORT", OPT_U16, OPT_ANY, FIELD(port), 1, 65535, NULL,
	 "port to connect to or to listen on (5001)"},
	{'u', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(udp), 0, 0, NULL,
	 "UDP instead of TCP"},
	{'D', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(nodelay), 0, 0, NULL,
	 "do not collect small writes (TCP_NODELAY)"},
	{'d', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(debug), 0, 0, NULL,
	 "set SO_DEBUG on the socket"},
	{'b', NULL, "BYTES", OPT_SIZE, OPT_ANY, FIELD(sockbuf_bytes), 0, 2147483647, NULL,
	 "socket buffer: to send with -t, to receive with -r"},
	{'f', NULL, "UNIT", OPT_CALL, OPT_ANY, 0, 0, 0, unit,
	 "unit of rates: k K m M g G = Kbit KB Mbit MB Gbit GB (K)"},
	{'v', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(verbose), 0, 0, NULL,
	 "report more: rate by CPU time, buffer address"},
	{'B', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(full_blocks), 0, 0, NULL,
	 "-r: write only full buffers, as tar wants them"},
	{'T', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(touch), 0, 0, NULL,
	 "-r: touch every byte received"},
	{'A', NULL, "MODULUS", OPT_SIZE, OPT_ANY, FIELD(align_bytes), 0, BUF_BYTES_MAX,
	 NULL, "align the buffer to this many bytes (16384)"},
	{'O', NULL, "OFFSET", OPT_SIZE, OPT_ANY, FIELD(offset_bytes), 0, BUF_BYTES_MAX,
	 NULL, "start the buffer so many bytes after that (0)"},
	{'4', NULL, NULL, OPT_SET, OPT_ANY, FIELD(family), AF_INET, 0, NULL, "IPv4 only"},
	{'6', NULL, NULL, OPT_SET, OPT_ANY, FIELD(family), AF_INET6, 0, NULL,
	 "IPv6 only"},
	{'R', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(swap), 0, 0, NULL,
	 "swap who connects: -t listens, -r connects to HOST"},
	{'C', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(swap), 0, 0, NULL, "the same, for -r"},
	{'S', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(swap), 0, 0, NULL, "the same, for -t"},
	{'w', NULL, "USEC", OPT_U64, OPT_ANY, FIELD(pause_us), 0, 60e6, NULL,
	 "-t: pause before each write (0)"},
	{'I', NULL, "NAME", OPT_STR, OPT_ANY, FIELD(device), 0, 0, NULL,
	 "use this network interface only"},
	{0, "idle-timeout", "SECONDS", OPT_DOUBLE, OPT_ANY, FIELD(idle_s), 0, 86400, NULL,
	 "-r -u: end after so long without data; 0 = never (30)"},
	{0, "json", NULL, OPT_FLAG, OPT_ANY, FIELD(json), 0, 0, NULL,
	 "report as one JSON object, on standard error"},
	{'V', "version", NULL, OPT_FLAG, OPT_ANY, FIELD(version), 0, 0, NULL,
	 "print the version and exit"},
	{'h', "help", NULL, OPT_FLAG, OPT_ANY, FIELD(help), 0, 0, NULL,
	 "print this text and exit"},
};

const struct opts ttcp_opts = {
	.tool = "ttcp",
	.grammar = OPTS_GETOPT,
	.rows = rows,
	.count = ARRAY_LEN(rows),
};

/* All bytes together must be a number that the counters hold. */
static int check_total(const struct ttcp_conf *c, struct err *e)
{
	uint64_t most = INT64_MAX / c->buf_bytes;
	char what[32];

	if (c->role == TTCP_RECEIVE || !c->memory || c->buf_count <= most)
		return 0;
	snprintf(what, sizeof(what), "-n %" PRIu64, c->buf_count);
	return err_set(e, ERR_USAGE, what,
		       "out of range (0..%" PRIu64 ") with buffers of %" PRIu64 " bytes",
		       most, c->buf_bytes);
}

static int check(struct ttcp_conf *c, const struct opts_given *given, struct err *e)
{
	if (given->operands > 0)
		c->host = given->operand[0];
	if (c->help || c->version)
		return 0;
	if (ttcp_connects(c) && !c->host)
		return err_set(e, ERR_USAGE, "", "%s needs the HOST to connect to",
			       c->role == TTCP_TRANSMIT ? "-t" : "-r -R");
	if (c->udp && c->swap)
		return err_set(e, ERR_USAGE, "-u",
			       "not with -R, -C or -S: a UDP receiver cannot begin");
	if (c->json && !jsonw_available())
		return err_set(e, ERR_UNSUPPORTED, "--json", "not in this build");
	if (c->udp && c->buf_bytes < UDP_BUF_MIN)
		c->buf_bytes = UDP_BUF_MIN;
	return check_total(c, e);
}

int ttcp_conf_parse(struct ttcp_conf *c, int argc, char **argv, struct err *e)
{
	struct opts_given given;

	*c = (struct ttcp_conf){
		.role = TTCP_RECEIVE,
		.port = 5001,
		.family = AF_UNSPEC,
		.buf_bytes = 8192,
		.buf_count = 2048,
		.align_bytes = 16384,
		.unit = 'K',
		.idle_s = 30,
	};
	if (opts_parse(&ttcp_opts, argc, argv, c, &given, e) < 0)
		return -1;
	c->buf_given = opts_seen(&ttcp_opts, &given, 'l', NULL);
	return check(c, &given, e);
}
