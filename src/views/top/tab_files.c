// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "filesystems/file_columns.h"
#include "filesystems/measured_files.h"
#include "lib/error.h"
#include "top/sheet.h"
#include "top/tab.h"

/* As many as fit on a large screen, and as a capture has by default. */
#define FILES_SHOWN 100

struct taken {
	struct cached_files files;
	struct file_row *rows;
};

static int make_rows(struct taken *taken, struct tab_rows *rows)
{
	const struct cached_files *files = &taken->files;

	taken->rows = calloc(files->count + 1, sizeof(*taken->rows));
	if (!taken->rows)
		return -ENOMEM;
	for (size_t i = 0; i < files->count; i++)
		taken->rows[i] = (struct file_row){
			.file = &files->files[i],
			.page_size = files->page_size,
			.has_users = cached_files_have_users(files),
		};
	rows->table = (struct table_rows)TABLE_ROWS(taken->rows, files->count);
	return 0;
}

static int note(const struct cached_files *files, struct tab_rows *rows)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < files->why.count; i++)
		ret = string_list_add(&rows->notes, files->why.strings[i]);
	if (!ret && files->unknown_users.count)
		ret = string_list_add(&rows->notes,
				      "not all users could be looked for");
	return ret;
}

static int take(const struct tab_question *question, struct tab_rows *rows,
		struct error *err)
{
	const struct files_question files = {
		.source = question->source,
		.limit = FILES_SHOWN,
	};
	struct taken *taken = rows->data;
	int ret;

	ret = cached_files_init(&taken->files, question->root, &files, err);
	if (!ret)
		ret = cached_files_find_users(&taken->files, question->root,
					      err);
	if (!ret &&
	    (make_rows(taken, rows) < 0 || note(&taken->files, rows) < 0))
		ret = error_errno(err, ENOMEM, "measuring", "the files");
	return ret;
}

static void release(void *data)
{
	struct taken *taken = data;

	free(taken->rows);
	cached_files_deinit(&taken->files);
}

static const char *key(const struct tab_rows *rows, size_t index,
		       char text[TAB_KEY_SIZE])
{
	const struct file_row *row = table_row(&rows->table, index);

	snprintf(text, TAB_KEY_SIZE, "%u:%u %" PRIu64, row->file->major,
		 row->file->minor, row->file->ino);
	return text;
}

static int drop(const struct sheet_row *row, struct string_list *words)
{
	const struct column_value *path =
		&row->values[sheet_column(&file_columns, "path")];

	return path->known && *path->text == '/' ?
		       string_list_add(words, path->text) :
		       -EINVAL;
}

const struct tab tab_files = {
	.name = "files",
	.columns = &file_columns,
	.figure = "cached_bytes",
	.walks = true,
	.size = sizeof(struct taken),
	.take = take,
	.release = release,
	.key = key,
	.drop = drop,
};
