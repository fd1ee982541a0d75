/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The loops that every classic network test program has: one read or write of one block
 * at a time. The benchmark measures against them where no package of the original exists.
 *
 *     plain send HOST PORT BLOCK BYTES     from memory
 *     plain recv PORT BLOCK                thrown away
 *     plain in HOST PORT BLOCK             from standard input
 *     plain out PORT BLOCK                 to standard output
 *
 * Prints {"bytes": N, "seconds": S} on standard error. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mono.h"

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static struct sockaddr_in address(const char *host, const char *port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_port = htons((uint16_t)strtoul(port, NULL, 10))};

	if (host && inet_pton(AF_INET, host, &a.sin_addr) != 1)
		die(host);
	return a;
}

static int connect_to(const char *host, const char *port)
{
	struct sockaddr_in a = address(host, port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		die("connect");
	return fd;
}

static int accept_on(const char *port)
{
	struct sockaddr_in a = address(NULL, port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 1) < 0)
		die("listen");
	fd = accept(fd, NULL, NULL);
	if (fd < 0)
		die("accept");
	return fd;
}

/* Until limit bytes from memory (from = -1), or until the end of from. to = -1: nowhere.
 */
static unsigned long long copy(int from, int to, char *buf, size_t block,
			       unsigned long long limit)
{
	unsigned long long bytes = 0;

	while (from >= 0 || bytes < limit) {
		ssize_t n = from < 0 ? (ssize_t)block : read(from, buf, block);

		if (n < 0)
			die("read");
		if (n == 0)
			break;
		if (to >= 0 && write(to, buf, (size_t)n) != n)
			die("write");
		bytes += (unsigned long long)n;
	}
	return bytes;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 3 ? argv[1] : "";
	int sends = strcmp(mode, "send") == 0 || strcmp(mode, "in") == 0;
	int fd, from, to;
	size_t block;
	char *buf;
	unsigned long long bytes, limit = 0;
	uint64_t start_ns;

	if (argc < (sends ? 5 : 4))
		return 2;
	block = strtoul(argv[sends ? 4 : 3], NULL, 10);
	if (strcmp(mode, "send") == 0 && argc > 5)
		limit = strtoull(argv[5], NULL, 10);
	buf = calloc(1, block);
	if (!buf)
		die("calloc");
	fd = sends ? connect_to(argv[2], argv[3]) : accept_on(argv[2]);
	from = strcmp(mode, "send") == 0 ? -1
	       : strcmp(mode, "in") == 0 ? STDIN_FILENO
					 : fd;
	to = sends ? fd : strcmp(mode, "out") == 0 ? STDOUT_FILENO : -1;
	start_ns = mono_now_ns();
	bytes = copy(from, to, buf, block, limit);
	fprintf(stderr, "{\"bytes\": %llu, \"seconds\": %.9f}\n", bytes,
		ns_to_s(mono_now_ns() - start_ns));
	free(buf);
	return 0;
}
