// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "filesystems/fs_rows.h"
#include "lib/error.h"
#include "store/format.h"
#include "top/sheet.h"
#include "top/tab.h"

struct taken {
	struct filesystems filesystems;
	struct fs_rows rows;
};

static int take(const struct tab_question *question, struct tab_rows *rows,
		struct error *err)
{
	struct taken *taken = rows->data;
	int ret;

	ret = filesystems_init(&taken->filesystems, question->root,
			       question->source, err);
	if (!ret)
		ret = fs_rows_init(&taken->rows, &taken->filesystems, false);
	if (ret == -ENOMEM)
		error_errno(err, ENOMEM, "measuring", "the filesystems");
	if (!ret && taken->filesystems.unsettled)
		ret = string_list_add(&rows->notes,
				      "unsettled: Cached changed during each "
				      "measurement");
	rows->table = fs_rows_of_table(&taken->rows);
	return ret;
}

static void release(void *data)
{
	struct taken *taken = data;

	fs_rows_deinit(&taken->rows);
	filesystems_deinit(&taken->filesystems);
}

/*
 * A mount point tells apart what has the same number: the kernel's own tmpfs
 * and what is mounted from it.
 */
static const char *key(const struct tab_rows *rows, size_t index,
		       char text[TAB_KEY_SIZE])
{
	const struct fs_row *row = table_row(&rows->table, index);

	if (!row->filesystem)
		return "rest";
	snprintf(text, TAB_KEY_SIZE, "%s%s", row->number,
		 row->filesystem->source ? "" : " own");
	return text;
}

static bool is_last(const void *data)
{
	const struct fs_row *row = data;

	return !row->filesystem;
}

static int drop(const struct sheet_row *row, struct string_list *words)
{
	const struct column_value *mounts =
		&row->values[sheet_column(&fs_columns, "mountpoints")];

	if (row->is_last || !mounts->known || !mounts->list->count)
		return -EINVAL;
	return string_list_add(words, mounts->list->strings[0]);
}

const struct tab tab_filesystems = {
	.name = "filesystems",
	.columns = &fs_columns,
	.figure = "cached_bytes",
	.walks = true,
	.recorded = STORE_FILESYSTEMS,
	.size = sizeof(struct taken),
	.take = take,
	.release = release,
	.key = key,
	.is_last = is_last,
	.drop = drop,
};
