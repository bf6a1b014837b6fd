// SPDX-License-Identifier: GPL-2.0-or-later

#include "lib/error.h"
#include "memory/memory_reading.h"
#include "memory/slab_caches.h"
#include "top/tab.h"

static int take(const struct tab_question *question, struct tab_rows *rows,
		struct error *err)
{
	struct slab_rows *caches = rows->data;
	uint64_t page_size;
	int ret;

	/* 0: that of a captured host is not known. */
	memory_page_size(question->root, &page_size, NULL);
	ret = slab_rows_read(caches, page_size, question->root, err);
	rows->table =
		(struct table_rows)TABLE_ROWS(caches->rows, caches->count);
	return ret;
}

static void release(void *data)
{
	slab_rows_deinit(data);
}

static const char *key(const struct tab_rows *rows, size_t index,
		       char text[TAB_KEY_SIZE] __attribute__((unused)))
{
	const struct slab_row *row = table_row(&rows->table, index);

	return row->cache.name;
}

const struct tab tab_slab = {
	.name = "slab",
	.columns = &slab_columns,
	.figure = "bytes",
	.size = sizeof(struct slab_rows),
	.take = take,
	.release = release,
	.key = key,
};
