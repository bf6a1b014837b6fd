// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "lib/string_list.h"
#include "test.h"

static void expect_joined(const struct string_list *list, const char *separator,
			  const char *expected)
{
	char *joined = string_list_join(list, separator);

	assert_non_null(joined);
	assert_string_equal(joined, expected);
	free(joined);
}

static void keeps_order_and_copies(void **state __attribute__((unused)))
{
	struct string_list list = { 0 };
	char word[] = "first";

	assert_int_equal(string_list_add(&list, word), 0);
	word[0] = 'x';
	assert_int_equal(string_list_add(&list, "second"), 0);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.strings[0], "first");
	assert_string_equal(list.strings[1], "second");
	string_list_deinit(&list);
}

static void joins(void **state __attribute__((unused)))
{
	struct string_list list = { 0 };

	expect_joined(&list, ", ", "");
	string_list_add(&list, "one");
	expect_joined(&list, ", ", "one");
	string_list_add(&list, "");
	string_list_add(&list, "three");
	expect_joined(&list, ", ", "one, , three");
	expect_joined(&list, "", "onethree");
	string_list_deinit(&list);
}

static void adds_once(void **state __attribute__((unused)))
{
	struct string_list list = { 0 };

	assert_int_equal(string_list_add_once(&list, "one"), 0);
	assert_int_equal(string_list_add_once(&list, "two"), 0);
	assert_int_equal(string_list_add_once(&list, "one"), 0);
	expect_joined(&list, ",", "one,two");
	string_list_deinit(&list);
}

static void holds_many(void **state __attribute__((unused)))
{
	struct string_list list = { 0 };
	char word[16];

	for (int i = 0; i < 10000; i++) {
		snprintf(word, sizeof(word), "%d", i);
		assert_int_equal(string_list_add(&list, word), 0);
	}
	assert_int_equal(list.count, 10000);
	assert_string_equal(list.strings[0], "0");
	assert_string_equal(list.strings[9999], "9999");
	string_list_deinit(&list);
}

static void sorts_by_number(void **state __attribute__((unused)))
{
	struct string_list list = { 0 };

	string_list_sort(&list);
	assert_int_equal(list.count, 0);
	string_list_add(&list, "dm-10");
	string_list_add(&list, "md0");
	string_list_add(&list, "dm-2");
	string_list_sort(&list);
	expect_joined(&list, ",", "dm-2,dm-10,md0");
	string_list_deinit(&list);
}

static void deinit_leaves_an_empty_list(void **state __attribute__((unused)))
{
	struct string_list list = { 0 };

	string_list_add(&list, "word");
	string_list_deinit(&list);
	assert_int_equal(list.count, 0);
	assert_null(list.strings);
	string_list_deinit(&list);

	assert_int_equal(string_list_add(&list, "again"), 0);
	expect_joined(&list, ",", "again");
	string_list_deinit(&list);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_order_and_copies),
		cmocka_unit_test(joins),
		cmocka_unit_test(adds_once),
		cmocka_unit_test(holds_many),
		cmocka_unit_test(sorts_by_number),
		cmocka_unit_test(deinit_leaves_an_empty_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
