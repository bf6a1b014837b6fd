// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stddef.h>

#include "kernel/kernel.h"
#include "kernel/swap_cache.h"
#include "kernel/symbols.h"
#include "kernel/vm_counters.h"
#include "lib/error.h"
#include "measure/kernel_meminfo.h"
#include "measure/meminfo.h"

enum {
	MANAGED,
	FREE,
	FILE_PAGES,
	SWAP_CACHE,
	SHMEM,
	SLAB,
	DIRTY,
	WRITEBACK,
	MAPPED,
	ACTIVE,
	INACTIVE,
	MISC,
	LOW_MARKS,
	BOOSTS,
	RESERVES,
	COUNTERS
};

/* Counts of bytes in their enum (_B) are pages in the nodes' counters. */
static const struct vm_counter names[COUNTERS] = {
	[MANAGED] = { .kind = VM_ZONE_MEMBER, .name = "managed_pages" },
	[FREE] = { .kind = VM_ZONE, .name = "NR_FREE_PAGES" },
	[FILE_PAGES] = { .kind = VM_NODE, .name = "NR_FILE_PAGES" },
	[SWAP_CACHE] = { .kind = VM_NODE, .name = "NR_SWAPCACHE" },
	[SHMEM] = { .kind = VM_NODE, .name = "NR_SHMEM" },
	[SLAB] = { .kind = VM_NODE, .name = "NR_SLAB_RECLAIMABLE_B" },
	[DIRTY] = { .kind = VM_NODE, .name = "NR_FILE_DIRTY" },
	[WRITEBACK] = { .kind = VM_NODE, .name = "NR_WRITEBACK" },
	[MAPPED] = { .kind = VM_NODE, .name = "NR_FILE_MAPPED" },
	[ACTIVE] = { .kind = VM_NODE, .name = "NR_ACTIVE_FILE" },
	[INACTIVE] = { .kind = VM_NODE, .name = "NR_INACTIVE_FILE" },
	[MISC] = { .kind = VM_NODE, .name = "NR_KERNEL_MISC_RECLAIMABLE" },
	[LOW_MARKS] = { .kind = VM_WATERMARK, .name = "WMARK_LOW" },
	[BOOSTS] = { .kind = VM_ZONE_MEMBER, .name = "watermark_boost" },
	[RESERVES] = { .kind = VM_NODE_MEMBER, .name = "totalreserve_pages" },
};

/* The fields that are one counter each. */
static const struct {
	enum meminfo_field field;
	int counter;
} fields[] = {
	{ MEMINFO_MEM_TOTAL, MANAGED },	     { MEMINFO_MEM_FREE, FREE },
	{ MEMINFO_SWAP_CACHED, SWAP_CACHE }, { MEMINFO_SHMEM, SHMEM },
	{ MEMINFO_SRECLAIMABLE, SLAB },	     { MEMINFO_DIRTY, DIRTY },
	{ MEMINFO_WRITEBACK, WRITEBACK },    { MEMINFO_MAPPED, MAPPED },
};

/* A count that is negative, or more than any memory, is not one. */
static void set(struct meminfo *meminfo, struct kernel *kernel,
		enum meminfo_field field, int64_t pages)
{
	if (pages >= 0 && (uint64_t)pages <= INT64_MAX / kernel->page_size)
		meminfo_set(meminfo, field,
			    (uint64_t)pages * (kernel->page_size / 1024));
}

static int64_t half_or(int64_t pages, int64_t limit)
{
	return pages / 2 < limit ? pages / 2 : limit;
}

static bool are_known(const struct vm_counter *counters, int first, int last)
{
	for (int i = first; i <= last; i++) {
		if (!counters[i].known)
			return false;
	}
	return true;
}

/* As si_mem_available() estimates it since Linux 4.20. */
static void set_available(struct meminfo *meminfo, struct kernel *kernel,
			  const struct vm_counter *counters)
{
	int64_t files = counters[ACTIVE].count + counters[INACTIVE].count;
	int64_t slab = counters[SLAB].count + counters[MISC].count;
	int64_t low = counters[LOW_MARKS].count + counters[BOOSTS].count;
	int64_t pages = counters[FREE].count - counters[RESERVES].count +
			files - half_or(files, low) + slab - half_or(slab, low);

	if (are_known(counters, ACTIVE, RESERVES) && counters[FREE].known &&
	    counters[SLAB].known)
		set(meminfo, kernel, MEMINFO_MEM_AVAILABLE,
		    pages < 0 ? 0 : pages);
}

/* Up to Linux 5.11 nothing counts the swap cache. */
static void set_cached(struct meminfo *meminfo, struct kernel *kernel,
		       const struct vm_counter *counters, uint64_t buffers)
{
	uint64_t page_kib = kernel->page_size / 1024, pages;

	if (!counters[SWAP_CACHE].known && swap_cache_pages(kernel, &pages))
		set(meminfo, kernel, MEMINFO_SWAP_CACHED, (int64_t)pages);
	if (counters[FILE_PAGES].known &&
	    meminfo_has(meminfo, MEMINFO_SWAP_CACHED))
		set(meminfo, kernel, MEMINFO_CACHED,
		    counters[FILE_PAGES].count -
			    (int64_t)(meminfo->kib[MEMINFO_SWAP_CACHED] /
				      page_kib) -
			    (int64_t)buffers);
}

/* Neither can be checked, but the free part is no larger than the whole. */
static void set_swap(struct meminfo *meminfo, struct kernel *kernel)
{
	struct kallsyms_symbol symbols[] = { { .name = "total_swap_pages" },
					     { .name = "nr_swap_pages" } };
	uint64_t total, unused;

	kernel_symbols_find(kernel, symbols, 2);
	if (!symbols[0].address || !symbols[1].address ||
	    kmem_read_word(kernel->kmem, symbols[0].address, &total) < 0 ||
	    kmem_read_word(kernel->kmem, symbols[1].address, &unused) < 0 ||
	    unused > total)
		return;
	set(meminfo, kernel, MEMINFO_SWAP_TOTAL, (int64_t)total);
	set(meminfo, kernel, MEMINFO_SWAP_FREE, (int64_t)unused);
}

void kernel_meminfo_read(struct meminfo *meminfo, struct kernel *kernel,
			 const uint64_t *buffers)
{
	struct vm_counter counters[COUNTERS];
	struct vm_counters places;
	struct error unknown;

	for (size_t i = 0; i < COUNTERS; i++)
		counters[i] = names[i];
	if (buffers)
		set(meminfo, kernel, MEMINFO_BUFFERS, (int64_t)*buffers);
	set_swap(meminfo, kernel);
	vm_counters_find(&places, kernel, counters, COUNTERS);
	if (vm_counters_read(&places, &unknown) < 0)
		return;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (counters[fields[i].counter].known)
			set(meminfo, kernel, fields[i].field,
			    counters[fields[i].counter].count);
	}
	set_available(meminfo, kernel, counters);
	if (buffers)
		set_cached(meminfo, kernel, counters, *buffers);
}
