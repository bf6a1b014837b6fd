// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sample_text.h"
#include "snapshot.h"
#include "sysroot.h"
#include "test.h"
#include "tree.h"

static void add_file(const struct tree *tree, const char *path,
		     void (*write)(FILE *out, const struct snapshot *snapshot),
		     const struct snapshot *snapshot)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	write(out, snapshot);
	fclose(out);
	tree_add_file(tree, path, text, size);
	free(text);
}

static int read_back(const struct tree *tree, struct snapshot *snapshot)
{
	struct sysroot root;
	int ret;

	assert_int_equal(sysroot_init(&root, tree->path, NULL), 0);
	ret = sample_text_read(&root, "x", snapshot, NULL);
	sysroot_deinit(&root);
	return ret;
}

static void add_device(struct snapshot *snapshot, const char *name,
		       const char *refused)
{
	struct device_sample *sample =
		snapshot_add(snapshot, 8, (unsigned int)snapshot->count);

	assert_non_null(sample);
	if (name)
		sample->kname = strdup(name);
	if (refused)
		sample->refused = strdup(refused);
	else
		sample_set(sample, FIGURE_PAGES, 7);
}

static void what_is_written_is_read(void **state __attribute__((unused)))
{
	static const char *const names[] = { "sda", "a b\\c\n#\td", "-", NULL,
					     "cciss/c0d0" };
	struct snapshot written = { .page_size = 4096 }, read = { 0 };
	struct tree tree;

	for (size_t i = 0; i < COUNT_OF(names); i++)
		add_device(&written, names[i], NULL);
	sample_set(&written.devices[1], FIGURE_DIRTY, 3);
	sample_set(&written.devices[2], FIGURE_WRITE_ERROR, EIO);
	sample_set(&written.devices[3], FIGURE_WRITE_ERROR, 0);
	add_device(&written, "sdb", "opening: /dev/sdb: no, not: that");
	add_device(&written, NULL, "no name");
	tree_create(&tree);
	add_file(&tree, "bufstat/x/devices", sample_text_write_figures,
		 &written);
	add_file(&tree, "bufstat/x/state", sample_text_write_state, &written);

	assert_int_equal(read_back(&tree, &read), 0);
	assert_int_equal(read.count, written.count);
	assert_int_equal(read.page_size, 4096);
	assert_false(read.lists_all_pages);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		assert_int_equal(read.devices[i].figures[FIGURE_PAGES], 7);
		assert_int_equal(sample_has(&read.devices[i], FIGURE_DIRTY),
				 i == 1);
		assert_int_equal(sample_has(&read.devices[i],
					    FIGURE_WRITE_ERROR),
				 i == 2 || i == 3);
		assert_int_equal(read.devices[i].figures[FIGURE_WRITE_ERROR],
				 i == 2 ? EIO : 0);
		if (names[i])
			assert_string_equal(read.devices[i].kname, names[i]);
		else
			assert_null(read.devices[i].kname);
	}
	assert_string_equal(read.devices[5].kname, "sdb");
	assert_string_equal(read.devices[5].refused,
			    "opening: /dev/sdb: no, not: that");
	assert_null(read.devices[6].kname);
	assert_string_equal(read.devices[6].refused, "no name");
	snapshot_deinit(&read);
	snapshot_deinit(&written);
	tree_destroy(&tree);
}

static void damaged_is_refused(void **state __attribute__((unused)))
{
	static const char *const states[] = {
		"",
		"lists_all_pages 2\n",
		"x\n",
		"lists_all_pages 1\n8 x\n",
		"lists_all_pages 1\n8 1 sda\n",
	};
	struct snapshot written = { .page_size = 4096 }, read = { 0 };
	struct tree tree;

	tree_create(&tree);
	assert_int_equal(read_back(&tree, &read), -EOPNOTSUPP);
	snapshot_deinit(&read);
	add_device(&written, "sda", NULL);
	add_file(&tree, "bufstat/x/devices", sample_text_write_figures,
		 &written);
	assert_int_equal(read_back(&tree, &read), -ENOENT);
	snapshot_deinit(&read);
	for (size_t i = 0; i < COUNT_OF(states); i++) {
		tree_add_text(&tree, "bufstat/x/state", states[i]);
		assert_int_equal(read_back(&tree, &read), -EBADMSG);
		snapshot_deinit(&read);
	}
	snapshot_deinit(&written);
	tree_destroy(&tree);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(damaged_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
