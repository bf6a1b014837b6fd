// SPDX-License-Identifier: GPL-2.0-or-later
#include "test.h"

#include "lib/string_list.h"
#include "repro/child.h"

static const struct word names[] = {
	{ "@device", "/dev/a b" },
	{ "@mib", "100" },
	{ NULL, NULL },
};

static void fills_in(void **state)
{
	static const struct {
		const char *line;
		size_t count;
		const char *last;
	} cases[] = {
		{ "", 0, NULL },
		{ "dd", 1, "dd" },
		/* A filled-in value stays one word. */
		{ "dd if=@device", 2, "if=/dev/a b" },
		{ "count=@mib", 1, "count=100" },
		{ "--size=@mibM", 1, "--size=100M" },
		{ "@mib@mib", 1, "100100" },
		{ "@other", 1, "@other" },
		{ "a @", 2, "@" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct string_list list = { 0 };

		assert_int_equal(words_fill(cases[i].line, names, &list), 0);
		assert_int_equal(list.count, cases[i].count);
		if (cases[i].last)
			assert_string_equal(list.strings[list.count - 1],
					    cases[i].last);
		string_list_deinit(&list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
