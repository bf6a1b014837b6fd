// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "memory/memory_reading.h"
#include "memory/slab_caches.h"
#include "question/question.h"
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

static int add_lines(struct rows *rows, const char *text, uint64_t page_size)
{
	struct slab_row row = { .page_size = page_size }, *list = NULL;
	size_t capacity = 0;

	*rows = (struct rows){ .size = sizeof(row) };
	while (slab_next(&text, &row.cache)) {
		if (array_make_room(&list, rows->count, &capacity) < 0) {
			free(list);
			return -ENOMEM;
		}
		list[rows->count++] = row;
	}
	rows->rows = list;
	if (rows->count)
		qsort(list, rows->count, sizeof(*list), compare);
	return 0;
}

static int slab_answer_take(void *answer, const struct asking *asking,
			    struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	int ret = slabinfo_read(asking->root, &text);
	uint64_t page_size;

	if (ret == -EACCES || ret == -EPERM)
		return error_advise(err, ERROR_UNUSABLE, "reading", SLABINFO,
				    "use sudo", "needs root");
	if (ret == -ENOENT)
		return error_doing(err, ERROR_UNUSABLE, "reading", SLABINFO,
				   sysroot_is_live(asking->root) ?
					   "this kernel does not have it" :
					   "a capture does not have it");
	if (ret < 0)
		return error_doing(err, -ret, "reading", SLABINFO, "%s",
				   file_text_why(ret));
	if (strncmp(text, VERSION, strlen(VERSION)) != 0)
		return error_doing(err, EBADMSG, "reading", SLABINFO,
				   "not version 2 of the format");
	/* 0: that of a captured host is not known. */
	memory_page_size(asking->root, &page_size, NULL);
	if (add_lines(answer, text, page_size) < 0)
		return error_errno(err, ENOMEM, "reading", SLABINFO);
	return 0;
}

static const char *slab_key(const struct table_rows *rows, size_t i,
			    char *text __attribute__((unused)),
			    size_t size __attribute__((unused)))
{
	const struct slab_row *row = table_row(rows, i);

	return row->cache.name;
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

const struct question slab_question = {
	.name = "slab",
	.things = "the slab caches",
	.columns = &slab_columns,
	.size = sizeof(struct answer),
	.take = slab_answer_take,
	.figure = "bytes",
	.key = slab_key,
};
