/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of all cached pages of a block device. */
#ifndef BUFSTAT_CACHED_PAGES_H
#define BUFSTAT_CACHED_PAGES_H

#include <stddef.h>
#include <stdint.h>

struct bdev_entry;
struct kernel;

/* A page, which may be a part of a folio. 16 bytes, for there may be millions. */
struct cached_page {
	uint64_t page; /* address of its own struct page */
	/* Its index in the device, and in the lowest byte the folio's order. */
	uint64_t place;
};

/* Its index in the device, in pages. */
static inline uint64_t cached_page_index(const struct cached_page *page)
{
	return page->place >> 8;
}

/* How many pages of its folio come before it. A folio is aligned to its size. */
static inline uint64_t cached_page_within(const struct cached_page *page)
{
	return cached_page_index(page) & ((1ULL << (page->place & 0xff)) - 1);
}

struct cached_pages {
	struct cached_page *list; /* sorted by index */
	size_t count;
	size_t capacity;
	uint64_t counted; /* pages, as the kernel counts them (nrpages) */
};

/* 128 GiB of pages of 4 KiB, for which the list takes 512 MiB. */
#define CACHED_PAGES_MOST (1U << 25)

/*
 * Lists the pages of the device @entry, whose struct page has @page_struct
 * bytes. Walks again if that does not agree with the kernel's count, a few
 * times; the pages that came or went meanwhile are the difference. Returns 0,
 * -EOPNOTSUPP if this kernel's page trees are of an unknown form, -E2BIG if
 * there are too many pages, -ESTALE if the device went away, -ENOMEM,
 * -ETIMEDOUT, or another errno of reading. The caller deinits @pages in any
 * case.
 */
int cached_pages_init(struct cached_pages *pages, const struct kernel *kernel,
		      const struct bdev_entry *entry, uint32_t page_struct);
void cached_pages_deinit(struct cached_pages *pages);

#endif
