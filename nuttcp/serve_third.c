/* SPDX-License-Identifier: BSD-2-Clause */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "client.h"
#include "request.h"
#include "serve.h"

/* Whoever asked for the test has gone, or says anything: end it. */
struct watch {
	int ctl_fd, end_fd;
	struct stopper *stop;
};

static void *watch(void *arg)
{
	const struct watch *w = arg;
	struct pollfd p[2] = {
		{.fd = w->ctl_fd, .events = POLLIN},
		{.fd = w->end_fd, .events = POLLIN},
	};

	while (poll(p, 2, -1) < 0)
		continue;
	if (p[0].revents)
		stopper_trip(w->stop, NUT_STOP_GONE);
	return NULL;
}

static void run(const struct nut_conf *c, struct watch *w, FILE *out)
{
	struct nut_report report = {
		.out = out, .err = out, .conf = c, .how = &nut_report_text};
	const uint64_t one = 1;
	pthread_t thread;

	if (pthread_create(&thread, NULL, watch, w) != 0)
		return;
	nut_client(c, &report, w->stop);
	if (write(w->end_fd, &one, sizeof(one)) < 0) {
		/* An eventfd that is fresh takes it. */
	}
	pthread_join(thread, NULL);
}

void nut_serve_third(const struct nut_serve *s, const struct nut_params *p, FILE *out)
{
	struct nut_conf *c = calloc(1, sizeof(*c));
	char host[NUT_HOST_MAX + 32];
	struct stopper stop = {.fd = -1};
	struct watch w = {.ctl_fd = s->ctl_fd, .stop = &stop};
	struct in_addr stride = {.s_addr = (uint32_t)(int32_t)p->stride};
	struct err e;

	w.end_fd = eventfd(0, EFD_CLOEXEC);
	if (!c || w.end_fd < 0 || stopper_init(&stop, &e) < 0)
		goto out;
	strlcpy(host, p->thirdparty, sizeof(host));
	if (stride.s_addr)
		snprintf(host + strlen(host), sizeof(host) - strlen(host), "+%u",
			 (unsigned)__builtin_bswap32(stride.s_addr));
	nut_request_third(p, s->conf, host, c);
	if (nut_conf_check(c, out, &e) < 0)
		fprintf(out, "%s\n", e.text);
	else
		run(c, &w, out);
out:
	stopper_free(&stop);
	if (w.end_fd >= 0)
		close(w.end_fd);
	free(c);
}
