// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "blocks/block_rows.h"
#include "lib/sentence.h"
#include "measure/provenance.h"

static uint64_t bytes_of(const struct block_row *row)
{
	return row->device->blocks.bytes[row->kind];
}

static int by_bytes(const void *left, const void *right)
{
	const struct block_row *a = left, *b = right;

	if (bytes_of(a) == bytes_of(b))
		return (a->kind > b->kind) - (a->kind < b->kind);
	return bytes_of(a) < bytes_of(b) ? 1 : -1;
}

/* "directory 80 %, zeros 20 %", in percent of what was looked into. */
static void write_looks(struct block_row *row)
{
	const uint64_t *looks = row->device->blocks.looks[row->kind];
	uint64_t all = 0;

	for (size_t i = 0; i < LOOKS; i++)
		all += looks[i];
	if (!all && row->kind == BLOCK_RAW && row->device->identity.fstype)
		ADD_TEXT(row->looks, "%s", row->device->identity.fstype);
	for (size_t i = 0; all && i < LOOKS; i++) {
		if (looks[i])
			ADD_TEXT(row->looks, "%s%s %.0f %%",
				 *row->looks ? ", " : "", block_look_name(i),
				 100 * (double)looks[i] / (double)all);
	}
}

int block_rows_init(struct block_answer *answer)
{
	const struct device_blocks *device = &answer->device;
	struct rows *rows = &answer->head.rows;
	int ret = rows_init(rows, BLOCK_KINDS, sizeof(struct block_row), false);

	for (size_t i = 0; !ret && i < BLOCK_KINDS; i++) {
		struct block_row *row;

		if (!device->blocks.bytes[i])
			continue;
		row = rows_add(rows);
		*row = (struct block_row){ .device = device, .kind = i };
		write_looks(row);
	}
	if (rows->count)
		qsort(rows->rows, rows->count, rows->size, by_bytes);
	return ret;
}

static struct column_value get_kind(const void *row, size_t place)
{
	return column_text(block_kinds[*(
		const enum block_kind *)((const char *)row + place)]);
}

static struct column_value get_bytes(const void *row)
{
	return column_number(true, (int64_t)bytes_of(row));
}

static struct column_value get_share(const void *data)
{
	const struct block_row *row = data;
	double all =
		(double)row->device->pages * (double)row->device->page_size;

	return column_share(true, (double)bytes_of(row), all);
}

static struct column_value get_meaning(const void *data)
{
	const struct block_row *row = data;

	return column_text(block_kind_help(row->kind));
}

static const struct column columns[] = {
	{ "KIND", "kind", "what the blocks are", COLUMN_TEXT, COLUMN_USUAL,
	  .always = true, .words = block_kinds,
	  COLUMN_AT(get_kind, struct block_row, kind) },
	{ "SIZE", "bytes", "cached blocks of that kind", COLUMN_BYTES,
	  COLUMN_USUAL, .always = true, .value = get_bytes },
	{ "SHARE", "share_percent", "of all that is cached of the device",
	  COLUMN_PERCENT, COLUMN_USUAL, .always = true, .has_bar = true,
	  .leave = 2, .value = get_share },
	{ "LOOKS-LIKE", "looks_like",
	  "a guess by their contents, of blocks whose owner is not known",
	  COLUMN_PROSE, COLUMN_USUAL,
	  COLUMN_AT(column_chars_at, struct block_row, looks) },
	{ "MEANING", "meaning", "the kind in other words", COLUMN_PROSE,
	  COLUMN_ON_REQUEST, .always = true, .leave = 1, .value = get_meaning },
};

const struct column_set block_columns = COLUMN_SET("blocks", columns);

static struct column_value get_owner_kind(const void *data)
{
	const struct ext_owner *owner = data;

	return column_text(
		owner->kind == BLOCK_UNKNOWN ? NULL : block_kinds[owner->kind]);
}

static const struct column owner_columns[] = {
	{ "INODE", "inode", "its number", COLUMN_COUNT, COLUMN_USUAL,
	  .always = true,
	  COLUMN_AT(column_number_at, struct ext_owner, inode) },
	{ "SIZE", "bytes", "its cached blocks", COLUMN_BYTES, COLUMN_USUAL,
	  .always = true,
	  COLUMN_AT(column_number_at, struct ext_owner, bytes) },
	{ "OWNER", "kind", "what its blocks are", COLUMN_TEXT, COLUMN_USUAL,
	  .words = block_kinds, .value = get_owner_kind },
	{ "PATH", "path", "of a directory, in the filesystem", COLUMN_PATH,
	  COLUMN_USUAL, COLUMN_AT(column_text_at, struct ext_owner, path) },
};

const struct column_set block_owner_columns =
	COLUMN_SET("blocks", owner_columns);

static const struct column run_columns[] = {
	{ "OFFSET", "offset_bytes", "where it begins", COLUMN_COUNT,
	  COLUMN_USUAL, .always = true,
	  COLUMN_AT(column_number_at, struct blocks_run, offset) },
	{ "SIZE", "bytes", "how long it is", COLUMN_BYTES, COLUMN_USUAL,
	  .always = true,
	  COLUMN_AT(column_number_at, struct blocks_run, bytes) },
	{ "KIND", "kind", "what the blocks are", COLUMN_TEXT, COLUMN_USUAL,
	  .always = true, .words = block_kinds,
	  COLUMN_AT(get_kind, struct blocks_run, kind) },
};

const struct column_set block_run_columns = COLUMN_SET("blocks", run_columns);

static struct column_value get_confident(const void *data)
{
	const struct device_blocks *device = data;

	return column_number(device->identity.fstype,
			     device->identity.is_proven);
}

static struct column_value get_all_bytes(const void *data)
{
	const struct device_blocks *device = data;

	return column_number(true,
			     (int64_t)(device->pages * device->page_size));
}

#define NUMBER(member, key) FIELD(struct device_blocks, member, key, UINT64_MAX)

static const struct field device_list[] = {
	{ NUMBER(page_size, "page_size_bytes") },
	{ FIELD_STRING(struct device_blocks, name, "name", SAYS_VOLUME),
	  .about = "of the device" },
	{ FIELD_DEVICE(struct device_blocks, major, "maj:min") },
	{ FIELD_STRING(struct device_blocks, mountpoint, "mountpoint",
		       SAYS_PLACE),
	  .known = KNOWN_NOT_ZERO, .about = "the first one",
	  .null = "there is none" },
	{ FIELD_STRING(struct device_blocks, identity.fstype, "fstype",
		       SAYS_WORD),
	  .known = KNOWN_NOT_ZERO, .about = "as libblkid names it",
	  .null = "none that is known here" },
	{ FIELD_STRING(struct device_blocks, identity.label, "label",
		       SAYS_VOLUME),
	  .known = KNOWN_NOT_ZERO, .about = "of what is on the device" },
	{ FIELD_STRING(struct device_blocks, identity.uuid, "uuid",
		       SAYS_VOLUME),
	  .known = KNOWN_NOT_ZERO, .about = "of what is on the device" },
	{ FIELD_VALUE("confident", COLUMN_FLAG), .value = get_confident,
	  .about = "the kernel says so, or all that libblkid reads is cached",
	  .null = "the type is not known" },
	{ FIELD_TEXT(struct device_blocks, blocks.why, "why", SAYS_MESSAGE),
	  .known = KNOWN_NOT_ZERO,
	  .about = "why its blocks could not be told apart",
	  .null = "they were" },
	{ NUMBER(cached.device_bytes, "device_bytes"),
	  .known = KNOWN_NOT_ZERO },
	{ NUMBER(pages, "pages"),
	  .about = "all that are cached of the device" },
	{ FIELD_VALUE("bytes", COLUMN_BYTES), .value = get_all_bytes,
	  .about = "the same; the kinds add up to it" },
	{ NUMBER(blocks.inodes, "inodes"),
	  FIELD_KNOWN(struct device_blocks, blocks.has_inodes),
	  .about = "in use in the whole filesystem" },
	{ NUMBER(blocks.owners.table_blocks, "inode_table_blocks"),
	  .about = "cached" },
	{ NUMBER(blocks.owners.read_blocks, "inode_table_blocks_read"),
	  .about = "less if the time was over" },
	{ NUMBER(blocks.unowned_units, "unowned_blocks"),
	  .about = "cached blocks of unknown owners" },
	{ NUMBER(blocks.looked_units, "unowned_blocks_read"),
	  .about = "how many of them were looked into" },
};

static const struct fields device_fields =
	FIELDS(struct device_blocks, device_list);

static const struct field owner_list[] = {
	{ FIELD_COLUMNS(&block_owner_columns) },
};

static const struct fields owner_fields = FIELDS(struct ext_owner, owner_list);

static const struct field owners_list[] = {
	{ FIELD_ARRAY(struct device_blocks, blocks.owners.list,
		      blocks.owners.count, "owners", &owner_fields),
	  .about = "the inodes with most cached blocks" },
};

static const struct fields owners_fields =
	FIELDS(struct device_blocks, owners_list);

static const struct field run_list[] = {
	{ FIELD_COLUMNS(&block_run_columns) },
};

static const struct fields run_fields = FIELDS(struct blocks_run, run_list);

static const struct field runs_list[] = {
	{ FIELD_PART(struct block_answer, device, &owners_fields) },
	{ FIELD_LIST(struct block_answer, runs, run_count, "runs", &run_fields,
		     UINT64_MAX),
	  FIELD_KNOWN(struct block_answer, has_runs), .is_left_out = true,
	  .about = "with --runs" },
};

static const struct fields runs_fields = FIELDS(struct block_answer, runs_list);

static const struct field answer_list[] = {
	{ FIELD_PART(struct block_answer, device, &device_fields) },
};

static const struct fields answer_fields =
	FIELDS(struct block_answer, answer_list);

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ANSWER(&answer_fields) },
	{ DOCUMENT_ROWS("kinds", &block_columns) },
	{ DOCUMENT_ANSWER(&runs_fields) },
};

const struct fields block_document = FIELDS(struct document, document_list);
