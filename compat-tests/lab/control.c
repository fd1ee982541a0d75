/* SPDX-License-Identifier: BSD-2-Clause */
#include "control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define LINE_MAX_BYTES 1024

int control_open(const char *path, struct err *e)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	int fd = -1;
	mode_t mask;

	if (strlcpy(sun.sun_path, path, sizeof(sun.sun_path)) >= sizeof(sun.sun_path))
		return err_set(e, ERR_USAGE, path, "path too long for a socket");
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_sys(e, "control socket");
	mask = umask(0077);
	if (bind(fd, (struct sockaddr *)&sun, sizeof(sun)) < 0 ||
	    listen(fd, CONTROL_CLIENTS_MAX) < 0) {
		err_sys(e, path);
		close(fd);
		fd = -1;
	}
	umask(mask);
	return fd;
}

int control_accept(int listener)
{
	return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/* The answer to one line, from malloc(). */
static char *answer(struct command_run *run, char *line, size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);
	struct err e;

	if (!out)
		return NULL;
	fputs("ok\n", out);
	if (command_line(run, line, out, &e) < 0) {
		rewind(out);
		fprintf(out, "error: %s: %s\n", e.what, e.text);
	}
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

int control_serve(int fd, struct command_run *run)
{
	char line[LINE_MAX_BYTES];
	ssize_t n = recv(fd, line, sizeof(line) - 1, 0);
	size_t len = 0;
	ssize_t sent;
	char *text;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	if (n == 0)
		return -1;
	line[n] = '\0';
	text = answer(run, line, &len);
	if (!text)
		return -1;
	/* Who does not read its answers loses them. */
	sent = send(fd, text, len, MSG_NOSIGNAL);
	free(text);
	return sent < 0 ? -1 : 0;
}
