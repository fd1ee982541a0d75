/* SPDX-License-Identifier: BSD-2-Clause
 *
 * nuttcp - throughput, loss and delay between two hosts, agreed on over a control
 * connection. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "child.h"
#include "client.h"
#include "conf.h"
#include "report.h"
#include "server.h"
#include "stopper.h"

static void usage(FILE *out)
{
	fputs("Usage: nuttcp [-options] host                  send to a server\n"
	      "       nuttcp -r [-options] host               receive from it\n"
	      "       nuttcp [-options] host1 host2           let host1 send to host2\n"
	      "       nuttcp -S [-options]                    be a server\n",
	      out);
	opts_help(out, &nut_opts);
	fputs("A value follows its option at once or as the next word.\n", out);
}

static int bad_command(const struct err *e)
{
	if (e->text[0]) {
		fprintf(stderr, "%s\n", e->text);
		if (strstr(e->text, "option -- ") || strstr(e->text, "recognized option"))
			fputs("nuttcp -h lists the options\n", stderr);
	} else {
		usage(stdout);
	}
	return NUT_FAILED;
}

static int fatal(const struct err *e)
{
	fprintf(stderr, "nuttcp: v" NUT_VERSION_TEXT ": Error: %s: %s\n", e->what,
		e->text);
	if (e->sys_errno)
		fprintf(stderr, "errno=%d\n", e->sys_errno);
	return NUT_FAILED;
}

static int information(const struct nut_conf *c)
{
	if (c->short_version)
		puts("nuttcp-" NUT_VERSION_TEXT);
	else if (c->version)
		puts("nuttcp " NETCLASSICS_VERSION
		     " (netclassics), like nuttcp " NUT_VERSION_TEXT);
	else
		usage(stdout);
	return fflush(stdout) == 0 && !c->help ? NUT_OK : NUT_FAILED;
}

static void not_settled(const char *what, int64_t value)
{
	struct err e;

	err_sys(&e, "");
	fprintf(stderr, "couldn't change %s to %d: %s\n", what, (int)value, e.text);
}

/* -xP, -xc */
static void settle(const struct nut_conf *c)
{
	cpu_set_t set;

	if (c->priority_given && setpriority(PRIO_PROCESS, 0, (int)c->priority) < 0)
		not_settled("priority", c->priority);
	if (c->affinity < 0 || c->third)
		return;
	CPU_ZERO(&set);
	if (c->affinity < CPU_SETSIZE)
		CPU_SET((size_t)c->affinity, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		not_settled("CPU affinity", c->affinity);
}

static int client(const struct nut_conf *c, struct stopper *stop)
{
	struct nut_report report = {
		/* Standard output has the data. */
		.out = c->pipe && c->receive ? stderr : stdout,
		.err = stderr,
		.conf = c,
		.how = c->json ? &nut_report_json : &nut_report_text,
	};
	int rc = nut_client(c, &report, stop);

	return fflush(stdout) == 0 ? rc : NUT_FAILED;
}

static int server(const struct nut_conf *c, struct stopper *stop)
{
	bool foreground = c->nofork || (c->role == NUT_ONESHOT && c->pipe);
	struct err e;
	int listener;

	if (nut_server_on_stdin()) {
		if (c->role == NUT_SERVER && c->pipe)
			return NUT_FAILED;
		nut_server_inetd(c, stop);
		return NUT_OK;
	}
	listener = nut_server_listen(c, &e);
	if (listener < 0)
		return fatal(&e);
	if (!foreground && child_daemon(true, &e) < 0)
		return fatal(&e);
	if (nut_server_run(c, listener, foreground ? stderr : NULL, stop, &e) < 0)
		return fatal(&e);
	return NUT_OK;
}

int main(int argc, char **argv)
{
	static const int client_signals[] = {SIGINT};
	static const int server_signals[] = {SIGINT, SIGTERM, SIGHUP};
	static struct nut_conf conf; /* large */
	struct stopper stop;
	struct err e;

	if (child_std_fds(&e) < 0)
		return NUT_FAILED;
	if (nut_conf_parse(&conf, argc, argv, stderr, &e) < 0)
		return bad_command(&e);
	if (conf.help || conf.long_help || conf.version || conf.short_version)
		return information(&conf);
	setvbuf(stdout, NULL, _IOLBF, 0);
	settle(&conf);
	if (stopper_init(&stop, &e) < 0)
		return fatal(&e);
	if (conf.role == NUT_CLIENT) {
		if (stopper_on_signals(&stop, client_signals, ARRAY_LEN(client_signals),
				       &e) < 0)
			return fatal(&e);
		return client(&conf, &stop);
	}
	if (stopper_on_signals(&stop, server_signals, ARRAY_LEN(server_signals), &e) < 0)
		return fatal(&e);
	if (conf.role == NUT_ONESHOT && conf.receive)
		fputs("nuttcp: Warning: Using obsolete \"classic\" mode:\n"
		      "                 Automatically switching to oneshot server mode "
		      "(\"nuttcp -1\")\n",
		      stderr);
	return server(&conf, &stop);
}
