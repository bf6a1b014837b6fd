// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kernel/bdev_walk.h"
#include "kernel/cached_pages.h"
#include "kernel/kernel.h"
#include "kernel/page_tags.h"
#include "kernel/page_walk.h"
#include "lib/array.h"

#define ATTEMPTS 5
/* A folio of 4 TiB; there is none so large. */
#define MAX_ORDER 30
/*
 * Bytes, a power of 2: as much as a flexible group of ext4 with blocks of 4
 * KiB, where the bitmaps and inode tables are that tell what its blocks are.
 */
#define REGION (2U << 30)
#define MAX_HALVINGS 32

/* A folio of another size was changed while its node was read. */
static bool is_folio(uint64_t index, uint64_t pages)
{
	return pages && !(pages & (pages - 1)) && pages >> MAX_ORDER == 0 &&
	       !(index & (pages - 1));
}

/*
 * Whether the page at @index is listed. Each halving keeps every second of the
 * regions that the one before kept, without a pattern: inode tables are at
 * regular distances.
 */
static bool is_listed(const struct cached_pages *pages, uint64_t index)
{
	uint64_t region = index >> pages->region_shift;

	return !(region * 0x9E3779B97F4A7C15ULL >> 1 >> (63 - pages->halvings));
}

static void halve(struct cached_pages *pages)
{
	size_t kept = 0;

	pages->halvings++;
	for (size_t i = 0; i < pages->count; i++) {
		if (is_listed(pages, cached_page_index(&pages->list[i])))
			pages->list[kept++] = pages->list[i];
	}
	pages->left_out += pages->count - kept;
	pages->count = kept;
}

int cached_pages_add(struct cached_pages *pages, uint64_t index, uint64_t page,
		     uint64_t count)
{
	while (is_listed(pages, index) && count > pages->most - pages->count) {
		if (pages->halvings == MAX_HALVINGS)
			return -E2BIG;
		halve(pages);
	}
	if (!is_listed(pages, index)) {
		pages->left_out += count;
		return 0;
	}
	for (uint64_t i = 0; i < count; i++) {
		if (array_make_room(&pages->list, pages->count,
				    &pages->capacity) < 0)
			return -ENOMEM;
		pages->list[pages->count++] = (struct cached_page){
			.page = page + i * pages->page_struct,
			.place = (index + i) << 8 |
				 (uint64_t)__builtin_ctzll(count),
		};
	}
	return 0;
}

static int add_folio(void *data, uint64_t index, uint64_t page, uint64_t count)
{
	return is_folio(index, count) ?
		       cached_pages_add(data, index, page, count) :
		       0;
}

/* Reads the mapping; -ESTALE if it is not the device's any more. */
static int read_tree(const struct kernel *kernel, struct page_tree *tree)
{
	const uint32_t *offset = kernel->root.layout.offset;
	uint64_t host = 0;
	int ret = kmem_read_word(
		kernel->kmem, tree->mapping + offset[BDEV_MAPPING_HOST], &host);

	if (!ret && host != tree->inode)
		return -ESTALE;
	if (!ret)
		ret = kmem_read_word(kernel->kmem,
				     tree->mapping + offset[BDEV_MAPPING_PAGES],
				     &tree->pages);
	return ret   ?:
		       kmem_read_word(kernel->kmem,
				      tree->mapping + offset[BDEV_TREE] +
					      offset[BDEV_TREE_HEAD],
				      &tree->head);
}

static struct page_walk walk_of(struct cached_pages *pages,
				const struct kernel *kernel,
				struct page_tags_layout *tags,
				uint32_t page_struct)
{
	*pages = (struct cached_pages){
		.most = CACHED_PAGES_MOST,
		.page_struct = page_struct,
		.region_shift = (unsigned int)__builtin_ctzll(
			REGION / kernel->page_size),
	};
	page_tags_layout_init(tags, &kernel->btf);
	return (struct page_walk){
		.kmem = kernel->kmem,
		.layout = tags,
		.tree = kernel->root.layout.offset[BDEV_TREE],
		.nodes = PAGE_WALK_NODES,
		.visit = add_folio,
		.data = pages,
	};
}

int cached_pages_init(struct cached_pages *pages, const struct kernel *kernel,
		      const struct bdev_entry *entry, uint32_t page_struct)
{
	struct page_tree tree = page_tree_of(entry);
	struct page_tags_layout tags;
	struct page_walk walk = walk_of(pages, kernel, &tags, page_struct);
	int ret = entry->has_tree ? 0 : -EOPNOTSUPP;

	for (int i = 0; !ret && i < ATTEMPTS; i++) {
		walk.nodes = PAGE_WALK_NODES;
		pages->count = 0;
		pages->left_out = 0;
		pages->halvings = 0;
		ret = page_walk_tree(&walk, &tree);
		if (!ret)
			ret = read_tree(kernel, &tree);
		pages->counted = tree.pages;
		if (pages->count + pages->left_out == pages->counted)
			break;
	}
	return ret;
}

/* The data of a walk that leaves out the middle of a device. */
struct ends {
	struct cached_pages *pages;
	uint64_t end, device_pages; /* pages */
};

static bool is_at_end(void *data, uint64_t first, uint64_t pages)
{
	const struct ends *ends = data;

	return first < ends->end ||
	       first + pages + ends->end > ends->device_pages;
}

static int add_at_end(void *data, uint64_t index, uint64_t page, uint64_t count)
{
	const struct ends *ends = data;

	return is_at_end(data, index, count) ?
		       add_folio(ends->pages, index, page, count) :
		       0;
}

int cached_pages_init_ends(struct cached_pages *pages,
			   const struct kernel *kernel,
			   const struct bdev_entry *entry, uint32_t page_struct,
			   uint64_t end, uint64_t device_pages)
{
	const struct page_tree tree = page_tree_of(entry);
	struct ends ends = { pages, end, device_pages };
	struct page_tags_layout tags;
	struct page_walk walk = walk_of(pages, kernel, &tags, page_struct);

	walk.visit = add_at_end;
	walk.enter = is_at_end;
	walk.data = &ends;
	return entry->has_tree ? page_walk_tree(&walk, &tree) : -EOPNOTSUPP;
}

void cached_pages_deinit(struct cached_pages *pages)
{
	free(pages->list);
	*pages = (struct cached_pages){ 0 };
}
