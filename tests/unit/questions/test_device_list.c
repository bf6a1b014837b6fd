// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "devices/devices.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "test.h"
#include "tree.h"

static const struct sample *find(const struct devices *devices,
				 unsigned int major, unsigned int minor)
{
	const struct sample *found = NULL;

	for (size_t i = 0; i < devices->count; i++) {
		const struct sample *sample = &devices->devices[i].sample;

		if (sample->major != major || sample->minor != minor)
			continue;
		assert_null(found);
		found = sample;
	}
	assert_non_null(found);
	return found;
}

static void add_from(const char *path, struct devices *devices)
{
	struct sysroot root;

	assert_int_equal(sysroot_init(&root, path, NULL), 0);
	assert_int_equal(devices_add_all(devices, &root, NULL), 0);
	sysroot_deinit(&root);
}

static void adds_what_is_missing(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 4096,
				     .lists_all_pages = true };
	struct devices devices = { 0 };
	struct sample *sample = snapshot_add(&snapshot, 253, 0);

	sample_set(sample, FIGURE_PAGES, 11844);
	sample = snapshot_add(&snapshot, 252, 1);
	sample_set(sample, FIGURE_PAGES, 25639);
	/* Not in the tree: it was removed after it was measured. */
	sample = snapshot_add(&snapshot, 7, 9);
	sample_set(sample, FIGURE_PAGES, 1);
	assert_int_equal(devices_take(&devices, &snapshot), 0);
	snapshot_deinit(&snapshot);
	add_from(FIXTURE("article"), &devices);

	assert_int_equal(devices.count, 6);
	assert_int_equal(find(&devices, 252, 1)->figures[FIGURE_PAGES], 25639);
	assert_int_equal(find(&devices, 253, 0)->figures[FIGURE_PAGES], 11844);
	assert_int_equal(find(&devices, 7, 9)->figures[FIGURE_PAGES], 1);
	/* The source lists all pages: the others have none. */
	assert_true(sample_has(find(&devices, 252, 0), FIGURE_PAGES));
	assert_int_equal(find(&devices, 252, 0)->figures[FIGURE_PAGES], 0);
	assert_false(sample_has(find(&devices, 252, 0), FIGURE_DIRTY));
	find(&devices, 252, 2);
	find(&devices, 253, 1);
	devices_deinit(&devices);
}

static void not_listed_is_not_zero(void **state __attribute__((unused)))
{
	struct devices devices = { .page_size = 4096 };

	add_from(FIXTURE("article"), &devices);
	assert_int_equal(devices.count, 5);
	assert_false(sample_has(find(&devices, 252, 0), FIGURE_PAGES));
	devices_deinit(&devices);
}

static void odd_entries_are_skipped(void **state __attribute__((unused)))
{
	static const char *const texts[] = { "",      "\n",
					     "8\n",   "8:\n",
					     ":1\n",  "x:1\n",
					     "8-1\n", "8:99999999999\n" };
	struct devices devices = { .page_size = 4096 };
	struct tree tree;
	char path[64];

	tree_create(&tree);
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		snprintf(path, sizeof(path), "sys/class/block/bad%zu/dev", i);
		tree_add_text(&tree, path, texts[i]);
	}
	tree_add_text(&tree, "sys/class/block/no-dev/size", "1\n");
	tree_add_text(&tree, "sys/class/block/file", "8:7\n");
	tree_add_text(&tree, "sys/class/block/good/dev", "8:3\n");
	add_from(tree.path, &devices);
	assert_int_equal(devices.count, 1);
	find(&devices, 8, 3);
	devices_deinit(&devices);
	tree_destroy(&tree);
}

/* As in a recording: the devices are those that were measured. */
static void without_sysfs(void **state __attribute__((unused)))
{
	struct devices devices = { .page_size = 4096 };
	struct sysroot root;
	struct error err;

	assert_int_equal(sysroot_init(&root, FIXTURE("container"), NULL), 0);
	assert_int_equal(devices_add_all(&devices, &root, &err), 0);
	assert_int_equal(devices.count, 0);
	devices_deinit(&devices);
	sysroot_deinit(&root);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_what_is_missing),
		cmocka_unit_test(not_listed_is_not_zero),
		cmocka_unit_test(odd_entries_are_skipped),
		cmocka_unit_test(without_sysfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
