/* SPDX-License-Identifier: BSD-2-Clause */
#include "child.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int child_std_fds(struct err *e)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* The lowest free descriptor is this one: those below are open. */
		if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return err_sys(e, "/dev/null");
	}
	return 0;
}

pid_t child_fork(struct err *e)
{
	pid_t pid;

	/* What waits in a buffer would be written twice. */
	fflush(NULL);
	pid = fork();
	return pid < 0 ? err_sys(e, "fork") : pid;
}

int child_daemon(bool keep_cwd, struct err *e)
{
	/* All that can fail comes before the fork, while somebody sees the message. */
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t pid;

	if (null < 0)
		return err_sys(e, "/dev/null");
	pid = child_fork(e);
	if (pid < 0) {
		close(null);
		return -1;
	}
	if (pid > 0)
		_exit(0);
	setsid();
	if (!keep_cwd && chdir("/") < 0) {
		/* Staying where we are does no harm. */
	}
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
	return 0;
}

int child_reap(void)
{
	int n = 0;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		n++;
	return n;
}

/* ---- pid file --------------------------------------------------------------------- */

/* The pid that an open file names, or 0. */
static pid_t named(int fd)
{
	char text[32];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	char *end;
	long pid;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	errno = 0;
	pid = strtol(text, &end, 10);
	if (errno || end == text || (*end && !isspace((unsigned char)*end)) || pid <= 0 ||
	    pid > INT_MAX)
		return 0;
	return (pid_t)pid;
}

static bool alive(pid_t pid)
{
	/* EPERM: somebody else's, but alive. */
	return kill(pid, 0) == 0 || errno == EPERM;
}

static int fill_pidfile(int fd, struct err *e)
{
	pid_t other = named(fd);
	char text[16];
	int len = snprintf(text, sizeof(text), "%ld", (long)getpid());
	ssize_t n;

	if (other > 0 && other != getpid() && alive(other))
		return err_set(e, ERR_USAGE, "pid file", "process %ld is still running",
			       (long)other);
	if (ftruncate(fd, 0) < 0)
		return err_sys(e, "pid file");
	n = pwrite(fd, text, (size_t)len, 0);
	if (n < 0)
		return err_sys(e, "pid file");
	if (n < len) {
		errno = ENOSPC;
		return err_sys(e, "pid file");
	}
	return 0;
}

int child_pidfile_write(const char *path, struct err *e)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	int rc;

	if (fd < 0)
		return err_sys(e, "pid file");
	rc = fill_pidfile(fd, e);
	if (close(fd) < 0 && rc == 0)
		rc = err_sys(e, "pid file");
	return rc;
}

void child_pidfile_remove(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (named(fd) == getpid())
		unlink(path);
	close(fd);
}
