/* SPDX-License-Identifier: BSD-2-Clause */
#include "server_test.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "jsonw.h"
#include "mono.h"
#include "server_streams.h"
#include "session.h"
#include "sock.h"

#define RESULTS_MAX (1u << 20) /* bytes; 256 streams need a tenth of it */

static int set_up_control(struct i3_session *s)
{
	const struct i3_conf *c = s->conf;
	struct i3_ctl_opts o = i3_server_watch;

	if (c->keepalive) {
		o.idle_s = c->keepalive_idle_s;
		o.intvl_s = c->keepalive_intvl_s;
		o.count = c->keepalive_count;
	}
	if (c->snd_timeout_ms)
		o.user_timeout_ms = c->snd_timeout_ms;
	return i3_ctl_setup(s->ctl.fd, &o, &s->fault);
}

/* ---- parameters ---- */

static void mismatch(void *arg, const char *key)
{
	struct i3_session *s = arg;
	char text[128];

	snprintf(text, sizeof(text), "parameter %s is of a wrong type: ignored", key);
	s->report->ops->fault(s->report, I3_TROUBLE_WARNING, text, NULL);
}

/* iperf 2 sends its header at once, with bytes that no cookie has. */
static bool odd_cookie(const struct i3_session *s)
{
	for (size_t i = 0; i < I3_COOKIE_BYTES - 1 && s->cookie[i]; i++)
		if (!isprint((unsigned char)s->cookie[i]))
			return true;
	return s->cookie[0] == '\0';
}

static int read_params(struct i3_session *s)
{
	size_t len;
	char *text;
	int rc;

	if (i3_ctl_send_state(&s->ctl, I3_PARAM_EXCHANGE, &s->fault) < 0)
		return -1;
	if (odd_cookie(s))
		return i3_fault(&s->fault, I3_F_MESSAGE);
	text = i3_ctl_read_json(&s->ctl, I3_PARAMS_MAX, &len, I3_F_RECV_PARAMS,
				&s->fault);
	if (!text)
		return -1;
	rc = i3_params_read(&s->test, text, len, mismatch, s, &s->fault);
	free(text);
	return rc;
}

static double asked_bps(const struct i3_test *t, uint64_t rate_bps)
{
	return (double)rate_bps * t->parallel * (t->bidir ? 2 : 1);
}

static int check_limits(struct i3_session *s)
{
	const struct i3_conf *c = s->conf;
	const struct i3_test *t = &s->test;
	const double limit = (double)c->server_rate_limit_bps;

	if (limit > 0 &&
	    (asked_bps(t, t->rate_bps) > limit || asked_bps(t, t->fq_rate_bps) > limit))
		return i3_fault(&s->fault, I3_F_TOTAL_RATE);
	if (c->server_max_duration_s &&
	    (t->time_s == 0 || t->time_s + t->omit_s > c->server_max_duration_s))
		return i3_fault(&s->fault, I3_F_MAX_DURATION);
	return 0;
}

static int check_user(struct i3_session *s, struct i3_key *key)
{
	struct i3_login login = {.unix_s = 0};
	struct err e;
	int rc = -1;

	if (!key)
		return 0;
	err_set(&e, ERR_PEER, "token", "the client sent none");
	if (s->test.authtoken &&
	    i3_auth_open(key, s->conf->pkcs1 ? I3_PAD_PKCS1 : I3_PAD_OAEP,
			 s->test.authtoken, &login, &e) == 0)
		rc = i3_auth_check(s->conf->users_path, &login,
				   (int64_t)(wall_now_ns() / NS_PER_S), s->conf->skew_s,
				   &e);
	explicit_bzero(&login, sizeof(login));
	if (rc == 0)
		return 0;
	if (s->conf->debug)
		s->report->ops->debug(s->report, 1, e.text);
	return i3_fault(&s->fault, I3_F_AUTH_TEST);
}

static void tell_begin(struct i3_session *s, const struct i3_guest *guest)
{
	struct i3_begin b = {
		.role = I3_SERVER,
		.test = &s->test,
		.host = addr_host(&guest->from, s->guest),
		.port = addr_port(&guest->from),
		.wall_ns = wall_now_ns(),
		.mss_bytes = s->test.mss_bytes,
	};

	memcpy(b.cookie, s->cookie, sizeof(b.cookie));
	s->report->ops->test_begin(s->report, &b);
}

static void tell_start(struct i3_session *s)
{
	const int fd = s->streams[0]->fd;
	struct i3_start start = {
		.window_asked_bytes = s->test.window_bytes,
		.sndbuf_bytes = sock_sndbuf_bytes(fd),
		.rcvbuf_bytes = sock_rcvbuf_bytes(fd),
		.gso = s->streams[0]->tx.gso,
		.gro = s->shared.offload,
	};

	s->report->ops->test_start(s->report, &start);
}

/* ---- the test ---- */

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu >= 0 && cpu < CPU_SETSIZE)
		CPU_SET((size_t)cpu, &set);
	else
		for (size_t i = 0; i < CPU_SETSIZE; i++)
			CPU_SET(i, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0) {
		/* No such processor here: the test can run all the same. */
	}
}

static int send_results(struct i3_session *s)
{
	struct i3_results ours;
	char *text;
	int rc;

	if (i3_tally_results(s, &ours) < 0)
		return i3_fault_sys(&s->fault, I3_F_PACKAGE_RESULTS);
	if (s->test.get_server_output)
		s->report->ops->captured(s->report, &ours.server_output_text,
					 &ours.server_output_json);
	text = i3_results_text(&ours);
	i3_results_free(&ours);
	rc = i3_ctl_send_json(&s->ctl, text, I3_F_SEND_RESULTS, &s->fault);
	free(text);
	return rc;
}

static int exchange(struct i3_session *s)
{
	struct i3_results theirs;
	size_t len;
	char *text;
	int rc;

	/* From here on the client may vanish as it likes: the next one is not kept. */
	i3_guests_set(s->ctl.guests, I3_GUESTS_QUEUE, NULL);
	if (i3_ctl_send_state(&s->ctl, I3_EXCHANGE_RESULTS, &s->fault) < 0)
		return -1;
	text = i3_ctl_read_json(&s->ctl, RESULTS_MAX, &len, I3_F_RECV_RESULTS, &s->fault);
	if (!text)
		return -1;
	rc = i3_results_read(&theirs, text, len, &s->fault);
	free(text);
	if (rc < 0) {
		i3_results_free(&theirs);
		return -1;
	}
	if (i3_tally_peer(s, &theirs) < 0 || send_results(s) < 0)
		return -1;
	return i3_ctl_send_state(&s->ctl, I3_DISPLAY_RESULTS, &s->fault);
}

static void drop_streams(struct i3_session *s)
{
	for (size_t n = 0; n < s->stream_count; n++)
		shutdown(s->streams[n]->fd, SHUT_RDWR);
}

static int finish(struct i3_session *s)
{
	struct i3_fault none = {0};

	i3_session_stop(s);
	i3_session_report_end(s, false);
	if (s->test.protocol != I3_UDP)
		drop_streams(s);
	if (i3_session_close_files(s) < 0 || exchange(s) < 0)
		return -1;
	/* A client that goes without a word has got what it wanted. */
	i3_ctl_read_state(&s->ctl, &s->state, mono_now_ns() + I3_CTL_STEP_NS, &none);
	return 0;
}

/* The client has said something in the middle of the test. */
static int heard(struct i3_session *s)
{
	return s->state == I3_TEST_END ? finish(s) : i3_session_odd_state(s);
}

static int run_test(struct i3_session *s, const struct i3_server *srv,
		    const struct i3_guest *guest)
{
	if (set_up_control(s) < 0 || read_params(s) < 0 || check_limits(s) < 0 ||
	    check_user(s, srv->key) < 0)
		return -1;
	tell_begin(s, guest);
	if (s->test.server_cpu >= 0)
		pin(s->test.server_cpu);
	if (i3_session_prepare(s) < 0 || i3_server_streams(s) < 0)
		return -1;
	s->cpu_start = cpuuse_now();
	i3_guests_set(s->ctl.guests, I3_GUESTS_BUSY, NULL);
	tell_start(s);
	if (i3_ctl_send_state(&s->ctl, I3_TEST_START, &s->fault) < 0 ||
	    i3_ctl_send_state(&s->ctl, I3_TEST_RUNNING, &s->fault) < 0)
		return -1;
	return i3_session_run(s) == I3_END_STATE ? heard(s) : -1;
}

/* ---- its end, when it is a bad one ---- */

static void interrupted(struct i3_session *s)
{
	const int signo = stopper_reason(s->ctl.stop);
	const signed char state = I3_SERVER_TERMINATE;
	char text[128];

	if (s->ctl.fd >= 0 &&
	    send(s->ctl.fd, &state, 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		/* The client will see the end of the connection. */
	}
	i3_session_stop(s);
	i3_session_report_end(s, true);
	snprintf(text, sizeof(text), "the server has terminated by signal %s(%d)",
		 /* NOLINTNEXTLINE(concurrency-mt-unsafe): glibc keeps it per thread */
		 strsignal(signo), signo);
	s->report->ops->fault(s->report, I3_TROUBLE_INTERRUPT, text, NULL);
}

static void failed(struct i3_session *s)
{
	struct i3_reporter *r = s->report;
	char text[160];

	i3_session_stop(s);
	switch (s->fault.number) {
	case I3_F_CLIENT_TERM:
		i3_ctl_send_error(&s->ctl, &s->fault);
		i3_session_report_end(s, true);
		r->ops->fault(r, I3_TROUBLE_NOTE, s->fault.text, &s->fault);
		return;
	case I3_F_CTRL_CLOSE:
		i3_session_report_end(s, true);
		r->ops->fault(r, I3_TROUBLE_NOTE,
			      "the client has unexpectedly closed the connection",
			      &s->fault);
		return;
	case I3_F_TOTAL_RATE:
		if (s->conf->verbose && s->measured_bps > 0) {
			snprintf(text, sizeof(text),
				 "Total throughput of %.0f bps exceeded %llu bps limit",
				 s->measured_bps,
				 (unsigned long long)s->conf->server_rate_limit_bps);
			r->ops->fault(r, I3_TROUBLE_NOTE, text, NULL);
		}
		break;
	default:
		break;
	}
	i3_ctl_send_error(&s->ctl, &s->fault);
	r->ops->fault(r, I3_TROUBLE_ERROR, s->fault.text, &s->fault);
}

static void trace(void *arg, const char *what, const char *text)
{
	struct i3_session *s = arg;
	char line[4096];

	snprintf(line, sizeof(line), "%s: %s", what, text);
	s->report->ops->debug(s->report, 1, line);
}

enum i3_served i3_server_test(const struct i3_server *srv, struct i3_guests *guests,
			      struct i3_guest *guest, struct i3_reporter *report)
{
	enum i3_served served = I3_SERVED;
	struct i3_session *s = NULL;
	struct i3_test test;
	int rc;

	if (i3_test_copy(&test, &srv->conf->test) == 0)
		s = i3_session_new(srv->conf, report, &test);
	if (!s) {
		close(guest->fd);
		return I3_SERVED;
	}
	s->test.block_bytes = 0;
	s->ctl.fd = guest->fd;
	s->ctl.stop = srv->stop;
	s->ctl.guests = guests;
	memcpy(s->cookie, guest->cookie, sizeof(s->cookie));
	if (srv->conf->debug) {
		s->ctl.trace = trace;
		s->ctl.trace_arg = s;
	}
	rc = run_test(s, srv, guest);
	if (rc < 0 && stopper_tripped(srv->stop) && !s->fault.number) {
		interrupted(s);
		served = I3_INTERRUPTED;
	} else if (rc < 0) {
		failed(s);
		if (s->fault.number == I3_F_AUTH_TEST)
			served = I3_NOT_SERVED;
	}
	report->ops->test_done(report, rc == 0);
	i3_guests_set(guests, I3_GUESTS_QUEUE, NULL);
	if (s->test.server_cpu >= 0)
		pin(srv->conf->cpu);
	i3_ctl_close(&s->ctl);
	i3_session_free(s);
	return served;
}
