// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/sysroot.h"
#include "memory/slab_caches.h"
#include "memory/zone_rows.h"
#include "top/tab.h"

/* Bytes; 0: that of a captured host is not known. */
static uint64_t find_page_size(const struct sysroot *root)
{
	struct zoneinfo zones;
	uint64_t page_size;

	if (sysroot_is_live(root))
		return (uint64_t)sysconf(_SC_PAGESIZE);
	zones_read(&zones, &page_size, root, NULL);
	zoneinfo_deinit(&zones);
	return page_size;
}

static int take(const struct tab_question *question, struct tab_rows *rows,
		struct error *err)
{
	struct slab_rows *caches = calloc(1, sizeof(*caches));
	int ret;

	rows->data = caches;
	if (!caches)
		return error_errno(err, ENOMEM, "reading", "/proc/slabinfo");
	ret = slab_rows_read(caches, find_page_size(question->root),
			     question->root, err);
	rows->table = (struct table_rows){
		.rows = caches->rows,
		.count = caches->count,
		.size = sizeof(*caches->rows),
	};
	return ret;
}

static void release(struct tab_rows *rows)
{
	if (rows->data)
		slab_rows_deinit(rows->data);
	free(rows->data);
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
	.take = take,
	.release = release,
	.key = key,
};
