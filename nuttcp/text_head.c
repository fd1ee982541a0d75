/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The verbose lines that come before the result. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>

#include "sockopt.h"
#include "text.h"

static bool parse(const struct nut_text *t)
{
	return t->p->format & NUT_PARSE;
}

static void begin(const struct nut_text *t)
{
	fprintf(t->out, "nuttcp-%c%s%s: ", t->transmit ? 't' : 'r',
		t->ident[0] ? "-" : "", t->ident);
}

static const char *plural(double n)
{
	return n == 1 ? "" : "s";
}

static const char *af(int family)
{
	return family == AF_INET6 ? "inet6" : "inet";
}

static void buffer_line(const struct nut_text *t)
{
	const struct nut_params *p = t->p;
	const char *sep = parse(t) ? " " : ", ";

	begin(t);
	fprintf(t->out, "buflen=%" PRId64 "%s", p->buflen_bytes, sep);
	if (p->nbuf != NUT_NBUF_UNLIMITED)
		fprintf(t->out, "nbuf=%" PRIu64 "%s", p->nbuf, sep);
	fprintf(t->out, "nstream=%" PRId64 "%sport=%" PRId64, p->nstream, sep, p->port);
	if (p->srcport)
		fprintf(t->out, "%ssrcport=%" PRId64, sep, p->srcport);
	fprintf(t->out, parse(t) ? " mode=%s" : " %s", p->udp ? "udp" : "tcp");
	if (t->transmit)
		fprintf(t->out, parse(t) ? " host=%s" : " -> %s", t->host);
	if (t->transmit && p->ttl)
		fprintf(t->out, parse(t) ? " multicast_ttl=%" PRId64 : " ttl=%" PRId64,
			p->ttl);
}

static void rate_line(const struct nut_text *t)
{
	const struct nut_params *p = t->p;
	const char *mode = p->irate ? "instantaneous" : "aggregate";
	bool limited = p->rate_kbps > 0 && p->rate_kbps < NUT_RATE_UNLIMITED;

	if (!limited && !p->tos)
		return;
	begin(t);
	if (!limited) {
		fprintf(t->out, parse(t) ? "tos=0x%X\n" : "tos = 0x%X\n",
			(unsigned)p->tos);
		return;
	}
	fprintf(t->out,
		parse(t) ? "rate_limit=%.3f rate_unit=Mbps rate_mode=%s"
			 : "rate limit = %.3f Mbps (%s)",
		(double)p->rate_kbps / 1000, mode);
	if (p->iratesss)
		fputs(parse(t) ? " smoothed_slow_start=on" : " with smoothed slow start",
		      t->out);
	if (p->maxburst > 1)
		fprintf(t->out,
			parse(t) ? " packet_burst=%" PRId64 : ", packet burst = %" PRId64,
			p->maxburst);
	if (p->udp)
		fprintf(t->out, parse(t) ? " pps_rate=%" PRIu64 : ", %" PRIu64 " pps",
			p->rate_kbps * 1000 / 8 / (uint64_t)p->buflen_bytes);
	if (p->tos)
		fprintf(t->out, parse(t) ? " tos=0x%X" : ", tos = 0x%X",
			(unsigned)p->tos);
	fputc('\n', t->out);
}

static void receiver_lines(const struct nut_text *t)
{
	const struct nut_params *p = t->p;

	if (p->tos) {
		begin(t);
		fprintf(t->out, parse(t) ? "tos=0x%X\n" : "tos = 0x%X\n",
			(unsigned)p->tos);
	}
	if (p->interval_s > 0) {
		begin(t);
		if (parse(t))
			fprintf(t->out, "reporting_interval=%.2f\n", p->interval_s);
		else
			fprintf(t->out, "interval reporting every %.2f second%s\n",
				p->interval_s, plural(p->interval_s));
	}
}

static void process_lines(const struct nut_text *t)
{
	if (t->priority_given) {
		begin(t);
		fprintf(t->out, parse(t) ? "priority=%d\n" : "priority = %d\n",
			t->priority);
	}
	if (t->affinity >= 0) {
		begin(t);
		fprintf(t->out, parse(t) ? "cpu_affinity=%d\n" : "affinity = CPU %d\n",
			t->affinity);
	}
}

void nut_text_head(const struct nut_text *t)
{
	const struct nut_params *p = t->p;

	begin(t);
	fputs("v" NUT_VERSION_TEXT ": socket\n", t->out);
	process_lines(t);
	buffer_line(t);
	if (p->udp)
		fprintf(t->out, " af=%s", af(t->family));
	if (p->udp && t->transmit && t->address && strcmp(t->address, t->host) != 0)
		fprintf(t->out, " ip=%s", t->address);
	fputc('\n', t->out);
	if (!t->transmit) {
		receiver_lines(t);
		return;
	}
	if (p->timeout_s > 0) {
		begin(t);
		if (parse(t))
			fprintf(t->out, "time_limit=%.2f\n", p->timeout_s);
		else
			fprintf(t->out, "time limit = %.2f second%s\n", p->timeout_s,
				plural(p->timeout_s));
	}
	rate_line(t);
	if (p->nodelay && !p->udp) {
		begin(t);
		fputs("v" NUT_VERSION_TEXT ": nodelay\n", t->out);
	}
}

/* ---- once connected ---- */

static int window_scale(void)
{
	char text[16] = "";
	int fd = open("/proc/sys/net/ipv4/tcp_adv_win_scale", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 ? (int)strtol(text, NULL, 10) : 2;
}

/* What the kernel lets the data have of a buffer. */
static int available(int bytes)
{
	int w = window_scale();

	if (w > 0)
		return bytes - (bytes >> (w < 31 ? w : 31));
	return bytes >> (-w < 31 ? -w : 31);
}

static void connection_line(const struct nut_text *t, const struct nut_flow *f)
{
	char host[ADDR_HOST_MAX];
	int family = addr_family(&f->other);

	addr_host(&f->other, host);
	begin(t);
	if (parse(t))
		fprintf(t->out, "%s=%s", f->connects ? "connect" : "accept", host);
	else
		fprintf(t->out, "%s %s with", f->connects ? "connect to" : "accept from",
			host);
	if (t->transmit)
		fprintf(t->out, parse(t) ? " mss=%d" : " mss=%d,", f->mss_bytes);
	if (f->connects)
		fprintf(t->out, parse(t) ? " rtt_ms=%.3f" : " RTT=%.3f ms", f->rtt_ms);
	fprintf(t->out, " af=%s\n", af(family));
}

static void window_lines(const struct nut_text *t, const struct nut_flow *f)
{
	int fd = f->fd[0];
	int send = sock_sndbuf_bytes(fd), receive = sock_rcvbuf_bytes(fd);

	begin(t);
	fprintf(t->out,
		parse(t) ? "send_window_size=%d receive_window_size=%d\n"
			 : "send window size = %d, receive window size = %d\n",
		send, receive);
	begin(t);
	fprintf(t->out,
		parse(t) ? "send_window_avail=%d receive_window_avail=%d\n"
			 : "available send window = %d, available receive window = %d\n",
		available(send), available(receive));
}

static void multicast_lines(const struct nut_text *t, const struct nut_flow *f)
{
	const char *kind = t->p->ssm > 0 ? "ssm" : "asm";

	begin(t);
	if (parse(t)) {
		fprintf(t->out, "multicast_source=%s multicast_group=%s ssm=%d\n",
			f->source, f->group, t->p->ssm > 0);
		return;
	}
	fprintf(t->out, "%s multicast source %s\n",
		t->transmit ? "sending from" : "receive from", f->source);
	begin(t);
	fprintf(t->out, "using %s on multicast group %s\n", kind, f->group);
}

void nut_text_connected(const struct nut_text *t, const struct nut_flow *f)
{
	if (!t->p->udp)
		connection_line(t, f);
	window_lines(t, f);
	if (t->transmit && !t->p->udp) {
		begin(t);
		fprintf(t->out,
			parse(t) ? "initial_congestion_window_kb=%" PRIu64
				   " initial_congestion_window_pkt=%" PRIu64 "\n"
				 : "initial congestion window = %" PRIu64 " KB (%" PRIu64
				   " packets)\n",
			f->initial_cwnd_kb, f->initial_cwnd_pkts);
	}
	if (t->p->ttl)
		multicast_lines(t, f);
}

void nut_text_window_warning(FILE *out, const struct nut_text *t,
			     const struct nut_flow *f)
{
	int64_t want = t->p->win_bytes;
	bool send = f->c.transmit;
	/* Linux tells twice of what it lets us have. */
	int got = (send ? sock_sndbuf_bytes(f->fd[0]) : sock_rcvbuf_bytes(f->fd[0])) / 2;

	if (want == 0 || got >= want * 98 / 100)
		return;
	fprintf(out,
		parse(t) ? "nuttcp-%c: "
			   "Warning=\"%s_window_size_%d_<_requested_window_size_%d\"\n"
			 : "nuttcp-%c: Warning: %s window size %d < requested window "
			   "size %d\n",
		send ? 't' : 'r', send ? "send" : "receive", got, (int)want);
}
