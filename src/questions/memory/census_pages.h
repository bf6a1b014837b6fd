/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What page frames without a flag are, by their struct pages in the kernel's
 * memory. No lock is held: a frame may change between the two looks at it.
 * Pages of vmalloc() cannot be told; they are in use, like any other.
 */
#ifndef BUFSTAT_CENSUS_PAGES_H
#define BUFSTAT_CENSUS_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf;
struct kernel;

enum census_type {
	CENSUS_ZSMALLOC, /* compressed data */
	CENSUS_PAGE_POOL, /* of a network device */
	CENSUS_LISTED, /* without a reference, on a list: free, of a processor */
	CENSUS_UNREFERENCED, /* on no list: the later pages of larger pieces */
	CENSUS_PIPES, /* data in pipes (census_pipes.h) */
	CENSUS_IN_USE, /* all others that have a reference */
	CENSUS_UNREAD, /* could not be read */
	CENSUS_TYPES
};

struct census_pages {
	bool is_known; /* all pages were looked at, or are CENSUS_UNREAD */
	bool looked_for[CENSUS_TYPES]; /* this kernel tells them apart */
	int64_t pages[CENSUS_TYPES]; /* they add up to those without a flag */
	char why[192]; /* why it is not known */
	int64_t not_open; /* of CENSUS_PIPES, what no process has open */
	char why_not_open[96]; /* why that is not known, or "" */
	char why_no_pipes[192]; /* why CENSUS_PIPES was not looked for */
	size_t unread_pipes; /* which are not in CENSUS_PIPES */
};

enum census_member {
	CENSUS_PAGE_FLAGS, /* page.flags */
	CENSUS_PAGE_MAPPING, /* page.mapping */
	CENSUS_PAGE_REFERENCES, /* page._refcount */
	CENSUS_PAGE_TYPE, /* page.page_type */
	CENSUS_PAGE_LIST, /* page.lru */
	CENSUS_PAGE_MAGIC, /* page.pp_magic */
	CENSUS_MEMBERS
};

/* What this kernel's struct pages look like. */
struct census_layout {
	uint32_t size; /* of a struct page, bytes */
	uint32_t offset[CENSUS_MEMBERS]; /* bytes */
	bool has[CENSUS_MEMBERS];
	uint64_t lru, reserved; /* masks of page.flags, or 0 */
	/* The highest byte of page.page_type (enum pagetype); 0: no such. */
	uint32_t zsmalloc, page_pool;
	uint64_t base; /* the struct page of frame 0; 0 before the look */
};

/* Takes all that BTF says. */
void census_layout_init(struct census_layout *layout, const struct btf *btf);

/* For the time of a census. */
struct census_look {
	struct kernel *kernel; /* the caller's */
	struct census_layout layout;
	struct census_pages *pages; /* the caller's */
	uint64_t block; /* address of what is in the buffer */
	size_t block_size; /* bytes */
	unsigned int words; /* read beside the blocks */
	unsigned char *buffer; /* NULL: nothing is looked at */
	enum census_type before; /* of the last frame */
	int64_t compared, agreed; /* flags that both looks should show */
};

/*
 * Begins to fill *@pages, and finds the base of @layout. Returns 0, -ENOMEM, or
 * -EOPNOTSUPP with @pages->why. The caller ends it in any case.
 */
int census_look_begin(struct census_look *look, struct kernel *kernel,
		      const struct census_layout *layout,
		      struct census_pages *pages);

/*
 * Looks at the frames from @first on: @flags are those of /proc/kpageflags, and
 * @unflagged says which of the @count frames to look at.
 */
void census_look_at(struct census_look *look, uint64_t first,
		    const uint64_t *flags, const bool *unflagged, size_t count);

/*
 * Reads the struct pages of @count frames from @first on, or of fewer, into
 * @look->buffer. Returns how many, or 0.
 */
size_t census_look_read(struct census_look *look, uint64_t first, size_t count);

/*
 * Whether @page is the address of the struct page of a frame that is
 * CENSUS_IN_USE, and that no file or process has. It may be any number.
 */
bool census_look_in_use(struct census_look *look, uint64_t page);

/*
 * Ends it; does nothing if it never began (all zero). If what was read
 * contradicts /proc/kpageflags, then nothing is known.
 */
void census_look_end(struct census_look *look);

#endif
