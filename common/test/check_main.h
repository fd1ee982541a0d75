/* SPDX-License-Identifier: BSD-2-Clause
 *
 * main() of a unit test: CHECK_MAIN("module", test_one, test_two, ...). Prints TAP, which
 * compat-tests/run reads; Check's own CK_RUN_CASE, CK_FORK and so on work as usual. */
#ifndef CHECK_MAIN_H
#define CHECK_MAIN_H

#include <check.h>
#include <stdlib.h>

static int check_main(const char *name, const TTest *const *tests, size_t n)
{
	Suite *s = suite_create(name);
	SRunner *r;
	int failed;

	for (size_t i = 0; i < n; i++) {
		/* One case a test: a failing one does not hide the next. */
		TCase *c = tcase_create(tests[i]->name);

		tcase_set_timeout(c, 20);
		tcase_add_test(c, tests[i]);
		suite_add_tcase(s, c);
	}
	r = srunner_create(s);
	srunner_set_tap(r, "-");
	srunner_run_all(r, CK_SILENT);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define CHECK_MAIN(name, ...)                                                     \
	int main(void)                                                            \
	{                                                                         \
		const TTest *const tests[] = {__VA_ARGS__};                       \
                                                                                  \
		return check_main(name, tests, sizeof(tests) / sizeof(tests[0])); \
	}

#endif
