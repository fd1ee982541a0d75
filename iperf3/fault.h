/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What ends a test too early, by the numbers that iperf3 knows. The numbers 1..301 travel
 * between client and server (a server sends its number in SERVER_ERROR), so they are part
 * of the protocol; the texts are what iperf3 prints for them.
 *
 *     return i3_fault_sys(f, I3_F_STREAM_WRITE);     errno is appended where iperf3 does
 */
#ifndef I3_FAULT_H
#define I3_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

enum i3_fault_number {
	I3_F_NONE = 0,
	/* what the user typed */
	I3_F_SERVER_CLIENT = 1,
	I3_F_NO_ROLE = 2,
	I3_F_SERVER_ONLY = 3,
	I3_F_CLIENT_ONLY = 4,
	I3_F_DURATION = 5,
	I3_F_NUM_STREAMS = 6,
	I3_F_BLOCK_SIZE = 7,
	I3_F_BUF_SIZE = 8,
	I3_F_INTERVAL = 9,
	I3_F_MSS = 10,
	I3_F_NO_SENDFILE = 11,
	I3_F_OMIT = 12,
	I3_F_UNIMPLEMENTED = 13,
	I3_F_FILE = 14,
	I3_F_BURST = 15,
	I3_F_END_CONDITIONS = 16,
	I3_F_LOGFILE = 17,
	I3_F_NO_SCTP = 18,
	I3_F_UDP_BLOCK_SIZE = 20,
	I3_F_BAD_TOS = 21,
	I3_F_CLIENT_AUTH = 22,
	I3_F_SERVER_AUTH = 23,
	I3_F_BAD_FORMAT = 24,
	I3_F_REVERSE_BIDIR = 25,
	I3_F_BAD_PORT = 26,
	I3_F_TOTAL_RATE = 27,
	I3_F_TOTAL_INTERVAL = 28,
	I3_F_SKEW = 29,
	I3_F_IDLE_TIMEOUT = 30,
	I3_F_RCV_TIMEOUT = 31,
	I3_F_REVERSE_RCV_TIMEOUT = 32,
	I3_F_SND_TIMEOUT = 33,
	I3_F_UDP_FILE = 34,
	I3_F_SERVER_AUTH_USERS = 35,
	I3_F_CNTL_KA = 36,
	I3_F_MAX_DURATION = 37,
	I3_F_UNIT = 38, /* with the argument: i3_fault_arg() */
	I3_F_NO_SKIP_RX_COPY = 39,
	I3_F_DSCP = 40,
	/* the test */
	I3_F_NEW_TEST = 100,
	I3_F_INIT_TEST = 101,
	I3_F_LISTEN = 102,
	I3_F_CONNECT = 103,
	I3_F_ACCEPT = 104,
	I3_F_SEND_COOKIE = 105,
	I3_F_RECV_COOKIE = 106,
	I3_F_CTRL_WRITE = 107,
	I3_F_CTRL_READ = 108,
	I3_F_CTRL_CLOSE = 109,
	I3_F_MESSAGE = 110,
	I3_F_SEND_MESSAGE = 111,
	I3_F_RECV_MESSAGE = 112,
	I3_F_SEND_PARAMS = 113,
	I3_F_RECV_PARAMS = 114,
	I3_F_PACKAGE_RESULTS = 115,
	I3_F_SEND_RESULTS = 116,
	I3_F_RECV_RESULTS = 117,
	I3_F_SELECT = 118,
	I3_F_CLIENT_TERM = 119,
	I3_F_SERVER_TERM = 120,
	I3_F_ACCESS_DENIED = 121,
	I3_F_SET_NODELAY = 122,
	I3_F_SET_MSS = 123,
	I3_F_SET_BUF = 124,
	I3_F_SET_TOS = 125,
	I3_F_SET_COS = 126,
	I3_F_SET_FLOW = 127,
	I3_F_REUSEADDR = 128,
	I3_F_NONBLOCKING = 129,
	I3_F_SET_WINDOWSIZE = 130,
	I3_F_PROTOCOL = 131,
	I3_F_AFFINITY = 132,
	I3_F_DAEMON = 133,
	I3_F_SET_CONGESTION = 134,
	I3_F_PIDFILE = 135,
	I3_F_V6ONLY = 136,
	I3_F_SCTP_FRAGMENTS = 137,
	I3_F_SCTP_INIT = 138,
	I3_F_SET_PACING = 140,
	I3_F_SET_BUF2 = 141,
	I3_F_AUTH_TEST = 142,
	I3_F_BIND_DEV = 143,
	I3_F_NO_MESSAGE = 144, /* nothing received for --rcv-timeout */
	I3_F_DONT_FRAGMENT = 145,
	I3_F_BIND_DEV_NO_SUPPORT = 146,
	I3_F_SET_USER_TIMEOUT = 148,
	I3_F_THREAD_CREATE = 150,
	I3_F_THREAD_JOIN = 152,
	I3_F_SET_KEEPALIVE = 155,
	I3_F_KEEPALIVE_IDLE = 156,
	I3_F_KEEPALIVE_INTVL = 157,
	I3_F_KEEPALIVE_COUNT = 158,
	I3_F_SERVER_EXPIRED = 160,
	I3_F_CREATE_STREAM = 200,
	I3_F_INIT_STREAM = 201,
	I3_F_STREAM_LISTEN = 202,
	I3_F_STREAM_CONNECT = 203,
	I3_F_STREAM_ACCEPT = 204,
	I3_F_STREAM_WRITE = 205,
	I3_F_STREAM_READ = 206,
	I3_F_STREAM_CLOSE = 207,
	I3_F_STREAM_ID = 208,
	I3_F_NEW_TIMER = 300,
	I3_F_UPDATE_TIMER = 301,
};

struct i3_fault {
	int number;       /* enum i3_fault_number, or a peer's number unknown to us */
	int sys_errno;    /* 0 = none */
	bool from_server; /* told by the server with SERVER_ERROR */
	char text[384];   /* the whole message without "iperf3: error - " */
};

/* All return -1. The first fault stays: a second one on the same struct is ignored, so
 * that clearing up cannot hide the cause. f may be NULL.
 *
 * i3_fault:      by number; where iperf3 appends an error text it is that of errno 0: ":
 * ". i3_fault_sys:  by number with the errno that stands. i3_fault_err:  by number; e's
 * text follows (and its sys_errno is kept). */
int i3_fault(struct i3_fault *f, int number);
int i3_fault_sys(struct i3_fault *f, int number);
int i3_fault_err(struct i3_fault *f, int number, const struct err *e);

/* I3_F_UNIT: "invalid unit value or suffix: 'ARG'". */
int i3_fault_arg(struct i3_fault *f, int number, const char *arg);

/* As told by the server: number and errno of SERVER_ERROR. */
int i3_fault_from_server(struct i3_fault *f, int number, int sys_errno);

void i3_fault_clear(struct i3_fault *f);

/* The text of a number without error text; "int_errno=N" for one that is not in use. */
const char *i3_fault_text(int number, char *buf, unsigned cap);

#endif
