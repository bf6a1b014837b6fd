// SPDX-License-Identifier: GPL-2.0-or-later

#include "devices/device_columns.h"
#include "measure/provenance.h"
#include "memory/free_columns.h"
#include "sample/device_json.h"
#include "sample/device_question.h"

static struct column_value get_lists_all(const void *data)
{
	const struct device_answer *answer = data;

	return column_number(true, answer->devices.lists_all_pages &&
					   !rows_are_part(&answer->head.rows));
}

static struct column_value get_settled(const void *data)
{
	const struct device_answer *answer = data;

	return column_number(answer->devices.collected >= 0,
			     !answer->devices.unsettled);
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
	const struct device_answer *answer = record;
	const struct devices *devices = &answer->devices;
	const struct rows *rows = &answer->head.rows;
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
	{ FIELD_PART(struct device_answer, devices, &free_fields) },
	{ FIELD_PART(struct device_answer, devices, &device_totals_fields) },
	{ FIELD_MADE_PART(&others_fields, make_others), .is_left_out = true },
};

static const struct fields answer_fields =
	FIELDS(struct device_answer, answer_list);

static bool make_cached(const void *record,
			size_t which __attribute__((unused)), void *made)
{
	const struct device_answer *answer = record;

	*(struct fs_part *)made = answer->cached;
	return answer->has_cached;
}

static const struct field cached_list[] = {
	{ FIELD_MADE_PART(&fs_part_fields, make_cached), .is_left_out = true },
};

static const struct fields cached_fields =
	FIELDS(struct device_answer, cached_list);

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ANSWER(&answer_fields) },
	{ DOCUMENT_ROWS("devices", &device_columns),
	  .null = "no source could measure" },
	{ DOCUMENT_ANSWER(&cached_fields) },
};

const struct fields device_document = FIELDS(struct document, document_list);
