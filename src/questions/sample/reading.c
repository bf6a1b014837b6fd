// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "sample/reading.h"

/*
 * A saved sample needs the names of devices that may be gone when it is
 * compared. Fills in those that the source does not know.
 */
static int keep_names(struct reading *reading)
{
	struct snapshot *snapshot = &reading->measurement.snapshot;

	for (size_t i = 0; i < reading->rows.count; i++) {
		const struct device_row *row = &reading->rows.rows[i];
		struct sample *sample =
			&snapshot->devices[row->sample - snapshot->devices];

		if (sample->kname || !row->names.kname)
			continue;
		sample->kname = strdup(row->names.kname);
		if (!sample->kname)
			return -ENOMEM;
	}
	return 0;
}

int reading_complete(struct reading *reading, const struct sysroot *root,
		     const struct history *history,
		     enum device_rows_choice choice)
{
	const struct measurement *measurement = &reading->measurement;
	const struct snapshot *snapshot = &measurement->snapshot;
	int ret;

	reading->provenance = provenance_of(root, snapshot->kernel);
	reading->history = history;
	if (measurement->collected < 0)
		return 0;
	ret = report_init(&reading->report, snapshot, &measurement->meminfo);
	if (!ret)
		ret = device_rows_init(&reading->rows, &reading->report,
				       history, root, choice);
	if (!ret)
		ret = keep_names(reading);
	if (ret < 0)
		device_rows_deinit(&reading->rows);
	return ret;
}

int reading_ask_filesystems(struct reading *reading, const struct sysroot *root,
			    const char *source, struct error *err)
{
	int ret = filesystems_init(&reading->filesystems, root, source, err);

	reading->asked_filesystems = true;
	reading->has_filesystems = !ret;
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
	filesystems_deinit(&reading->filesystems);
	device_rows_deinit(&reading->rows);
	report_deinit(&reading->report);
	measurement_deinit(&reading->measurement);
}
