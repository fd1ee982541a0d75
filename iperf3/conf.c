/* SPDX-License-Identifier: BSD-2-Clause */
#include "conf.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "conf_opts.h"
#include "fault.h"

void i3_test_init(struct i3_test *t)
{
	*t = (struct i3_test){
		.protocol = I3_TCP,
		.parallel = 1,
		.time_s = 10,
		.pacing_timer_us = 1000,
		.server_cpu = -1,
		.gso_buffer_bytes = I3_UDP_BLOCK_MAX,
		.gro_buffer_bytes = I3_UDP_BLOCK_MAX,
	};
}

void i3_test_free(struct i3_test *t)
{
	free(t->title);
	free(t->extra_data);
	free(t->congestion);
	free(t->authtoken);
	free(t->peer_version);
	t->title = t->extra_data = t->congestion = t->authtoken = t->peer_version = NULL;
}

static int copy_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -1 : 0;
}

int i3_test_copy(struct i3_test *to, const struct i3_test *from)
{
	*to = *from;
	to->title = to->extra_data = to->congestion = to->authtoken = NULL;
	to->peer_version = NULL;
	if (copy_text(&to->title, from->title) < 0 ||
	    copy_text(&to->extra_data, from->extra_data) < 0 ||
	    copy_text(&to->congestion, from->congestion) < 0 ||
	    copy_text(&to->authtoken, from->authtoken) < 0 ||
	    copy_text(&to->peer_version, from->peer_version) < 0) {
		i3_test_free(to);
		return -1;
	}
	return 0;
}

bool i3_test_sends(const struct i3_test *t, enum i3_role role)
{
	return t->bidir || (role == I3_CLIENT) == !t->reverse;
}

bool i3_test_receives(const struct i3_test *t, enum i3_role role)
{
	return t->bidir || (role == I3_CLIENT) == t->reverse;
}

static void defaults(struct i3_conf *c)
{
	*c = (struct i3_conf){
		.port = I3_PORT,
		.family = AF_UNSPEC,
		.rcv_timeout_ms = 120000,
		.server_rate_limit_s = 5,
		.cpu = -1,
		.skew_s = 10,
		.interval_s = 1,
		.timestamp_format = "%c ",
	};
	i3_test_init(&c->test);
}

static int refuse(struct err *e, int number)
{
	struct i3_fault f = {0};

	i3_fault(&f, number);
	return err_set(e, ERR_USAGE, "parameter", "%s", f.text);
}

static int check_block(const struct i3_conf *c, struct err *e)
{
	uint32_t block = c->test.block_bytes;

	if (c->test.protocol == I3_UDP)
		return c->block_given && (block < I3_UDP_BLOCK_MIN ||
					  block > I3_UDP_BLOCK_MAX)
			       ? refuse(e, I3_F_UDP_BLOCK_SIZE)
			       : 0;
	return block > I3_BLOCK_MAX ? refuse(e, I3_F_BLOCK_SIZE) : 0;
}

static int check_client(struct i3_conf *c, struct err *e)
{
	int ends = c->time_given + (c->test.bytes != 0) + (c->test.blocks != 0);
	int streams = (int)c->test.parallel * (c->test.bidir ? 2 : 1);

	if (check_block(c, e) < 0)
		return -1;
	if (ends > 1)
		return refuse(e, I3_F_END_CONDITIONS);
	if (c->test.protocol == I3_UDP && c->file)
		return refuse(e, I3_F_UDP_FILE);
	if (c->rcv_timeout_given && !i3_test_receives(&c->test, I3_CLIENT))
		return refuse(e, I3_F_REVERSE_RCV_TIMEOUT);
	if (c->client_port && c->client_port + streams - 1 > 65535)
		return refuse(e, I3_F_BAD_PORT);
	if (!c->user != !c->rsa_public_path)
		return refuse(e, I3_F_CLIENT_AUTH);
	return 0;
}

/* What depends on several options at once. */
static void settle(struct i3_conf *c)
{
	struct i3_test *t = &c->test;

	if (c->json_stream_full)
		c->json_stream = c->json = true;
	if (t->bytes || t->blocks)
		t->time_s = 0;
	if (!t->block_bytes && t->protocol == I3_TCP)
		t->block_bytes = I3_TCP_BLOCK;
	if (!t->block_bytes && t->protocol == I3_SCTP)
		t->block_bytes = I3_SCTP_BLOCK;
	if (!c->rate_given && t->protocol == I3_UDP)
		t->rate_bps = I3_UDP_RATE_BPS;
	t->gro = t->gso;
	if (t->gso)
		t->gso_datagram_bytes = t->block_bytes;
}

int i3_conf_parse(struct i3_conf *c, int argc, char **argv, struct err *e)
{
	struct opts_given given;
	unsigned own;

	defaults(c);
	if (opts_parse(&i3_opts, argc, argv, c, &given, e) < 0)
		return -1;
	if (c->help || c->version)
		return 0;
	if (c->role == I3_NO_ROLE)
		return refuse(e, I3_F_NO_ROLE);
	own = c->role == I3_CLIENT ? I3_OPT_CLIENT : I3_OPT_SERVER;
	if (opts_wrong_role(&i3_opts, &given, own))
		return refuse(e,
			      c->role == I3_CLIENT ? I3_F_SERVER_ONLY : I3_F_CLIENT_ONLY);
	if (c->role == I3_CLIENT && check_client(c, e) < 0)
		return -1;
	if (!c->rsa_private_path != !c->users_path)
		return refuse(e, I3_F_SERVER_AUTH);
	settle(c);
	return 0;
}

void i3_conf_free(struct i3_conf *c)
{
	i3_test_free(&c->test);
}

void i3_conf_usage(FILE *out)
{
	fputs("Usage: iperf3 [-s|-c host] [options]\n"
	      "Try `iperf3 --help' for more information.\n",
	      out);
}

void i3_conf_help(FILE *out)
{
	fputs("Usage: iperf3 [-s|-c host] [options]\n"
	      "       iperf3 [-h|--help] [-v|--version]\n\n",
	      out);
	opts_help(out, &i3_opts);
	fputs("\nSizes and counts: k m g t = 1024, 1024^2, ...; rates: 1000, 1000^2, "
	      "...\n",
	      out);
}
