// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "cgroups/cgroup_rows.h"
#include "filesystems/file_columns.h"
#include "lib/error.h"
#include "memory/memory_question.h"
#include "sample/reading.h"

int reading_complete(struct reading *reading, const struct sysroot *root,
		     bool all)
{
	struct devices *devices = &reading->devices;
	int ret;

	reading->head.source = devices->source;
	reading->head.kernel = devices->kernel;
	reading->head.is_whole = devices->is_whole;
	if (devices->collected < 0)
		return 0;
	ret = devices_find_names(devices, root, all);
	return ret ?: device_rows_init(&reading->head.rows, devices, all);
}

int reading_ask_filesystems(struct reading *reading, const struct sysroot *root,
			    const char *source)
{
	struct error *why = &reading->no_filesystems;
	int ret = filesystems_init(&reading->filesystems, root, source, why);

	reading->asked_filesystems = true;
	reading->has_filesystems = !ret;
	if (!ret && fs_part_init(&reading->cached, &reading->filesystems) < 0)
		ret = error_errno(why, ENOMEM, "measuring", "the filesystems");
	return ret;
}

int reading_ask_files(struct reading *reading, const struct sysroot *root,
		      const char *source, size_t limit)
{
	const struct files_question question = {
		.source = source,
		.limit = limit,
	};
	struct error *why = &reading->no_files;
	int ret = cached_files_init(&reading->files, root, &question, why);

	if (!ret)
		ret = cached_files_find_users(&reading->files, root, why);
	reading->files_limit = limit;
	reading->has_files = !ret;
	return ret;
}

void reading_missing(const struct reading *reading, bool is_live,
		     error_tell_fn *tell, void *data)
{
	struct memory_heads heads;

	const struct error *const others[] = {
		&reading->no_memory,
		&reading->no_owners,
		&reading->no_cgroups,
	};
	struct error why = reading->no_filesystems;

	devices_missing(&reading->devices, true, tell, data);
	if (error_is_set(&why)) {
		if (is_live)
			error_within(&why, 0, "measuring", "the filesystems");
		tell(data, &why);
	}
	if (reading->has_filesystems)
		filesystems_missing(&reading->filesystems, tell, data);
	/* Else the reason is the same. */
	if (reading->has_filesystems && error_is_set(&reading->no_files))
		tell(data, &reading->no_files);
	if (reading->has_files)
		cached_files_missing(&reading->files, tell, data);
	if (reading->has_memory) {
		memory_heads_init(&heads, &reading->memory);
		memory_missing(&reading->memory, &heads, NULL, is_live, tell,
			       data);
	}
	if (reading->has_owners)
		memory_owners_missing(&reading->owners, tell, data);
	if (reading->has_cgroups)
		cgroups_missing(&reading->cgroups, tell, data);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (error_is_set(others[i]))
			tell(data, others[i]);
	}
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
