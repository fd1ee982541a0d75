/* SPDX-License-Identifier: BSD-2-Clause
 *
 * iperf3: measure TCP and UDP throughput, jitter and loss between two hosts. */
#include <errno.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "auth.h"
#include "child.h"
#include "client.h"
#include "conf.h"
#include "report.h"
#include "server.h"

struct program {
	struct i3_conf conf;
	struct i3_sink sink;
	struct stopper stop;
	struct i3_key *key;
	struct i3_client_auth auth;
};

static int parameter_error(const char *text)
{
	fprintf(stderr, "iperf3: parameter error - %s\n\n", text);
	i3_conf_usage(stderr);
	return 1;
}

static int parameter_fault(int number)
{
	char buf[32];

	return parameter_error(i3_fault_text(number, buf, sizeof(buf)));
}

static int error(int number)
{
	struct i3_fault f = {0};

	i3_fault_sys(&f, number);
	fprintf(stderr, "iperf3: error - %s\n", f.text);
	return 1;
}

static int print_version(void)
{
	char system[512];

	i3_system_text(system, sizeof(system));
	printf("%s\n%s\nOptional features available: CPU affinity setting, IPv6 flow "
	       "label, "
	       "TCP congestion algorithm setting, sendfile / zerocopy, socket pacing, "
	       "%sbind to "
	       "device, support IPv4 don't fragment, POSIX threads, GSO/GRO support\n",
	       i3_version_text(), system, i3_auth_available() ? "authentication, " : "");
	return 0;
}

static void warn(const struct i3_conf *c)
{
	if (c->json && c->format)
		fputs("warning: Report format (-f) flag ignored with JSON output (-J)\n",
		      stderr);
	if (c->json && c->verbose)
		fputs("warning: Verbose output (-v) may interfere with JSON output "
		      "(-J)\n",
		      stderr);
	if (c->json && c->debug)
		fputs("warning: Debug output (-d) may interfere with JSON output (-J)\n",
		      stderr);
	if (c->no_fq_pacing)
		puts("Warning:  --no-fq-socket-pacing is deprecated");
}

/* ---- set up ---- */

static int read_keys(struct program *p)
{
	const struct i3_conf *c = &p->conf;
	struct err e;

	if (c->role == I3_CLIENT && c->user) {
		p->auth.key = i3_auth_public_key(c->rsa_public_path, &e);
		if (!p->auth.key)
			fprintf(stderr, "iperf3: %s: %s\n", e.what, e.text);
		if (!p->auth.key ||
		    i3_auth_password(p->auth.password, sizeof(p->auth.password), &e) < 0)
			return parameter_fault(I3_F_CLIENT_AUTH);
	}
	if (c->role == I3_SERVER && c->rsa_private_path) {
		p->key = i3_auth_private_key(c->rsa_private_path, &e);
		if (!p->key) {
			fprintf(stderr, "iperf3: %s: %s\n", e.what, e.text);
			return parameter_fault(I3_F_SERVER_AUTH);
		}
		if (access(c->users_path, R_OK) < 0)
			return parameter_fault(I3_F_SERVER_AUTH_USERS);
	}
	return 0;
}

static int pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu >= 0)
		CPU_SET((size_t)cpu, &set);
	return cpu >= 0 && sched_setaffinity(0, sizeof(set), &set) < 0 ? -1 : 0;
}

static int open_log(struct program *p, struct err *e)
{
	FILE *f;

	if (!p->conf.logfile)
		return 0;
	f = fopen(p->conf.logfile, "ae");
	if (!f)
		return err_sys(e, p->conf.logfile);
	setvbuf(f, NULL, _IOLBF, 0);
	if (p->sink.out != stdout)
		fclose(p->sink.out);
	p->sink = (struct i3_sink){f, f};
	/* cppcheck-suppress resourceLeak; it lives in the sink */
	return 0;
}

/* The log file is opened anew for each test: it may have been moved away. */
static struct i3_reporter *new_reporter(void *arg, struct err *e)
{
	struct program *p = arg;
	struct i3_reporter *r;

	if (open_log(p, e) < 0)
		return NULL;
	r = p->conf.json ? i3_report_json(&p->conf, &p->sink)
			 : i3_report_text(&p->conf, &p->sink);
	if (!r)
		err_sys(e, "report");
	return r;
}

/* 128 streams both ways and those who knock in the meantime need many descriptors. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= 1024)
		return;
	limit.rlim_cur = limit.rlim_max < 1024 ? limit.rlim_max : 1024;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0) {
		/* Then fewer streams have to do. */
	}
}

static int set_up(struct program *p)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct err e;

	allow_descriptors();
	if (open_log(p, &e) < 0)
		return error(I3_F_LOGFILE);
	if (p->conf.daemon && child_daemon(true, &e) < 0)
		return error(I3_F_DAEMON);
	if (stopper_init(&p->stop, &e) < 0 ||
	    stopper_on_signals(&p->stop, signals, ARRAY_LEN(signals), &e) < 0)
		return error(I3_F_INIT_TEST);
	if (pin(p->conf.cpu) < 0)
		return error(I3_F_AFFINITY);
	if (!p->conf.pidfile)
		return 0;
	if (child_pidfile_write(p->conf.pidfile, &e) == 0)
		return 0;
	p->conf.pidfile = NULL;
	errno = e.sys_errno;
	if (e.code != ERR_USAGE)
		return error(I3_F_PIDFILE);
	fputs("Another instance of iperf3 appears to be running\n", stderr);
	return 1;
}

static int run(struct program *p)
{
	struct i3_server srv = {&p->conf, &p->stop, p->key, new_reporter, p};
	struct i3_reporter *r;
	int rc;

	if (p->conf.role == I3_SERVER)
		return i3_server_run(&srv);
	r = new_reporter(p, NULL);
	if (!r)
		return error(I3_F_NEW_TEST);
	rc = i3_client_run(&p->conf, r, &p->stop, &p->auth);
	r->ops->free(r);
	return rc;
}

/* Results that could not be written are no success. */
static int check_output(const struct program *p, int rc)
{
	if (fflush(p->sink.out) == 0 && !ferror(p->sink.out))
		return rc;
	fprintf(stderr, "iperf3: error - unable to write the output\n");
	return 1;
}

static void tear_down(struct program *p)
{
	if (p->conf.pidfile)
		child_pidfile_remove(p->conf.pidfile);
	if (p->sink.out != stdout)
		fclose(p->sink.out);
	i3_auth_key_free(p->key);
	i3_auth_key_free(p->auth.key);
	explicit_bzero(&p->auth, sizeof(p->auth));
	stopper_free(&p->stop);
	i3_conf_free(&p->conf);
}

int main(int argc, char **argv)
{
	struct program p = {.sink = {stdout, stderr}, .stop = {.fd = -1}};
	struct err e;
	int rc;

	child_std_fds(NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (i3_conf_parse(&p.conf, argc, argv, &e) < 0) {
		i3_conf_free(&p.conf);
		if (e.what[0])
			return parameter_error(e.text);
		fprintf(stderr, "iperf3: %s\n\n", e.text);
		i3_conf_usage(stderr);
		return 1;
	}
	/* For --timestamps; numbers are read before and printed without it. */
	setlocale(LC_TIME, "");
	if (p.conf.help)
		i3_conf_help(stdout);
	else if (p.conf.version)
		print_version();
	if (p.conf.help || p.conf.version) {
		i3_conf_free(&p.conf);
		return 0;
	}
	warn(&p.conf);
	rc = read_keys(&p);
	if (rc == 0)
		rc = set_up(&p);
	if (rc == 0)
		rc = check_output(&p, run(&p));
	tear_down(&p);
	return rc;
}
