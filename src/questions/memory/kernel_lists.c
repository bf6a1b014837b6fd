// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "lib/utf8.h"
#include "memory/kernel_lists.h"
#include "memory/memory_fields.h"
#include "memory/memory_reading.h"
#include "worker/file_text.h"

typedef bool parse_fn(const char *line, size_t length, void *found);

/* Moves *@text past the next line that can be parsed. */
static bool next_parsed(const char **text, parse_fn *parse, void *found)
{
	while (**text) {
		const char *line = *text;
		size_t length = strcspn(line, "\n");

		*text += length + (line[length] == '\n');
		if (parse(line, length, found))
			return true;
	}
	return false;
}

/* "NAME 46 46 1408 23 8 : tunables 0 0 0 : slabdata 2 2 0" */
static bool parse_slab(const char *line, size_t length __attribute__((unused)),
		       void *found)
{
	struct slab_cache *cache = found;
	int64_t pages;

	if (sscanf(line,
		   "%63s %ld %ld %ld %*d %ld : tunables %*d %*d %*d : slabdata "
		   "%*d %ld",
		   cache->name, &cache->objects, &cache->room,
		   &cache->object_bytes, &pages, &cache->slabs) != 6 ||
	    cache->objects < 0 || cache->room < 0 || cache->object_bytes < 0 ||
	    pages < 0 || pages > UINT16_MAX || cache->slabs < 0 ||
	    cache->slabs > UINT32_MAX)
		return false;
	cache->pages = pages * cache->slabs;
	return true;
}

bool slab_next(const char **text, struct slab_cache *cache)
{
	return next_parsed(text, parse_slab, cache);
}

/* "0x...-0x... 20480 kernel_clone+0xda/0x4a0 pages=4 vmalloc N0=4" */
static bool parse_area(const char *line, size_t length, void *found)
{
	struct vmalloc_area *area = found;
	const char *pages = memmem(line, length, " pages=", strlen(" pages="));
	uint64_t number;

	if (!pages)
		return false;
	for (int i = 0; i < 2; i++) {
		line += strcspn(line, " \n");
		line += strspn(line, " ");
	}
	area->caller = line;
	area->length = strcspn(line, "+ \n");
	pages += strlen(" pages=");
	if (!number_scan(&pages, MEMORY_MOST_PAGES, &number))
		return false;
	area->pages = (int64_t)number;
	return true;
}

bool vmalloc_next(const char **text, struct vmalloc_area *area)
{
	return next_parsed(text, parse_area, area);
}

/* "  127664128   31168 mm/page_ext.c:270 func:alloc_page_ext", or "[module]" */
static bool parse_site(const char *line, size_t length, void *found)
{
	struct allocation_site *site = found;
	const char *end = line + length;
	uint64_t bytes, calls;

	line += strspn(line, " ");
	if (!number_scan(&line, INT64_MAX, &bytes) || *line != ' ')
		return false;
	line += strspn(line, " ");
	if (!number_scan(&line, INT64_MAX, &calls) || *line != ' ')
		return false;
	line += strspn(line, " ");
	site->name = line;
	site->length = (size_t)(end - line);
	site->bytes = (int64_t)bytes;
	return site->length > 0;
}

bool site_next(const char **text, struct allocation_site *site)
{
	return next_parsed(text, parse_site, site);
}

/*
 * Caches of inodes that dropping can empty. Those of tmpfs, sockets and the
 * like live as long as what they are for.
 */
static bool is_inode_cache(const char *name)
{
	static const char *const kept[] = {
		"shmem_inode_cache",  "sock_inode_cache",
		"mqueue_inode_cache", "hugetlbfs_inode_cache",
		"rpc_inode_cache",
	};

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		if (strcmp(name, kept[i]) == 0)
			return false;
	}
	return text_ends_in(name, "inode_cache") ||
	       strcmp(name, "xfs_inode") == 0 ||
	       strcmp(name, "btrfs_inode") == 0;
}

/* Both come and go with the pages of the page cache. */
static bool is_cache_tree(const char *name)
{
	return strcmp(name, "buffer_head") == 0 ||
	       strcmp(name, "radix_tree_node") == 0;
}

static void add_slab(struct memory_fields *fields,
		     const struct slab_cache *cache)
{
	if (is_inode_cache(cache->name))
		fields->pages[MEMORY_SLAB_INODES] += cache->pages;
	else if (is_cache_tree(cache->name))
		fields->pages[MEMORY_SLAB_CACHE_TREES] += cache->pages;
}

int kernel_list_whole(int ret, char *const *text)
{
	size_t length = ret < 0 ? 0 : strlen(*text);

	return length && (*text)[length - 1] != '\n' ? -EBADMSG : ret;
}

int slabinfo_read(const struct sysroot *root, char **text)
{
	const struct file_text file = {
		.path = SLABINFO,
		.limit = SLABINFO_MOST,
		.object = SLABINFO,
		.is_common = true,
	};
	char why[ASK_WHY];

	return kernel_list_whole(file_text_ask(root, &file, text, NULL, why),
				 text);
}

int memory_read_slab(struct memory_reading *reading, const struct sysroot *root)
{
	_cleanup_(freep) char *text = NULL;
	static const enum memory_field sums[] = {
		MEMORY_SLAB_INODES,
		MEMORY_SLAB_CACHE_TREES,
	};
	struct slab_cache cache;
	const char *rest;
	int ret = slabinfo_read(root, &text);

	if (ret < 0)
		return only_enomem(ret);
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		memory_set(&reading->fields, sums[i], 0);
	rest = text;
	while (slab_next(&rest, &cache))
		add_slab(&reading->fields, &cache);
	return 0;
}
