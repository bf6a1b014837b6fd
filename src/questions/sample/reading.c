// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "sample/reading.h"

int reading_complete(struct reading *reading, const struct sysroot *root,
		     bool all)
{
	struct devices *devices = &reading->devices;
	int ret;

	reading->provenance = provenance_of(root, devices->kernel);
	reading->head.source = devices->source;
	reading->head.kernel = devices->kernel;
	reading->head.is_whole = devices->is_whole;
	if (devices->collected < 0)
		return 0;
	ret = devices_find_names(devices, root, all);
	return ret ?: device_rows_init(&reading->head.rows, devices, all);
}

int reading_ask_filesystems(struct reading *reading, const struct sysroot *root,
			    const char *source, struct error *err)
{
	int ret = filesystems_init(&reading->filesystems, root, source, err);

	reading->asked_filesystems = true;
	reading->has_filesystems = !ret;
	if (!ret && fs_part_init(&reading->cached, &reading->filesystems) < 0)
		ret = error_errno(err, ENOMEM, "measuring", "the filesystems");
	return ret;
}

int reading_ask_files(struct reading *reading, const struct sysroot *root,
		      const char *source, size_t limit, struct error *err)
{
	const struct files_question question = {
		.source = source,
		.limit = limit,
	};
	int ret = cached_files_init(&reading->files, root, &question, err);

	if (!ret)
		ret = cached_files_find_users(&reading->files, root, err);
	reading->files_limit = limit;
	reading->has_files = !ret;
	return ret;
}

void reading_deinit(struct reading *reading)
{
	cached_files_deinit(&reading->files);
	memory_reading_deinit(&reading->memory);
	memory_owners_deinit(&reading->owners);
	cgroups_deinit(&reading->cgroups);
	fs_part_deinit(&reading->cached);
	filesystems_deinit(&reading->filesystems);
	rows_deinit(&reading->head.rows);
	devices_deinit(&reading->devices);
}
