// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "memory/slab_caches.h"
#include "worker/file_text.h"

/* The format is the same since Linux 2.6.10 (mm/slab_common.c). */
#define VERSION "slabinfo - version: 2."

static int compare(const void *left, const void *right)
{
	const struct slab_cache *a = &((const struct slab_row *)left)->cache;
	const struct slab_cache *b = &((const struct slab_row *)right)->cache;

	if (a->pages != b->pages)
		return a->pages > b->pages ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int add_lines(struct slab_rows *rows, const char *text,
		     uint64_t page_size)
{
	struct slab_row row = { .page_size = page_size };
	size_t capacity = 0;

	while (slab_next(&text, &row.cache)) {
		if (array_make_room(&rows->rows, rows->count, &capacity) < 0)
			return -ENOMEM;
		rows->rows[rows->count++] = row;
	}
	if (rows->count)
		qsort(rows->rows, rows->count, sizeof(*rows->rows), compare);
	return 0;
}

int slab_rows_read(struct slab_rows *rows, uint64_t page_size,
		   const struct sysroot *root, struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	int ret = slabinfo_read(root, &text);

	*rows = (struct slab_rows){ 0 };
	if (ret == -EACCES || ret == -EPERM)
		return error_advise(err, ERROR_UNUSABLE, "reading", SLABINFO,
				    "use sudo", "needs root");
	if (ret == -ENOENT)
		return error_doing(err, ERROR_UNUSABLE, "reading", SLABINFO,
				   sysroot_is_live(root) ?
					   "this kernel does not have it" :
					   "a capture does not have it");
	if (ret < 0)
		return error_doing(err, -ret, "reading", SLABINFO, "%s",
				   file_text_why(ret));
	if (strncmp(text, VERSION, strlen(VERSION)) != 0)
		return error_doing(err, EBADMSG, "reading", SLABINFO,
				   "not version 2 of the format");
	if (add_lines(rows, text, page_size) < 0)
		return error_errno(err, ENOMEM, "reading", SLABINFO);
	return 0;
}

void slab_rows_deinit(struct slab_rows *rows)
{
	free(rows->rows);
	*rows = (struct slab_rows){ 0 };
}

static struct column_value get_size(const void *data)
{
	const struct slab_row *row = data;

	return column_number(row->page_size,
			     row->cache.pages * (int64_t)row->page_size);
}

static struct column_value get_used(const void *row)
{
	const struct slab_cache *cache = &((const struct slab_row *)row)->cache;

	return column_share(cache->room, (double)cache->objects,
			    (double)cache->room);
}

static const struct column columns[] = {
	{ "NAME", "name", "name of the cache", COLUMN_TEXT, COLUMN_USUAL,
	  COLUMN_AT(column_chars_at, struct slab_row, cache.name) },
	{ "PAGES", "pages", "pages of its slabs", COLUMN_COUNT, COLUMN_USUAL,
	  .leave = 3,
	  COLUMN_AT(column_number_at, struct slab_row, cache.pages) },
	{ "SIZE", "bytes", "the same as a size", COLUMN_BYTES, COLUMN_USUAL,
	  .value = get_size },
	{ "USED%", "used_percent", "part of its objects that is in use",
	  COLUMN_PERCENT, COLUMN_USUAL, .leave = 5, .value = get_used },
	{ "ACTIVE", "active", "objects in use", COLUMN_COUNT, COLUMN_USUAL,
	  .leave = 4,
	  COLUMN_AT(column_number_at, struct slab_row, cache.objects) },
	{ "OBJECTS", "objects", "objects that there is room for", COLUMN_COUNT,
	  COLUMN_USUAL, .leave = 2,
	  COLUMN_AT(column_number_at, struct slab_row, cache.room) },
	{ "OBJSIZE", "object_bytes", "size of an object", COLUMN_BYTES,
	  COLUMN_USUAL, .leave = 4,
	  COLUMN_AT(column_number_at, struct slab_row, cache.object_bytes) },
	{ "SLABS", "slabs", "its slabs", COLUMN_COUNT, COLUMN_USUAL, .leave = 1,
	  COLUMN_AT(column_number_at, struct slab_row, cache.slabs) },
};

const struct column_set slab_columns = COLUMN_SET("top", columns);
