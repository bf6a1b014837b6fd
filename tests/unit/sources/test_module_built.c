// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/sysroot.h"
#include "measure/module_absence.h"
#include "test.h"
#include "tree.h"

static void look(const struct tree *tree, struct module_built *built)
{
	struct sysroot root;

	assert_int_equal(sysroot_init(&root, tree->path, NULL), 0);
	module_built_init(built, &root, "6.1.0-1");
	module_built_find_kernels(built, &root);
	sysroot_deinit(&root);
}

static void nothing_is_there(void **state __attribute__((unused)))
{
	struct module_built built;
	struct tree tree;

	tree_create(&tree);
	look(&tree, &built);
	assert_int_equal(built.kernels.count, 0);
	assert_null(built.dkms_version);
	assert_false(built.has_headers);
	module_built_deinit(&built);
	tree_destroy(&tree);
}

static void for_another_kernel(void **state __attribute__((unused)))
{
	struct module_built built;
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "lib/modules/6.1.0-1/modules.dep", "");
	tree_add_text(&tree, "lib/modules/6.0.0-9/updates/dkms/bufstat.ko.xz",
		      "");
	tree_add_text(&tree, "lib/modules/5.10.0-3/kernel/other.ko", "");
	/* DKMS keeps links for kernels in the directory of the versions. */
	tree_add_link(&tree, "var/lib/dkms/bufstat/kernel-6.0.0-9-x86_64",
		      "0.1.0/6.0.0-9/x86_64");
	tree_add_text(&tree, "usr/src/bufstat-0.1.0/dkms.conf", "");
	tree_add_link(&tree, "var/lib/dkms/bufstat/0.1.0/source",
		      "/usr/src/bufstat-0.1.0");
	look(&tree, &built);
	assert_int_equal(built.kernels.count, 1);
	assert_string_equal(built.kernels.strings[0], "6.0.0-9");
	assert_string_equal(built.dkms_version, "0.1.0");
	assert_false(built.has_headers);
	module_built_deinit(&built);

	tree_add_text(&tree, "lib/modules/6.1.0-1/build/Makefile", "");
	tree_add_text(&tree, "lib/modules/5.10.0-3/extra/bufstat.ko", "");
	look(&tree, &built);
	assert_int_equal(built.kernels.count, 2);
	assert_true(built.has_headers);
	module_built_deinit(&built);
	tree_destroy(&tree);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_there),
		cmocka_unit_test(for_another_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
