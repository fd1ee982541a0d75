/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The parameters of a test as JSON. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "proto.h"

static void put_num(struct cJSON *to, const char *key, double value)
{
	cJSON_AddNumberToObject(to, key, value);
}

static void put_if(struct cJSON *to, const char *key, double value)
{
	if (value > 0)
		put_num(to, key, value);
}

static void put_true(struct cJSON *to, const char *key, bool on)
{
	if (on)
		cJSON_AddTrueToObject(to, key);
}

static void put_str(struct cJSON *to, const char *key, const char *value)
{
	if (value)
		cJSON_AddStringToObject(to, key, value);
}

static const char *protocol_key(enum i3_protocol p)
{
	return p == I3_UDP ? "udp" : p == I3_SCTP ? "sctp" : "tcp";
}

static void put_limits(struct cJSON *o, const struct i3_test *t)
{
	put_true(o, protocol_key(t->protocol), true);
	put_num(o, "omit", t->omit_s);
	if (t->server_cpu >= 0)
		put_num(o, "server_affinity", t->server_cpu);
	put_num(o, "time", t->time_s);
	put_num(o, "num", (double)t->bytes);
	put_num(o, "blockcount", (double)t->blocks);
	put_if(o, "MSS", t->mss_bytes);
	put_true(o, "nodelay", t->nodelay);
	put_num(o, "parallel", t->parallel);
	put_true(o, "reverse", t->reverse);
	put_true(o, "bidirectional", t->bidir);
	put_true(o, "mptcp", t->mptcp);
	put_if(o, "window", t->window_bytes);
	put_if(o, "len", t->block_bytes);
	put_if(o, "bandwidth", (double)t->rate_bps);
	put_if(o, "fqrate", (double)t->fq_rate_bps);
	put_if(o, "pacing_timer", t->pacing_timer_us);
	put_if(o, "burst", t->burst);
}

static void put_rest(struct cJSON *o, const struct i3_test *t, const char *version)
{
	if (t->protocol == I3_UDP) {
		put_num(o, "gso", t->gso);
		put_num(o, "gso_dg_size", t->gso_datagram_bytes);
		put_num(o, "gso_bf_size", t->gso_buffer_bytes);
		put_num(o, "gro", t->gro);
		put_num(o, "gro_bf_size", t->gro_buffer_bytes);
	}
	put_if(o, "TOS", t->tos);
	put_if(o, "flowlabel", t->flowlabel);
	put_str(o, "title", t->title);
	put_str(o, "extra_data", t->extra_data);
	put_str(o, "congestion", t->congestion);
	put_if(o, "get_server_output", t->get_server_output);
	put_if(o, "udp_counters_64bit", t->udp_64bit);
	put_if(o, "repeating_payload", t->repeating_payload);
	put_if(o, "zerocopy", t->zerocopy);
	put_if(o, "dont_fragment", t->dont_fragment);
	put_str(o, "authtoken", t->authtoken);
	put_if(o, "skip_rx_copy", t->skip_rx_copy);
	put_str(o, "client_version", version);
}

char *i3_params_text(const struct i3_test *t, const char *version)
{
	struct cJSON *o = cJSON_CreateObject();
	char *text;

	if (!o)
		return NULL;
	put_limits(o, t);
	put_rest(o, t, version);
	text = cJSON_PrintUnformatted(o);
	cJSON_Delete(o);
	return text;
}

/* ---- reading ---- */

struct reader {
	const struct cJSON *o;
	void (*mismatch)(void *arg, const char *key);
	void *arg;
	struct i3_fault *f;
	bool bad;
};

/* The member of that type, or NULL. */
static const struct cJSON *member(struct reader *r, const char *key, int type)
{
	const struct cJSON *item = cJSON_GetObjectItemCaseSensitive(r->o, key);

	if (!item)
		return NULL;
	if ((item->type & 0xff) == type)
		return item;
	/* False is how a switch may say no. */
	if (type == cJSON_True && cJSON_IsFalse(item))
		return NULL;
	if (r->mismatch)
		r->mismatch(r->arg, key);
	return NULL;
}

/* A whole number; versions before 3.14 print -1 as 18446744073709551615. */
static double number_of(const struct cJSON *item)
{
	double v = item->valuedouble;

	return v >= 9223372036854775808.0 ? -1 : v;
}

/* Number within 0..max into *out, else the fault of that number. */
static bool get_num(struct reader *r, const char *key, double max, int number,
		    double *out)
{
	const struct cJSON *item = member(r, key, cJSON_Number);
	double v;

	if (!item || r->bad)
		return false;
	v = number_of(item);
	if (!(v >= 0 && v <= max)) {
		r->bad = true;
		i3_fault(r->f, number);
		return false;
	}
	*out = v;
	return true;
}

#define GET(r, key, field, type, max, number)          \
	do {                                           \
		double v_;                             \
		if (get_num(r, key, max, number, &v_)) \
			(field) = (type)v_;            \
	} while (0)

static bool get_flag(struct reader *r, const char *key, bool now)
{
	const struct cJSON *item = member(r, key, cJSON_Number);

	return item ? number_of(item) != 0 : now;
}

static bool get_true(struct reader *r, const char *key)
{
	return member(r, key, cJSON_True) != NULL;
}

static void get_str(struct reader *r, const char *key, char **field)
{
	const struct cJSON *item = member(r, key, cJSON_String);

	if (!item || !item->valuestring)
		return;
	free(*field);
	*field = strdup(item->valuestring);
	if (!*field) {
		r->bad = true;
		i3_fault_sys(r->f, I3_F_RECV_PARAMS);
	}
}

static void get_limits(struct reader *r, struct i3_test *t)
{
	const int params = I3_F_RECV_PARAMS;

	if (get_true(r, "tcp"))
		t->protocol = I3_TCP;
	if (get_true(r, "udp"))
		t->protocol = I3_UDP;
	if (get_true(r, "sctp"))
		t->protocol = I3_SCTP;
	GET(r, "omit", t->omit_s, unsigned, I3_OMIT_MAX_S, I3_F_OMIT);
	GET(r, "server_affinity", t->server_cpu, int, I3_CPU_MAX, params);
	GET(r, "time", t->time_s, unsigned, I3_TIME_MAX_S, I3_F_DURATION);
	GET(r, "num", t->bytes, uint64_t, 9223372036854774784.0, params);
	GET(r, "blockcount", t->blocks, uint64_t, 9223372036854774784.0, params);
	GET(r, "MSS", t->mss_bytes, int, I3_MSS_MAX, I3_F_MSS);
	t->nodelay = get_true(r, "nodelay");
	GET(r, "parallel", t->parallel, unsigned, I3_STREAMS_MAX, I3_F_NUM_STREAMS);
	t->bidir = get_true(r, "bidirectional");
	t->reverse = get_true(r, "reverse") && !t->bidir;
	t->mptcp = get_true(r, "mptcp");
	GET(r, "window", t->window_bytes, int, I3_WINDOW_MAX, I3_F_BUF_SIZE);
	GET(r, "len", t->block_bytes, uint32_t,
	    t->protocol == I3_UDP ? I3_UDP_BLOCK_MAX : I3_BLOCK_MAX,
	    t->protocol == I3_UDP ? I3_F_UDP_BLOCK_SIZE : I3_F_BLOCK_SIZE);
	GET(r, "bandwidth", t->rate_bps, uint64_t, 9223372036854774784.0, params);
	GET(r, "fqrate", t->fq_rate_bps, uint64_t, 9223372036854774784.0, params);
	GET(r, "pacing_timer", t->pacing_timer_us, uint32_t, UINT32_MAX, params);
	GET(r, "burst", t->burst, unsigned, I3_BURST_MAX, I3_F_BURST);
	if (!r->bad && t->parallel == 0) {
		r->bad = true;
		i3_fault(r->f, I3_F_NUM_STREAMS);
	}
}

static void get_rest(struct reader *r, struct i3_test *t)
{
	const int params = I3_F_RECV_PARAMS;

	t->gso = get_flag(r, "gso", false);
	t->gro = get_flag(r, "gro", false);
	GET(r, "gso_dg_size", t->gso_datagram_bytes, uint32_t, UINT32_MAX, params);
	GET(r, "gso_bf_size", t->gso_buffer_bytes, uint32_t, UINT32_MAX, params);
	GET(r, "gro_bf_size", t->gro_buffer_bytes, uint32_t, UINT32_MAX, params);
	GET(r, "TOS", t->tos, int, 255, I3_F_BAD_TOS);
	GET(r, "flowlabel", t->flowlabel, int, 0xfffff, I3_F_SET_FLOW);
	get_str(r, "title", &t->title);
	get_str(r, "extra_data", &t->extra_data);
	get_str(r, "congestion", &t->congestion);
	if (t->congestion)
		i3_make_plain(t->congestion);
	/* Asked for by being there, whatever the number. */
	t->get_server_output = member(r, "get_server_output", cJSON_Number) != NULL;
	t->udp_64bit = member(r, "udp_counters_64bit", cJSON_Number) != NULL;
	t->repeating_payload = member(r, "repeating_payload", cJSON_Number) != NULL;
	t->zerocopy = get_flag(r, "zerocopy", false);
	t->dont_fragment = get_flag(r, "dont_fragment", false);
	get_str(r, "authtoken", &t->authtoken);
	t->skip_rx_copy = get_flag(r, "skip_rx_copy", false);
	get_str(r, "client_version", &t->peer_version);
}

/* Sizes that the protocol needs. */
static void settle_block(struct reader *r, struct i3_test *t)
{
	if (r->bad)
		return;
	if (t->block_bytes == 0)
		t->block_bytes = t->protocol == I3_UDP    ? I3_UDP_BLOCK
				 : t->protocol == I3_SCTP ? I3_SCTP_BLOCK
							  : I3_TCP_BLOCK;
	else if (t->protocol == I3_UDP && t->block_bytes < I3_UDP_BLOCK_MIN) {
		r->bad = true;
		i3_fault(r->f, I3_F_UDP_BLOCK_SIZE);
	}
}

int i3_params_read(struct i3_test *t, const char *text, size_t len,
		   void (*mismatch)(void *arg, const char *key), void *arg,
		   struct i3_fault *f)
{
	struct cJSON *o = cJSON_ParseWithLength(text, len);
	struct reader r = {.o = o, .mismatch = mismatch, .arg = arg, .f = f};

	if (!cJSON_IsObject(o)) {
		cJSON_Delete(o);
		return i3_fault(f, I3_F_RECV_PARAMS);
	}
	get_limits(&r, t);
	get_rest(&r, t);
	settle_block(&r, t);
	cJSON_Delete(o);
	return r.bad ? -1 : 0;
}
