// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/sysroot.h"
#include "test.h"
#include "tree.h"

static int set_up(void **state)
{
	static struct tree_fixture fixture;
	struct error err;

	tree_create(&fixture.tree);
	tree_add_text(&fixture.tree, "sys/block/vda/size", "8\n");
	tree_add_text(&fixture.tree, "sys/block/vda/empty", "");
	tree_add_text(&fixture.tree, "sys/block/vda/dm/name", "a b\nc\n");
	*state = &fixture;
	return sysroot_init(&fixture.root, fixture.tree.path, &err);
}

static void expect(void **state, const char *name, const char *wanted)
{
	const struct tree_fixture *fixture = *state;
	char *value = NULL;

	assert_int_equal(sysfs_attribute(&fixture->root, "/sys/block/vda", name,
					 &value),
			 0);
	assert_string_equal(value, wanted);
	free(value);
	value = NULL;
	assert_int_equal(sysfs_attribute_if_any(&fixture->root,
						"/sys/block/vda", name, &value),
			 0);
	assert_string_equal(value, wanted);
	free(value);
}

static void the_newline_is_cut_off(void **state)
{
	expect(state, "size", "8");
	expect(state, "dm/name", "a b");
	expect(state, "empty", "");
}

static void what_is_not_there_leaves_the_value(void **state)
{
	const struct tree_fixture *fixture = *state;
	char kept[] = "kept", *value = kept;

	assert_int_equal(sysfs_attribute(&fixture->root, "/sys/block/vda",
					 "none", &value),
			 -ENOENT);
	assert_int_equal(sysfs_attribute_if_any(&fixture->root,
						"/sys/block/vda", "none",
						&value),
			 0);
	assert_ptr_equal(value, kept);
}

static void names_get_their_slashes_back(void **state __attribute__((unused)))
{
	char name[] = "cciss!c0d0!", plain[] = "vda", empty[] = "";

	sysfs_name_restore(name);
	assert_string_equal(name, "cciss/c0d0/");
	sysfs_name_restore(plain);
	assert_string_equal(plain, "vda");
	sysfs_name_restore(empty);
	assert_string_equal(empty, "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newline_is_cut_off),
		cmocka_unit_test(what_is_not_there_leaves_the_value),
		cmocka_unit_test(names_get_their_slashes_back),
	};

	return cmocka_run_group_tests(tests, set_up, tree_fixture_tear_down);
}
