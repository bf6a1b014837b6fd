// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "lib/nearest.h"
#include "test.h"

static const char *meant_by(const char *word)
{
	static const char *const names[] = { "devices", "drop", "explain",
					     "module" };
	struct nearest nearest;

	nearest_init(&nearest, word, strlen(word));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		nearest_try(&nearest, names[i]);
	return nearest.name;
}

static void finds_slips(void **state __attribute__((unused)))
{
	assert_string_equal(meant_by("devices"), "devices");
	assert_string_equal(meant_by("device"), "devices");
	assert_string_equal(meant_by("DEVICSE"), "devices");
	assert_string_equal(meant_by("dorp"), "drop");
	assert_string_equal(meant_by("modul"), "module");
	assert_string_equal(meant_by("explian"), "explain");
	assert_string_equal(meant_by("explains"), "explain");
}

static void finds_nothing_for_other_words(void **state __attribute__((unused)))
{
	assert_null(meant_by(""));
	assert_null(meant_by("x"));
	assert_null(meant_by("status"));
	assert_null(meant_by("memory"));
	assert_null(meant_by("devicesdevicesdevicesdevicesdevices"));
}

static void takes_a_part_of_a_string(void **state __attribute__((unused)))
{
	struct nearest nearest;

	nearest_init(&nearest, "PAGE,NAME", 4);
	nearest_try(&nearest, "NAME");
	nearest_try(&nearest, "PAGES");
	assert_string_equal(nearest.name, "PAGES");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_slips),
		cmocka_unit_test(finds_nothing_for_other_words),
		cmocka_unit_test(takes_a_part_of_a_string),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
