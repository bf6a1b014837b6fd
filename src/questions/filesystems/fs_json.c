// SPDX-License-Identifier: GPL-2.0-or-later

#include "devices/devices.h"
#include "filesystems/fs_json.h"
#include "filesystems/fs_saved.h"
#include "filesystems/measured_filesystems.h"
#include "lib/json_out.h"
#include "measure/saved.h"
#include "table/cell.h"
#include "worker/new_file.h"

static void write_totals(struct json_out *json,
			 const struct filesystems *filesystems)
{
	uint64_t size = filesystems->page_size;
	const struct meminfo *meminfo = &filesystems->meminfo;
	int64_t rest = 0;
	bool has_rest = filesystems_rest(filesystems, &rest);

	json_out_bool(json, "settled", !filesystems->unsettled);
	json_out_unsigned(json, "page_size_bytes", size);
	meminfo_write_bytes(json, "cached_bytes", meminfo, MEMINFO_CACHED);
	json_out_unsigned(json, "attributed_bytes",
			  filesystems->attributed_pages * size);
	json_out_signed_if(json, "unattributed_bytes", has_rest,
			   rest * (int64_t)size);
	json_out_string(json, "unattributed_note",
			filesystems_rest_note(filesystems));
	meminfo_write_bytes(json, "shmem_bytes", meminfo, MEMINFO_SHMEM);
	meminfo_write_bytes(json, "swap_cached_bytes", meminfo,
			    MEMINFO_SWAP_CACHED);
}

/* What is attributed to filesystems that are not among the rows. */
static void write_others(struct json_out *json,
			 const struct filesystems *filesystems,
			 const struct fs_rows *rows)
{
	uint64_t pages = filesystems->attributed_pages;

	for (size_t i = 0; i < rows->count; i++) {
		const struct sample *sample = &rows->rows[i].filesystem->sample;

		if (!sample->refused)
			pages -= sample->figures[FIGURE_PAGES];
	}
	json_out_unsigned(json, "others_bytes", pages * filesystems->page_size);
}

static void write_rows(struct json_out *json,
		       const struct filesystems *filesystems,
		       const struct column_choice *columns,
		       const struct fs_rows *rows)
{
	if (fs_rows_are_part(rows))
		write_others(json, filesystems, rows);
	table_json_write_rows(json, "filesystems", columns,
			      &TABLE_OF(rows->rows, rows->count));
}

static void begin(struct json_out *json, FILE *out, bool compact,
		  const struct fs_reading *reading,
		  const struct column_choice *columns)
{
	const struct filesystems *filesystems = reading->filesystems;

	document_begin(json, out, compact, &reading->provenance,
		       filesystems->source, !filesystems_lack(filesystems));
	json_out_bool(json, "lists_all_pages",
		      filesystems->lists_all_pages &&
			      !fs_rows_are_part(&reading->rows));
	write_totals(json, filesystems);
	write_rows(json, filesystems, columns, &reading->rows);
}

void fs_json_print(FILE *out, const struct fs_reading *reading,
		   const struct column_choice *columns, bool compact)
{
	struct json_out json;

	begin(&json, out, compact, reading, columns);
	document_end(&json);
}

int fs_json_save(const char *path, const struct fs_reading *reading,
		 struct error *err)
{
	struct column_choice columns;
	struct json_out json;
	struct new_file file;
	int ret = new_file_create(&file, "saving", path, err);

	if (ret < 0)
		return ret;
	column_choice_all(&columns, &fs_columns);
	begin(&json, file.out, false, reading, &columns);
	saved_begin(&json);
	devices_write(&json, NULL);
	fs_saved_write(&json, reading->filesystems);
	json_out_object_end(&json);
	document_end(&json);
	return new_file_commit(&file, err);
}

int fs_json_write(struct json_out *json, const char *key,
		  const struct filesystems *filesystems)
{
	static const char list[] = "SOURCE,MAJ:MIN,FSTYPE,PAGES,CACHED,SHARE,"
				   "DIRTY,WRITEBACK,RECLAIMABLE,INODES,NOTE,"
				   "MOUNTPOINTS";
	struct column_choice columns;
	struct fs_rows rows;
	int ret;

	if (!filesystems) {
		json_out_null(json, key);
		return 0;
	}
	ret = fs_rows_init(&rows, filesystems, false);
	if (!ret)
		ret = column_choice_parse(&columns, &fs_columns, list, NULL);
	if (!ret) {
		json_out_object(json, key);
		json_out_bool(json, "complete", !filesystems_lack(filesystems));
		write_totals(json, filesystems);
		write_rows(json, filesystems, &columns, &rows);
		json_out_object_end(json);
	}
	fs_rows_deinit(&rows);
	return ret;
}
