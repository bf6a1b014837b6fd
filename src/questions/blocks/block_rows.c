// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "blocks/block_rows.h"
#include "lib/json_out.h"
#include "lib/sentence.h"
#include "measure/provenance.h"
#include "table/cell.h"

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

void block_rows_init(struct block_rows *rows,
		     const struct device_blocks *device,
		     const struct column_order *order)
{
	*rows = (struct block_rows){ 0 };
	for (size_t i = 0; i < BLOCK_KINDS; i++) {
		struct block_row *row = &rows->rows[rows->count];

		if (!device->blocks.bytes[i])
			continue;
		*row = (struct block_row){ .device = device, .kind = i };
		write_looks(row);
		rows->count++;
	}
	qsort(rows->rows, rows->count, sizeof(*rows->rows), by_bytes);
	column_sort(rows->rows, rows->count, sizeof(*rows->rows), order);
}

static struct column_value get_kind(const void *row, size_t place)
{
	return column_text(block_kind_name(
		*(const enum block_kind *)((const char *)row + place)));
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
	  COLUMN_AT(get_kind, struct block_row, kind) },
	{ "SIZE", "bytes", "cached blocks of that kind", COLUMN_BYTES,
	  COLUMN_USUAL, .value = get_bytes },
	{ "SHARE", "share_percent", "of all that is cached of the device",
	  COLUMN_PERCENT, COLUMN_USUAL, .has_bar = true, .leave = 2,
	  .value = get_share },
	{ "LOOKS-LIKE", "looks_like",
	  "a guess by their contents, of blocks whose owner is not known",
	  COLUMN_PROSE, COLUMN_USUAL,
	  COLUMN_AT(column_chars_at, struct block_row, looks) },
	{ "MEANING", "meaning", "the kind in other words", COLUMN_PROSE,
	  COLUMN_ON_REQUEST, .leave = 1, .value = get_meaning },
};

const struct column_set block_columns = COLUMN_SET("blocks", columns);

static struct column_value get_owner_kind(const void *data)
{
	const struct ext_owner *owner = data;

	return column_text(owner->kind == BLOCK_UNKNOWN ?
				   NULL :
				   block_kind_name(owner->kind));
}

static const struct column owner_columns[] = {
	{ "INODE", "inode", "its number", COLUMN_COUNT, COLUMN_USUAL,
	  COLUMN_AT(column_number_at, struct ext_owner, inode) },
	{ "SIZE", "bytes", "its cached blocks", COLUMN_BYTES, COLUMN_USUAL,
	  COLUMN_AT(column_number_at, struct ext_owner, bytes) },
	{ "OWNER", "kind", "what its blocks are", COLUMN_TEXT, COLUMN_USUAL,
	  .value = get_owner_kind },
	{ "PATH", "path", "of a directory, in the filesystem", COLUMN_PATH,
	  COLUMN_USUAL, COLUMN_AT(column_text_at, struct ext_owner, path) },
};

const struct column_set block_owner_columns =
	COLUMN_SET("blocks", owner_columns);

static const struct column run_columns[] = {
	{ "OFFSET", "offset_bytes", "where it begins", COLUMN_COUNT,
	  COLUMN_USUAL,
	  COLUMN_AT(column_number_at, struct blocks_run, offset) },
	{ "SIZE", "bytes", "how long it is", COLUMN_BYTES, COLUMN_USUAL,
	  COLUMN_AT(column_number_at, struct blocks_run, bytes) },
	{ "KIND", "kind", "what the blocks are", COLUMN_TEXT, COLUMN_USUAL,
	  COLUMN_AT(get_kind, struct blocks_run, kind) },
};

const struct column_set block_run_columns = COLUMN_SET("blocks", run_columns);

static void write_device(struct json_out *json,
			 const struct device_blocks *device)
{
	const struct identity *identity = &device->identity;

	json_out_string(json, "name", device->name);
	json_out_device(json, "maj:min", device->major, device->minor);
	json_out_string(json, "mountpoint", device->mountpoint);
	json_out_string(json, "fstype", identity->fstype);
	json_out_string(json, "label", identity->label);
	json_out_string(json, "uuid", identity->uuid);
	if (identity->fstype)
		json_out_bool(json, "confident", identity->is_proven);
	else
		json_out_null(json, "confident");
	json_out_string(json, "why",
			*device->blocks.why ? device->blocks.why : NULL);
	json_out_unsigned_if(json, "device_bytes", device->cached.device_bytes,
			     device->cached.device_bytes);
	json_out_unsigned(json, "pages", device->pages);
	json_out_unsigned(json, "bytes", device->pages * device->page_size);
}

/* How much of what may be looked into was. */
static void write_reads(struct json_out *json, const struct blocks *blocks)
{
	json_out_unsigned_if(json, "inodes", blocks->has_inodes,
			     blocks->inodes);
	json_out_unsigned(json, "inode_table_blocks",
			  blocks->owners.table_blocks);
	json_out_unsigned(json, "inode_table_blocks_read",
			  blocks->owners.read_blocks);
	json_out_unsigned(json, "unowned_blocks", blocks->unowned_units);
	json_out_unsigned(json, "unowned_blocks_read", blocks->looked_units);
}

static void write_owners(struct json_out *json, const struct blocks *blocks)
{
	struct column_choice choice;

	column_choice_all(&choice, &block_owner_columns);
	table_json_write_rows(json, "owners", &choice,
			      &TABLE_OF(blocks->owners.list,
					blocks->owners.count));
}

static void write_runs(struct json_out *json, const struct block_cache *cache)
{
	struct column_choice choice;
	struct blocks_run run;
	size_t which = 0;

	column_choice_all(&choice, &block_run_columns);
	json_out_array(json, "runs");
	while (blocks_next_run(cache, &which, &run))
		table_json_write_row(json, &choice, &run);
	json_out_array_end(json);
}

void block_json_print(FILE *out, const struct block_rows *rows,
		      const struct column_choice *choice,
		      const struct device_blocks *device, bool runs,
		      struct provenance provenance)
{
	struct json_out json;

	document_begin(&json, out, false, &provenance,
		       device->is_dump ? "vmcore" : "kcore",
		       !*device->blocks.why &&
			       blocks_are_whole(&device->blocks));
	json_out_unsigned(&json, "page_size_bytes", device->page_size);
	write_device(&json, device);
	write_reads(&json, &device->blocks);
	table_json_write_rows(&json, "kinds", choice,
			      &TABLE_OF(rows->rows, rows->count));
	write_owners(&json, &device->blocks);
	if (runs)
		write_runs(&json, &device->cached.cache);
	document_end(&json);
}
