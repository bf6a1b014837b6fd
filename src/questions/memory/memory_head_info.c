// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory/memory_heads.h"

/* What is above each says why no other head has its pages. */
static const struct memory_head_info infos[MEMORY_HEADS] = {
	/* Only pages that a program has and no file has. */
	[MEMORY_HEAD_PROGRAMS] = {
		"programs", "programs (anonymous)",
		"end a program, or add swap", NULL,
		{ { 1, MEMORY_NR_ANON } },
	},
	/* In nr_file_pages, so it is taken out of the file cache. */
	[MEMORY_HEAD_SHARED] = {
		"shared", "shared memory, tmpfs",
		"delete files in tmpfs; ipcrm", NULL,
		{ { 1, MEMORY_NR_SHMEM } },
	},
	/* All cached pages, less the three heads that are counted in them. */
	[MEMORY_HEAD_FILE_CACHE] = {
		"file_cache", "file cache",
		"sync; sysctl vm.drop_caches=1", NULL,
		{ { 1, MEMORY_NR_FILE }, { -1, MEMORY_BUFFERS },
		  { -1, MEMORY_NR_SHMEM }, { -1, MEMORY_NR_SWAP_CACHED } },
	},
	/* In nr_file_pages, so it is taken out of the file cache. */
	[MEMORY_HEAD_BLOCK_CACHE] = {
		"block_cache", "block device cache (Buffers)",
		"bufstat drop DEVICE; bufstat devices names them", NULL,
		{ { 1, MEMORY_BUFFERS } },
	},
	/*
	 * In nr_file_pages; pages that programs have mapped count there and
	 * not here.
	 */
	[MEMORY_HEAD_SWAP_CACHE] = {
		"swap_cache", "swap cache, in no program",
		NULL, NULL,
		{ { 1, MEMORY_NR_SWAP_CACHED } },
	},
	/*
	 * On a list of nr_active_* and nr_inactive_*, but neither file nor
	 * anonymous any more: deleted while in use.
	 */
	[MEMORY_HEAD_ORPHANS] = {
		"orphans", "on the LRU lists, in no cache",
		NULL, NULL,
		{ { 0, 0 } },
	},
	/* Pages of the slab allocator, which are on no list. */
	[MEMORY_HEAD_SLAB_RECLAIMABLE] = {
		"slab_reclaimable", "slab, reclaimable",
		"sysctl vm.drop_caches=2; memory --owners slab names the caches",
		NULL,
		{ { 1, MEMORY_NR_SLAB_RECLAIMABLE } },
	},
	/* Pages of the slab allocator, which are on no list. */
	[MEMORY_HEAD_SLAB_UNRECLAIMABLE] = {
		"slab_unreclaimable", "slab, unreclaimable",
		NULL, "who made it frees it; memory --owners slab names the caches",
		{ { 1, MEMORY_NR_SLAB_UNRECLAIMABLE } },
	},
	/* Whole pages that a driver with a shrinker has allocated. */
	[MEMORY_HEAD_KERNEL_RECLAIMABLE] = {
		"kernel_reclaimable", "kernel, reclaimable outside slab",
		"sysctl vm.drop_caches=2", NULL,
		{ { 1, MEMORY_NR_MISC_RECLAIMABLE } },
	},
	/* Pages of their own type. */
	[MEMORY_HEAD_PAGE_TABLES] = {
		"page_tables", "page tables",
		NULL, "end the process that memory --owners page_tables names",
		{ { 1, MEMORY_NR_PAGE_TABLE },
		  { 1, MEMORY_NR_SECONDARY_PAGE_TABLE } },
	},
	/* Only where the stacks are not allocated by vmalloc(). */
	[MEMORY_HEAD_STACKS] = {
		"kernel_stacks", "kernel stacks",
		NULL, NULL,
		{ { 1, MEMORY_KERNEL_STACK } },
	},
	/*
	 * Pages that vmalloc() allocated for itself; what it only maps is not
	 * in it.
	 */
	[MEMORY_HEAD_VMALLOC] = {
		"vmalloc", "vmalloc",
		NULL,
		"end or unload who made it; memory --owners vmalloc names the "
		"callers",
		{ { 1, MEMORY_VMALLOC_USED } },
	},
	/*
	 * Not in VmallocUsed; its first chunk is older than MemTotal and not
	 * in it.
	 */
	[MEMORY_HEAD_PER_CPU] = {
		"per_cpu", "per-CPU memory",
		NULL, NULL,
		{ { 1, MEMORY_PERCPU }, { -1, MEMORY_FIRST_CHUNK } },
	},
	/*
	 * Pages of a pool are on no list, and not anonymous or file pages even
	 * if a program has them.
	 */
	[MEMORY_HEAD_HUGE_PAGES] = {
		"huge_pages", "huge page pools",
		"lower nr_hugepages in /sys/kernel/mm/hugepages/hugepages-*", NULL,
		{ { 1, MEMORY_HUGETLB } },
	},
	/* Pages of zsmalloc; of zswap what is in another allocator. */
	[MEMORY_HEAD_COMPRESSED] = {
		"compressed", "compressed swap (zram, zswap)",
		NULL, NULL,
		{ { 1, MEMORY_NR_ZSPAGES } },
	},
	/*
	 * Only where the driver leaves MemTotal as it is; allocated by the
	 * driver, on no list.
	 */
	[MEMORY_HEAD_BALLOON] = {
		"balloon", "balloon: given to the host",
		NULL, NULL,
		{ { 1, MEMORY_BALLOON } },
	},
	/*
	 * Allocated when memory was added; that of the boot is not in
	 * MemTotal.
	 */
	[MEMORY_HEAD_MEMMAP] = {
		"memmap", "memmap of added memory",
		NULL, NULL,
		{ { 1, MEMORY_NR_MEMMAP } },
	},
	/* Pages that the drivers have allocated, on no list. */
	[MEMORY_HEAD_GPU] = {
		"gpu", "GPU drivers",
		"sysctl vm.drop_caches=2 empties the drivers' pools", NULL,
		{ { 1, MEMORY_NR_GPU_ACTIVE }, { 1, MEMORY_NR_GPU_RECLAIM } },
	},
	/* Pages that ZFS allocates itself; its slab caches are in slab. */
	[MEMORY_HEAD_ZFS] = {
		"zfs", "ZFS cache, outside slab",
		"sysctl vm.drop_caches=2; zfs_arc_max", NULL,
		{ { 1, MEMORY_ZFS } },
	},
	/* Copies for devices that cannot reach a page. */
	[MEMORY_HEAD_BOUNCE] = {
		"bounce", "bounce buffers",
		NULL, NULL,
		{ { 1, MEMORY_NR_BOUNCE }, { 1, MEMORY_NR_WRITEBACK_TEMP } },
	},
	/* Taken out of use for good. */
	[MEMORY_HEAD_CORRUPTED] = {
		"corrupted", "broken pages (HardwareCorrupted)",
		NULL, NULL,
		{ { 1, MEMORY_HARDWARE_CORRUPTED } },
	},
	/*
	 * Free pages that are not in MemFree: each processor keeps some at
	 * hand.
	 */
	[MEMORY_HEAD_FREE_PER_CPU] = {
		"free_per_cpu", "free, on per-CPU lists",
		NULL, NULL,
		{ { 1, MEMORY_ZONE_PER_CPU } },
	},
	/* Pages of the page allocator that nobody has. */
	[MEMORY_HEAD_FREE] = {
		"free", "free",
		NULL, NULL,
		{ { 1, MEMORY_ZONE_FREE } },
	},
};

const struct memory_head_info *memory_head_info(enum memory_head_id id)
{
	return &infos[id];
}
