// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "column.h"
#include "error.h"
#include "fs_json.h"
#include "fs_rows.h"
#include "json_out.h"
#include "measured_filesystems.h"
#include "new_file.h"
#include "provenance.h"
#include "table_json.h"

static void write_meminfo(struct json_out *json, const char *key,
			  const struct meminfo *meminfo,
			  enum meminfo_field field)
{
	int64_t bytes;

	if (meminfo_bytes(meminfo, field, &bytes))
		json_out_signed(json, key, bytes);
	else
		json_out_null(json, key);
}

static void write_totals(struct json_out *json,
			 const struct filesystems *filesystems)
{
	uint64_t size = filesystems->snapshot.page_size;
	const struct meminfo *meminfo = &filesystems->meminfo;
	int64_t rest;

	json_out_unsigned(json, "page_size_bytes", size);
	write_meminfo(json, "cached_bytes", meminfo, MEMINFO_CACHED);
	json_out_unsigned(json, "attributed_bytes",
			  filesystems->attributed_pages * size);
	if (filesystems_rest(filesystems, &rest))
		json_out_signed(json, "unattributed_bytes",
				rest * (int64_t)size);
	else
		json_out_null(json, "unattributed_bytes");
	json_out_string(json, "unattributed_note",
			filesystems_rest_note(filesystems));
	write_meminfo(json, "shmem_bytes", meminfo, MEMINFO_SHMEM);
	write_meminfo(json, "swap_cached_bytes", meminfo, MEMINFO_SWAP_CACHED);
}

static void write_rows(struct json_out *json,
		       const struct column_choice *columns,
		       const struct fs_rows *rows)
{
	json_out_array(json, "filesystems");
	for (size_t i = 0; i < rows->count; i++)
		table_json_write_row(json, columns, &rows->rows[i]);
	json_out_array_end(json);
}

int fs_json_print(FILE *out, const struct fs_json *sample, struct error *err)
{
	struct provenance provenance;
	struct json_out json;
	struct fs_rows rows;
	int ret = fs_rows_init(&rows, sample->filesystems, sample->history,
			       sample->all);

	if (provenance_init(&provenance, sample->root) < 0 || ret < 0)
		ret = -ENOMEM;
	if (!ret && sample->sort)
		column_sort(rows.rows, rows.count, sizeof(*rows.rows),
			    sample->sort);
	if (!ret) {
		json_out_init(&json, out);
		json_out_object(&json, NULL);
		provenance_write(&json, &provenance,
				 sample->filesystems->snapshot.source,
				 filesystems_are_whole(sample->filesystems));
		json_out_bool(&json, "lists_all_pages",
			      sample->filesystems->snapshot.lists_all_pages);
		write_totals(&json, sample->filesystems);
		write_rows(&json, sample->columns, &rows);
		json_out_object_end(&json);
		json_out_finish(&json);
	}
	provenance_deinit(&provenance);
	fs_rows_deinit(&rows);
	return ret < 0 ? error_errno(err, -ret, "printing", "the filesystems") :
			 0;
}

int fs_json_save(const char *path, const struct fs_json *sample,
		 struct error *err)
{
	struct column_choice columns;
	struct fs_json whole = *sample;
	struct new_file file;
	int ret;

	column_choice_all(&columns, &fs_columns);
	whole.columns = &columns;
	ret = new_file_create(&file, path);
	if (ret < 0)
		return error_errno(err, -ret, "saving", path);
	ret = fs_json_print(file.out, &whole, err);
	if (ret < 0) {
		new_file_discard(&file);
		return ret;
	}
	ret = new_file_commit(&file);
	return ret < 0 ? error_errno(err, -ret, "saving", path) : 0;
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
	ret = fs_rows_init(&rows, filesystems, NULL, false);
	if (!ret)
		ret = column_choice_parse(&columns, &fs_columns, list, NULL);
	if (!ret) {
		json_out_object(json, key);
		json_out_bool(json, "complete",
			      filesystems_are_whole(filesystems));
		write_totals(json, filesystems);
		write_rows(json, &columns, &rows);
		json_out_object_end(json);
	}
	fs_rows_deinit(&rows);
	return ret;
}
