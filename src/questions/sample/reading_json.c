// SPDX-License-Identifier: GPL-2.0-or-later

#include "cgroups/cgroups_saved.h"
#include "devices/device_columns.h"
#include "filesystems/files_saved.h"
#include "filesystems/fs_json.h"
#include "filesystems/fs_saved.h"
#include "lib/json_out.h"
#include "measure/saved.h"
#include "memory/free_columns.h"
#include "memory/memory_saved.h"
#include "memory/owners_saved.h"
#include "sample/reading.h"
#include "sample/reading_json.h"

static void write_head(struct json_out *json, const struct reading *reading)
{
	const struct devices *devices = &reading->devices;

	provenance_write(json, &reading->provenance, devices->source,
			 devices->is_whole);
}

void reading_write(struct json_out *json, const void *answer)
{
	const struct reading *reading = answer;

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
	reading_write(&json, reading);
	json_out_object_end(&json);
	json_out_finish(&json);
}

static void write_head_of(struct json_out *json, const struct reading *reading,
			  enum recorded part)
{
	const struct filesystems *filesystems = &reading->filesystems;

	switch (part) {
	case NOT_RECORDED:
		break;
	case RECORDED_DEVICES:
		write_head(json, reading);
		break;
	case RECORDED_FILESYSTEMS:
		provenance_write(json, &reading->provenance,
				 filesystems->source,
				 !filesystems_lack(filesystems));
		break;
	case RECORDED_MEMORY:
		provenance_write(json, &reading->provenance, NULL,
				 reading->memory.settled);
		break;
	}
}

void reading_json_record(FILE *out, const struct reading *reading,
			 enum recorded part)
{
	struct json_out json;

	json_out_init(&json, out);
	json.compact = true;
	json_out_object(&json, NULL);
	write_head_of(&json, reading, part);
	saved_begin(&json);
	devices_write(&json,
		      part == RECORDED_DEVICES ? &reading->devices : NULL);
	fs_saved_write(&json, part == RECORDED_FILESYSTEMS ?
				      &reading->filesystems :
				      NULL);
	if (part == RECORDED_MEMORY)
		memory_saved_write(&json, &reading->memory);
	json_out_object_end(&json);
	json_out_object_end(&json);
	json_out_finish(&json);
}

static struct column_value get_lists_all(const void *data)
{
	const struct reading *reading = data;

	return column_number(true, reading->devices.lists_all_pages &&
					   !rows_are_part(&reading->head.rows));
}

static struct column_value get_settled(const void *data)
{
	const struct reading *reading = data;

	return column_number(reading->devices.collected >= 0,
			     !reading->devices.unsettled);
}

static const struct field free_list[] = {
	{ FIELD_PART(struct devices, meminfo, &free_columns_fields) },
};

static const struct fields free_fields = FIELDS(struct devices, free_list);

struct others {
	bool known;
	uint64_t bytes;
};

static bool make_others(const void *record,
			size_t which __attribute__((unused)), void *made)
{
	const struct reading *reading = record;
	const struct devices *devices = &reading->devices;
	const struct rows *rows = &reading->head.rows;
	struct others *others = made;
	uint64_t pages = devices->attributed_pages;

	for (size_t i = 0; i < rows->count; i++)
		pages -= device_row(rows, i)->sample.figures[FIGURE_PAGES];
	others->known = devices->has_attributed;
	others->bytes = pages * devices->page_size;
	return rows->rows && rows_are_part(rows);
}

static const struct field others_list[] = {
	{ FIELD(struct others, bytes, "others_bytes", UINT64_MAX),
	  FIELD_KNOWN(struct others, known),
	  .about = "of devices that are not among the rows" },
};

static const struct fields others_fields = FIELDS(struct others, others_list);

static const struct field answer_list[] = {
	{ FIELD_VALUE("lists_all_pages", COLUMN_FLAG), .value = get_lists_all,
	  .about = "a device that is not listed has no pages" },
	{ FIELD_VALUE("settled", COLUMN_FLAG), .value = get_settled,
	  .about = "Buffers did not change while they were read",
	  .null = "they were not measured" },
	{ FIELD_PART(struct reading, devices, &free_fields) },
	{ FIELD_PART(struct reading, devices, &device_totals_fields) },
	{ FIELD_MADE_PART(&others_fields, make_others), .is_left_out = true },
};

static const struct fields answer_fields = FIELDS(struct reading, answer_list);

struct cached_of {
	const struct fs_part *part;
};

static bool make_cached(const void *record,
			size_t which __attribute__((unused)), void *made)
{
	const struct reading *reading = record;
	struct cached_of *cached = made;

	cached->part = &reading->cached;
	return reading->asked_filesystems;
}

static const struct field cached_list[] = {
	{ FIELD_POINTED(struct cached_of, part, &fs_part_fields) },
};

static const struct fields cached_fields =
	FIELDS(struct cached_of, cached_list);

static const struct field cached_if_asked_list[] = {
	{ FIELD_MADE_PART(&cached_fields, make_cached), .is_left_out = true },
};

static const struct fields cached_if_asked_fields =
	FIELDS(struct reading, cached_if_asked_list);

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ANSWER(&answer_fields) },
	{ DOCUMENT_ROWS("devices", &device_columns),
	  .null = "no source could measure" },
	{ DOCUMENT_ANSWER(&cached_if_asked_fields) },
};

const struct fields reading_document = FIELDS(struct document, document_list);

struct document reading_document_of(const struct reading *reading,
				    const struct column_choice *columns)
{
	return (struct document){
		.head = { reading->provenance, reading->head.source,
			  reading->head.is_whole },
		.answer = reading,
		.rows = rows_of_records(&reading->head.rows),
		.columns = columns,
	};
}
