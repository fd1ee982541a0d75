/* SPDX-License-Identifier: BSD-2-Clause
 *
 * UDP datagrams, each with its own number and time. At an unlimited rate, or when several
 * are due at once, the kernel gets them in rows (udpbatch.h); what travels is the same.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "mono.h"
#include "proto.h"
#include "stream.h"

#define FULL_WAIT_NS (200 * NS_PER_US) /* no event tells that a device queue has room */
#define FEW          4                 /* due datagrams up to here leave one by one */
#define RX_ROUNDS    4                 /* receive calls in one turn */
#define CALLS_A_TURN 8
/* Years of datagrams: a higher number is none. Sums of all streams cannot overflow. */
#define NUMBER_MAX (UINT64_C(1) << 48)

int i3_udp_send_open(struct i3_stream *s, struct i3_fault *f)
{
	const struct i3_shared *sh = s->shared;
	const struct i3_test *t = sh->test;
	unsigned most = UDPBATCH_GSO_MAX;
	struct err e;

	/* Rows make sense when nothing else spaces the datagrams. */
	if (t->rate_bps == 0 && !sh->offload)
		most = 16;
	if (udp_tx_init(&s->tx, s->fd, t->block_bytes, most, sh->offload, &e) < 0)
		return i3_fault_err(f, I3_F_INIT_STREAM, &e);
	for (unsigned i = 0; i < s->tx.most; i++)
		memcpy(udp_tx_at(&s->tx, i), sh->block, t->block_bytes);
	return 0;
}

static void put_heads(struct i3_stream *s, unsigned n, uint64_t now_ns)
{
	struct i3_udp_head h = {
		.sec = (uint32_t)(now_ns / NS_PER_S),
		.usec = (uint32_t)(now_ns % NS_PER_S / NS_PER_US),
		.number = s->number_sent,
	};

	for (unsigned i = 0; i < n; i++) {
		h.number++;
		i3_udp_head_put(udp_tx_at(&s->tx, i), &h, s->shared->test->udp_64bit);
	}
}

/* Leave for datagrams, as many as one call takes; rest holds what was granted and not
 * sent. 0: due_ns or finished is set. */
static unsigned leave(struct i3_stream *s, uint64_t now_ns)
{
	unsigned due;

	if (s->rest == 0) {
		due = pacer_due(&s->pacer, now_ns, s->tx.most);
		if (!due) {
			s->due_ns = pacer_next_ns(&s->pacer);
			return 0;
		}
		s->rest = i3_grant(s->shared, due);
		if (s->rest == 0) {
			i3_stream_finish(s, 0);
			return 0;
		}
		pacer_sent(&s->pacer, (unsigned)s->rest);
	}
	if (s->pacer.gap_ns > 0 && s->rest <= FEW)
		return 1;
	return s->rest < s->tx.most ? (unsigned)s->rest : s->tx.most;
}

/* The peer has closed its socket (ECONNREFUSED), a route is gone for a moment: the
 * datagram is as good as lost, and the control connection decides about the test. */
static bool passing(int error)
{
	return error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH ||
	       error == ENETDOWN || error == EPERM;
}

void i3_udp_send_turn(struct i3_worker *w, struct i3_stream *s, uint64_t now_ns)
{
	(void)w;
	s->due_ns = 0;
	for (int i = 0; i < CALLS_A_TURN; i++) {
		unsigned n = leave(s, now_ns);
		int took;

		if (n == 0)
			return;
		put_heads(s, n, mono_now_ns());
		took = udp_tx_send(&s->tx, n);
		if (took < 0 && !passing(errno)) {
			i3_stream_finish(s, errno);
			return;
		}
		if (took <= 0) {
			s->blocked = true;
			s->due_ns = mono_now_ns() + FULL_WAIT_NS;
			return;
		}
		s->number_sent += (unsigned)took;
		s->rest -= (unsigned)took;
		counter_add(&s->count.bytes, (uint64_t)took * s->tx.len);
		counter_add(&s->count.pkts, (unsigned)took);
		counter_add(&s->count.calls, 1);
	}
}

struct arrival {
	struct i3_stream *s;
	uint64_t now_ns; /* of the call, 0 = not looked at yet */
	uint64_t bytes, pkts;
};

/* One datagram, with the stream's lock held. */
static void arrived(void *arg, const unsigned char *data, size_t len)
{
	struct arrival *a = arg;
	struct i3_stream *s = a->s;
	const bool wide = s->shared->test->udp_64bit;
	struct i3_udp_head h;
	enum seqwin_kind kind;

	/* Our answer was lost and the client asks again. */
	if (i3_udp_is_hello(data, len) && s->shared->role == I3_SERVER) {
		if (send(s->fd, i3_udp_answer, I3_HELLO_BYTES, MSG_DONTWAIT) < 0) {
			/* It will ask once more. */
		}
		return;
	}
	if (!i3_udp_head_get(data, len, &h, wide))
		return;
	if (!wide)
		h.number = seqwin_widen(&s->seen->seq, (uint32_t)h.number);
	if (h.number > NUMBER_MAX)
		return;
	kind = seqwin_put(&s->seen->seq, h.number);
	if (kind == SEQWIN_DUPLICATE || kind == SEQWIN_OLD)
		return;
	if (!a->now_ns)
		a->now_ns = mono_now_ns();
	jitter_put(&s->seen->jitter, h.sec * NS_PER_S + h.usec * NS_PER_US, a->now_ns);
	s->seen->bytes += len;
	a->bytes += len;
	a->pkts++;
}

void i3_udp_recv_turn(struct i3_worker *w, struct i3_stream *s, uint64_t now_ns)
{
	(void)now_ns;
	s->due_ns = 0;
	for (int i = 0; i < RX_ROUNDS; i++) {
		struct arrival a = {.s = s};
		int n;

		pthread_mutex_lock(&s->lock);
		n = udp_rx_recv(w->rx, s->fd, arrived, &a);
		pthread_mutex_unlock(&s->lock);
		if (n < 0 && !passing(errno)) {
			i3_stream_finish(s, errno);
			return;
		}
		if (n == 0) {
			s->blocked = true;
			s->due_ns = MONO_NEVER;
			return;
		}
		if (n < 0)
			continue;
		counter_add(&s->count.bytes, a.bytes);
		counter_add(&s->count.pkts, a.pkts);
		counter_add(&s->count.calls, 1);
		i3_took(s->shared, s->shared->test->blocks ? a.pkts : a.bytes);
	}
}
