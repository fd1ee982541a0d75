/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The engine between socket pairs instead of devices, on a clock that the test moves. */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test/check_main.h"
#include "compat.h"
#include "lab/command.h"
#include "lab/engine.h"
#include "mono.h"

static struct engine *g;
static struct command_run run;
static uint64_t now_ns;
static int host[2]; /* the hosts' ends of the link */

static struct port port_of(int fd)
{
	return (struct port){.fd = fd, .name = "pair"};
}

static int pair(struct port *p)
{
	int fds[2];

	ck_assert_int_eq(
		socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds),
		0);
	*p = port_of(fds[1]);
	return fds[0];
}

static void setup(void)
{
	struct port a, b;
	struct err e;

	now_ns = NS_PER_S;
	mono_fake(&now_ns);
	g = calloc(1, sizeof(*g));
	ck_assert_ptr_nonnull(g);
	run = (struct command_run){.engine = g};
	host[0] = pair(&a);
	host[1] = pair(&b);
	ck_assert_int_eq(engine_add(g, "a", &a, "b", &b, &e), 0);
}

static void teardown(void)
{
	engine_free(g);
	free(g);
	close(host[0]);
	close(host[1]);
	mono_fake(NULL);
}

/* A line of the command language; what it said goes to text. */
static int command(const char *line, char *text, size_t cap, struct err *e)
{
	char copy[1200], *said = NULL;
	size_t len;
	FILE *out = open_memstream(&said, &len);
	int rc;

	strlcpy(copy, line, sizeof(copy));
	rc = command_line(&run, copy, out, e);
	fclose(out);
	if (text)
		strlcpy(text, said, cap);
	free(said);
	return rc;
}

static void set(const char *line)
{
	struct err e;

	ck_assert_msg(command(line, NULL, 0, &e) == 0, "%s: %s: %s", line, e.what,
		      e.text);
}

static size_t make(uint8_t *ip, size_t bytes, bool df)
{
	memset(ip, 0, bytes);
	ip[0] = 0x45;
	ip[2] = (uint8_t)(bytes >> 8);
	ip[3] = (uint8_t)bytes;
	ip[6] = df ? 0x40 : 0;
	ip[9] = 17;
	memcpy(ip + 12, (uint8_t[]){192, 0, 2, 1, 192, 0, 2, 66}, 8);
	return bytes;
}

static void put(int end, size_t bytes, bool df)
{
	uint8_t ip[2000];
	struct err e;

	ck_assert_int_eq(send(host[end], ip, make(ip, bytes, df), 0), (int)bytes);
	ck_assert_int_eq(engine_take(g, (size_t)end, &e), 0);
}

/* What came out at a host: its length, 0 for nothing. */
static size_t got(int end, uint8_t *ip)
{
	uint8_t unused[2000];
	ssize_t n = recv(host[end], ip ? ip : unused, 2000, 0);

	return n < 0 ? 0 : (size_t)n;
}

/* Let time pass until nothing is on its way. */
static void drain(void)
{
	while (engine_next_ns(g) != MONO_NEVER) {
		if (engine_next_ns(g) > now_ns)
			now_ns = engine_next_ns(g);
		engine_deliver(g);
	}
}

START_TEST(a_packet_comes_out_when_it_is_due)
{
	setup();
	set("set a>b rate=20M delay=20ms");
	put(0, 1500, true);
	ck_assert_uint_eq(engine_next_ns(g), now_ns + 20600 * NS_PER_US);
	now_ns += 20600 * NS_PER_US - 1;
	engine_deliver(g);
	ck_assert_uint_eq(got(1, NULL), 0);
	ck_assert_uint_eq(g->ways[0].count.flight, 1);
	now_ns += 7001;
	engine_deliver(g);
	ck_assert_uint_eq(got(1, NULL), 1500);
	ck_assert_uint_eq(g->ways[0].count.late.max_ns, 7000);
	ck_assert_uint_eq(g->ways[0].count.out_bytes, 1500);
	ck_assert_uint_eq(g->ways[0].count.flight, 0);
	put(1, 100, true); /* the way back was not set */
	ck_assert_uint_eq(engine_next_ns(g), now_ns);
	engine_deliver(g);
	ck_assert_uint_eq(got(0, NULL), 100);
	teardown();
}
END_TEST

START_TEST(too_big_is_answered_cut_or_dropped)
{
	uint8_t ip[2000];

	setup();
	set("set a-b mtu=1400");
	put(0, 1401, true);
	drain();
	ck_assert_uint_eq(got(0, NULL), 0); /* nobody to answer */
	set("set a-b hop=192.0.2.62 hop=2001:db8::3e");
	put(0, 1401, true);
	ck_assert_uint_eq(got(0, ip), 576);
	ck_assert_mem_eq(ip + 12, ((uint8_t[]){192, 0, 2, 62}), 4);
	ck_assert_uint_eq(ip[26] << 8 | ip[27], 1400);
	put(0, 1400, true);
	put(0, 1500, false);
	drain();
	ck_assert_uint_eq(got(1, NULL), 1400);
	ck_assert_uint_eq(got(1, NULL), 1396);
	ck_assert_uint_eq(got(1, NULL), 124);
	ck_assert_uint_eq(got(1, NULL), 0);
	ck_assert_uint_eq(g->ways[0].count.too_big, 2);
	ck_assert_uint_eq(g->ways[0].count.answers, 1);
	ck_assert_uint_eq(g->ways[0].count.cut, 1);
	teardown();
}
END_TEST

START_TEST(every_packet_is_accounted_for)
{
	const struct engine_count *c;
	uint64_t out = 0, sum;
	uint8_t ip[2000];

	setup();
	set("set a-b rate=20M delay=1ms queue=20K loss=5% every=50 duplicate=5% "
	    "reorder=5% "
	    "jitter=100us mtu=1000 hop=192.0.2.62");
	for (unsigned i = 0; i < 3000; i++) {
		put(0, 100 + i * 7 % 1400, i % 3);
		if (i % 5 == 0)
			now_ns += 700 * NS_PER_US;
		engine_deliver(g);
		while (got(1, ip))
			out++;
		while (got(0, ip))
			;
	}
	c = &g->ways[0].count;
	ck_assert_uint_gt(c->flight, 0);
	sum = c->out + c->drop_queue + c->drop_loss + c->too_big + c->flight +
	      c->drop_memory;
	ck_assert_uint_eq(c->in + c->twice + c->cut, sum);
	while (c->flight > 0) {
		drain();
		while (got(1, ip))
			out++;
	}
	ck_assert_uint_eq(c->in, 3000);
	ck_assert_uint_eq(c->out, out);
	ck_assert(c->drop_queue && c->drop_loss && c->too_big && c->twice && c->cut &&
		  c->reordered && c->answers);
	ck_assert_uint_le(c->queue_max_bytes, 20000);
	ck_assert_uint_eq(c->late.count, c->out);
	teardown();
}
END_TEST

START_TEST(settings_apply_to_all_or_nothing)
{
	static const char *const bad[] = {
		"set a-c rate=1M",
		"set a rate=1M",
		"set a>b",
		"set a>b rate=2M loss=nonsense",
		"set a>b hop=nowhere",
		"set",
		"link c d x",
		"links c d x y",
		"seed",
		"seed x",
		"show me",
		"",
	};
	struct err e;

	setup();
	set("set b-a rate=1M"); /* both ways, whatever the order */
	ck_assert_uint_eq(g->ways[0].link.conf.rate_bps, 1000000);
	ck_assert_uint_eq(g->ways[1].link.conf.rate_bps, 1000000);
	set("set b:a rate=3M");
	ck_assert_uint_eq(g->ways[0].link.conf.rate_bps, 1000000);
	ck_assert_uint_eq(g->ways[1].link.conf.rate_bps, 3000000);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		ck_assert_msg(command(bad[i], NULL, 0, &e) < 0, "%s", bad[i]);
		ck_assert_int_eq(e.code, ERR_USAGE);
	}
	ck_assert_uint_eq(g->ways[0].link.conf.rate_bps, 1000000);
	run.running = true;
	ck_assert_int_lt(command("link c d x y", NULL, 0, &e), 0);
	ck_assert_str_eq(e.text, "only before the emulator runs");
	teardown();
}
END_TEST

START_TEST(links_need_good_names_and_ports)
{
	static const char *const names[][2] = {
		{"a", "b"},
		{"b", "a"},
		{"x", "x"},
		{"", "y"},
		{"x-y", "z"},
		{"x>", "z"},
		{"a_name_that_is_too_long_to_be_one", "z"},
	};
	static const char *const specs[] = {
		"",           "@ns",
		"tun:",       "a_device_name_too_long",
		"nosuchdev0", "lo@no_such_namespace",
	};
	struct port p = port_of(-1);
	struct err e;

	setup();
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		ck_assert_int_lt(engine_add(g, names[i][0], &p, names[i][1], &p, &e), 0);
	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		ck_assert_int_lt(port_open(&p, specs[i], &e), 0);
		ck_assert_str_ne(e.text, "");
	}
	for (unsigned i = 1; i < ENGINE_LINKS_MAX; i++) {
		char name[8];

		snprintf(name, sizeof(name), "n%u", i);
		ck_assert_int_eq(engine_add(g, "a", &p, name, &p, &e), 0);
	}
	ck_assert_int_lt(engine_add(g, "a", &p, "last", &p, &e), 0);
	g->n = 2;
	teardown();
}
END_TEST

START_TEST(show_and_reset)
{
	char text[8192];
	struct err e;

	setup();
	put(0, 100, true);
	drain();
	ck_assert_int_eq(command("show", text, sizeof(text), &e), 0);
	ck_assert_ptr_nonnull(
		strstr(text, "way a>b in=1 in_bytes=100 out=1 out_bytes=100 "));
	ck_assert_ptr_nonnull(strstr(text, "\nport pair kernel_drops=0 unfinished=0"));
	ck_assert_ptr_nonnull(strstr(text, "\nrun impair seed=0 "));
	put(0, 100, true); /* on its way over the reset */
	set("reset");
	drain();
	ck_assert_int_eq(command("show", text, sizeof(text), &e), 0);
	ck_assert_ptr_nonnull(strstr(text, "way a>b in=0 in_bytes=0 out=1 "));
	ck_assert_uint_eq(g->ways[0].count.flight, 0);
	set("stop");
	ck_assert(run.stop);
	teardown();
}
END_TEST

START_TEST(seed_starts_the_same_losses_again)
{
	unsigned first = 0;

	setup();
	set("set a>b loss=10%");
	for (unsigned round = 0; round < 2; round++) {
		unsigned lost = 0;

		set("seed 99");
		set("reset");
		for (unsigned i = 0; i < 500; i++) {
			put(0, 100, true);
			drain();
			lost = lost * 31 + (got(1, NULL) == 0);
		}
		if (round == 0)
			first = lost;
		else
			ck_assert_uint_eq(lost, first);
	}
	ck_assert_uint_ne(first, 0);
	teardown();
}
END_TEST

CHECK_MAIN("lab engine", a_packet_comes_out_when_it_is_due,
	   too_big_is_answered_cut_or_dropped, every_packet_is_accounted_for,
	   settings_apply_to_all_or_nothing, links_need_good_names_and_ports,
	   show_and_reset, seed_starts_the_same_losses_again)
