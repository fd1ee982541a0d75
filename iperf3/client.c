/* SPDX-License-Identifier: BSD-2-Clause */
#include "client.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mono.h"
#include "sctp.h"
#include "session.h"
#include "sock.h"
#include "udp_open.h"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

#define STREAM_CONNECT_NS (30 * NS_PER_S)
#define RESULT_NS         (30 * NS_PER_S) /* for the server to end its part */

enum outcome {
	GOING_ON = 0,
	FAILED = -1,  /* s->fault is filled */
	STOPPED = -2, /* by a signal */
};

/* ---- control connection ---- */

static int connect_control(struct i3_session *s)
{
	const struct i3_conf *c = s->conf;
	struct sock_req req = {
		.host = c->host,
		.port = c->port,
		.family = c->family,
		.type = SOCK_STREAM,
		.bind_host = c->bind_host,
		.opts = {.bind_dev = c->bind_dev},
		.stop = s->ctl.stop,
	};
	struct i3_ctl_opts opts = {
		.no_delay = true,
		.keepalive = c->keepalive,
		.idle_s = c->keepalive_idle_s,
		.intvl_s = c->keepalive_intvl_s,
		.count = c->keepalive_count,
		.user_timeout_ms = c->snd_timeout_ms,
	};
	struct err e;

	s->ctl.fd = sock_connect(&req, c->connect_timeout_ms * NS_PER_MS, &e);
	if (s->ctl.fd < 0) {
		const char *reason = strstr(e.text, ": ");

		if (e.code == ERR_STOPPED)
			return STOPPED;
		/* "NAME: reason" of the resolver; iperf3 prints the reason alone. */
		if (e.code == ERR_RESOLVE && reason)
			memmove(e.text, reason + 2, strlen(reason + 2) + 1);
		return i3_fault_err(&s->fault, I3_F_CONNECT, &e);
	}
	return i3_ctl_setup(s->ctl.fd, &opts, &s->fault);
}

static int get_int(int fd, int level, int name)
{
	int value = 0;
	socklen_t len = sizeof(value);

	return getsockopt(fd, level, name, &value, &len) < 0 ? 0 : value;
}

static void tell_control(struct i3_session *s, int mss, bool block_chosen)
{
	const struct i3_conf *c = s->conf;
	struct i3_control out = {
		.mss_bytes = mss,
		.udp_block_bytes = block_chosen ? s->test.block_bytes : 0,
		.keepalive = c->keepalive,
	};
	const int fd = s->ctl.fd;

	if (c->keepalive) {
		out.keepalive_idle_s = get_int(fd, IPPROTO_TCP, TCP_KEEPIDLE);
		out.keepalive_intvl_s = get_int(fd, IPPROTO_TCP, TCP_KEEPINTVL);
		out.keepalive_count = get_int(fd, IPPROTO_TCP, TCP_KEEPCNT);
	}
	s->report->ops->control(s->report, &out);
}

/* Datagrams as large as the path takes, when the user did not say. Returns the MSS of the
 * control connection. */
static int settle_block(struct i3_session *s)
{
	int mss = get_int(s->ctl.fd, IPPROTO_TCP, TCP_MAXSEG);
	const bool choose = s->test.protocol == I3_UDP && !s->test.block_bytes;
	char text[128];

	if (choose)
		s->test.block_bytes = mss >= I3_UDP_BLOCK_MIN && mss <= I3_UDP_BLOCK_MAX
					      ? (uint32_t)mss
					      : I3_UDP_BLOCK;
	tell_control(s, mss, choose);
	if (s->test.protocol == I3_UDP && mss > 0 &&
	    s->test.block_bytes > (uint32_t)mss) {
		snprintf(text, sizeof(text),
			 "UDP block size %u exceeds TCP MSS %d, may result in "
			 "fragmentation "
			 "/ drops",
			 s->test.block_bytes, mss);
		s->report->ops->fault(s->report, I3_TROUBLE_WARNING, text, NULL);
	}
	return mss;
}

/* The file's size is the limit when the user gave none. */
static int settle_file(struct i3_session *s)
{
	struct stat st;

	if (!s->conf->file || s->test.reverse)
		return 0;
	if (stat(s->conf->file, &st) < 0)
		return i3_fault_sys(&s->fault, I3_F_FILE);
	if (!s->conf->time_given && !s->test.bytes && !s->test.blocks &&
	    S_ISREG(st.st_mode)) {
		s->test.bytes = (uint64_t)st.st_size;
		s->test.time_s = s->test.bytes ? 0 : s->test.time_s;
	}
	return 0;
}

static int send_params(struct i3_session *s, const struct i3_client_auth *auth)
{
	char *text;
	int rc;
	struct err e;

	if (auth->key) {
		s->test.authtoken = i3_auth_token(
			auth->key, s->conf->pkcs1 ? I3_PAD_PKCS1 : I3_PAD_OAEP,
			s->conf->user, auth->password,
			(int64_t)(wall_now_ns() / NS_PER_S), &e);
		if (!s->test.authtoken)
			return i3_fault_err(&s->fault, I3_F_SEND_PARAMS, &e);
	}
	text = i3_params_text(&s->test, I3_COMPAT_VERSION);
	rc = i3_ctl_send_json(&s->ctl, text, I3_F_SEND_PARAMS, &s->fault);
	free(text);
	return rc;
}

static void tell_begin(struct i3_session *s, int mss)
{
	struct i3_begin b = {
		.role = I3_CLIENT,
		.test = &s->test,
		.host = s->conf->host,
		.port = s->conf->port,
		.wall_ns = wall_now_ns(),
		.mss_bytes = s->test.mss_bytes ? s->test.mss_bytes : mss,
	};

	memcpy(b.cookie, s->cookie, sizeof(b.cookie));
	s->report->ops->test_begin(s->report, &b);
}

/* ---- streams ---- */

static int connect_stream(struct i3_session *s, size_t index, const struct addr *server)
{
	const struct i3_conf *c = s->conf;
	const bool udp = s->test.protocol == I3_UDP;
	char host[ADDR_HOST_MAX];
	struct sock_req req = {
		.host = addr_host(server, host),
		.port = c->port,
		.family = addr_family(server),
		.type = udp ? SOCK_DGRAM : SOCK_STREAM,
		.protocol = s->test.mptcp && !udp ? IPPROTO_MPTCP : 0,
		.bind_host = c->bind_host,
		.bind_port = c->client_port ? (uint16_t)(c->client_port + index) : 0,
		.opts = i3_session_sock_opts(s),
		.flowlabel = (uint32_t)s->test.flowlabel,
		.stop = s->ctl.stop,
	};
	struct err e;
	int fd;

	if (s->test.protocol == I3_SCTP) {
		req.protocol = IPPROTO_SCTP;
		req.setup = i3_sctp_setup;
		req.arg = s;
	}
	fd = sock_connect(&req, STREAM_CONNECT_NS, &e);
	if (fd < 0)
		return e.code == ERR_STOPPED
			       ? STOPPED
			       : i3_session_sock_fault(s, I3_F_STREAM_CONNECT, &e);
	if (i3_session_check_window(s, fd) < 0) {
		close(fd);
		return FAILED;
	}
	return fd;
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

/* ---- states ---- */

/* Number and errno follow. 3.12 leaves out the errno when it refuses a user. */
static int server_error(struct i3_session *s)
{
	const uint64_t deadline_ns = mono_now_ns() + I3_CTL_STEP_NS;
	unsigned char number[4], sys_errno[4] = {0};
	struct err e;

	if (i3_ctl_read(&s->ctl, number, sizeof(number), deadline_ns, &e) < 0)
		return e.code == ERR_STOPPED ? -1 : i3_fault(&s->fault, I3_F_CTRL_CLOSE);
	if (i3_ctl_read(&s->ctl, sys_errno, sizeof(sys_errno), deadline_ns, &e) < 0)
		memset(sys_errno, 0, sizeof(sys_errno));
	return i3_fault_from_server(&s->fault, (int)i3_be32_get(number),
				    (int)i3_be32_get(sys_errno));
}

/* A state that ends the test, whenever it comes. */
static int bad_news(struct i3_session *s, int state)
{
	switch (state) {
	case I3_ACCESS_DENIED:
		return i3_fault(&s->fault, I3_F_ACCESS_DENIED);
	case I3_SERVER_TERMINATE:
		return i3_fault(&s->fault, I3_F_SERVER_TERM);
	case I3_SERVER_ERROR:
		return server_error(s);
	default:
		return i3_fault(&s->fault, I3_F_MESSAGE);
	}
}

static int expect(struct i3_session *s, int state, uint64_t wait_ns)
{
	if (i3_ctl_read_state(&s->ctl, &s->state, mono_now_ns() + wait_ns, &s->fault) < 0)
		return FAILED;
	return s->state == state ? 0 : bad_news(s, s->state);
}

/* The server's first word. One that says nothing, or goes, may be no iperf3 at all. */
static int first_word(struct i3_session *s)
{
	int rc = expect(s, I3_PARAM_EXCHANGE, I3_CTL_STEP_NS);

	if (s->fault.number == I3_F_CTRL_CLOSE || s->fault.number == I3_F_RECV_MESSAGE)
		strlcat(s->fault.text, " (ensure other side is iperf3 and not iperf)",
			sizeof(s->fault.text));
	return rc;
}

/* ---- opening the streams ---- */

/* Say hello, unless the server has other news. */
static int greet_udp(struct i3_session *s, int fd, size_t index)
{
	const bool receives = i3_session_direction(s, index) == I3_S2C;
	const bool last = index + 1 == i3_session_streams(s);
	int rc = i3_udp_hello_send(s, fd, receives, last);

	if (rc <= 0)
		return rc;
	if (i3_ctl_read_state(&s->ctl, &s->state, mono_now_ns() + I3_CTL_STEP_NS,
			      &s->fault) < 0)
		return FAILED;
	return bad_news(s, s->state);
}

static int greet(struct i3_session *s, int fd, size_t index)
{
	struct err e;

	if (s->test.protocol == I3_UDP)
		return greet_udp(s, fd, index);
	if (sock_write(fd, s->cookie, I3_COOKIE_BYTES, mono_now_ns() + STREAM_CONNECT_NS,
		       s->ctl.stop, &e) == 0)
		return 0;
	return e.code == ERR_STOPPED ? STOPPED
				     : i3_fault_err(&s->fault, I3_F_SEND_COOKIE, &e);
}

static int open_streams(struct i3_session *s)
{
	const size_t count = i3_session_streams(s);
	struct addr server;
	struct err e;

	if (addr_peer(s->ctl.fd, &server, &e) < 0)
		return i3_fault_err(&s->fault, I3_F_STREAM_CONNECT, &e);
	for (size_t i = 0; i < count; i++) {
		int fd = connect_stream(s, i, &server);

		if (fd < 0)
			return fd;
		if (greet(s, fd, i) < 0) {
			close(fd);
			return FAILED;
		}
		if (i3_session_add(s, fd) < 0)
			return FAILED;
	}
	return 0;
}

/* ---- the order of things ---- */

static int set_up(struct i3_session *s, const struct i3_client_auth *auth)
{
	struct err e;
	int mss;

	if (settle_file(s) < 0 || connect_control(s) < 0)
		return FAILED;
	if (i3_cookie_make(s->cookie, &e) < 0)
		return i3_fault_err(&s->fault, I3_F_SEND_COOKIE, &e);
	if (i3_ctl_write(&s->ctl, s->cookie, I3_COOKIE_BYTES, &e) < 0)
		return i3_fault_err(&s->fault, I3_F_SEND_COOKIE, &e);
	/* After the first data, as iperf3 does: on loopback the MSS grows by them, and
	 * the default size of datagrams is to be the same. */
	mss = settle_block(s);
	if (i3_session_prepare(s) < 0)
		return FAILED;
	if (first_word(s) < 0)
		return FAILED;
	if (send_params(s, auth) < 0)
		return FAILED;
	tell_begin(s, mss);
	if (expect(s, I3_CREATE_STREAMS, I3_CTL_STEP_NS) < 0)
		return FAILED;
	if (open_streams(s) < 0)
		return FAILED;
	if (expect(s, I3_TEST_START, RESULT_NS) < 0)
		return FAILED;
	tell_start(s);
	return expect(s, I3_TEST_RUNNING, I3_CTL_STEP_NS);
}

static int exchange(struct i3_session *s)
{
	struct i3_results ours, theirs;
	char *text;
	size_t len;
	int rc;

	if (expect(s, I3_EXCHANGE_RESULTS, RESULT_NS) < 0)
		return FAILED;
	if (i3_tally_results(s, &ours) < 0)
		return i3_fault_sys(&s->fault, I3_F_PACKAGE_RESULTS);
	text = i3_results_text(&ours);
	i3_results_free(&ours);
	rc = i3_ctl_send_json(&s->ctl, text, I3_F_SEND_RESULTS, &s->fault);
	free(text);
	if (rc < 0)
		return FAILED;
	text = i3_ctl_read_json(&s->ctl, I3_RESULTS_MAX, &len, I3_F_RECV_RESULTS,
				&s->fault);
	if (!text)
		return FAILED;
	rc = i3_results_read(&theirs, text, len, &s->fault);
	free(text);
	if (rc < 0) {
		i3_results_free(&theirs);
		return FAILED;
	}
	if (i3_tally_peer(s, &theirs) < 0)
		return FAILED;
	return expect(s, I3_DISPLAY_RESULTS, RESULT_NS);
}

static int finish(struct i3_session *s)
{
	i3_session_stop(s);
	if (i3_ctl_send_state(&s->ctl, I3_TEST_END, &s->fault) < 0 || exchange(s) < 0)
		return FAILED;
	i3_workers_stop(&s->rx);
	i3_session_report_end(s, false);
	if (i3_session_close_files(s) < 0)
		return FAILED;
	/* Only what was asked for: it is the server's to say. */
	if (s->test.get_server_output &&
	    (s->peer.server_output_text || s->peer.server_output_json)) {
		s->report->ops->server_output(s->report, s->peer.server_output_text,
					      s->peer.server_output_json);
		s->peer.server_output_json = NULL;
	}
	if (i3_ctl_send_state(&s->ctl, I3_IPERF_DONE, &s->fault) < 0) {
		/* All is said and done: no reason to call the test a failure. */
		i3_fault_clear(&s->fault);
	}
	return 0;
}

static int run_test(struct i3_session *s, const struct i3_client_auth *auth)
{
	if (set_up(s, auth) < 0)
		return FAILED;
	switch (i3_session_run(s)) {
	case I3_END_TIME:
	case I3_END_LIMIT:
		return finish(s);
	case I3_END_STATE:
		return bad_news(s, s->state);
	default:
		return FAILED;
	}
}

static void interrupted(struct i3_session *s, int signo)
{
	char text[128];
	struct i3_fault none = {0};

	i3_session_stop(s);
	i3_session_report_end(s, true);
	if (s->ctl.fd >= 0) {
		const signed char state = I3_CLIENT_TERMINATE;

		/* The stopper is tripped: no waiting any more. */
		if (send(s->ctl.fd, &state, 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
			i3_fault_sys(&none, I3_F_SEND_MESSAGE);
	}
	snprintf(text, sizeof(text), "the client has terminated by signal %s(%d)",
		 /* NOLINTNEXTLINE(concurrency-mt-unsafe): glibc keeps it per thread */
		 strsignal(signo), signo);
	s->report->ops->fault(s->report, I3_TROUBLE_INTERRUPT, text, NULL);
}

static void failed(struct i3_session *s)
{
	/* What was measured until then is worth a report when the server went away. */
	i3_session_stop(s);
	if (s->fault.number == I3_F_SERVER_TERM)
		i3_session_report_end(s, true);
	s->report->ops->fault(s->report, I3_TROUBLE_ERROR, s->fault.text, &s->fault);
}

static void trace(void *arg, const char *what, const char *text)
{
	struct i3_session *s = arg;
	char line[4096];

	snprintf(line, sizeof(line), "%s: %s", what, text);
	s->report->ops->debug(s->report, 1, line);
}

int i3_client_run(const struct i3_conf *c, struct i3_reporter *r, struct stopper *stop,
		  const struct i3_client_auth *auth)
{
	struct i3_session *s;
	struct i3_test test;
	int rc, signo;

	r->ops->begin(r);
	if (i3_test_copy(&test, &c->test) < 0 || !(s = i3_session_new(c, r, &test))) {
		r->ops->fault(r, I3_TROUBLE_ERROR, "unable to create a new test", NULL);
		r->ops->test_done(r, false);
		return 1;
	}
	s->ctl.stop = stop;
	if (c->debug) {
		s->ctl.trace = trace;
		s->ctl.trace_arg = s;
	}
	rc = run_test(s, auth);
	signo = stopper_reason(stop);
	if (rc < 0 && signo && !s->fault.number) {
		interrupted(s, signo);
		/* Who asked for JSON finds an error in it, and the exit code agrees. */
		rc = c->json ? -1 : 0;
		r->ops->test_done(r, false);
	} else {
		if (rc < 0)
			failed(s);
		r->ops->test_done(r, rc == 0);
	}
	i3_ctl_close(&s->ctl);
	i3_session_free(s);
	return rc == 0 ? 0 : 1;
}
