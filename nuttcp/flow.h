/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One test at one end: the data sockets, a thread that moves the bytes, and what it
 * counts. The thread that owns the flow waits for events and decides what they mean:
 *
 *     nut_flow_open_passive()    listeners, before the peer is told to connect
 *     nut_flow_open()            connect or accept
 *     nut_flow_start()
 *     while (nut_flow_wait() != NUT_DONE)    ticks, control connection, limits
 *     nut_flow_join()
 *
 * One thread moves all streams: buffers go to the streams in turn, as old receivers
 * need it. */
#ifndef NUT_FLOW_H
#define NUT_FLOW_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "addr.h"
#include "counters.h"
#include "cpuuse.h"
#include "err.h"
#include "measure.h"
#include "proto.h"
#include "stopper.h"
#include "ticker.h"

/* Reasons of flow->work. */
enum nut_stop { NUT_STOP_LIMIT = 1, NUT_STOP_USER, NUT_STOP_GONE, NUT_STOP_IDLE };

struct nut_flow_conf {
	const struct nut_params *p;
	bool server, transmit;
	int peer_version;
	int family;      /* of the control connection */
	double rate_bps; /* transmitter; 0 = none */
	bool spin;       /* pace without sleeping */
	int pipe_fd;     /* data comes from or goes to this descriptor; -1 = none */
	bool so_debug;
	bool classic; /* no server: who refuses is not there */
	bool shared;  /* other processes may want the same port: see flow_open.c */
	int ctl_fd;   /* of a server: readable means that the client has gone; or -1 */
	int lock_fd;
	const char *const *host; /* where to connect, in turn; host_count of them */
	unsigned host_count;
	struct addr local, peer; /* of the control connection */
	struct stopper *user;    /* ends everything; may be NULL */
};

/* Kept by the receiving thread, read at each tick: under lock. */
struct nut_live {
	uint64_t bytes, newest; /* UDP: received; counter of the newest datagram */
	bool have_newest;
	struct nut_spread_sum {
		uint64_t count;
		double min_ms, max_ms, sum_ms;
	} jitter, jitter_all, owd, owd_all;
	bool have_tcp, host_wide;
	int64_t retrans, cwnd_kb;
};

struct nut_flow {
	struct nut_flow_conf c;
	unsigned n; /* streams */
	int listener[NUT_STREAMS_MAX], fd[NUT_STREAMS_MAX];
	int group_fd;      /* multicast transmitter: for the data, fd[0] for the marks */
	bool connects;     /* this end connected */
	struct addr other; /* end of the last data connection */
	double rtt_ms;     /* of connect(); 0 = not measured */
	int mss_bytes;
	uint64_t initial_cwnd_pkts, initial_cwnd_kb;
	char group[64], source[64]; /* multicast */

	/* the thread's */
	struct stopper work; /* no more data */
	struct stopper over; /* UDP transmitter: no more marks either */
	int event_fd;        /* the clock began, or the end */
	pthread_t thread;
	bool running;
	_Atomic uint64_t begin_ns, end_ns; /* monotonic; 0 = not yet */
	_Atomic int finished;
	_Atomic uint64_t ctl_end_ns; /* when the control connection told the end of UDP */
	bool eod_seen;
	struct counters count;
	struct nut_live live;
	pthread_mutex_t lock;
	struct cpuuse before, after;
	uint64_t begin_wall_ns;
	struct err error; /* of the thread; ERR_NONE */
	struct nut_tcp tcp, tcp_before;

	/* the owner's */
	bool limited; /* the time limit has passed */
	struct ticker ticker;
	uint64_t tick_ns; /* of the last interval */
	struct nut_span at_tick;
	int64_t retrans_at_tick;
	uint64_t idle_check_ns, idle_bytes, idle_since_ns;
};

/* Returns 0, or -1 with e filled; nut_flow_close() in both cases. */
int nut_flow_init(struct nut_flow *f, const struct nut_flow_conf *c, struct err *e);
void nut_flow_close(struct nut_flow *f);

/* flow_open.c. Both return 0, or -1 with e filled: what is the system call's name; for
 * the passive half "socket", "setsockopt", "bind". Called in this order; the first does
 * nothing for an end that connects. */
int nut_flow_open_passive(struct nut_flow *f, struct err *e);
int nut_flow_open(struct nut_flow *f, struct err *e);
bool nut_flow_connects(const struct nut_flow_conf *c);

/* Stream k has met its peer: other processes may have the port. */
void nut_flow_unlock(const struct nut_flow *f, unsigned k);

/* Returns 0, or -1 with e filled. init: what f->work and f->over need. */
int nut_flow_start(struct nut_flow *f, struct err *e);
void nut_flow_join(struct nut_flow *f);

enum nut_event {
	NUT_DONE, /* the thread has ended */
	NUT_TICK, /* an interval is over */
	NUT_CTL,  /* the control connection is readable, at its end, or has urgent data */
	NUT_USER, /* c.user was tripped */
	NUT_IDLE, /* receiver: no data for idle_s */
	NUT_UNTIL, /* until_ns has come */
};

struct nut_wait {
	int ctl_fd;        /* -1 = not watched */
	double idle_s;     /* 0 = never */
	uint64_t until_ns; /* MONO_NEVER */
	bool no_user;      /* that was seen already */
};

/* At the time limit of a transmitter it trips f->work itself. */
enum nut_event nut_flow_wait(struct nut_flow *f, const struct nut_wait *w);

/* The interval that ended now. */
void nut_flow_interval(struct nut_flow *f, struct nut_interval *i);

/* The whole test at this end, once joined. */
void nut_flow_result(struct nut_flow *f, struct nut_result *r);

/* ---- for the thread's own functions: tcp_tx.c, tcp_rx.c, udp_tx.c, udp_rx.c ---- */

int nut_tcp_send(struct nut_flow *f, struct err *e);
int nut_tcp_recv(struct nut_flow *f, struct err *e);
int nut_udp_send(struct nut_flow *f, struct err *e);
int nut_udp_recv(struct nut_flow *f, struct err *e);

/* The clock: what lies between is the result. */
void nut_flow_begin(struct nut_flow *f, uint64_t at_ns); /* 0 = now */
void nut_flow_end(struct nut_flow *f, uint64_t at_ns);

/* Bytes that the transmitter may send; UINT64_MAX = no limit. */
uint64_t nut_flow_bytes(const struct nut_flow *f);

/* Retransmissions and windows of all streams as they are now. */
void nut_flow_tcp(const struct nut_flow *f, struct nut_tcp *t);

/* Sleep (or spin) until ns. Returns -1 once f->work is tripped. */
int nut_flow_pause(struct nut_flow *f, uint64_t ns);

void nut_spread_add(struct nut_spread_sum *s, double ms);

#endif
