/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Streams and the threads that drive them. The session opens the sockets and makes the
 * streams; worker threads, at most one per processor, move the bytes of as many streams
 * as they were given and count; the main thread only reads the counters. */
#ifndef I3_STREAM_H
#define I3_STREAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf.h"
#include "counters.h"
#include "fault.h"
#include "jitter.h"
#include "pacer.h"
#include "report.h"
#include "seqwin.h"
#include "stopper.h"
#include "udpbatch.h"

/* What all streams of a test have in common. Set by the session before the workers start;
 * the atomic members may change while they run. */
struct i3_shared {
	const struct i3_test *test;
	enum i3_role role;
	bool one_block_a_call;      /* -l was typed, or -w: one block in each call */
	bool offload;               /* UDP: let the kernel cut and join datagrams */
	const unsigned char *block; /* test->block_bytes of payload */
	int block_fd;               /* the same in a file for sendfile(), -1 = none */
	int wake_fd;                /* eventfd that the main thread watches */
	uint64_t begin_ns;          /* of the transfer: zero of the senders' schedules */
	atomic_bool counting;       /* the omitted time is over: limits count */
	_Atomic uint64_t left;      /* senders: bytes (UDP: datagrams) still to send */
	uint64_t want; /* receivers: bytes (UDP: datagrams), UINT64_MAX = no end */
	_Atomic uint64_t got;
	atomic_bool got_all; /* want was reached */
	atomic_uint sending; /* senders that have not come to their end */
};

/* Numbers of a UDP receiver that belong together: under the stream's lock. */
struct i3_udp_seen {
	struct seqwin seq;
	struct jitter jitter;
	uint64_t bytes; /* without duplicates */
};

/* A reading of one stream. Everything since the stream began, but for UDP receivers:
 * since the last i3_stream_rebase(). */
struct i3_reading {
	uint64_t at_ns;
	uint64_t bytes;
	uint64_t packets; /* UDP sender: sent; UDP receiver: highest number */
	uint64_t lost, duplicates, reordered;
	double jitter_s;
	struct tcp_stat tcp; /* have = 0: none */
};

struct i3_stream {
	int fd, number;
	size_t index; /* in order of creation */
	enum i3_direction direction;
	bool sender;
	struct i3_shared *shared;
	struct counters count;
	atomic_int failed; /* errno that ended it, 0 = none */
	int file_errno;    /* of the file of -F; to be read when the workers have ended */
	atomic_bool ended; /* no more will be sent, or the peer closed */
	/* -F; file_fd -1 = none */
	int file_fd;
	_Atomic uint64_t file_bytes;
	uint64_t file_size;
	pthread_mutex_t lock;
	struct i3_udp_seen *seen; /* UDP receiver */

	/* the main thread's */
	struct i3_reading omitted; /* at the end of the omitted time */
	struct i3_reading last;    /* at the last report */
	uint64_t max_cwnd_bytes, max_snd_wnd_bytes, rtt_sum_us;
	uint32_t max_rtt_us, min_rtt_us, rtt_count, reorder;

	/* the worker's */
	uint64_t due_ns; /* not before; MONO_NEVER: when the socket is ready */
	bool blocked;    /* waits for the socket */
	bool finished;
	size_t offset; /* within the block */
	uint64_t rest; /* of what was granted and not sent yet, bytes */
	struct pacer pacer;
	struct udp_tx tx;
	uint64_t number_sent; /* last datagram number */
	unsigned char *own;   /* block of this stream alone (-F), NULL = shared */
	size_t own_bytes;     /* of them valid */
	int lowat_bytes;
	uint64_t window_ns, window_bytes; /* rate of late, for SO_RCVLOWAT */
};

/* A stream on an open socket, which it takes over. NULL with f filled (memory, file). */
struct i3_stream *i3_stream_new(struct i3_shared *sh, int fd, size_t index,
				enum i3_direction direction, const char *file,
				struct i3_fault *f);
void i3_stream_free(struct i3_stream *s);

/* What has been counted so far. */
void i3_stream_read(struct i3_stream *s, struct i3_reading *r);
/* The omitted time is over: jitter and losses of a UDP receiver start anew; r gets what
 * was counted up to then. Leaves r alone for other streams. */
void i3_stream_rebase(struct i3_stream *s, struct i3_reading *r);

/* ---- workers ---- */

struct i3_worker {
	pthread_t thread;
	struct i3_stream **streams;
	size_t count;
	int epoll_fd;
	struct stopper *stop;
	bool drain;         /* at the stop, take what has arrived */
	unsigned char *buf; /* I3_RX_BYTES, of TCP receivers */
	struct udp_rx *rx;
};

struct i3_workers {
	struct i3_worker *list;
	size_t count;
	struct stopper stop;
	bool running;
};

#define I3_RX_BYTES (128u * 1024)

/* Run streams in threads. Returns 0, or -1 with f filled and nothing running. */
int i3_workers_start(struct i3_workers *w, struct i3_stream **streams, size_t count,
		     bool drain, struct i3_fault *f);
/* End all, wait for the threads. Harmless when nothing runs. */
void i3_workers_stop(struct i3_workers *w);

/* ---- one turn of a stream (stream_tcp.c, stream_udp.c), on a worker's thread ---- */

/* Do some work without waiting, then set due_ns and blocked, or finished. */
void i3_tcp_send_turn(struct i3_worker *w, struct i3_stream *s, uint64_t now_ns);
void i3_tcp_recv_turn(struct i3_worker *w, struct i3_stream *s, uint64_t now_ns);
void i3_udp_send_turn(struct i3_worker *w, struct i3_stream *s, uint64_t now_ns);
void i3_udp_recv_turn(struct i3_worker *w, struct i3_stream *s, uint64_t now_ns);

/* Set up and take down what only the worker's side needs. */
int i3_udp_send_open(struct i3_stream *s, struct i3_fault *f);

/* Grant up to want bytes (or datagrams) of the limit; 0 = all is granted. */
uint64_t i3_grant(struct i3_shared *sh, uint64_t want);
/* The receivers took n more. */
void i3_took(struct i3_shared *sh, uint64_t n);
/* This stream sends or receives no more; error 0 = as it should be. */
void i3_stream_finish(struct i3_stream *s, int error);
void i3_wake(const struct i3_shared *sh);

#endif
