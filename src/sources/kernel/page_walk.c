// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "kernel/page_node.h"
#include "kernel/page_walk.h"

static int walk_node(struct page_walk *walk, uint64_t address, size_t size,
		     const struct page_node_place *place, uint64_t first);

/* @first is the index of the first page that the node covers. */
static int walk_slot(struct page_walk *walk, const struct page_node *node,
		     size_t size, const struct page_node_place *place,
		     uint64_t first)
{
	uint64_t index = first + ((uint64_t)place->slot << node->shift);
	const uint32_t *tags = walk->layout->offset;
	uint64_t entry =
		page_node_word(node, tags, TAGS_NODE_SLOTS, place->slot);
	uint64_t pages;

	if (page_entry_is_page(entry)) {
		pages = page_node_pages(node, tags, place->slot);
		return pages ? walk->visit(walk->data, index, entry, pages) : 0;
	}
	if (page_entry_is_node(entry) && node->shift &&
	    (!walk->enter ||
	     walk->enter(walk->data, index, 1ULL << node->shift)))
		return walk_node(walk, page_entry_node(entry), size, place,
				 index);
	return 0;
}

/* Below each node the shift is less, so this ends. */
static int walk_node(struct page_walk *walk, uint64_t address, size_t size,
		     const struct page_node_place *place, uint64_t first)
{
	struct page_node_place below = { .tree = place->tree,
					 .parent = address };
	struct page_node node;
	int ret;

	if (!walk->nodes)
		return -E2BIG;
	walk->nodes--;
	ret = page_node_read(&node, walk->kmem, walk->layout->offset, size,
			     address, place);
	if (ret < 0)
		return ret == -EAGAIN || ret == -ENODATA ? 0 : ret;
	below.shift = node.shift;
	for (; !ret && below.slot < PAGE_NODE_SLOTS; below.slot++)
		ret = walk_slot(walk, &node, size, &below, first);
	return ret;
}

int page_walk_tree(struct page_walk *walk, const struct page_tree *tree)
{
	const struct page_node_place top = {
		.tree = tree->mapping + walk->tree,
	};
	size_t size;

	if (page_entry_is_page(tree->head))
		return walk->visit(walk->data, 0, tree->head, 1);
	if (!page_entry_is_node(tree->head))
		return 0;
	page_tags_find_nodes(walk->layout);
	size = page_node_size(walk->layout->offset);
	return size ? walk_node(walk, page_entry_node(tree->head), size, &top,
				0) :
		      -EOPNOTSUPP;
}
