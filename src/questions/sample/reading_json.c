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

/* What is printed of a reading. */
struct sample_document {
	struct document_head head;
	const struct reading *reading;
	struct device_answer devices;
	struct fs_part cached;
};

static struct column_value get_lists_all(const void *data)
{
	const struct sample_document *document = data;

	return column_number(
		true, document->devices.devices->lists_all_pages &&
			      !device_rows_are_part(document->devices.rows));
}

static struct column_value get_settled(const void *data)
{
	const struct sample_document *document = data;
	const struct devices *devices = document->devices.devices;

	return column_number(devices->collected >= 0, !devices->unsettled);
}

static const struct field free_list[] = {
	{ FIELD_PART(struct devices, meminfo, &free_columns_fields) },
};

static const struct fields free_fields = FIELDS(struct devices, free_list);

static const struct field columns_list[] = {
	{ FIELD_POINTED(struct device_answer, devices, &free_fields) },
};

static const struct fields columns_fields =
	FIELDS(struct device_answer, columns_list);

struct cached_of {
	const struct fs_part *part;
};

static bool make_cached(const void *record,
			size_t which __attribute__((unused)), void *made)
{
	const struct sample_document *document = record;
	struct cached_of *cached = made;

	cached->part = &document->cached;
	return document->reading->asked_filesystems;
}

static const struct field cached_list[] = {
	{ FIELD_POINTED(struct cached_of, part, &fs_part_fields) },
};

static const struct fields cached_fields =
	FIELDS(struct cached_of, cached_list);

static const struct field document_list[] = {
	{ FIELD_PART(struct sample_document, head, &document_head_fields) },
	{ FIELD_VALUE("lists_all_pages", COLUMN_FLAG), .value = get_lists_all,
	  .about = "a device that is not listed has no pages" },
	{ FIELD_VALUE("settled", COLUMN_FLAG), .value = get_settled,
	  .about = "Buffers did not change while they were read",
	  .null = "they were not measured" },
	{ FIELD_PART(struct sample_document, devices, &columns_fields) },
	{ FIELD_PART(struct sample_document, devices, &device_answer_fields) },
	{ FIELD_MADE_PART(&cached_fields, make_cached), .is_left_out = true },
};

const struct fields reading_document =
	FIELDS(struct sample_document, document_list);

/* @keep: adds the reading that the document is made from. */
static int print(FILE *out, bool compact, const struct reading *reading,
		 const struct column_choice *columns, bool keep,
		 struct error *err)
{
	const struct devices *devices = &reading->devices;
	struct sample_document document = {
		.head = { reading->provenance, devices->source,
			  devices->is_whole },
		.reading = reading,
		.devices = {
			.devices = devices,
			.rows = &reading->rows,
			.table = TABLE_ROWS(reading->rows.rows,
					    reading->rows.count),
			.columns = columns,
		},
	};
	struct json_out json;
	int ret = fs_part_init(&document.cached, reading->has_filesystems ?
							 &reading->filesystems :
							 NULL);

	json_out_init(&json, out);
	json.compact = compact;
	json_out_object(&json, NULL);
	if (!ret)
		fields_write(&json, &reading_document, &document);
	if (!ret && keep)
		write_reading(&json, reading);
	json_out_object_end(&json);
	json_out_finish(&json);
	fs_part_deinit(&document.cached);
	return ret < 0 ? error_errno(err, -ret, "printing", "the sample") : 0;
}

int reading_json_print(FILE *out, const struct reading *reading,
		       const struct column_choice *columns, bool compact,
		       struct error *err)
{
	return print(out, compact, reading, columns, false, err);
}

int reading_json_save(const char *path, const struct reading *reading,
		      struct error *err)
{
	struct column_choice columns;
	struct new_file file;
	int ret;

	column_choice_all(&columns, &device_columns);
	ret = new_file_create(&file, "saving", path, err);
	if (ret < 0)
		return ret;
	ret = print(file.out, false, reading, &columns, true, err);
	if (ret < 0) {
		new_file_discard(&file);
		return ret;
	}
	return new_file_commit(&file, err);
}
