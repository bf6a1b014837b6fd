// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "kernel/bdev_layout.h"
#include "kernel/kmem.h"
#include "kernel/page_node.h"

#define SLOT_BITS 6
#define MAX_SHIFT 60 /* an index has at most 64 bits */
#define MAX_PAGE_SHIFT 30 /* 4 TiB; no folio is that large */

static unsigned int byte_of(const struct page_node *node, const uint32_t *tags,
			    enum tags_member member)
{
	return node->bytes[tags[member]];
}

size_t page_node_size(const uint32_t *tags)
{
	static const size_t sizes[] = {
		[TAGS_NODE_SHIFT] = 1,	[TAGS_NODE_OFFSET] = 1,
		[TAGS_NODE_COUNT] = 1,	[TAGS_NODE_PARENT] = 8,
		[TAGS_NODE_ARRAY] = 8,	[TAGS_NODE_SLOTS] = 512,
		[TAGS_NODE_MARKS] = 24,
	};
	size_t size = 0;

	for (size_t i = TAGS_NODE_SHIFT; i <= TAGS_NODE_MARKS; i++) {
		size_t end = (size_t)tags[i] + sizes[i];

		if (tags[i] == BDEV_ABSENT || end > PAGE_NODE_MOST)
			return 0;
		if (end > size)
			size = end;
	}
	/* A kernel may be built with 16 slots to a node (CONFIG_BASE_SMALL). */
	if (tags[TAGS_NODE_MARKS] !=
	    tags[TAGS_NODE_SLOTS] + PAGE_NODE_SLOTS * sizeof(uint64_t))
		return 0;
	return size;
}

/* The top node's offset is not checked: it is left from an earlier use. */
static bool is_in_place(const struct page_node *node, const uint32_t *tags,
			const struct page_node_place *place)
{
	if (page_node_word(node, tags, TAGS_NODE_ARRAY, 0) != place->tree ||
	    page_node_word(node, tags, TAGS_NODE_PARENT, 0) != place->parent ||
	    byte_of(node, tags, TAGS_NODE_COUNT) > PAGE_NODE_SLOTS)
		return false;
	if (!place->parent)
		return node->shift <= MAX_SHIFT && node->shift % SLOT_BITS == 0;
	return node->shift + SLOT_BITS == place->shift &&
	       byte_of(node, tags, TAGS_NODE_OFFSET) == place->slot;
}

int page_node_read(struct page_node *node, const struct kmem *kmem,
		   const uint32_t *tags, size_t size, uint64_t address,
		   const struct page_node_place *place)
{
	int ret;

	if (address % sizeof(uint64_t))
		return -EAGAIN;
	ret = kmem_read(kmem, address, node->bytes, size);
	if (ret < 0)
		return ret == -EFAULT ? -EAGAIN : ret;
	node->shift = byte_of(node, tags, TAGS_NODE_SHIFT);
	return is_in_place(node, tags, place) ? 0 : -EAGAIN;
}

/* Whether @entry only says that the folio in @slot covers it too. */
static bool is_sibling(uint64_t entry, unsigned int slot)
{
	return entry == ((uint64_t)slot << 2 | 2);
}

uint64_t page_node_pages(const struct page_node *node, const uint32_t *tags,
			 unsigned int slot)
{
	unsigned int end = slot + 1;

	if (node->shift > MAX_PAGE_SHIFT)
		return 0;
	while (end < PAGE_NODE_SLOTS &&
	       is_sibling(page_node_word(node, tags, TAGS_NODE_SLOTS, end),
			  slot))
		end++;
	return (uint64_t)(end - slot) << node->shift;
}
