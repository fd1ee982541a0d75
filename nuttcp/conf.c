/* SPDX-License-Identifier: BSD-2-Clause */
#include "conf.h"

#include <sys/socket.h>

#include "conf_values.h"

#define FIELD(member) OPT_FIELD(struct nut_conf, member)

static int classic_transmit(void *conf, const char *value, struct err *e)
{
	struct nut_conf *c = conf;

	(void)value, (void)e;
	c->transmit_given = true;
	c->receive = false;
	return 0;
}

/* clang-format off */
static const struct opt rows[] = {
	{'t', NULL, NULL, OPT_CALL, OPT_ANY, 0, 0, 0, classic_transmit,
	 "transmit (the default)"},
	{'r', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(receive), 0, 0, NULL,
	 "receive: the server transmits"},
	{'S', NULL, NULL, OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_server,
	 "server; -SP: clients that it starts for third parties use its own control port"},
	{'1', NULL, NULL, OPT_SET, OPT_ANY, FIELD(role), NUT_ONESHOT, 0, NULL,
	 "server for one client"},
	{'T', NULL, "[SECONDS]", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_timeout,
	 "time limit; suffix m, h, d (10)"},
	{'n', NULL, "[COUNT]", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_nbuf,
	 "number of buffers, or bytes with suffix b, k, m, g, t, p (2048)"},
	{0, "-nb", NULL, OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_nb, NULL},
	{'l', NULL, "BYTES", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_buflen,
	 "length of the buffer; suffix k, m (65536; UDP 8192 or what fits, multicast 1024)"},
	{'i', NULL, "[SECONDS]", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_interval,
	 "report each interval; suffix m, h (1)"},
	{'u', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(udp), 0, 0, NULL,
	 "UDP, at 1 Mbps unless -R says otherwise"},
	{0, "-uu", NULL, OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_unlimited,
	 "UDP without rate limit"},
	{'R', NULL, "RATE", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_rate,
	 "rate limit [a|i[s]|u]N[k|m|g][p][/BURST]: kbps, or packets per second with p; "
	 "i: keep the gap between any two; u or 0: none"},
	{0, "packet-burst", "COUNT", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_burst,
	 "with -Ri: packets that leave back to back"},
	{0, "spin", NULL, OPT_FLAG, OPT_ANY, FIELD(spin), 0, 0, NULL,
	 "wait for the next packet's time without sleeping: exact gaps, a busy core"},
	{'w', NULL, "SIZE", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_win,
	 "socket buffer in KB; suffix b, k, m, g"},
	{0, "-ws", "SIZE", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_srvwin,
	 "the same for the server only"},
	{0, "-wb", "[SIZE]", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_braindead,
	 "set both buffers at both ends"},
	{'N', NULL, "COUNT", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_nstream,
	 "parallel streams (1); suffix m: in turn over all addresses of the host"},
	{'F', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(flip), 0, 0, NULL,
	 "flip: the receiver connects to the transmitter"},
	{'D', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(nodelay), 0, 0, NULL,
	 "do not collect small writes (TCP_NODELAY)"},
	{'M', NULL, "BYTES", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_mss,
	 "maximum segment size (TCP_MAXSEG)"},
	{'c', NULL, "DSCP", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_tos,
	 "DSCP of the data; suffix t: whole TOS byte, p: precedence"},
	{'d', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(so_debug), 0, 0, NULL,
	 "set SO_DEBUG on data sockets"},
	{'B', NULL, NULL, OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_pass,
	 "accepted, without effect"},
	{'s', NULL, NULL, OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_pipe,
	 "send standard input, write to standard output; not with -S"},
	{'j', NULL, "[maxo]", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_jitter,
	 "jitter: minimum, average, maximum (x), o: not across gaps"},
	{'o', NULL, "[max]", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_owd,
	 "one-way delay: minimum, average (a), maximum; needs equal clocks"},
	{'m', NULL, "[TTL]", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_multicast,
	 "multicast UDP (1); -ma any-source, -ms source-specific"},
	{'g', NULL, "GROUP", OPT_STR, OPT_ANY, FIELD(group), 0, 0, NULL,
	 "multicast group"},
	{'p', NULL, "PORT", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_port,
	 "first data port, or SOURCE:PORT (5101)"},
	{'P', NULL, "PORT", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_ctlport,
	 "control port, or SOURCE:PORT, or PORT/PORT of a third party (5000)"},
	{'4', NULL, NULL, OPT_SET, OPT_ANY, FIELD(family), AF_INET, 0, NULL, "IPv4 only"},
	{'6', NULL, NULL, OPT_SET, OPT_ANY, FIELD(family), AF_INET6, 0, NULL, "IPv6 only"},
	{'a', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(retry), 0, 0, NULL,
	 "try the control connection up to 10 times"},
	{'I', NULL, "TEXT", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_ident,
	 "put before each line of output"},
	{'v', NULL, NULL, OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_verbose,
	 "verbose report of both ends"},
	{0, "-vv", NULL, OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_very_verbose,
	 "also rate by CPU time"},
	{'b', NULL, "[N]", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_brief,
	 "1: result line only; 0: -v; less: both; r, c: retransmissions, window by stream"},
	{'f', NULL, NULL, OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_format,
	 "output: parse xmitstats runningtotal -drops -percentloss -retrans -cwnd -rtt"},
	{0, "json", NULL, OPT_FLAG, OPT_ANY, FIELD(json), 0, 0, NULL,
	 "report as one JSON object"},
	{0, "-xt", NULL, OPT_FLAG, OPT_ANY, FIELD(traceroute), 0, 0, NULL,
	 "traceroute to the server and back"},
	{0, "-xP", "PRIORITY", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_priority,
	 "priority of the process"},
	{0, "-xc", "CPU[/CPU]", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_affinity,
	 "CPU of this process, and of the server's"},
	{0, "-xcs", "CPU", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_srvr_affinity,
	 "CPU of the server's process"},
	{'x', NULL, NULL, OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_x, NULL},
	{'3', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(as_third), 0, 0, NULL, NULL},
	{0, "idle-data-timeout", "SECONDS", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_idle,
	 "a receiver waits so long for data; or MIN/DEFAULT/MAX (15/30/60)"},
	{0, "nofork", NULL, OPT_FLAG, OPT_ANY, FIELD(nofork), 0, 0, NULL,
	 "server: stay in the foreground, one client at a time"},
	{0, "single-threaded", NULL, OPT_FLAG, OPT_ANY, FIELD(single_threaded), 0, 0, NULL,
	 "server: one client at a time"},
	{0, "no3rdparty", NULL, OPT_FLAG, OPT_ANY, FIELD(no3rdparty), 0, 0, NULL,
	 "server: refuse to act for a third party"},
	{0, "enable-v4-mapped", NULL, OPT_FLAG, OPT_ANY, FIELD(v4mapped), 0, 0, NULL,
	 "server with -6: take IPv4 clients too"},
	{0, "disable-v4-mapped", NULL, OPT_TOGGLE, OPT_ANY, FIELD(v4unmapped), 0, 0, NULL,
	 "server with -6: IPv6 clients only (the default)"},
	{0, "allow", "NET", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_allow,
	 "server: only clients of this network, \"192.0.2.0/24\"; may be repeated"},
	{0, "max-clients", "N", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_max_clients,
	 "server: clients at the same time (1000)"},
	{0, "max-streams", "N", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_max_streams,
	 "server: streams of one client"},
	{0, "max-rate", "RATE", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_max_rate,
	 "server: largest rate limit, and none without -R"},
	{0, "max-time", "SECONDS", OPT_CALL, OPT_ANY, 0, 0, 0, nut_value_max_time,
	 "server: longest test"},
	{'V', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(short_version), 0, 0, NULL,
	 "print the version of nuttcp that this one is like"},
	{0, "version", NULL, OPT_FLAG, OPT_ANY, FIELD(version), 0, 0, NULL,
	 "print the version of this program"},
	{'h', NULL, NULL, OPT_FLAG, OPT_ANY, FIELD(help), 0, 0, NULL,
	 "print this text, exit status 1"},
	{0, "help", NULL, OPT_FLAG, OPT_ANY, FIELD(long_help), 0, 0, NULL,
	 "print this text, exit status 0"},
};
/* clang-format on */

const struct opts nut_opts = {
	.tool = "nuttcp",
	.grammar = OPTS_ATTACHED,
	.rows = rows,
	.count = ARRAY_LEN(rows),
};

void nut_conf_default(struct nut_conf *c)
{
	*c = (struct nut_conf){
		.role = NUT_CLIENT,
		.family = AF_UNSPEC,
		.port = 5101,
		.ctlport = 5000,
		.buflen_bytes = 65536,
		.nbuf = NUT_NBUF_UNLIMITED,
		.burst = 1,
		.nstream = 1,
		.ssm = -1,
		.brief = 1,
		.result_line = true,
		.format = NUT_RTT,
		.affinity = -1,
		.srvr_affinity = -1,
		.idle_min_s = 15,
		.idle_default_s = 30,
		.idle_max_s = 60,
		.limits = {.clients = 1000},
	};
}

static int operands(struct nut_conf *c, const struct opts_given *given, struct err *e)
{
	int most = c->role == NUT_CLIENT ? 2 : 0;

	if (given->operands > most)
		return err_set(e, ERR_USAGE, "", "%s",
			       most ? "" : "a server takes no host");
	if (given->operands > 0)
		c->host = given->operand[0];
	if (given->operands > 1)
		c->third = given->operand[1];
	if (c->host)
		return 0;
	if (c->transmit_given)
		return err_set(e, ERR_USAGE, "", "-t needs a host");
	if (c->role == NUT_CLIENT && !c->receive)
		return err_set(e, ERR_USAGE, "", "%s", "");
	return 0;
}

int nut_conf_parse(struct nut_conf *c, int argc, char **argv, FILE *notes, struct err *e)
{
	struct opts_given given;

	nut_conf_default(c);
	if (opts_parse(&nut_opts, argc, argv, c, &given, e) < 0) {
		e->what[0] = '\0';
		return -1;
	}
	if (c->help || c->long_help || c->version || c->short_version)
		return 0;
	if (operands(c, &given, e) < 0)
		return -1;
	return nut_conf_check(c, notes, e);
}
