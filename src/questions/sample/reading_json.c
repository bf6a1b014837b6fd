// SPDX-License-Identifier: GPL-2.0-or-later

#include "cgroups/cgroups_saved.h"
#include "devices/device_columns.h"
#include "filesystems/files_saved.h"
#include "filesystems/fs_json.h"
#include "filesystems/fs_saved.h"
#include "lib/error.h"
#include "lib/json_out.h"
#include "measure/saved.h"
#include "memory/free_columns.h"
#include "memory/memory_saved.h"
#include "memory/owners_saved.h"
#include "sample/reading.h"
#include "sample/reading_json.h"
#include "worker/new_file.h"

static void write_head(struct json_out *json, const struct reading *reading)
{
	const struct devices *devices = &reading->devices;

	provenance_write(json, &reading->provenance, devices->source,
			 devices->is_whole);
}

static void write_reading(struct json_out *json, const struct reading *reading)
{
	saved_begin(json);
	devices_write(json, &reading->devices);
	fs_saved_write(json,
		       reading->has_filesystems ? &reading->filesystems : NULL);
	if (reading->files_limit)
		files_saved_write(json,
				  reading->has_files ? &reading->files : NULL,
				  reading->files_limit);
	if (reading->has_memory)
		memory_saved_write(json, &reading->memory);
	if (reading->has_owners)
		owners_saved_write(json, &reading->owners);
	if (reading->has_cgroups)
		cgroups_saved_write(json, &reading->cgroups);
	json_out_object_end(json);
}

void reading_json_keep(FILE *out, const struct reading *reading)
{
	struct json_out json;

	json_out_init(&json, out);
	json_out_object(&json, NULL);
	write_head(&json, reading);
	write_reading(&json, reading);
	json_out_object_end(&json);
	json_out_finish(&json);
}

static void write_head_of(struct json_out *json, const struct reading *reading,
			  enum reading_part part)
{
	const struct filesystems *filesystems = &reading->filesystems;

	switch (part) {
	case READING_DEVICES:
		write_head(json, reading);
		break;
	case READING_FILESYSTEMS:
		provenance_write(json, &reading->provenance,
				 filesystems->source,
				 !filesystems_lack(filesystems));
		break;
	case READING_MEMORY:
		provenance_write(json, &reading->provenance, NULL,
				 reading->memory.settled);
		break;
	}
}

void reading_json_record(FILE *out, const struct reading *reading,
			 enum reading_part part)
{
	struct json_out json;

	json_out_init(&json, out);
	json.compact = true;
	json_out_object(&json, NULL);
	write_head_of(&json, reading, part);
	saved_begin(&json);
	devices_write(&json,
		      part == READING_DEVICES ? &reading->devices : NULL);
	fs_saved_write(&json, part == READING_FILESYSTEMS ?
				      &reading->filesystems :
				      NULL);
	if (part == READING_MEMORY)
		memory_saved_write(&json, &reading->memory);
	json_out_object_end(&json);
	json_out_object_end(&json);
	json_out_finish(&json);
}

/* @keep: adds the reading that the document is made from. */
static int print(struct json_out *json, const struct reading *reading,
		 const struct column_choice *columns, bool keep,
		 struct error *err)
{
	const struct devices *devices = &reading->devices;
	int ret = 0;

	json_out_object(json, NULL);
	write_head(json, reading);
	json_out_bool(json, "lists_all_pages",
		      devices->lists_all_pages &&
			      !device_rows_are_part(&reading->rows));
	if (devices->collected < 0)
		json_out_null(json, "settled");
	else
		json_out_bool(json, "settled", !devices->unsettled);
	free_columns_write(json, &devices->meminfo);
	device_json_write(json, devices, &reading->rows, columns);
	if (reading->asked_filesystems)
		ret = fs_json_write(json, "cached",
				    reading->has_filesystems ?
					    &reading->filesystems :
					    NULL);
	if (keep)
		write_reading(json, reading);
	json_out_object_end(json);
	json_out_finish(json);
	return ret < 0 ? error_errno(err, -ret, "printing", "the sample") : 0;
}

int reading_json_print(FILE *out, const struct reading *reading,
		       const struct column_choice *columns, bool compact,
		       struct error *err)
{
	struct json_out json;

	json_out_init(&json, out);
	json.compact = compact;
	return print(&json, reading, columns, false, err);
}

int reading_json_save(const char *path, const struct reading *reading,
		      struct error *err)
{
	struct column_choice columns;
	struct json_out json;
	struct new_file file;
	int ret;

	column_choice_all(&columns, &device_columns);
	ret = new_file_create(&file, "saving", path, err);
	if (ret < 0)
		return ret;
	json_out_init(&json, file.out);
	ret = print(&json, reading, &columns, true, err);
	if (ret < 0) {
		new_file_discard(&file);
		return ret;
	}
	return new_file_commit(&file, err);
}
