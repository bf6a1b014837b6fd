// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory/memory_heads.h"

static const struct memory_head_info infos[MEMORY_HEADS] = {
	[MEMORY_HEAD_PROGRAMS] = {
		"programs", "programs (anonymous)",
		"end a program, or add swap",
		"only pages that a program has and no file has",
		{ { 1, MEMORY_NR_ANON } },
	},
	[MEMORY_HEAD_SHARED] = {
		"shared", "shared memory, tmpfs",
		"delete files in tmpfs; ipcrm",
		"in nr_file_pages, so it is taken out of the file cache",
		{ { 1, MEMORY_NR_SHMEM } },
	},
	[MEMORY_HEAD_FILE_CACHE] = {
		"file_cache", "file cache",
		"sync; sysctl vm.drop_caches=1",
		"all cached pages, less the three heads that are counted in "
		"them",
		{ { 1, MEMORY_NR_FILE }, { -1, MEMORY_BUFFERS },
		  { -1, MEMORY_NR_SHMEM }, { -1, MEMORY_NR_SWAP_CACHED } },
	},
	[MEMORY_HEAD_BLOCK_CACHE] = {
		"block_cache", "block device cache (Buffers)",
		"bufstat drop DEVICE; bufstat devices names them",
		"in nr_file_pages, so it is taken out of the file cache",
		{ { 1, MEMORY_BUFFERS } },
	},
	[MEMORY_HEAD_SWAP_CACHE] = {
		"swap_cache", "swap cache, in no program",
		NULL,
		"in nr_file_pages; pages that programs have mapped count there "
		"and not here",
		{ { 1, MEMORY_NR_SWAP_CACHED } },
	},
	[MEMORY_HEAD_ORPHANS] = {
		"orphans", "on the LRU lists, in no cache",
		NULL,
		"on a list of nr_active_* and nr_inactive_*, but neither file "
		"nor anonymous any more: deleted while in use",
		{ { 0, 0 } },
	},
	[MEMORY_HEAD_SLAB_RECLAIMABLE] = {
		"slab_reclaimable", "slab, reclaimable",
		"sysctl vm.drop_caches=2",
		"pages of the slab allocator, which are on no list",
		{ { 1, MEMORY_NR_SLAB_RECLAIMABLE } },
	},
	[MEMORY_HEAD_SLAB_UNRECLAIMABLE] = {
		"slab_unreclaimable", "slab, unreclaimable",
		NULL,
		"pages of the slab allocator, which are on no list",
		{ { 1, MEMORY_NR_SLAB_UNRECLAIMABLE } },
	},
	[MEMORY_HEAD_KERNEL_RECLAIMABLE] = {
		"kernel_reclaimable", "kernel, reclaimable outside slab",
		"sysctl vm.drop_caches=2",
		"whole pages that a driver with a shrinker has allocated",
		{ { 1, MEMORY_NR_MISC_RECLAIMABLE } },
	},
	[MEMORY_HEAD_PAGE_TABLES] = {
		"page_tables", "page tables",
		NULL,
		"pages of their own type",
		{ { 1, MEMORY_NR_PAGE_TABLE },
		  { 1, MEMORY_NR_SECONDARY_PAGE_TABLE } },
	},
	[MEMORY_HEAD_STACKS] = {
		"kernel_stacks", "kernel stacks",
		NULL,
		"only where the stacks are not allocated by vmalloc()",
		{ { 1, MEMORY_KERNEL_STACK } },
	},
	[MEMORY_HEAD_VMALLOC] = {
		"vmalloc", "vmalloc",
		NULL,
		"pages that vmalloc() allocated for itself; what it only maps "
		"is not in it",
		{ { 1, MEMORY_VMALLOC_USED } },
	},
	[MEMORY_HEAD_PER_CPU] = {
		"per_cpu", "per-CPU memory",
		NULL,
		"not in VmallocUsed; its first chunk is older than MemTotal and "
		"not in it",
		{ { 1, MEMORY_PERCPU }, { -1, MEMORY_FIRST_CHUNK } },
	},
	[MEMORY_HEAD_HUGE_PAGES] = {
		"huge_pages", "huge page pools",
		"lower nr_hugepages in /sys/kernel/mm/hugepages/hugepages-*",
		"pages of a pool are on no list, and not anonymous or file "
		"pages even if a program has them",
		{ { 1, MEMORY_HUGETLB } },
	},
	[MEMORY_HEAD_COMPRESSED] = {
		"compressed", "compressed swap (zram, zswap)",
		NULL,
		"pages of zsmalloc; of zswap what is in another allocator",
		{ { 1, MEMORY_NR_ZSPAGES } },
	},
	[MEMORY_HEAD_BALLOON] = {
		"balloon", "balloon: given to the host",
		NULL,
		"only where the driver leaves MemTotal as it is; allocated by "
		"the driver, on no list",
		{ { 1, MEMORY_BALLOON } },
	},
	[MEMORY_HEAD_MEMMAP] = {
		"memmap", "memmap of added memory",
		NULL,
		"allocated when memory was added; that of the boot is not in "
		"MemTotal",
		{ { 1, MEMORY_NR_MEMMAP } },
	},
	[MEMORY_HEAD_GPU] = {
		"gpu", "GPU drivers",
		"sysctl vm.drop_caches=2 empties the drivers' pools",
		"pages that the drivers have allocated, on no list",
		{ { 1, MEMORY_NR_GPU_ACTIVE }, { 1, MEMORY_NR_GPU_RECLAIM } },
	},
	[MEMORY_HEAD_ZFS] = {
		"zfs", "ZFS cache, outside slab",
		"sysctl vm.drop_caches=2; zfs_arc_max",
		"pages that ZFS allocates itself; its slab caches are in slab",
		{ { 1, MEMORY_ZFS } },
	},
	[MEMORY_HEAD_BOUNCE] = {
		"bounce", "bounce buffers",
		NULL,
		"copies for devices that cannot reach a page",
		{ { 1, MEMORY_NR_BOUNCE }, { 1, MEMORY_NR_WRITEBACK_TEMP } },
	},
	[MEMORY_HEAD_CORRUPTED] = {
		"corrupted", "broken pages (HardwareCorrupted)",
		NULL,
		"taken out of use for good",
		{ { 1, MEMORY_HARDWARE_CORRUPTED } },
	},
	[MEMORY_HEAD_FREE_PER_CPU] = {
		"free_per_cpu", "free, on per-CPU lists",
		NULL,
		"free pages that are not in MemFree: each processor keeps some "
		"at hand",
		{ { 1, MEMORY_ZONE_PER_CPU } },
	},
	[MEMORY_HEAD_FREE] = {
		"free", "free",
		NULL,
		"pages of the page allocator that nobody has",
		{ { 1, MEMORY_ZONE_FREE } },
	},
};

const struct memory_head_info *memory_head_info(enum memory_head_id id)
{
	return &infos[id];
}
