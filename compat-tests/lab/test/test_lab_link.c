/* SPDX-License-Identifier: BSD-2-Clause */
#include "test/check_main.h"
#include "compat.h"
#include "lab/link.h"
#include "mono.h"

#define US NS_PER_US
#define MS NS_PER_MS

/* The slow link of the known path. */
static const struct link_conf slow = {
	.rate_bps = 20000000, .delay_ns = 20 * MS, .queue_bytes = 150000};

START_TEST(lone_packet_takes_serialization_and_delay)
{
	static const struct row {
		uint64_t rate_bps, delay_ns;
		uint32_t bytes;
		uint64_t want_ns;
	} rows[] = {
		{100000000, 2 * MS, 84, 2 * MS + 6720},
		{20000000, 20 * MS, 84, 20 * MS + 33600},
		{20000000, 0, 1500, 600 * US},
		{0, 5 * MS, 1500, 5 * MS},
		{0, 0, 1, 0},
		{3, 0, 1, UINT64_C(2666666667)},
		{8000000000, 0, 65535, 65535},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct link_conf c = {.rate_bps = rows[i].rate_bps,
				      .delay_ns = rows[i].delay_ns};
		struct link_answer a;
		struct link l;

		link_init(&l, &c, 1, 0);
		a = link_arrive(&l, 7 * MS, rows[i].bytes, false);
		ck_assert_int_eq(a.fate, LINK_PASS);
		ck_assert_uint_eq(a.deliver_ns, 7 * MS + rows[i].want_ns);
		ck_assert(!a.twice && !a.reordered);
		link_free(&l);
	}
}
END_TEST

START_TEST(burst_leaves_back_to_back_and_overflows_by_bytes)
{
	struct link l;

	link_init(&l, &slow, 1, 0);
	for (unsigned i = 0; i < 100; i++) {
		struct link_answer a = link_arrive(&l, 0, 1500, false);

		ck_assert_int_eq(a.fate, LINK_PASS);
		ck_assert_uint_eq(a.departs_ns, (i + 1) * 600 * US);
		ck_assert_uint_eq(a.deliver_ns, 20 * MS + (i + 1) * 600 * US);
	}
	ck_assert_uint_eq(link_queued_bytes(&l, 0), 150000);
	ck_assert_int_eq(link_arrive(&l, 0, 40, false).fate, LINK_DROP_QUEUE);
	/* One packet leaves at 600 us: then there is room for one, not for two. */
	ck_assert_int_eq(link_arrive(&l, 600 * US - 1, 40, false).fate, LINK_DROP_QUEUE);
	ck_assert_int_eq(link_arrive(&l, 600 * US, 1500, false).fate, LINK_PASS);
	ck_assert_int_eq(link_arrive(&l, 600 * US, 1, false).fate, LINK_DROP_QUEUE);
	/* All gone. */
	ck_assert_uint_eq(link_queued_bytes(&l, 60600 * US - 1), 1500);
	ck_assert_uint_eq(link_queued_bytes(&l, 60600 * US), 0);
	link_free(&l);
}
END_TEST

START_TEST(idle_link_takes_what_its_queue_cannot_hold)
{
	struct link_conf c = {.rate_bps = 20000000, .queue_bytes = 1000};
	struct link l;

	link_init(&l, &c, 1, 0);
	ck_assert_int_eq(link_arrive(&l, 0, 1500, false).fate, LINK_PASS);
	ck_assert_int_eq(link_arrive(&l, 0, 100, false).fate, LINK_DROP_QUEUE);
	ck_assert_int_eq(link_arrive(&l, 600 * US, 1500, false).fate, LINK_PASS);
	link_free(&l);
}
END_TEST

START_TEST(queue_without_limit_grows)
{
	struct link_conf c = {.rate_bps = 1000};
	struct link l;

	link_init(&l, &c, 1, 0);
	for (unsigned i = 0; i < 5000; i++)
		ck_assert_int_eq(link_arrive(&l, i, 100, false).fate, LINK_PASS);
	ck_assert_uint_eq(link_queued_bytes(&l, 5000), 500000);
	ck_assert_uint_eq(link_queued_bytes(&l, 3000 * NS_PER_S), 500000 - 3750 * 100);
	link_free(&l);
}
END_TEST

START_TEST(time_never_runs_backwards)
{
	struct link l;

	link_init(&l, &slow, 1, 0);
	link_arrive(&l, 10 * MS, 1500, false);
	ck_assert_uint_eq(link_arrive(&l, 1 * MS, 1500, false).departs_ns,
			  10 * MS + 1200 * US);
	link_free(&l);
}
END_TEST

START_TEST(offered_too_much_the_share_that_fits_passes)
{
	/* 1476 bytes at 30 Mbit/s of payload 1448: the rest of the queue's 60 ms aside,
	 * 1 - 20 / (30 x 1476 / 1448) is lost. */
	uint64_t gap_ns = 1448 * 8 * NS_PER_S / 30000000, passed = 0;
	struct link l;

	link_init(&l, &slow, 1, 0);
	for (unsigned i = 0; i < 50000; i++)
		passed += link_arrive(&l, i * gap_ns, 1476, false).fate == LINK_PASS;
	ck_assert_double_eq_tol((double)passed / 50000, 0.654, 0.004);
	link_free(&l);
}
END_TEST

/* Which of n packets are lost, as a hash and as a count. */
static uint64_t losses(struct link *l, unsigned n, unsigned *count)
{
	uint64_t hash = 0;

	*count = 0;
	for (unsigned i = 0; i < n; i++) {
		uint64_t at_ns = l->arrived_ns + MS;
		bool lost = link_arrive(l, at_ns, 100, false).fate == LINK_DROP_LOSS;

		hash = hash * 31 + lost;
		*count += lost;
	}
	return hash;
}

START_TEST(same_seed_same_losses)
{
	struct link_conf c = slow;
	uint64_t first, again, other, way;
	unsigned count, unused;
	struct link l;

	c.loss = 0.01;
	link_init(&l, &c, 42, 3);
	first = losses(&l, 20000, &count);
	ck_assert_uint_ge(count, 180);
	ck_assert_uint_le(count, 220);
	link_free(&l);

	/* The other impairments draw from streams of their own. */
	c.duplicate = c.reorder = 0.5;
	c.jitter_ns = 1 * MS;
	link_init(&l, &c, 42, 3);
	again = losses(&l, 20000, &unused);
	ck_assert(again == first);
	link_seed(&l, 42, 3);
	ck_assert(losses(&l, 20000, &unused) == first);
	link_free(&l);

	link_init(&l, &c, 43, 3);
	other = losses(&l, 20000, &unused);
	link_free(&l);
	link_init(&l, &c, 42, 2);
	way = losses(&l, 20000, &unused);
	link_free(&l);
	ck_assert(other != first && way != first && way != other);
}
END_TEST

START_TEST(every_nth_is_exact)
{
	struct link_conf c = {.loss_every = 100};
	unsigned count;
	struct link l;

	link_init(&l, &c, 1, 0);
	for (unsigned i = 1; i <= 1000; i++)
		ck_assert_int_eq(link_arrive(&l, i, 100, false).fate,
				 i % 100 ? LINK_PASS : LINK_DROP_LOSS);
	for (unsigned i = 0; i < 50; i++)
		link_arrive(&l, 1000, 100, false);
	c.rate_bps = 1000000; /* the count goes on ... */
	link_configure(&l, &c);
	losses(&l, 50, &count);
	ck_assert_uint_eq(count, 1);
	c.loss_every = 10; /* ... and starts anew */
	link_configure(&l, &c);
	losses(&l, 99, &count);
	ck_assert_uint_eq(count, 9);
	link_free(&l);
}
END_TEST

START_TEST(exempt_packets_are_never_hit_and_draw_nothing)
{
	struct link_conf c = {.loss = 0.5,
			      .duplicate = 0.5,
			      .reorder = 0.5,
			      .loss_every = 3,
			      .jitter_ns = 1 * MS};
	struct link with, without;

	link_init(&with, &c, 1, 0);
	link_init(&without, &c, 1, 0);
	for (unsigned i = 0; i < 1000; i++) {
		struct link_answer x = link_arrive(&with, i * 100 * MS, 100, true);
		struct link_answer a = link_arrive(&with, i * 100 * MS, 100, false);
		struct link_answer b = link_arrive(&without, i * 100 * MS, 100, false);

		ck_assert_int_eq(x.fate, LINK_PASS);
		ck_assert(!x.twice && !x.reordered);
		ck_assert_int_eq(a.fate, b.fate);
		ck_assert_uint_eq(a.deliver_ns, b.deliver_ns);
		ck_assert_int_eq(a.twice, b.twice);
	}
	link_free(&with);
	link_free(&without);
}
END_TEST

START_TEST(certain_loss_and_none)
{
	struct link_conf c = {.loss = 1};
	unsigned count;
	struct link l;

	link_init(&l, &c, 1, 0);
	losses(&l, 1000, &count);
	ck_assert_uint_eq(count, 1000);
	c.loss = 0;
	link_configure(&l, &c);
	losses(&l, 1000, &count);
	ck_assert_uint_eq(count, 0);
	link_free(&l);
}
END_TEST

START_TEST(jitter_has_its_mean_and_keeps_order)
{
	struct link_conf c = {.delay_ns = 1 * MS, .jitter_ns = 100 * US};
	double sum = 0;
	uint64_t last = 0;
	struct link l;

	link_init(&l, &c, 5, 0);
	for (unsigned i = 0; i < 20000; i++) {
		/* Far apart: each one shows its own draw. */
		uint64_t at = i * 10 * MS;
		struct link_answer a = link_arrive(&l, at, 100, false);

		ck_assert_uint_ge(a.deliver_ns, at + 1 * MS);
		ck_assert_uint_le(a.deliver_ns, at + 2 * MS);
		sum += (double)(a.deliver_ns - at - 1 * MS);
	}
	ck_assert_double_eq_tol(sum / 20000, 100e3, 3e3);
	for (unsigned i = 0; i < 20000; i++) {
		struct link_answer a = link_arrive(&l, 200 * NS_PER_S + i, 100, false);

		ck_assert_uint_ge(a.deliver_ns, last);
		last = a.deliver_ns;
	}
	link_free(&l);
}
END_TEST

START_TEST(held_back_packets_are_passed_by_others)
{
	struct link_conf c = {.delay_ns = 10 * MS, .reorder = 0.1, .reorder_ns = 5 * MS};
	unsigned held = 0;
	struct link l;

	link_init(&l, &c, 1, 0);
	for (unsigned i = 0; i < 10000; i++) {
		struct link_answer a = link_arrive(&l, i * MS, 100, false);

		ck_assert_uint_eq(a.deliver_ns, (i + (a.reordered ? 15 : 10)) * MS);
		held += a.reordered;
	}
	ck_assert_uint_ge(held, 900);
	ck_assert_uint_le(held, 1100);
	link_free(&l);
}
END_TEST

START_TEST(duplicates_come_at_their_rate)
{
	struct link_conf c = {.duplicate = 0.02};
	unsigned twice = 0;
	struct link l;

	link_init(&l, &c, 1, 0);
	for (unsigned i = 0; i < 10000; i++)
		twice += link_arrive(&l, i, 100, false).twice;
	ck_assert_uint_ge(twice, 150);
	ck_assert_uint_le(twice, 250);
	link_free(&l);
}
END_TEST

START_TEST(mtu_comes_before_queue_and_loss)
{
	struct link_conf c = {
		.mtu_bytes = 1400, .loss = 1, .rate_bps = 1000, .queue_bytes = 1};
	struct link l;

	link_init(&l, &c, 1, 0);
	link_arrive(&l, 0, 1400, true);
	ck_assert_int_eq(link_arrive(&l, 0, 1401, false).fate, LINK_TOO_BIG);
	ck_assert_int_eq(link_arrive(&l, 0, 1400, false).fate, LINK_DROP_QUEUE);
	link_free(&l);
}
END_TEST

START_TEST(changes_hold_for_later_packets_only)
{
	struct link_conf c = slow;
	struct link_answer a;
	struct link l;

	link_init(&l, &c, 1, 0);
	link_arrive(&l, 0, 1500, false);
	c.rate_bps = 10000000;
	link_configure(&l, &c);
	ck_assert_uint_eq(link_arrive(&l, 0, 1500, false).departs_ns, 1800 * US);
	/* A shorter delay must not let a packet pass the one before. */
	c.delay_ns = 0;
	link_configure(&l, &c);
	a = link_arrive(&l, 0, 1500, false);
	ck_assert_uint_eq(a.departs_ns, 3000 * US);
	ck_assert_uint_eq(a.deliver_ns, 21800 * US);
	link_free(&l);
}
END_TEST

CHECK_MAIN("lab link model", lone_packet_takes_serialization_and_delay,
	   burst_leaves_back_to_back_and_overflows_by_bytes,
	   idle_link_takes_what_its_queue_cannot_hold, queue_without_limit_grows,
	   time_never_runs_backwards, offered_too_much_the_share_that_fits_passes,
	   same_seed_same_losses, every_nth_is_exact,
	   exempt_packets_are_never_hit_and_draw_nothing, certain_loss_and_none,
	   jitter_has_its_mean_and_keeps_order, held_back_packets_are_passed_by_others,
	   duplicates_come_at_their_rate, mtu_comes_before_queue_and_loss,
	   changes_hold_for_later_packets_only)
