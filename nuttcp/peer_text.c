/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Figures out of the other end's report. It may be of any version and in either form, so
 * they are found by the words around them, never by position. */
#include <stdlib.h>
#include <string.h>

#include "measure.h"

#define MEGABYTE 1048576.0

/* A peer's figure beyond this is nonsense, and arithmetic with it would overflow. */
static bool sane(double value)
{
	return value > -1e12 && value < 1e12;
}

/* The number that follows key, behind blanks and "=". */
static bool number_after(const char *line, const char *key, double *out)
{
	const char *at = strstr(line, key);
	char digits[32];
	size_t n;
	char *end;

	if (!at)
		return false;
	at += strlen(key);
	at += strspn(at, " =");
	n = strspn(at, "+-.0123456789");
	if (n == 0 || n >= sizeof(digits))
		return false;
	memcpy(digits, at, n);
	digits[n] = '\0';
	*out = strtod(digits, &end);
	return end != digits && sane(*out);
}

/* The number that stands right before key, blanks between. */
static bool number_before(const char *line, const char *key, double *out)
{
	const char *at = strstr(line, key);
	const char *end = at;
	char digits[32];
	size_t n;
	char *stop;

	if (!at)
		return false;
	while (end > line && end[-1] == ' ')
		end--;
	at = end;
	while (at > line && strchr("+-.0123456789", at[-1]))
		at--;
	n = (size_t)(end - at);
	if (n == 0 || n >= sizeof(digits))
		return false;
	memcpy(digits, at, n);
	digits[n] = '\0';
	*out = strtod(digits, &stop);
	return stop != digits && sane(*out);
}

static int64_t whole(double value)
{
	if (!(value > -9e15 && value < 9e15))
		return 0;
	return (int64_t)value;
}

static bool whole_after(const char *line, const char *key, int64_t *out)
{
	double value;

	if (!number_after(line, key, &value))
		return false;
	*out = whole(value);
	return true;
}

/* "a+b+c" right behind key. Returns how many. */
static unsigned list_after(const char *line, const char *key, int64_t *by)
{
	const char *at = strstr(line, key);
	unsigned n = 0;

	if (!at)
		return 0;
	at += strlen(key);
	at += strspn(at, " (=");
	while (n < NUT_STREAMS_MAX && *at >= '0' && *at <= '9') {
		char *end;

		by[n++] = whole((double)strtoll(at, &end, 10));
		at = end;
		if (*at != '+')
			break;
		at++;
	}
	return n;
}

/* The list in brackets between from and to (the end of the line when NULL). */
static unsigned list_in(const char *from, const char *to, int64_t *by)
{
	const char *open = strchr(from, '(');

	if (!open || (to && open > to))
		return 0;
	return list_after(open, "(", by);
}

static void take_total(struct nut_result *r, const char *line)
{
	double mb, s, kb = 0, mbps = 0;

	if (!(number_after(line, "megabytes", &mb) &&
	      number_after(line, "real_seconds", &s)) &&
	    !(number_before(line, " MB in", &mb) &&
	      number_before(line, " real seconds", &s)))
		return;
	if (!number_after(line, "rate_KBps", &kb))
		number_before(line, " KB/sec", &kb);
	if (!number_after(line, "rate_Mbps", &mbps))
		number_before(line, " Mbps", &mbps);
	r->known = true;
	r->exact = false;
	r->megabytes = mb;
	r->seconds = s;
	r->kbytes_ps = kb;
	r->mbps = mbps;
	r->bytes = mb > 0 ? (uint64_t)whole(mb * MEGABYTE + 0.5) : 0;
}

static void take_tcp(struct nut_tcp *t, const char *line)
{
	bool parse = strstr(line, "retrans=") != NULL;
	const char *cwnd = strstr(line, "cwnd");

	t->have_retrans = whole_after(line, "retrans", &t->retrans);
	t->host_wide = strstr(line, "host-retrans") != NULL;
	t->streams = parse ? list_after(line, "retrans_by_stream=", t->retrans_by)
			   : list_in(strstr(line, "retrans"), cwnd, t->retrans_by);
	if (!cwnd)
		return;
	t->have_cwnd = whole_after(cwnd, "cwnd", &t->cwnd_kb);
	if (parse) {
		unsigned n = list_after(line, "cwnd_by_stream=", t->cwnd_kb_by);

		t->streams = n > t->streams ? n : t->streams;
	} else {
		unsigned n = list_in(cwnd, NULL, t->cwnd_kb_by);

		t->streams = n > t->streams ? n : t->streams;
	}
}

static void take_spread(struct nut_spread *s, const char *line, const char *const keys[3])
{
	double value;

	if (number_after(line, keys[0], &value)) {
		s->min_ms = value;
		s->have = true;
	}
	if (number_after(line, keys[1], &value)) {
		s->avg_ms = value;
		s->have = true;
	}
	if (number_after(line, keys[2], &value)) {
		s->max_ms = value;
		s->have = true;
	}
}

static const char *const jitter_plain[3] = {"min-jitter", "avg-jitter", "max-jitter"};
static const char *const jitter_parse[3] = {"msminjitter", "msavgjitter", "msmaxjitter"};
static const char *const owd_plain[3] = {"min-OWD", "avg-OWD", "max-OWD"};
static const char *const owd_parse[3] = {"msminOWD", "msavgOWD", "msmaxOWD"};

void nut_result_line(struct nut_result *r, const char *line)
{
	double value;

	if (strstr(line, "real") && strstr(line, "seconds"))
		take_total(r, line);
	if (strstr(line, "retrans"))
		take_tcp(&r->tcp, line);
	if (strstr(line, "sys") &&
	    (number_after(line, " cpu=", &value) || number_before(line, "%", &value))) {
		r->have_cpu = true;
		r->cpu_percent = value > -1e6 && value < 1e6 ? (int)value : 0;
	}
	if ((number_after(line, "RTT=", &value) ||
	     number_after(line, "rtt_ms=", &value)) &&
	    value > 0)
		r->rtt_ms = value;
	take_spread(&r->jitter, line, jitter_plain);
	take_spread(&r->jitter, line, jitter_parse);
	take_spread(&r->owd, line, owd_plain);
	take_spread(&r->owd, line, owd_parse);
}

/* ---- interval lines ---- */

/* Behind " 12 WORD", or at when that is not there. */
static const char *behind_column(const char *at, const char *word)
{
	const char *p = at + strspn(at, " ");
	size_t digits = strspn(p, "-0123456789");

	p += digits;
	if (digits == 0 || *p++ != ' ' || strncmp(p, word, strlen(word)) != 0)
		return at;
	return p + strlen(word);
}

/* Behind " KEY=12", or at. */
static const char *behind_key(const char *at, const char *key)
{
	if (strncmp(at, key, strlen(key)) != 0)
		return at;
	return at + 1 + strcspn(at + 1, " ");
}

bool nut_interval_cut(const char *line, const char **cut, const char **resume)
{
	*cut = strstr(line, " Mbps");
	if (*cut) {
		*cut += strlen(" Mbps");
		*resume = behind_column(*cut, "retrans");
		*resume = behind_column(*resume, "host-retrans");
		if (*resume != *cut)
			*resume = behind_column(*resume, "KB-cwnd");
		return true;
	}
	*cut = strstr(line, "rate_Mbps=");
	if (!*cut)
		return false;
	*cut += strcspn(*cut, " ");
	*resume = behind_key(*cut, " retrans=");
	*resume = behind_key(*resume, " host-retrans=");
	if (*resume != *cut)
		*resume = behind_key(*resume, " cwnd=");
	return true;
}

static void take_loss(const char *line, struct nut_interval *i)
{
	double drops, pkts, loss = 0;

	if (number_after(line, "drop=", &drops) && number_after(line, "pkt=", &pkts))
		number_after(line, "data_loss=", &loss);
	else if (number_before(line, " / ", &drops) &&
		 number_before(line, " ~drop", &pkts))
		number_before(line, " ~%", &loss);
	else
		return;
	i->have_loss = true;
	i->now.drops = whole(drops);
	i->now.pkts = whole(pkts);
	i->now.loss = loss / 100;
}

bool nut_interval_line(const char *line, struct nut_interval *i)
{
	static const char *const jitter[3] = {" msMinJitter", " msAvgJitter",
					      " msMaxJitter"};
	static const char *const owd[3] = {" msMinOWD", " msAvgOWD", " msMaxOWD"};
	const char *behind;
	double mb, value;

	*i = (struct nut_interval){.retrans = 0};
	if (strncmp(line, "nuttcp", 6) == 0)
		return false;
	if (!(number_before(line, " MB /", &mb) &&
	      number_before(line, " sec =", &i->now.seconds)) &&
	    !(number_after(line, "megabytes=", &mb) &&
	      number_after(line, "real_sec=", &i->now.seconds)))
		return false;
	i->now.bytes = mb > 0 ? (uint64_t)whole(mb * MEGABYTE + 0.5) : 0;
	behind = strstr(line, "Mbps");
	take_loss(behind ? behind : line, i);
	for (int k = 0; k < 3; k++) {
		double *j[3] = {&i->jitter.min_ms, &i->jitter.avg_ms, &i->jitter.max_ms};
		double *o[3] = {&i->owd.min_ms, &i->owd.avg_ms, &i->owd.max_ms};

		if (number_before(line, jitter[k], &value) ||
		    number_after(line, jitter_parse[k], &value)) {
			*j[k] = value;
			i->jitter.have = true;
		}
		if (number_before(line, owd[k], &value) ||
		    number_after(line, owd_parse[k], &value)) {
			*o[k] = value;
			i->owd.have = true;
		}
	}
	return true;
}
