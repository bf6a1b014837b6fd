/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks the pages of a mapping, from outside the kernel and without a lock. */
#ifndef BUFSTAT_PAGE_WALK_H
#define BUFSTAT_PAGE_WALK_H

#include <stdbool.h>
#include <stdint.h>

struct kmem;
struct page_tags_layout;
struct page_tree;

/*
 * Nodes to read of all mappings together: enough for 1 TiB of small pages. Only
 * a damaged dump has a tree that never ends.
 */
#define PAGE_WALK_NODES (1U << 22)

struct page_walk {
	const struct kmem *kmem;
	struct page_tags_layout *layout; /* finds a node's members when needed */
	uint32_t tree; /* address_space.i_pages, bytes */
	unsigned int nodes; /* how many may still be read */
	/*
	 * Called for each folio, in the order of their places. @index is that
	 * of its first page in the mapping, and @page the address of that
	 * page's struct page. Returns 0, or a negative errno, which ends the
	 * walk.
	 */
	int (*visit)(void *data, uint64_t index, uint64_t page, uint64_t pages);
	/*
	 * Whether to look for pages among the @pages from @first on. NULL:
	 * everywhere.
	 */
	bool (*enter)(void *data, uint64_t first, uint64_t pages);
	void *data;
};

/*
 * Visits the pages of @tree. Leaves out those below a node that moves while it
 * is read, or that a dump lacks: compare what was visited with nrpages. Returns
 * 0, -EOPNOTSUPP if this kernel's trees are of an unknown form, -E2BIG if too
 * many nodes were read, -ETIMEDOUT, what @walk->visit returned, or the errno of
 * reading.
 */
int page_walk_tree(struct page_walk *walk, const struct page_tree *tree);

#endif
