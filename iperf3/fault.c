/* SPDX-License-Identifier: BSD-2-Clause */
#include "fault.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Which texts are followed by ": " and the system's words. */
#define SYS   true
#define PLAIN false

static const struct {
	int number;
	bool sys;
	const char *text;
} table[] = {
	{I3_F_NONE, PLAIN, "no error"},
	{I3_F_SERVER_CLIENT, PLAIN, "cannot be both server and client"},
	{I3_F_NO_ROLE, PLAIN, "must either be a client (-c) or server (-s)"},
	{I3_F_SERVER_ONLY, PLAIN, "some option you are trying to set is server only"},
	{I3_F_CLIENT_ONLY, PLAIN, "some option you are trying to set is client only"},
	{I3_F_DURATION, PLAIN, "test duration valid values are 0 to 86400 seconds"},
	{I3_F_NUM_STREAMS, PLAIN,
	 "invalid number of parallel streams (min = 1, max = 128)"},
	{I3_F_BLOCK_SIZE, PLAIN, "block size too large (maximum = 1048576 bytes)"},
	{I3_F_BUF_SIZE, PLAIN,
	 "socket buffer size too large (maximum = 536870912 bytes)"},
	{I3_F_INTERVAL, PLAIN, "invalid report interval (min = 0.1, max = 60 seconds)"},
	{I3_F_MSS, PLAIN, "TCP MSS too large (maximum = 32767 bytes)"},
	{I3_F_NO_SENDFILE, PLAIN, "this OS does not support sendfile"},
	{I3_F_OMIT, PLAIN, "bogus value for --omit (maximum = 600 seconds)"},
	{I3_F_UNIMPLEMENTED, PLAIN,
	 "an option you are trying to set is not implemented yet"},
	{I3_F_FILE, SYS, "unable to open -F file"},
	{I3_F_BURST, PLAIN, "invalid burst count (maximum = 1000)"},
	{I3_F_END_CONDITIONS, PLAIN,
	 "only one test end condition (-t, -n, -k) may be specified"},
	{I3_F_LOGFILE, SYS, "unable to open log file"},
	{I3_F_NO_SCTP, PLAIN, "no SCTP support available"},
	{I3_F_UDP_BLOCK_SIZE, PLAIN,
	 "block size invalid (minimum = 16 bytes, maximum = 65507 bytes)"},
	{I3_F_BAD_TOS, PLAIN, "bad TOS value (must be between 0 and 255 inclusive)"},
	{I3_F_CLIENT_AUTH, PLAIN,
	 "you must specify a username, password, and path to a valid RSA public key"},
	{I3_F_SERVER_AUTH, PLAIN,
	 "you must specify a path to a valid RSA private key and a user credential file"},
	{I3_F_BAD_FORMAT, PLAIN,
	 "bad format specifier (valid formats are in the set [kmgtKMGT])"},
	{I3_F_REVERSE_BIDIR, PLAIN, "cannot be both reverse and bidirectional"},
	{I3_F_BAD_PORT, PLAIN, "port number must be between 1 and 65535 inclusive"},
	{I3_F_TOTAL_RATE, PLAIN, "total required bandwidth is larger than server limit"},
	{I3_F_TOTAL_INTERVAL, PLAIN,
	 "invalid time interval for calculating average data rate"},
	{I3_F_SKEW, PLAIN, "skew threshold must be a positive number"},
	{I3_F_IDLE_TIMEOUT, PLAIN,
	 "idle timeout parameter is not positive or larger than allowed limit"},
	{I3_F_RCV_TIMEOUT, SYS, "receive timeout value is incorrect or not in range"},
	{I3_F_REVERSE_RCV_TIMEOUT, SYS,
	 "client receive timeout is valid only in receiving mode"},
	{I3_F_SND_TIMEOUT, SYS, "send timeout value is incorrect or not in range"},
	{I3_F_UDP_FILE, PLAIN, "cannot transfer file using UDP"},
	{I3_F_SERVER_AUTH_USERS, PLAIN, "cannot access authorized users file"},
	{I3_F_CNTL_KA, SYS,
	 "control connection Keepalive period should be larger than the full retry "
	 "period "
	 "(interval * count)"},
	{I3_F_MAX_DURATION, PLAIN,
	 "client's requested duration exceeds the server's maximum permitted limit"},
	{I3_F_UNIT, PLAIN, "invalid unit value or suffix"},
	{I3_F_NO_SKIP_RX_COPY, PLAIN, "this OS does not support --skip-rx-copy"},
	{I3_F_DSCP, PLAIN,
	 "bad DSCP value (numeric: 0-63 inclusive, symbolic: one of [af11-13, af21-23, "
	 "af31-33, af41-43, cs1-7, ef, va, lowdelay, throughput, reliability])"},
	{I3_F_NEW_TEST, SYS, "unable to create a new test"},
	{I3_F_INIT_TEST, SYS, "test initialization failed"},
	{I3_F_LISTEN, SYS, "unable to start listener for connections"},
	{I3_F_CONNECT, SYS,
	 "unable to connect to server - server may have stopped running or use a "
	 "different "
	 "port, firewall issue, etc."},
	{I3_F_ACCEPT, SYS, "unable to accept connection from client"},
	{I3_F_SEND_COOKIE, SYS, "unable to send cookie to server"},
	{I3_F_RECV_COOKIE, SYS, "unable to receive cookie at server"},
	{I3_F_CTRL_WRITE, SYS, "unable to write to the control socket"},
	{I3_F_CTRL_READ, SYS, "unable to read from the control socket"},
	{I3_F_CTRL_CLOSE, PLAIN, "control socket has closed unexpectedly"},
	{I3_F_MESSAGE, PLAIN,
	 "received an unknown control message (ensure other side is iperf3 and not "
	 "iperf)"},
	{I3_F_SEND_MESSAGE, SYS,
	 "unable to send control message - port may not be available, the other side may "
	 "have stopped running, etc."},
	{I3_F_RECV_MESSAGE, SYS,
	 "unable to receive control message - port may not be available, the other side "
	 "may have stopped running, etc."},
	{I3_F_SEND_PARAMS, SYS, "unable to send parameters to server"},
	{I3_F_RECV_PARAMS, SYS, "unable to receive parameters from client"},
	{I3_F_PACKAGE_RESULTS, SYS, "unable to package results"},
	{I3_F_SEND_RESULTS, SYS, "unable to send results"},
	{I3_F_RECV_RESULTS, SYS, "unable to receive results"},
	{I3_F_SELECT, SYS, "select failed"},
	{I3_F_CLIENT_TERM, PLAIN, "the client has terminated"},
	{I3_F_SERVER_TERM, PLAIN, "the server has terminated"},
	{I3_F_ACCESS_DENIED, PLAIN, "the server is busy running a test. try again later"},
	{I3_F_SET_NODELAY, SYS, "unable to set TCP/SCTP NODELAY"},
	{I3_F_SET_MSS, SYS, "unable to set TCP/SCTP MSS"},
	{I3_F_SET_BUF, SYS, "unable to set socket buffer size"},
	{I3_F_SET_TOS, SYS, "unable to set IP TOS"},
	{I3_F_SET_COS, SYS, "unable to set IPv6 traffic class"},
	{I3_F_SET_FLOW, PLAIN, "unable to set IPv6 flow label"},
	{I3_F_REUSEADDR, SYS, "unable to reuse address on socket"},
	{I3_F_NONBLOCKING, SYS, "unable to set socket to non-blocking"},
	{I3_F_SET_WINDOWSIZE, SYS, "unable to set socket window size"},
	{I3_F_PROTOCOL, PLAIN, "protocol does not exist"},
	{I3_F_AFFINITY, SYS, "unable to set CPU affinity"},
	{I3_F_DAEMON, SYS, "unable to become a daemon"},
	{I3_F_SET_CONGESTION, PLAIN,
	 "unable to set TCP_CONGESTION: Supplied congestion control algorithm not "
	 "supported "
	 "on this host"},
	{I3_F_PIDFILE, SYS, "unable to write PID file"},
	{I3_F_V6ONLY, SYS, "Unable to set/reset IPV6_V6ONLY"},
	{I3_F_SCTP_FRAGMENTS, SYS, "unable to set SCTP_DISABLE_FRAGMENTS"},
	{I3_F_SCTP_INIT, SYS, "unable to set SCTP_INIT num of SCTP streams"},
	{I3_F_SET_PACING, SYS, "unable to set socket pacing"},
	{I3_F_SET_BUF2, PLAIN, "socket buffer size not set correctly"},
	{I3_F_AUTH_TEST, PLAIN, "test authorization failed"},
	{I3_F_BIND_DEV, PLAIN,
	 "Unable to bind-to-device (check perror, maybe permissions?)"},
	{I3_F_NO_MESSAGE, PLAIN, "idle timeout for receiving data"},
	{I3_F_DONT_FRAGMENT, SYS, "unable to set IP Do-Not-Fragment flag"},
	{I3_F_BIND_DEV_NO_SUPPORT, PLAIN, "`<ip>%<dev>` not supported"},
	{I3_F_SET_USER_TIMEOUT, SYS, "unable to set TCP USER_TIMEOUT"},
	{I3_F_THREAD_CREATE, SYS, "unable to create thread"},
	{I3_F_THREAD_JOIN, SYS, "unable to join thread"},
	{I3_F_SET_KEEPALIVE, SYS, "unable to set socket keepalive (SO_KEEPALIVE) option"},
	{I3_F_KEEPALIVE_IDLE, SYS,
	 "unable to set socket keepalive TCP period (TCP_KEEPIDLE) option"},
	{I3_F_KEEPALIVE_INTVL, SYS,
	 "unable to set/get socket keepalive TCP retry interval (TCP_KEEPINTVL) option"},
	{I3_F_KEEPALIVE_COUNT, SYS,
	 "unable to set/get socket keepalive TCP number of retries (TCP_KEEPCNT) option"},
	{I3_F_SERVER_EXPIRED, SYS, "server test duration expired"},
	{I3_F_CREATE_STREAM, SYS, "unable to create a new stream"},
	{I3_F_INIT_STREAM, SYS, "unable to initialize stream"},
	{I3_F_STREAM_LISTEN, SYS, "unable to start stream listener"},
	{I3_F_STREAM_CONNECT, SYS, "unable to connect stream"},
	{I3_F_STREAM_ACCEPT, SYS, "unable to accept stream connection"},
	{I3_F_STREAM_WRITE, SYS, "unable to write to stream socket"},
	{I3_F_STREAM_READ, SYS, "unable to read from stream socket"},
	{I3_F_STREAM_CLOSE, PLAIN, "stream socket has closed unexpectedly"},
	{I3_F_STREAM_ID, PLAIN, "stream has an invalid id"},
	{I3_F_NEW_TIMER, SYS, "unable to create new timer"},
	{I3_F_UPDATE_TIMER, SYS, "unable to update timer"},
};

/* Index into the table, or -1. */
static int find(int number)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (table[i].number == number)
			return (int)i;
	return -1;
}

const char *i3_fault_text(int number, char *buf, unsigned cap)
{
	int i = find(number);

	if (i >= 0)
		return table[i].text;
	snprintf(buf, cap, "int_errno=%d", number);
	return buf;
}

static int fill(struct i3_fault *f, int number, int sys_errno, const char *why)
{
	char buf[32], words[128];
	int i = find(number);

	if (!f || f->number != I3_F_NONE)
		return -1;
	f->number = number;
	f->sys_errno = sys_errno;
	strlcpy(f->text, i3_fault_text(number, buf, sizeof(buf)), sizeof(f->text));
	if (i >= 0 && !table[i].sys)
		return -1;
	if (!why)
		why = sys_errno ? strerror_r(sys_errno, words, sizeof(words)) : "";
	strlcat(f->text, ": ", sizeof(f->text));
	strlcat(f->text, why, sizeof(f->text));
	return -1;
}

int i3_fault(struct i3_fault *f, int number)
{
	return fill(f, number, 0, NULL);
}

int i3_fault_sys(struct i3_fault *f, int number)
{
	return fill(f, number, errno, NULL);
}

int i3_fault_err(struct i3_fault *f, int number, const struct err *e)
{
	return fill(f, number, e->sys_errno, e->text);
}

int i3_fault_arg(struct i3_fault *f, int number, const char *arg)
{
	char buf[32];

	if (!f || f->number != I3_F_NONE)
		return -1;
	f->number = number;
	snprintf(f->text, sizeof(f->text), "%s: '%s'",
		 i3_fault_text(number, buf, sizeof(buf)), arg);
	return -1;
}

int i3_fault_from_server(struct i3_fault *f, int number, int sys_errno)
{
	int i = find(number);

	if (!f || f->number != I3_F_NONE)
		return -1;
	fill(f, number, sys_errno, NULL);
	/* iperf3 adds the empty words of errno 0 only to faults of its own. */
	if (i >= 0 && sys_errno == 0)
		strlcpy(f->text, table[i].text, sizeof(f->text));
	f->from_server = true;
	return -1;
}

void i3_fault_clear(struct i3_fault *f)
{
	*f = (struct i3_fault){.number = I3_F_NONE};
}
