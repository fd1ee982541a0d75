/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Waiting on sockets, and whole messages in and out. Every wait has a bound and can be
 * stopped. All of it works on blocking and non-blocking sockets. */
#ifndef SOCKIO_H
#define SOCKIO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "err.h"
#include "mono.h"
#include "stopper.h"

/* Wait until fd is ready for events (POLLIN, POLLOUT) or broken. With fd -1 it only
 * sleeps. stop may be NULL, here and below. Returns 0, or -1 with ERR_TIMEOUT,
 * ERR_STOPPED or ERR_SYS. */
int sock_wait(int fd, short events, uint64_t deadline_ns, struct stopper *stop,
	      struct err *e);

/* After a call that failed with errno and the flag MSG_DONTWAIT: wait for events when it
 * would have blocked. Returns 0 when the call should be made again, or -1 with e filled
 * (ERR_SYS, ERR_TIMEOUT, ERR_STOPPED). */
int sock_again(int fd, short events, uint64_t deadline_ns, struct stopper *stop,
	       const char *what, struct err *e);

/* -1 with ERR_STOPPED once stop (may be NULL) is tripped, else 0. */
int sock_stopped(const struct stopper *stop, const char *what, struct err *e);

/* Exactly len bytes, by any number of reads or writes. sock_read returns the bytes read:
 * less than len only at end of file. Both return -1 with e filled on error, time-out or
 * stop, what "read" or "write"; what had been moved by then is lost to the caller. */
ssize_t sock_read(int fd, void *buf, size_t len, uint64_t deadline_ns,
		  struct stopper *stop, struct err *e);
int sock_write(int fd, const void *buf, size_t len, uint64_t deadline_ns,
	       struct stopper *stop, struct err *e);

/* Shut down the writing half, then read and discard until the peer closes too and has
 * acknowledged everything, so that nothing queued is lost to a reset (RFC 1122,
 * 4.2.2.13). A peer that keeps its side open is no failure: success once the send queue
 * has been empty, and nothing was read, for quiet_ns. Nor is one that reads slowly or not
 * at all: it is waited for as long as its kernel answers.
 *
 * Returns 0, or -1 with e filled: ERR_SYS when the connection broke (the peer may not
 * have got everything), ERR_STOPPED, or ERR_TIMEOUT when with bytes still queued nothing
 * was heard of the peer for 150 s, or when it had got everything and sent for talk_ns
 * more (MONO_NEVER: it may, without bound). */
int sock_finish(int fd, uint64_t quiet_ns, uint64_t talk_ns, struct stopper *stop,
		struct err *e);

#endif
