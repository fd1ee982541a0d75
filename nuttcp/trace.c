/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compat.h"
#include "mono.h"

#define LONGEST_NS (120 * NS_PER_S)

/* The child: never returns. */
static void become(const char *program, const char *host, int out)
{
	static const char *const places[] = {"/usr/local/sbin", "/usr/local/bin",
					     "/usr/sbin", "/sbin", "/usr/etc"};
	char name[64], path[128];
	char *argv[] = {name, strdup(host), NULL};
	FILE *say;

	strlcpy(name, program, sizeof(name));
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	if (argv[1])
		execvp(name, argv);
	for (size_t i = 0; argv[1] && i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), "%s/%s", places[i], name);
		execv(path, argv);
	}
	say = fdopen(out, "w");
	if (say) {
		fprintf(say,
			"execvp failed: No such file or directory\nfailed to execute "
			"%s\n",
			name);
		fflush(say);
	}
	_exit(1);
}

static void copy(int in, FILE *out)
{
	uint64_t until_ns = mono_now_ns() + LONGEST_NS;
	char buf[1024];

	for (;;) {
		struct pollfd p = {.fd = in, .events = POLLIN};
		uint64_t now = mono_now_ns();
		ssize_t n;

		if (now >= until_ns || poll(&p, 1, mono_poll_ms(until_ns, now)) == 0)
			return;
		n = read(in, buf, sizeof(buf));
		if (n == 0 || (n < 0 && errno != EINTR))
			return;
		if (n > 0)
			fwrite(buf, 1, (size_t)n, out);
		fflush(out);
	}
}

void nut_trace(const char *host, int family, bool multicast, FILE *out)
{
	bool six = family == AF_INET6;
	const char *program = multicast ? six ? "mtrace6" : "mtrace"
			      : six     ? "traceroute6"
					: "traceroute";
	int fd[2];
	pid_t pid;

	fflush(out);
	if (host[0] == '-' || pipe(fd) < 0)
		return;
	pid = fork();
	if (pid == 0)
		become(program, host, fd[1]);
	close(fd[1]);
	if (pid > 0)
		copy(fd[0], out);
	close(fd[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
}
