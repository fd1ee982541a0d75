/* SPDX-License-Identifier: BSD-2-Clause */
#include "stopper.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <unistd.h>

static struct stopper *on_signal;

int stopper_init(struct stopper *s, struct err *e)
{
	atomic_init(&s->reason, 0);
	s->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return s->fd < 0 ? err_sys(e, "eventfd") : 0;
}

void stopper_free(struct stopper *s)
{
	if (on_signal == s)
		on_signal = NULL;
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

void stopper_trip(struct stopper *s, int reason)
{
	const uint64_t one = 1;
	int none = 0;
	int saved = errno;

	if (atomic_compare_exchange_strong(&s->reason, &none, reason) &&
	    write(s->fd, &one, sizeof(one)) < 0) {
		/* Cannot fail on a fresh eventfd, and the flag is set anyway. */
	}
	errno = saved;
}

int stopper_reason(const struct stopper *s)
{
	return s ? atomic_load(&s->reason) : 0;
}

static void caught(int signo)
{
	/* Interrupts again and again whatever blocks: see stopper.h. */
	const struct itimerval again = {
		.it_interval = {.tv_usec = 200000},
		.it_value = {.tv_usec = 200000},
	};

	if (!on_signal)
		return;
	stopper_trip(on_signal, signo);
	setitimer(ITIMER_REAL, &again, NULL);
}

static void woken(int signo)
{
	(void)signo;
}

int stopper_on_signals(struct stopper *s, const int *signals, size_t n, struct err *e)
{
	/* Without SA_RESTART: a blocked call must return. */
	struct sigaction act = {.sa_handler = caught};
	struct sigaction old;
	struct sigaction wake = {.sa_handler = woken};
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	on_signal = s;
	if (sigaction(SIGPIPE, &ignore, NULL) < 0 ||
	    sigaction(SIGXFSZ, &ignore, NULL) < 0 || sigaction(SIGALRM, &wake, NULL) < 0)
		return err_sys(e, "sigaction");
	for (size_t i = 0; i < n; i++) {
		if (sigaction(signals[i], NULL, &old) < 0)
			return err_sys(e, "sigaction");
		if (old.sa_handler == SIG_IGN)
			continue;
		if (sigaction(signals[i], &act, NULL) < 0)
			return err_sys(e, "sigaction");
	}
	return 0;
}
