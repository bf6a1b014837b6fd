/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of the cached pages of a block device: of all, or, if there are very
 * many, of parts of the device that are spread over it.
 */
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
	uint64_t left_out; /* pages that were found and are not in the list */
	/* What cached_pages_add() goes by. */
	size_t most; /* pages in the list */
	uint32_t page_struct; /* bytes of a struct page */
	unsigned int region_shift; /* see cached_pages_add() */
	unsigned int halvings;
};

/* 128 GiB of pages of 4 KiB, for which the list takes 512 MiB. */
#define CACHED_PAGES_MOST (1U << 25)

/*
 * Adds the @count pages of a folio: the first is @index, with its struct page at
 * @page. A list that gets longer than @pages->most loses about half of the
 * regions, whose pages are left out from then on. A region has 1 <<
 * region_shift pages. The first one stays: it has the superblock. Returns 0,
 * -ENOMEM, or -E2BIG if nothing but the first one is left.
 */
int cached_pages_add(struct cached_pages *pages, uint64_t index, uint64_t page,
		     uint64_t count);

/*
 * Lists the pages of the device @entry, whose struct page has @page_struct
 * bytes, or CACHED_PAGES_MOST of them. Walks again if that does not agree with
 * the kernel's count, a few times; the pages that came or went meanwhile are
 * the difference. Returns 0, -EOPNOTSUPP if this kernel's page trees are of an
 * unknown form, -E2BIG if there are too many pages, -ESTALE if the device went
 * away, -ENOMEM, -ETIMEDOUT, or another errno of reading. The caller deinits
 * @pages in any case.
 */
int cached_pages_init(struct cached_pages *pages, const struct kernel *kernel,
		      const struct bdev_entry *entry, uint32_t page_struct);

/*
 * The same of the first @end pages of a device of @device_pages, and of its
 * last @end. What comes or goes meanwhile may be missing.
 */
int cached_pages_init_ends(struct cached_pages *pages,
			   const struct kernel *kernel,
			   const struct bdev_entry *entry, uint32_t page_struct,
			   uint64_t end, uint64_t device_pages);
void cached_pages_deinit(struct cached_pages *pages);

#endif
