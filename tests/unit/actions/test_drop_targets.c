// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "drop/drop_targets.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "test.h"
#include "tree.h"

static int find(struct drop_targets *targets, const char *path,
		const char *const *words, size_t count, struct error *err)
{
	struct sysroot root;
	int ret;

	assert_int_equal(sysroot_init(&root, path, NULL), 0);
	ret = drop_targets_init(targets, &root, count, err);
	for (size_t i = 0; !ret && i < count; i++)
		ret = drop_targets_add(targets, &root, words[i], 0, err);
	sysroot_deinit(&root);
	return ret;
}

static void in_the_order_given(void **state __attribute__((unused)))
{
	static const char *const words[] = { "vda15", "254:1" };
	struct drop_targets targets;
	struct error err;

	assert_int_equal(find(&targets, FIXTURE("debian-ext4"), words, 2, &err),
			 0);
	assert_int_equal(targets.count, 2);
	assert_string_equal(targets.targets[0].name, "vda15");
	assert_string_equal(targets.targets[1].name, "vda1");
	assert_string_equal(targets.targets[1].names.mountpoints.strings[0],
			    "/");
	drop_targets_deinit(&targets);
	assert_int_equal(targets.count, 0);
}

static void twice_is_once(void **state __attribute__((unused)))
{
	static const char *const words[] = { "vda1", "/dev/vda1", "254:1" };
	struct drop_targets targets;
	struct error err;

	assert_int_equal(find(&targets, FIXTURE("debian-ext4"), words, 3, &err),
			 0);
	assert_int_equal(targets.count, 1);
	drop_targets_deinit(&targets);
}

static void a_mistake_among_others(void **state __attribute__((unused)))
{
	static const char *const words[] = { "vda1", "vad15" };
	struct drop_targets targets;
	struct error err;

	assert_int_equal(find(&targets, FIXTURE("debian-ext4"), words, 2, &err),
			 -ENOENT);
	assert_non_null(strstr(text_of(&err), "vad15"));
	drop_targets_deinit(&targets);
}

static void ramdisks_are_refused(void **state __attribute__((unused)))
{
	static const char *const words[] = { "ram0" };
	struct drop_targets targets;
	struct error err;
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "sys/class/block/ram0/dev", "1:0\n");
	assert_int_equal(find(&targets, tree.path, words, 1, &err), -EPERM);
	assert_non_null(
		strstr(text_of(&err), "ram0: refused, it is a ramdisk"));
	assert_int_equal(targets.count, 0);
	drop_targets_deinit(&targets);
	tree_destroy(&tree);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_the_order_given),
		cmocka_unit_test(twice_is_once),
		cmocka_unit_test(a_mistake_among_others),
		cmocka_unit_test(ramdisks_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
