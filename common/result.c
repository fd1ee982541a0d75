/* SPDX-License-Identifier: BSD-2-Clause */
#include "result.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "jsonw.h"
#include "mono.h"

/* Absent when there is none. */
static void text(struct cJSON *to, const char *key, const char *value)
{
	if (value)
		jsonw_str(to, key, value);
}

static void start_time(struct cJSON *to, uint64_t wall_ns)
{
	const uint64_t wall_ms = wall_ns / NS_PER_MS;
	const time_t seconds = (time_t)(wall_ms / 1000);
	struct tm tm;
	char day[32], stamp[48];

	if (wall_ns == 0 || !gmtime_r(&seconds, &tm))
		return;
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(stamp, sizeof(stamp), "%s.%03uZ", day, (unsigned)(wall_ms % 1000));
	jsonw_str(to, "start_time", stamp);
	jsonw_num(to, "start_time_unix_s", (double)wall_ms / 1000);
}

static struct cJSON *tcp_json(const struct tcp_stat *t, unsigned flags)
{
	struct cJSON *o = jsonw_object();
	const bool base = t->have & TCP_HAVE_BASE;

	if (base && t->rtt_us != 0) /* 0 = not yet measured */
		jsonw_u64(o, "rtt_us", t->rtt_us);
	if (t->have & TCP_HAVE_MIN_RTT)
		jsonw_u64(o, "min_rtt_us", t->min_rtt_us);
	if (base)
		jsonw_u64(o, "retransmits", t->retransmits);
	if (base && (flags & SAMPLE_SENDER))
		jsonw_u64(o, "cwnd_bytes", (uint64_t)t->snd_cwnd_segs * t->snd_mss_bytes);
	if (base && t->snd_mss_bytes != 0)
		jsonw_u64(o, "mss_bytes", t->snd_mss_bytes);
	if (t->have & TCP_HAVE_CONGESTION) {
		char name[sizeof(t->congestion) + 1];

		snprintf(name, sizeof(name), "%.*s", (int)sizeof(t->congestion),
			 t->congestion);
		jsonw_str(o, "congestion", name);
	}
	return o;
}

struct cJSON *result_json(const struct result *r)
{
	const struct sample *total = &r->total;
	const double seconds = ns_to_s(mono_since_ns(total->from_ns, total->to_ns));
	struct cJSON *o = jsonw_object();

	text(o, "tool", r->tool);
	text(o, "version", r->version);
	text(o, "role", r->role);
	start_time(o, r->start_wall_ns);
	text(o, "host", r->host);
	if (r->port != 0)
		jsonw_u64(o, "port", r->port);
	text(o, "protocol", r->protocol);
	jsonw_u64(o, "bytes", total->bytes);
	jsonw_num(o, "seconds", seconds);
	if (seconds > 0)
		jsonw_num(o, "bits_per_second", (double)total->bytes * 8 / seconds);
	jsonw_num(o, "cpu_user_seconds", ns_to_s(r->cpu_user_ns));
	jsonw_num(o, "cpu_system_seconds", ns_to_s(r->cpu_system_ns));
	if (total->tcp.have)
		jsonw_add(o, "tcp", tcp_json(&total->tcp, total->flags));
	text(o, "exit_reason", r->exit_reason);
	return o;
}
