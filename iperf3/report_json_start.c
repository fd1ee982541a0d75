/* SPDX-License-Identifier: BSD-2-Clause
 *
 * "start" of the JSON document. */
#include "report_json.h"

#include "jsonw.h"
#include "mono.h"

struct cJSON *i3_json_connection(const struct i3_conn *conn)
{
	struct cJSON *o = jsonw_object();

	jsonw_i64(o, "socket", conn->number);
	jsonw_str(o, "local_host", conn->local_host);
	jsonw_u64(o, "local_port", conn->local_port);
	jsonw_str(o, "remote_host", conn->remote_host);
	jsonw_u64(o, "remote_port", conn->remote_port);
	return o;
}

static struct cJSON *timestamp(uint64_t wall_ns)
{
	struct cJSON *o = jsonw_object();
	char text[64];

	i3_time_text(wall_ns, text, sizeof(text));
	jsonw_str(o, "time", text);
	jsonw_u64(o, "timesecs", wall_ns / NS_PER_S);
	jsonw_u64(o, "timemillisecs", wall_ns / NS_PER_MS);
	return o;
}

static void buffers(struct cJSON *o, const struct i3_start *s)
{
	jsonw_i64(o, "sock_bufsize", s->window_asked_bytes);
	jsonw_i64(o, "sndbuf_actual", s->sndbuf_bytes);
	jsonw_i64(o, "rcvbuf_actual", s->rcvbuf_bytes);
}

static const char *protocol_name(enum i3_protocol p)
{
	return p == I3_UDP ? "UDP" : p == I3_TCP ? "TCP" : "SCTP";
}

static struct cJSON *test_start(const struct i3_conf *c, const struct i3_test *t,
				const struct i3_start *s)
{
	struct cJSON *o = jsonw_object();

	jsonw_str(o, "protocol", protocol_name(t->protocol));
	jsonw_u64(o, "num_streams", t->parallel);
	jsonw_u64(o, "blksize", t->block_bytes);
	jsonw_u64(o, "omit", t->omit_s);
	jsonw_u64(o, "duration", t->time_s);
	jsonw_u64(o, "bytes", t->bytes);
	jsonw_u64(o, "blocks", t->blocks);
	jsonw_u64(o, "reverse", t->reverse);
	jsonw_i64(o, "tos", t->tos);
	jsonw_u64(o, "target_bitrate", t->rate_bps);
	jsonw_u64(o, "bidir", t->bidir);
	jsonw_u64(o, "fqrate", t->fq_rate_bps);
	jsonw_num(o, "interval", c->interval_s);
	jsonw_u64(o, "gso", s->gso);
	jsonw_u64(o, "gro", s->gro);
	return o;
}

/* What is known since the parameters were sent or accepted. */
static void begin_members(struct cJSON *o, const struct i3_begin *b)
{
	const struct i3_test *t = b->test;
	struct cJSON *peer = jsonw_object();
	char cookie[I3_COOKIE_BYTES];

	jsonw_add(o, "timestamp", timestamp(b->wall_ns));
	jsonw_str(peer, "host", b->host);
	jsonw_u64(peer, "port", b->port);
	jsonw_add(o, b->role == I3_CLIENT ? "connecting_to" : "accepted_connection",
		  peer);
	snprintf(cookie, sizeof(cookie), "%.*s", I3_COOKIE_BYTES - 1, b->cookie);
	jsonw_str(o, "cookie", cookie);
	if (t->protocol == I3_TCP && t->mss_bytes > 0)
		jsonw_i64(o, "tcp_mss", t->mss_bytes);
	else if (t->protocol == I3_TCP)
		jsonw_i64(o, "tcp_mss_default", b->mss_bytes);
	/* A second time on a server: stays in the first place. */
	jsonw_u64(o, "target_bitrate", t->rate_bps);
	jsonw_u64(o, "fq_rate", t->fq_rate_bps);
}

struct cJSON *i3_json_start(const struct i3_json_start *s)
{
	const struct i3_begin *b = s->begin;
	bool server = s->c->role == I3_SERVER;
	bool tcp_server = server && b && b->test->protocol == I3_TCP;
	struct cJSON *o = jsonw_object();
	char system[512];

	i3_system_text(system, sizeof(system));
	jsonw_add(o, "connected", s->connected);
	jsonw_str(o, "version", i3_version_text());
	jsonw_str(o, "system_info", system);
	if (!b)
		return o;
	if (server && b->test->rate_bps > 0)
		jsonw_u64(o, "target_bitrate", b->test->rate_bps);
	if (tcp_server && s->start)
		buffers(o, s->start);
	begin_members(o, b);
	if (!s->start)
		return o;
	if (!tcp_server)
		buffers(o, s->start);
	jsonw_add(o, "test_start", test_start(s->c, b->test, s->start));
	return o;
}
