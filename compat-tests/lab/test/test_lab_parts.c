/* SPDX-License-Identifier: BSD-2-Clause */
#include "test/check_main.h"
#include "lab/eventq.h"
#include "lab/late.h"
#include "lab/linkconf.h"
#include "lab/rng.h"
#include "mono.h"

START_TEST(words_set_the_link)
{
	static const char *const words[] = {
		"rate=20M", "delay=20ms",     "queue=150K",   "mtu=1400",   "loss=1%",
		"every=50", "duplicate=0.25", "jitter=1.5us", "reorder=2%", "hold=1s",
	};
	struct link_conf c = linkconf_default();
	struct err e;

	ck_assert_uint_eq(c.reorder_ns, 5 * NS_PER_MS);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		ck_assert_msg(linkconf_word(&c, words[i], &e) == 0, "%s: %s", words[i],
			      e.text);
	ck_assert_uint_eq(c.rate_bps, 20000000);
	ck_assert_uint_eq(c.delay_ns, 20 * NS_PER_MS);
	ck_assert_uint_eq(c.queue_bytes, 150000);
	ck_assert_uint_eq(c.mtu_bytes, 1400);
	ck_assert_double_eq(c.loss, 0.01);
	ck_assert_uint_eq(c.loss_every, 50);
	ck_assert_double_eq(c.duplicate, 0.25);
	ck_assert_uint_eq(c.jitter_ns, 1500);
	ck_assert_double_eq(c.reorder, 0.02);
	ck_assert_uint_eq(c.reorder_ns, NS_PER_S);
	ck_assert_int_eq(linkconf_word(&c, "delay=0", &e), 0);
	ck_assert_uint_eq(c.delay_ns, 0);
}
END_TEST

START_TEST(bad_words_are_refused_and_change_nothing)
{
	static const char *const words[] = {
		"",          "rate",
		"rate=",     "rate=fast",
		"rate=-1",   "rate=20Mbit",
		"rates=1",   "=1",
		"delay=20",  "delay=2h",
		"delay=ms",  "delay=1e3ms",
		"delay=2 s", "delay=4000s",
		"loss=101%", "loss=1.5",
		"loss=x",    "loss=1%%",
		"loss=-1%",  "mtu=67",
		"mtu=65536", "mtu=1500x",
		"every=1.5", "every=-1",
		"queue=2G",  "delay=111111111111111111111111111111111ms",
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		struct link_conf c = linkconf_default(), before = c;
		struct err e;

		ck_assert_msg(linkconf_word(&c, words[i], &e) < 0, "%s", words[i]);
		ck_assert_int_eq(e.code, ERR_USAGE);
		ck_assert_str_ne(e.text, "");
		/* NOLINTNEXTLINE: padding was copied with the rest */
		ck_assert(memcmp(&c, &before, sizeof(c)) == 0);
	}
}
END_TEST

START_TEST(events_come_out_in_time_and_in_order)
{
	struct eventq q = {0};
	struct rng r = rng_stream(1, 1);
	uint64_t last_ns = 0, last_order = 0;

	ck_assert_ptr_null(eventq_first(&q));
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 5000; i++) {
			struct event ev = {.at_ns = last_ns + rng_next(&r) % 1000};

			ck_assert(eventq_add(&q, &ev));
		}
		while (q.count > (round < 2 ? 1000 : 0)) {
			struct event first = *eventq_first(&q), ev = eventq_take(&q);

			ck_assert_uint_eq(first.order, ev.order);
			ck_assert_uint_ge(ev.at_ns, last_ns);
			if (ev.at_ns == last_ns)
				ck_assert_uint_ge(ev.order, last_order);
			last_ns = ev.at_ns;
			last_order = ev.order;
		}
	}
	ck_assert_ptr_null(eventq_first(&q));
	eventq_add(&q, &(struct event){.frame = malloc(10)});
	eventq_free(&q); /* frees the frame: the sanitizer watches */
}
END_TEST

START_TEST(lateness_falls_into_bins)
{
	struct late l = {0};

	late_add(&l, 0);
	late_add(&l, 4999);
	late_add(&l, 5000);
	late_add(&l, 99999);
	late_add(&l, 100000);
	late_add(&l, 30 * NS_PER_MS);
	ck_assert_uint_eq(l.count, 6);
	ck_assert_uint_eq(l.max_ns, 30 * NS_PER_MS);
	ck_assert_uint_eq(l.sum_ns, 4999 + 5000 + 99999 + 100000 + 30 * NS_PER_MS);
	ck_assert_uint_eq(l.bin[0], 2);
	ck_assert_uint_eq(l.bin[1], 1);
	ck_assert_uint_eq(late_edge_us(4), 100);
	ck_assert_uint_eq(l.bin[4], 1);
	ck_assert_uint_eq(l.bin[5], 1);
	ck_assert_uint_eq(l.bin[LATE_BINS - 1], 1);
	ck_assert_uint_eq(late_edge_us(LATE_BINS - 1), 0);
}
END_TEST

START_TEST(random_streams_differ_and_fill_the_unit)
{
	struct rng a = rng_stream(1, 0), b = rng_stream(1, 1), c = rng_stream(1, 0);
	double sum = 0;

	ck_assert_uint_eq(rng_next(&a), rng_next(&c));
	ck_assert_uint_ne(rng_next(&a), rng_next(&b));
	for (unsigned i = 0; i < 100000; i++) {
		double x = rng_unit(&a);

		ck_assert(x >= 0 && x < 1);
		sum += x;
	}
	ck_assert_double_eq_tol(sum / 100000, 0.5, 0.005);
	ck_assert(!rng_chance(&b, 0));
	ck_assert(rng_chance(&b, 1));
}
END_TEST

CHECK_MAIN("lab parts", words_set_the_link, bad_words_are_refused_and_change_nothing,
	   events_come_out_in_time_and_in_order, lateness_falls_into_bins,
	   random_streams_differ_and_fill_the_unit)
