// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
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

struct listing {
	struct cached_pages *pages;
	uint32_t page_struct; /* bytes */
};

/* A folio of another size was changed while its node was read. */
static bool is_folio(uint64_t index, uint64_t pages)
{
	return pages && !(pages & (pages - 1)) && pages >> MAX_ORDER == 0 &&
	       !(index & (pages - 1));
}

static int add_folio(void *data, uint64_t index, uint64_t page, uint64_t count)
{
	const struct listing *listing = data;
	struct cached_pages *pages = listing->pages;

	if (!is_folio(index, count))
		return 0;
	if (count > CACHED_PAGES_MOST - pages->count)
		return -E2BIG;
	for (uint64_t i = 0; i < count; i++) {
		if (array_make_room(&pages->list, pages->count,
				    &pages->capacity, sizeof(*pages->list)) < 0)
			return -ENOMEM;
		pages->list[pages->count++] = (struct cached_page){
			.page = page + i * listing->page_struct,
			.place = (index + i) << 8 |
				 (uint64_t)__builtin_ctzll(count),
		};
	}
	return 0;
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
	if (!ret)
		ret = kmem_read_word(kernel->kmem,
				     tree->mapping + offset[BDEV_TREE] +
					     offset[BDEV_TREE_HEAD],
				     &tree->head);
	return ret;
}

int cached_pages_init(struct cached_pages *pages, const struct kernel *kernel,
		      const struct bdev_entry *entry, uint32_t page_struct)
{
	struct listing listing = { .pages = pages, .page_struct = page_struct };
	struct page_tree tree = page_tree_of(entry);
	struct page_tags_layout tags;
	struct page_walk walk = {
		.kmem = kernel->kmem,
		.layout = &tags,
		.tree = kernel->root.layout.offset[BDEV_TREE],
		.visit = add_folio,
		.data = &listing,
	};
	int ret = entry->has_tree ? 0 : -EOPNOTSUPP;

	*pages = (struct cached_pages){ 0 };
	page_tags_layout_init(&tags, &kernel->btf);
	for (int i = 0; !ret && i < ATTEMPTS; i++) {
		walk.nodes = PAGE_WALK_NODES;
		pages->count = 0;
		ret = page_walk_tree(&walk, &tree);
		if (!ret)
			ret = read_tree(kernel, &tree);
		pages->counted = tree.pages;
		if (pages->count == pages->counted)
			break;
	}
	return ret;
}

void cached_pages_deinit(struct cached_pages *pages)
{
	free(pages->list);
	*pages = (struct cached_pages){ 0 };
}
