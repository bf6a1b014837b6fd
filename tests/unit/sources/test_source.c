// SPDX-License-Identifier: GPL-2.0-or-later
/* The choice of a source, and the message if there is none. */
#include <errno.h>
#include <string.h>

#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/snapshot.h"
#include "measure/source.h"
#include "test.h"
#include "tree.h"

static int collect(const char *path, const char *name,
		   struct snapshot *snapshot, struct error *err)
{
	struct sysroot root;
	int ret;

	*snapshot = (struct snapshot){ 0 };
	*err = (struct error){ 0 };
	assert_int_equal(sysroot_init(&root, path, NULL), 0);
	ret = source_collect(&root, name, snapshot, err);
	sysroot_deinit(&root);
	return ret;
}

static void the_module_comes_first(void **state __attribute__((unused)))
{
	static const char *const names[] = { NULL, "module" };
	struct snapshot snapshot;
	struct error err;

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		assert_int_equal(collect(FIXTURE("article"), names[i],
					 &snapshot, &err),
				 0);
		assert_string_equal(snapshot.source, "module");
		assert_int_equal(snapshot.count, 2);
		assert_true(snapshot.lists_all_pages);
		assert_null(snapshot.failed_source);
		snapshot_deinit(&snapshot);
	}
}

/* The reason of each source, best source first, and nothing else. */
static void all_reasons_are_given(void **state __attribute__((unused)))
{
	struct snapshot snapshot;
	struct error err, reason;
	char expected[ERROR_TEXT_SIZE] = "measuring: ";

	assert_int_equal(collect(FIXTURE("container"), NULL, &snapshot, &err),
			 -EOPNOTSUPP);
	assert_int_equal(snapshot.count, 0);
	snapshot_deinit(&snapshot);
	for (size_t i = 0; i < source_count(); i++) {
		assert_int_equal(collect(FIXTURE("container"), source_name(i),
					 &snapshot, &reason),
				 -EOPNOTSUPP);
		snapshot_deinit(&snapshot);
		if (i)
			strcat(expected, "; ");
		strcat(expected, text_of(&reason) + strlen("measuring: "));
	}
	assert_string_equal(text_of(&err), expected);
	assert_non_null(
		strstr(text_of(&err),
		       "module: " FIXTURE("container") "/sys/kernel/debug/"
						       "bufstat/devices: "
						       "not in this tree"));
}

/* Nothing of this host may replace what a tree lacks. */
static void a_tree_is_not_measured(void **state __attribute__((unused)))
{
	struct snapshot snapshot;
	struct error err;

	assert_int_equal(collect(FIXTURE("article"), "cachestat", &snapshot,
				 &err),
			 -EOPNOTSUPP);
	assert_non_null(
		strstr(text_of(&err), "a captured tree has no devices"));
	assert_int_equal(snapshot.count, 0);
	snapshot_deinit(&snapshot);
}

static void unknown_names(void **state __attribute__((unused)))
{
	static const char *const names[] = { "", "crash", "Module", "modul",
					     "module " };
	char sources[128] = "no such source, use one of ";
	struct snapshot snapshot;
	struct error err;

	for (size_t i = 0; i < source_count(); i++) {
		strcat(sources, i ? ", " : "");
		strcat(sources, source_name(i));
	}
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		assert_int_equal(collect(FIXTURE("article"), names[i],
					 &snapshot, &err),
				 -EINVAL);
		assert_non_null(strstr(text_of(&err), sources));
		snapshot_deinit(&snapshot);
	}
}

static void a_damaged_file_is_a_failure(void **state __attribute__((unused)))
{
	struct snapshot snapshot;
	struct error err;
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "sys/kernel/debug/bufstat/devices", "");
	assert_int_equal(collect(tree.path, NULL, &snapshot, &err), -EBADMSG);
	assert_non_null(strstr(text_of(&err), "module: line 1: cut short"));
	assert_int_equal(err.class, ERROR_FAILED);
	snapshot_deinit(&snapshot);
	assert_int_equal(collect(tree.path, "module", &snapshot, &err),
			 -EBADMSG);
	snapshot_deinit(&snapshot);

	/* In place of the file, something that cannot be read. */
	tree_add_text(&tree, "other/sys/kernel/debug/bufstat/devices/x", "");
	strcat(tree.path, "/other");
	assert_int_equal(collect(tree.path, "module", &snapshot, &err),
			 -EISDIR);
	*strrchr(tree.path, '/') = '\0';
	tree_destroy(&tree);
}

/* Also between two sources that cannot be used. */
static void one_failure_of_several_counts(void **state __attribute__((unused)))
{
	struct snapshot snapshot;
	struct error err;
	struct tree tree;

	tree_create(&tree);
	assert_int_equal(collect(tree.path, NULL, &snapshot, &err),
			 -EOPNOTSUPP);
	assert_int_equal(err.class, ERROR_UNUSABLE);
	snapshot_deinit(&snapshot);
	tree_add_text(&tree, "proc/kcore", "kcore");
	assert_int_equal(collect(tree.path, NULL, &snapshot, &err), -EBADMSG);
	assert_int_equal(err.class, ERROR_FAILED);
	snapshot_deinit(&snapshot);
	tree_destroy(&tree);
}

static void version_of_the_module(void **state __attribute__((unused)))
{
	unsigned int major, minor;
	struct sysroot root;
	struct error err;

	assert_int_equal(sysroot_init(&root, FIXTURE("future-minor"), NULL), 0);
	assert_int_equal(source_module_version(&root, &major, &minor, &err), 0);
	assert_int_equal(major, 1);
	assert_int_equal(minor, 7);
	sysroot_deinit(&root);

	assert_int_equal(sysroot_init(&root, FIXTURE("container"), NULL), 0);
	assert_int_equal(source_module_version(&root, &major, &minor, &err),
			 -EOPNOTSUPP);
	sysroot_deinit(&root);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_module_comes_first),
		cmocka_unit_test(all_reasons_are_given),
		cmocka_unit_test(a_tree_is_not_measured),
		cmocka_unit_test(unknown_names),
		cmocka_unit_test(a_damaged_file_is_a_failure),
		cmocka_unit_test(one_failure_of_several_counts),
		cmocka_unit_test(version_of_the_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
