/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what is in the cached pages of a block device, without a lock and
 * without a trace: no page is referenced, marked or brought in.
 *
 * A page may leave the cache and be used for something else at any moment. So
 * its struct page is looked at before and after its contents are read, and
 * contents count only if it was the device's page both times.
 *
 * Only parts of a page may have been read from the disk: ext4 reads its
 * metadata block by block, and the page's own flag (PG_uptodate) then stays
 * unset. The buffer heads tell. What was not read is zeros, or old.
 */
#ifndef BUFSTAT_PAGE_CONTENTS_H
#define BUFSTAT_PAGE_CONTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cached_pages.h"

struct error;
struct kernel;
struct kmem;

enum contents_member {
	CONTENTS_PAGE_FLAGS, /* page.flags */
	CONTENTS_PAGE_MAPPING, /* page.mapping */
	CONTENTS_PAGE_INDEX, /* page.index; __folio_index since Linux 6.16 */
	CONTENTS_PAGE_PRIVATE, /* page.private, the first buffer head */
	CONTENTS_BUFFER_STATE, /* buffer_head.b_state */
	CONTENTS_BUFFER_NEXT, /* buffer_head.b_this_page, a ring */
	CONTENTS_BUFFER_PAGE, /* buffer_head.b_page */
	CONTENTS_BUFFER_BLOCK, /* buffer_head.b_blocknr, in units of b_size */
	CONTENTS_BUFFER_SIZE, /* buffer_head.b_size, bytes */
	CONTENTS_BUFFER_DATA, /* buffer_head.b_data */
	CONTENTS_BUFFER_DEVICE, /* buffer_head.b_bdev */
	CONTENTS_MEMBERS
};

struct page_contents {
	const struct kmem *kmem;
	uint32_t offset[CONTENTS_MEMBERS]; /* bytes */
	uint32_t page_struct; /* sizes of the structs, bytes */
	uint32_t buffer_head;
	uint64_t uptodate; /* PG_uptodate, as a mask of page.flags */
	uint64_t poisoned; /* PG_hwpoison, or 0 if this kernel has none */
	uint64_t buffer_uptodate; /* BH_Uptodate, as a mask of b_state */
	/* One struct page, or 0 if none is known; where its contents are. */
	uint64_t known_page;
	uint64_t known_contents;
	bool is_base; /* the kernel says where both begin */
	uint64_t page_size; /* bytes */
	/* The device whose pages are read; set by the caller. */
	uint64_t mapping; /* address of the address_space */
	uint64_t device; /* address of the block_device */
};

/* Bytes; a page has at most 64 parts of this size. */
#define CONTENTS_PART 1024U

/*
 * Finds out what this kernel's pages look like and, if it says so, where they
 * are mapped. Returns 0, -EOPNOTSUPP with what it does not say, or another
 * negative errno.
 */
int page_contents_init(struct page_contents *contents, struct kernel *kernel,
		       struct error *err);

/*
 * If the kernel does not say where it maps its pages, learns it from the buffer
 * heads of these cached pages of the device: they have both the page and where
 * its data is. Returns whether it is known now. It is not if the structs are no
 * array (no CONFIG_SPARSEMEM_VMEMMAP), whatever the kernel says.
 */
bool page_contents_learn(struct page_contents *contents,
			 const struct cached_page *pages, size_t count);

/* What a look at pages says of those that are not all read from the disk. */
struct page_look {
	/* The page at @which in the array has left, or is not to be found. */
	void (*gone)(void *data, size_t which);
	/* These bytes of it were never read from the disk. */
	void (*unread)(void *data, size_t which, uint64_t offset,
		       uint64_t size);
	void *data;
};

/*
 * Looks at the pages @first to @first + @count - 1 of @pages, which are sorted.
 * Says nothing of those that are the device's and read. Returns 0, -ENOMEM,
 * -ETIMEDOUT, or another errno of reading.
 */
int page_contents_look(const struct page_contents *contents,
		       const struct cached_page *pages, size_t first,
		       size_t count, const struct page_look *look);

/*
 * Reads the page into @bytes, a page's size, and sets a bit in *@valid for each
 * part of CONTENTS_PART that counts, the lowest for the first. Returns 0,
 * -ESTALE if it is not the device's page any more, -ENODATA if a dump lacks it,
 * -ENOMEM, -ETIMEDOUT, or another errno of reading.
 */
int page_contents_read(const struct page_contents *contents,
		       const struct cached_page *page, void *bytes,
		       uint64_t *valid);

#endif
