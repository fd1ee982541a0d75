/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "child.h"

static int status_of(pid_t pid)
{
	int status = -1;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

/* All that comes out of a pipe until its last writer has gone, at most 10 s. */
static void read_all(int fd, char *buf, size_t size)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t len = 0;
	ssize_t n;

	do {
		ck_assert_int_eq(poll(&p, 1, 10000), 1);
		n = read(fd, buf + len, size - 1 - len);
		ck_assert_int_ge(n, 0);
		len += (size_t)n;
	} while (n > 0 && len < size - 1);
	buf[len] = '\0';
	close(fd);
}

START_TEST(closed_descriptors_are_filled)
{
	pid_t pid = fork();

	if (pid == 0) {
		int fd;

		close(0);
		close(2);
		if (child_std_fds(NULL) < 0 || fcntl(0, F_GETFD) < 0 ||
		    fcntl(2, F_GETFD) < 0)
			_exit(1);
		fd = open("/dev/null", O_RDONLY);
		if (fd <= 2)
			_exit(2);
		/* What is lost must not look like success. */
		_exit(read(0, &fd, 1) < 0 && write(2, "x", 1) < 0 ? 0 : 3);
	}
	ck_assert_int_eq(status_of(pid), 0);
	/* With all three open nothing happens. */
	ck_assert_int_eq(child_std_fds(NULL), 0);
}
END_TEST

/* In the background process: what became of it, into a pipe. */
static void tell_state(int fd)
{
	char cwd[256], in[64] = "", text[512];
	struct stat null, out, err;

	if (!getcwd(cwd, sizeof(cwd)) ||
	    readlink("/proc/self/fd/0", in, sizeof(in) - 1) < 0 ||
	    stat("/dev/null", &null) < 0 || fstat(1, &out) < 0 || fstat(2, &err) < 0)
		_exit(1);
	snprintf(text, sizeof(text), "leader %d cwd %s in %s out %d err %d",
		 getsid(0) == getpid(), cwd, in, out.st_rdev == null.st_rdev,
		 err.st_rdev == null.st_rdev);
	_exit(write(fd, text, strlen(text)) < 0);
}

START_TEST(background)
{
	char here[200], want[512], got[512];

	ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
	for (int keep = 0; keep <= 1; keep++) {
		int fd[2];
		pid_t pid;

		ck_assert_int_eq(pipe2(fd, O_CLOEXEC), 0);
		pid = fork();
		if (pid == 0) {
			if (child_daemon(keep, NULL) < 0)
				_exit(1);
			tell_state(fd[1]);
		}
		close(fd[1]);
		ck_assert_int_eq(status_of(pid), 0);
		read_all(fd[0], got, sizeof(got));
		snprintf(want, sizeof(want), "leader 1 cwd %s in /dev/null out 1 err 1",
			 keep ? here : "/");
		ck_assert_str_eq(got, want);
	}
}
END_TEST

START_TEST(buffers_are_written_once)
{
	char got[64];
	int fd[2];
	pid_t pid;

	ck_assert_int_eq(pipe2(fd, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		FILE *f = fdopen(fd[1], "w");
		pid_t inner;

		if (!f)
			_exit(1);
		fputs("once", f);
		inner = child_fork(NULL);
		if (inner > 0)
			waitpid(inner, NULL, 0);
		_exit(fclose(f) != 0 || inner < 0);
	}
	close(fd[1]);
	read_all(fd[0], got, sizeof(got));
	ck_assert_int_eq(status_of(pid), 0);
	ck_assert_str_eq(got, "once");
}
END_TEST

START_TEST(ended_children_are_collected)
{
	int n = 0;

	ck_assert_int_eq(child_reap(), 0);
	for (int i = 0; i < 3; i++) {
		if (child_fork(NULL) == 0)
			_exit(0);
	}
	for (int i = 0; i < 1000 && n < 3; i++) {
		n += child_reap();
		poll(NULL, 0, 5);
	}
	ck_assert_int_eq(n, 3);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

/* ---- pid file --------------------------------------------------------------------- */

static const char *pidfile(void)
{
	static char path[64];
	int fd;

	strlcpy(path, "/tmp/netclassics-test-child-XXXXXX", sizeof(path));
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	return path;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void ck_content(const char *path, const char *want)
{
	char got[64] = "";
	FILE *f = fopen(path, "r");

	ck_assert_ptr_nonnull(f);
	got[fread(got, 1, sizeof(got) - 1, f)] = '\0';
	fclose(f);
	ck_assert_str_eq(got, want);
}

START_TEST(pid_without_newline)
{
	static const char *const stale[] = {
		"",
		"abc",
		"0",
		"-1",
		"12abc",
		"99999999999999999999",
		"2147483648",
		"a much longer text than any number of a process that was ever seen",
	};
	const char *path = pidfile();
	char mine[16];
	struct err e;

	snprintf(mine, sizeof(mine), "%d", getpid());
	for (size_t i = 0; i < ARRAY_LEN(stale); i++) {
		put(path, stale[i]);
		ck_assert_msg(child_pidfile_write(path, &e) == 0, "%s: %s", stale[i],
			      e.text);
		ck_content(path, mine);
	}
	/* Our own number is no other process. */
	ck_assert_int_eq(child_pidfile_write(path, &e), 0);
	child_pidfile_remove(path);
	ck_assert_int_eq(access(path, F_OK), -1);
	/* A file that is not there is made. */
	ck_assert_int_eq(child_pidfile_write(path, &e), 0);
	ck_content(path, mine);
	child_pidfile_remove(path);
	child_pidfile_remove(path);
}
END_TEST

START_TEST(live_process_is_respected)
{
	const char *path = pidfile();
	char other[16];
	int fd[2];
	struct err e;
	pid_t pid;

	ck_assert_int_eq(pipe2(fd, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		char byte;

		close(fd[1]);
		_exit(read(fd[0], &byte, 1) != 0);
	}
	snprintf(other, sizeof(other), "%d\n", pid);
	put(path, other);
	ck_assert_int_eq(child_pidfile_write(path, &e), -1);
	ck_assert_int_eq(e.code, ERR_USAGE);
	snprintf(other, sizeof(other), "process %d is", pid);
	ck_assert_int_eq(strncmp(e.text, other, strlen(other)), 0);
	/* Not ours to remove. */
	child_pidfile_remove(path);
	ck_assert_int_eq(access(path, F_OK), 0);
	close(fd[1]);
	ck_assert_int_eq(status_of(pid), 0);
	close(fd[0]);
	/* Now it names a process that is gone. */
	ck_assert_int_eq(child_pidfile_write(path, &e), 0);
	child_pidfile_remove(path);
}
END_TEST

START_TEST(place_that_is_not)
{
	struct err e;

	ck_assert_int_eq(child_pidfile_write("/no-such-directory/x", &e), -1);
	ck_assert_int_eq(e.code, ERR_SYS);
	ck_assert_int_eq(e.sys_errno, ENOENT);
}
END_TEST

CHECK_MAIN("child", closed_descriptors_are_filled, background, buffers_are_written_once,
	   ended_children_are_collected, pid_without_newline, live_process_is_respected,
	   place_that_is_not)
