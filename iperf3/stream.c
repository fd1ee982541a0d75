/* SPDX-License-Identifier: BSD-2-Clause */
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mono.h"
#include "tcpinfo.h"

static int open_file(struct i3_stream *s, const char *file, struct i3_fault *f)
{
	struct stat st;

	if (s->sender)
		s->file_fd = open(file, O_RDONLY | O_CLOEXEC);
	else
		s->file_fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
				  S_IRUSR | S_IWUSR);
	if (s->file_fd < 0)
		return i3_fault_sys(f, I3_F_FILE);
	if (fstat(s->file_fd, &st) == 0 && st.st_size > 0)
		s->file_size = (uint64_t)st.st_size;
	s->own = malloc(s->shared->test->block_bytes);
	return s->own ? 0 : i3_fault_sys(f, I3_F_INIT_STREAM);
}

static void open_pacer(struct i3_stream *s)
{
	const struct i3_test *t = s->shared->test;
	/* A datagram that is late by this much is worth no burst. TCP is not held back.
	 */
	uint64_t catchup = t->protocol == I3_UDP ? 250 * NS_PER_MS : MONO_NEVER;

	pacer_init(&s->pacer, pacer_gap_ns(t->block_bytes, t->rate_bps), t->burst,
		   catchup);
}

struct i3_stream *i3_stream_new(struct i3_shared *sh, int fd, size_t index,
				enum i3_direction direction, const char *file,
				struct i3_fault *f)
{
	struct i3_stream *s = calloc(1, sizeof(*s));

	if (!s) {
		i3_fault_sys(f, I3_F_CREATE_STREAM);
		close(fd);
		return NULL;
	}
	s->fd = fd;
	s->index = index;
	s->number = 5 + 2 * (int)index;
	s->direction = direction;
	s->sender = (direction == I3_C2S) == (sh->role == I3_CLIENT);
	s->shared = sh;
	s->file_fd = -1;
	pthread_mutex_init(&s->lock, NULL);
	open_pacer(s);
	if (file && open_file(s, file, f) < 0)
		goto failed;
	if (sh->test->protocol == I3_UDP && s->sender && i3_udp_send_open(s, f) < 0)
		goto failed;
	if (sh->test->protocol == I3_UDP && !s->sender) {
		s->seen = calloc(1, sizeof(*s->seen));
		if (!s->seen) {
			i3_fault_sys(f, I3_F_INIT_STREAM);
			goto failed;
		}
	}
	return s;
failed:
	i3_stream_free(s);
	return NULL;
}

void i3_stream_free(struct i3_stream *s)
{
	if (!s)
		return;
	close(s->fd);
	if (s->file_fd >= 0)
		close(s->file_fd);
	pthread_mutex_destroy(&s->lock);
	udp_tx_free(&s->tx);
	free(s->seen);
	free(s->own);
	free(s);
}

/* With the lock held. */
static void read_seen(struct i3_stream *s, struct i3_reading *r)
{
	r->bytes = s->seen->bytes;
	r->packets = s->seen->seq.highest;
	r->lost = seqwin_lost(&s->seen->seq);
	r->duplicates = s->seen->seq.duplicates;
	r->reordered = s->seen->seq.late;
	r->jitter_s = jitter_s(&s->seen->jitter);
}

void i3_stream_read(struct i3_stream *s, struct i3_reading *r)
{
	*r = (struct i3_reading){.at_ns = mono_now_ns()};
	if (s->seen) {
		pthread_mutex_lock(&s->lock);
		read_seen(s, r);
		pthread_mutex_unlock(&s->lock);
		return;
	}
	r->bytes = counter_get(&s->count.bytes);
	r->packets = counter_get(&s->count.pkts);
	if (s->sender && s->shared->test->protocol == I3_TCP)
		tcpinfo_get(s->fd, &r->tcp);
}

void i3_stream_rebase(struct i3_stream *s, struct i3_reading *r)
{
	if (!s->seen)
		return;
	r->at_ns = mono_now_ns();
	pthread_mutex_lock(&s->lock);
	read_seen(s, r);
	seqwin_rebase(&s->seen->seq);
	jitter_reset(&s->seen->jitter);
	pthread_mutex_unlock(&s->lock);
}

void i3_wake(const struct i3_shared *sh)
{
	const uint64_t one = 1;

	if (write(sh->wake_fd, &one, sizeof(one)) < 0) {
		/* Full: the main thread is awake already. */
	}
}

uint64_t i3_grant(struct i3_shared *sh, uint64_t want)
{
	uint64_t left = atomic_load_explicit(&sh->left, memory_order_relaxed);

	if (left == UINT64_MAX ||
	    !atomic_load_explicit(&sh->counting, memory_order_relaxed))
		return want;
	while (left > 0) {
		uint64_t take = left < want ? left : want;

		if (atomic_compare_exchange_weak(&sh->left, &left, left - take))
			return take;
	}
	return 0;
}

void i3_took(struct i3_shared *sh, uint64_t n)
{
	if (sh->want == UINT64_MAX ||
	    !atomic_load_explicit(&sh->counting, memory_order_relaxed))
		return;
	if (atomic_fetch_add(&sh->got, n) + n >= sh->want &&
	    !atomic_exchange(&sh->got_all, true))
		i3_wake(sh);
}

void i3_stream_finish(struct i3_stream *s, int error)
{
	s->finished = true;
	if (error)
		atomic_store(&s->failed, error);
	atomic_store(&s->ended, true);
	if (s->sender)
		atomic_fetch_sub(&s->shared->sending, 1);
	i3_wake(s->shared);
}
