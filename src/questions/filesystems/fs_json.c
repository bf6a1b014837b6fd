// SPDX-License-Identifier: GPL-2.0-or-later

#include "fields/fields.h"
#include "filesystems/fs_json.h"
#include "filesystems/measured_filesystems.h"
#include "measure/provenance.h"

static struct column_value get_attributed(const void *data)
{
	const struct filesystems *filesystems = data;

	return column_number(true, (int64_t)(filesystems->attributed_pages *
					     filesystems->page_size));
}

static struct column_value get_rest(const void *data)
{
	const struct filesystems *filesystems = data;
	int64_t rest = 0;
	bool known = filesystems_rest(filesystems, &rest);

	return column_number(known, rest * (int64_t)filesystems->page_size);
}

static struct column_value get_note(const void *data)
{
	return column_text(filesystems_rest_note(data));
}

static struct column_value get_whole(const void *data)
{
	return column_number(true, !filesystems_lack(data));
}

#define MEMINFO(key, field)                                                    \
	FIELD_VALUE(key, COLUMN_BYTES), .value_of = meminfo_value,             \
					.which = (field), .null = "not known"

static const struct field cached_list[] = {
	{ MEMINFO("cached_bytes", MEMINFO_CACHED) },
};

static const struct fields cached_fields = FIELDS(struct meminfo, cached_list);

static const struct field shared_list[] = {
	{ MEMINFO("shmem_bytes", MEMINFO_SHMEM) },
	{ MEMINFO("swap_cached_bytes", MEMINFO_SWAP_CACHED) },
};

static const struct fields shared_fields = FIELDS(struct meminfo, shared_list);

static const struct field total_list[] = {
	{ FIELD_NOT(struct filesystems, unsettled, "settled"),
	  .about = "Cached did not change while they were read" },
	{ FIELD(struct filesystems, page_size, "page_size_bytes", UINT64_MAX) },
	{ FIELD_PART(struct filesystems, meminfo, &cached_fields) },
	{ FIELD_VALUE("attributed_bytes", COLUMN_BYTES),
	  .value = get_attributed },
	{ FIELD_VALUE("unattributed_bytes", COLUMN_CHANGE), .value = get_rest,
	  .about = "Cached less these; may be negative",
	  .null = "Cached is not known" },
	{ FIELD_VALUE("unattributed_note", COLUMN_TEXT), .value = get_note,
	  .about = "what it is", .null = "nothing is to be said" },
	{ FIELD_PART(struct filesystems, meminfo, &shared_fields) },
};

static const struct fields total_fields =
	FIELDS(struct filesystems, total_list);

struct others {
	uint64_t bytes;
};

static bool make_others(const void *record,
			size_t which __attribute__((unused)), void *made)
{
	const struct fs_answer *answer = record;
	const struct rows *rows = &answer->head.rows;
	uint64_t pages = answer->filesystems->attributed_pages;
	struct others *others = made;

	for (size_t i = 0; i < rows->count; i++) {
		const struct fs_row *row = rows_at(rows, i);
		const struct sample *sample = &row->filesystem->sample;

		if (!sample->refused)
			pages -= sample->figures[FIGURE_PAGES];
	}
	others->bytes = pages * answer->filesystems->page_size;
	return rows_are_part(rows);
}

static const struct field others_list[] = {
	{ FIELD(struct others, bytes, "others_bytes", UINT64_MAX),
	  .about = "of filesystems that are not among the rows" },
};

static const struct fields others_fields = FIELDS(struct others, others_list);

static const struct field answer_list[] = {
	{ FIELD_POINTED(struct fs_answer, filesystems, &total_fields) },
	{ FIELD_MADE_PART(&others_fields, make_others), .is_left_out = true },
};

static const struct fields answer_fields =
	FIELDS(struct fs_answer, answer_list);

static struct column_value get_lists_all(const void *data)
{
	const struct fs_answer *answer = data;

	return column_number(true, answer->filesystems->lists_all_pages &&
					   !rows_are_part(&answer->head.rows));
}

static const struct field command_list[] = {
	{ FIELD_VALUE("lists_all_pages", COLUMN_FLAG), .value = get_lists_all,
	  .about = "a filesystem that is not listed has no pages" },
	{ FIELD_SAME(&answer_fields) },
};

static const struct fields command_fields =
	FIELDS(struct fs_answer, command_list);

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ANSWER(&command_fields) },
	{ DOCUMENT_ROWS("filesystems", &fs_columns) },
};

const struct fields fs_document = FIELDS(struct document, document_list);

static const struct field complete_list[] = {
	{ FIELD_VALUE("complete", COLUMN_FLAG), .value = get_whole,
	  .about = "nothing is missing" },
};

static const struct fields complete_fields =
	FIELDS(struct filesystems, complete_list);

static const struct field cached_answer_list[] = {
	{ FIELD_POINTED(struct fs_answer, filesystems, &complete_fields) },
	{ FIELD_SAME(&answer_fields) },
};

static const struct fields cached_answer_fields =
	FIELDS(struct fs_answer, cached_answer_list);

struct cached_part {
	const struct fs_answer *answer;
	struct table_rows table; /* those of the answer, without the rest */
	const struct column_choice *shown;
	struct column_choice columns;
};

static bool make_cached_part(const void *record,
			     size_t which __attribute__((unused)), void *data)
{
	static const char list[] = "SOURCE,MAJ:MIN,FSTYPE,PAGES,CACHED,SHARE,"
				   "DIRTY,WRITEBACK,RECLAIMABLE,INODES,NOTE,"
				   "MOUNTPOINTS";
	const struct fs_part *part = record;
	struct cached_part *made = data;

	if (!part->answer)
		return false;
	made->answer = part->answer;
	made->table = rows_of_records(&part->answer->head.rows);
	made->shown = &made->columns;
	column_choice_parse(&made->columns, &fs_columns, list, NULL);
	return true;
}

static const struct field cached_part_list[] = {
	{ FIELD_POINTED(struct cached_part, answer, &cached_answer_fields) },
	{ FIELD_ROWS(struct cached_part, table, shown, "filesystems",
		     &fs_columns) },
};

static const struct fields cached_part_fields =
	FIELDS(struct cached_part, cached_part_list);

static const struct field part_list[] = {
	{ FIELD_MADE_OBJECT("cached", &cached_part_fields, make_cached_part),
	  .about = "what Cached is made of",
	  .null = "no source could measure" },
};

const struct fields fs_part_fields = FIELDS(struct fs_part, part_list);
