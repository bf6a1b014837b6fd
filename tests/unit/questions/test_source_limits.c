// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said that a source cannot tell. */
#include <stdlib.h>

#include "filesystems/measured_files.h"
#include "filesystems/measured_filesystems.h"
#include "made_devices.h"
#include "source_list/source_limits.h"
#include "test.h"

static struct sample *add(struct devices *devices)
{
	return made_device(devices, 8, (unsigned int)devices->count);
}

/* A device that has every figure up to @last. */
static void add_with(struct devices *devices, enum figure last)
{
	struct sample *sample = add(devices);

	for (unsigned int i = 0; i <= last; i++)
		sample_set(sample, i, 0);
}

/* @expected: NULL if there is nothing that it cannot tell. */
static void expect_devices(const struct devices *devices, const char *expected)
{
	char *text;

	assert_int_equal(device_limits(devices, &text), 0);
	if (expected)
		assert_string_equal(text, expected);
	else
		assert_null(text);
	free(text);
}

static void figures_of_no_device(void **state __attribute__((unused)))
{
	struct devices devices = { .source = "module" };

	expect_devices(&devices, NULL);
	add_with(&devices, FIGURE_WRITE_ERROR);
	expect_devices(&devices, NULL);
	devices_deinit(&devices);

	devices.source = "module";
	add_with(&devices, FIGURE_OPENERS);
	add_with(&devices, FIGURE_OPENERS);
	expect_devices(&devices, "failed writes");
	devices_deinit(&devices);
}

/* One that was refused has no figure at all, which is another matter. */
static void figures_of_some_devices(void **state __attribute__((unused)))
{
	struct devices devices = { .source = "kcore" };

	add_with(&devices, FIGURE_WRITE_ERROR);
	add_with(&devices, FIGURE_WRITE_ERROR);
	add(&devices);
	expect_devices(&devices, NULL);
	devices.devices[1].sample.present &= ~(1U << FIGURE_DIRTY);
	expect_devices(&devices, "dirty pages (1 of 2 devices)");
	devices_deinit(&devices);
}

static void cachestat_before_it_is_tried(void **state __attribute__((unused)))
{
	static const char never[] =
		"openers, failed writes, filesystems, files";
	struct devices devices = { .source = "cachestat" };

	expect_devices(&devices, never);
	add_with(&devices, FIGURE_WRITEBACK);
	expect_devices(&devices, never);
	devices_deinit(&devices);
}

static void expect_filesystems(const struct filesystems *all,
			       const char *expected)
{
	char *text;

	assert_int_equal(filesystem_limits(all, &text), 0);
	if (expected)
		assert_string_equal(text, expected);
	else
		assert_null(text);
	free(text);
}

static void mlocked_pages(void **state __attribute__((unused)))
{
	struct filesystem rows[3] = { { .source = NULL } };
	struct filesystems all = {
		.source = "module",
		.filesystems = rows,
		.count = 3,
	};
	char refused[] = "did not answer";

	rows[2].sample.refused = refused;
	expect_filesystems(&all, "mlocked pages");
	rows[1].has_unevictable = true;
	expect_filesystems(&all, "mlocked pages (1 of 2 filesystems)");
	/* Nothing of tmpfs is reclaimed, mlocked or not. */
	rows[0].keeps_pages = true;
	expect_filesystems(&all, NULL);
	all.source = "kcore";
	expect_filesystems(&all,
			   "who uses an unmounted filesystem, secret memory, "
			   "memory of virtual machines");
}

static void files_of_a_capture(void **state __attribute__((unused)))
{
	struct cached_files files = {
		.source = "module",
		.captured = 100,
		.lacks_paths = true,
	};
	char *text;

	assert_int_equal(file_limits(&files, &text), 0);
	assert_string_equal(text, "files of unmounted filesystems, more than "
				  "the 100 largest files, paths");
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_of_no_device),
		cmocka_unit_test(figures_of_some_devices),
		cmocka_unit_test(cachestat_before_it_is_tried),
		cmocka_unit_test(mlocked_pages),
		cmocka_unit_test(files_of_a_capture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
