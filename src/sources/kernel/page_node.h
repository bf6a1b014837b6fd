/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A node of a mapping's tree of pages (struct xa_node), read without a lock. An
 * entry of the tree is a page, a node, a value that is left of a page, or says
 * that the entry before it covers this one too.
 */
#ifndef BUFSTAT_PAGE_NODE_H
#define BUFSTAT_PAGE_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/object.h"
#include "kernel/page_tags.h"

struct kmem;

#define PAGE_NODE_SLOTS 64
/* Bytes. An xa_node has 576. */
#define PAGE_NODE_MOST 1024

/* Where a node should be. */
struct page_node_place {
	uint64_t tree; /* address of the xarray */
	uint64_t parent; /* 0 for the top node */
	unsigned int slot; /* of the parent */
	unsigned int shift; /* of the parent */
};

struct page_node {
	unsigned char bytes[PAGE_NODE_MOST];
	unsigned int shift; /* a slot of it is 1 << shift pages wide */
};

static inline bool page_entry_is_node(uint64_t entry)
{
	return (entry & 3) == 2 && entry > 4096;
}

static inline bool page_entry_is_page(uint64_t entry)
{
	return entry && !(entry & 3);
}

/* Whether the page left, or only what reclaim remembers of it is there. */
static inline bool page_entry_is_empty(uint64_t entry)
{
	return !entry || entry & 1;
}

/* The address of the node that an entry leads to. */
static inline uint64_t page_entry_node(uint64_t entry)
{
	return entry - 2;
}

/* Returns the word at @index in @member, the slots or the marks. */
static inline uint64_t page_node_word(const struct page_node *node,
				      const uint32_t *tags,
				      enum tags_member member,
				      unsigned int index)
{
	return word_at(node->bytes,
		       tags[member] + index * (uint32_t)sizeof(uint64_t));
}

/* All take the offsets of struct page_tags_layout as @tags. */

/* Bytes up to the end of a node's last member; 0 if it cannot be read. */
size_t page_node_size(const uint32_t *tags);

/*
 * Reads @size bytes of the node at @address. Returns 0, -EAGAIN if it is no
 * node, or not the one that should be at @place, or the errno of reading.
 */
int page_node_read(struct page_node *node, const struct kmem *kmem,
		   const uint32_t *tags, size_t size, uint64_t address,
		   const struct page_node_place *place);

/*
 * How many pages the page that begins in @slot has, 0 if there is none so
 * large.
 */
uint64_t page_node_pages(const struct page_node *node, const uint32_t *tags,
			 unsigned int slot);

#endif
