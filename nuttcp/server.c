/* SPDX-License-Identifier: BSD-2-Clause */
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "child.h"
#include "mono.h"
#include "serve.h"
#include "sock.h"
#include "units.h"

#define BACKLOG      128
#define REAP_NS      (NS_PER_S / 5)
#define FIRST_SOCKET 3 /* of systemd */

bool nut_server_on_stdin(void)
{
	struct addr a;

	return addr_peer(STDIN_FILENO, &a, NULL) == 0 &&
	       (a.ss.ss_family == AF_INET || a.ss.ss_family == AF_INET6);
}

void nut_server_inetd(const struct nut_conf *c, struct stopper *stop)
{
	const struct nut_serve s = {
		.conf = c,
		.ctl_fd = STDIN_FILENO,
		.shared = false,
		.lock_fd = -1,
		.stop = stop,
	};

	nut_serve(&s);
}

/* LISTEN_PID and LISTEN_FDS, sd_listen_fds(3). */
static int from_systemd(void)
{
	/* No thread runs yet. NOLINTBEGIN(concurrency-mt-unsafe) */
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
	/* NOLINTEND(concurrency-mt-unsafe) */
	int64_t n;

	if (!pid || !count || units_parse_i64(pid, 1, INT32_MAX, &n, "", NULL) < 0 ||
	    n != getpid() || units_parse_i64(count, 1, 1, &n, "", NULL) < 0)
		return -1;
	fcntl(FIRST_SOCKET, F_SETFD, FD_CLOEXEC);
	return FIRST_SOCKET;
}

int nut_server_listen(const struct nut_conf *c, struct err *e)
{
	const struct sock_req req = {
		.port = (uint16_t)c->ctlport,
		.family = c->family == AF_INET6 && c->v4mapped ? AF_UNSPEC : c->family,
		.type = SOCK_STREAM,
		.backlog = BACKLOG,
	};
	int fd = from_systemd();

	return fd >= 0 ? fd : sock_listen(&req, e);
}

struct server {
	const struct nut_conf *conf;
	int listener, lock_fd;
	FILE *err;
	struct stopper *stop;
	int64_t children;
};

static void serve(const struct server *s, int fd, bool shared)
{
	const struct nut_serve one = {
		.conf = s->conf,
		.ctl_fd = fd,
		.err = s->err,
		.shared = shared,
		.lock_fd = s->lock_fd,
		.stop = s->stop,
	};

	nut_serve(&one);
}

/* In a process of its own. When there can be none, the client is turned away. */
static void serve_apart(struct server *s, int fd)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct server mine = *s;
	struct stopper own;
	pid_t pid = child_fork(NULL);

	if (pid > 0)
		s->children++;
	if (pid != 0)
		return;
	close(s->listener);
	/* Not the server's own: its descriptor is shared, and this test goes on to its
	 * end when the server is told to stop. */
	if (stopper_init(&own, NULL) == 0 &&
	    stopper_on_signals(&own, signals, ARRAY_LEN(signals), NULL) == 0) {
		mine.stop = &own;
		serve(&mine, fd, true);
	}
	_exit(0);
}

/* One client, or a look at the children. */
static int next_client(struct server *s, struct err *e)
{
	bool full = s->conf->limits.clients && s->children >= s->conf->limits.clients;
	uint64_t until = s->children ? mono_now_ns() + REAP_NS : MONO_NEVER;
	int fd = -1;

	if (full)
		sock_wait(-1, 0, until, s->stop, e);
	else
		fd = sock_accept(s->listener, until, s->stop, NULL, e);
	s->children -= child_reap();
	return fd;
}

int nut_server_run(const struct nut_conf *c, int listener, FILE *err,
		   struct stopper *stop, struct err *e)
{
	bool alone = c->nofork || c->single_threaded || c->role == NUT_ONESHOT;
	struct server s = {
		.conf = c,
		.listener = listener,
		.lock_fd = -1,
		.err = err,
		.stop = stop,
	};
	int rc = 0;

	if (!alone)
		s.lock_fd = memfd_create("nuttcp ports", MFD_CLOEXEC);
	while (!stopper_tripped(stop)) {
		int fd = next_client(&s, e);

		if (fd < 0 && (e->code == ERR_TIMEOUT || e->code == ERR_STOPPED))
			continue;
		if (fd < 0 && (e->sys_errno == EMFILE || e->sys_errno == ENFILE ||
			       e->sys_errno == ENOBUFS || e->sys_errno == ENOMEM)) {
			sock_wait(-1, 0, mono_now_ns() + REAP_NS, stop, NULL);
			continue;
		}
		if (fd < 0) {
			rc = -1;
			break;
		}
		if (c->role == NUT_ONESHOT)
			close(s.listener);
		if (alone)
			serve(&s, fd, false);
		else
			serve_apart(&s, fd);
		close(fd);
		if (c->role == NUT_ONESHOT)
			break;
	}
	if (s.lock_fd >= 0)
		close(s.lock_fd);
	return rc;
}
