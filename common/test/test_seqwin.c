/* SPDX-License-Identifier: BSD-2-Clause */
#include "check_main.h"
#include "compat.h"
#include "jitter.h"
#include "seqwin.h"

static const struct {
	uint64_t numbers[8]; /* ends at 0 */
	uint64_t received, late, duplicates, lost;
} rows[] = {
	{{1, 2, 3, 0}, 3, 0, 0, 0},
	{{3, 0}, 1, 0, 0, 2},
	{{1, 2, 4, 4, 3, 7, 0}, 5, 1, 1, 2},
	{{1, 1, 1, 0}, 1, 0, 2, 0},
	{{1, 3, 3, 0}, 2, 0, 1, 1}, /* the duplicate hides no loss */
	{{2, 1, 2, 1, 0}, 2, 1, 2, 0},
	{{100000, 1, 0}, 1, 0, 1, 99999}, /* too old to be told from a duplicate */
};

START_TEST(counts)
{
	static struct seqwin w;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		seqwin_init(&w);
		for (const uint64_t *n = rows[i].numbers; *n; n++)
			seqwin_put(&w, *n);
		ck_assert_uint_eq(w.received, rows[i].received);
		ck_assert_uint_eq(w.late, rows[i].late);
		ck_assert_uint_eq(w.duplicates, rows[i].duplicates);
		ck_assert_uint_eq(seqwin_lost(&w), rows[i].lost);
	}
}
END_TEST

START_TEST(long_run_forgets_cleanly)
{
	static struct seqwin w;

	seqwin_init(&w);
	/* Every 10th is missing, each pair comes in reverse order, over many windows. */
	for (uint64_t n = 1; n < 300000; n += 2) {
		if ((n + 1) % 10)
			seqwin_put(&w, n + 1);
		seqwin_put(&w, n);
	}
	ck_assert_uint_eq(w.duplicates, 0);
	ck_assert_uint_eq(w.received, 300000 - 30000);
	ck_assert_uint_eq(seqwin_lost(&w), 30000 - 1); /* 300000 itself is not known of */
}
END_TEST

START_TEST(jumps_clear_the_window)
{
	static struct seqwin w;

	seqwin_init(&w);
	seqwin_put(&w, 5);
	seqwin_put(&w, 5 + SEQWIN_BITS);
	ck_assert_int_eq(seqwin_put(&w, 6 + SEQWIN_BITS), SEQWIN_NEW);
	ck_assert_int_eq(seqwin_put(&w, 4 + SEQWIN_BITS), SEQWIN_LATE);
	ck_assert_int_eq(seqwin_put(&w, 70), SEQWIN_LATE);
}
END_TEST

START_TEST(rebase_forgets_what_was)
{
	static struct seqwin w;

	seqwin_init(&w);
	seqwin_put(&w, 10);
	seqwin_rebase(&w);
	ck_assert_uint_eq(seqwin_lost(&w), 0);
	ck_assert_int_eq(seqwin_put(&w, 9), SEQWIN_OLD);
	ck_assert_int_eq(seqwin_put(&w, 12), SEQWIN_NEW);
	ck_assert_uint_eq(seqwin_lost(&w), 1);
	ck_assert_uint_eq(w.received, 1);
}
END_TEST

START_TEST(widening)
{
	static struct seqwin w;

	seqwin_init(&w);
	ck_assert_uint_eq(seqwin_widen(&w, 1), 1);
	w.highest = UINT64_C(0xfffffffe);
	ck_assert_uint_eq(seqwin_widen(&w, 1), UINT64_C(0x100000001));
	ck_assert_uint_eq(seqwin_widen(&w, 0xfffffff0), UINT64_C(0xfffffff0));
	w.highest = UINT64_C(0x500000003);
	ck_assert_uint_eq(seqwin_widen(&w, 0xfffffffe), UINT64_C(0x4fffffffe));
}
END_TEST

START_TEST(jitter_as_in_the_rfc)
{
	struct jitter j = {0};

	jitter_put(&j, 1000, 900); /* clocks disagree: only differences count */
	ck_assert_double_eq_tol(jitter_s(&j), 0, 1e-15);
	jitter_put(&j, 2000, 1900 + 160);
	ck_assert_double_eq_tol(jitter_s(&j), 10e-9, 1e-15);
	jitter_put(&j, 3000, 2900 + 160);
	ck_assert_double_eq_tol(jitter_s(&j), 9.375e-9, 1e-15);
	jitter_reset(&j);
	jitter_put(&j, 5, UINT64_C(1) << 40);
	ck_assert_double_eq_tol(jitter_s(&j), 0, 1e-15);
}
END_TEST

CHECK_MAIN("seqwin", counts, long_run_forgets_cleanly, jumps_clear_the_window,
	   rebase_forgets_what_was, widening, jitter_as_in_the_rfc)
