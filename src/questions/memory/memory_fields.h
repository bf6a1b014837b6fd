/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own counts of its memory, by the names it gives them. All are in
 * pages. A count that a kernel does not have is absent, which is not zero.
 */
#ifndef BUFSTAT_MEMORY_FIELDS_H
#define BUFSTAT_MEMORY_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a count stands. The same name may mean another thing elsewhere. */
enum memory_origin {
	MEMORY_MEMINFO, /* /proc/meminfo */
	MEMORY_VMSTAT, /* /proc/vmstat */
	MEMORY_ZONEINFO, /* /proc/zoneinfo, added up over all zones */
	MEMORY_ELSEWHERE, /* the field's info names the file */
};

enum memory_field {
	/* /proc/meminfo, for what /proc/vmstat does not have */
	MEMORY_TOTAL,
	MEMORY_AVAILABLE, /* since Linux 3.14 */
	MEMORY_BUFFERS,
	MEMORY_CACHED,
	MEMORY_SWAP_CACHED,
	MEMORY_SWAP_TOTAL,
	MEMORY_SWAP_FREE,
	MEMORY_KERNEL_STACK,
	MEMORY_VMALLOC_USED,
	MEMORY_VMALLOC_CHUNK,
	MEMORY_PERCPU, /* since Linux 4.20 */
	MEMORY_HARDWARE_CORRUPTED,
	MEMORY_ANON_HUGE,
	MEMORY_SHMEM_HUGE,
	MEMORY_FILE_HUGE,
	MEMORY_HUGETLB, /* since Linux 4.16 */
	MEMORY_BALLOON, /* since Linux 6.19 */
	MEMORY_ZSWAP, /* since Linux 5.19 */
	MEMORY_ZSWAPPED, /* what that holds, before it was compressed */
	MEMORY_UNACCEPTED,
	MEMORY_CMA_TOTAL,
	MEMORY_CMA_FREE,
	/* /proc/vmstat */
	MEMORY_NR_FREE,
	MEMORY_NR_FILE,
	MEMORY_NR_ANON,
	MEMORY_NR_SHMEM,
	MEMORY_NR_SWAP_CACHED, /* since Linux 5.12 */
	MEMORY_NR_ACTIVE_ANON,
	MEMORY_NR_INACTIVE_ANON,
	MEMORY_NR_ACTIVE_FILE,
	MEMORY_NR_INACTIVE_FILE,
	MEMORY_NR_UNEVICTABLE,
	MEMORY_NR_ISOLATED_ANON,
	MEMORY_NR_ISOLATED_FILE,
	MEMORY_NR_DIRTY,
	MEMORY_NR_WRITEBACK,
	MEMORY_NR_MAPPED,
	MEMORY_NR_MLOCK,
	MEMORY_NR_SLAB_RECLAIMABLE,
	MEMORY_NR_SLAB_UNRECLAIMABLE,
	MEMORY_NR_MISC_RECLAIMABLE,
	MEMORY_NR_PAGE_TABLE,
	MEMORY_NR_SECONDARY_PAGE_TABLE,
	MEMORY_NR_IOMMU,
	MEMORY_NR_ZSPAGES,
	MEMORY_NR_BOUNCE,
	MEMORY_NR_WRITEBACK_TEMP,
	MEMORY_NR_MEMMAP, /* since Linux 6.11 */
	MEMORY_NR_GPU_ACTIVE,
	MEMORY_NR_GPU_RECLAIM,
	MEMORY_BALLOON_INFLATE, /* events, in pages */
	MEMORY_BALLOON_DEFLATE,
	/* /proc/zoneinfo */
	MEMORY_ZONE_FREE,
	MEMORY_ZONE_PER_CPU, /* free, on the processors' own lists */
	MEMORY_ZONE_LOW,
	MEMORY_ZONE_MANAGED,
	MEMORY_ZONE_PRESENT,
	MEMORY_ZONE_SPANNED,
	MEMORY_ZONE_RESERVE, /* the kernel's totalreserve_pages */
	MEMORY_ZONE_LAG, /* what a count may be behind, over all processors */
	/* elsewhere */
	MEMORY_FIRST_CHUNK, /* of per-CPU memory; all processors together */
	MEMORY_ZRAM, /* what all zram devices have in zsmalloc */
	MEMORY_ZRAM_STORED, /* what that holds, before it was compressed */
	MEMORY_ZFS, /* ZFS's cache in pages of its own, outside slab */
	MEMORY_ARC_SIZE, /* all of ZFS's cache, in slab and vmalloc too */
	MEMORY_ARC_MIN, /* what ZFS keeps of it */
	MEMORY_DM_BUFIO, /* buffers of device mapper targets */
	MEMORY_MIN_FREE, /* vm.min_free_kbytes */
	MEMORY_EXTRA_FREE, /* of RHEL 6 and Android: above min, for low */
	MEMORY_WATERMARK_SCALE, /* 1/10,000 of a zone, not pages */
	MEMORY_LOWMEM_RATIO, /* the least of vm.lowmem_reserve_ratio; not 0 */
	MEMORY_TOP_TABLES, /* page tables that are not in nr_page_table_pages */
	MEMORY_PACKET_RINGS, /* rings of AF_PACKET sockets */
	MEMORY_PACKET_SOCKETS, /* sockets, not pages */
	MEMORY_SOCKET_BUFFERS, /* what TCP and UDP are charged for */
	MEMORY_DMA_POOLS, /* pools of memory for DMA */
	MEMORY_XFS_BUFFERS, /* buffers, not pages */
	MEMORY_XFS_MOUNTS, /* filesystems, not pages */
	MEMORY_TTM_POOL, /* kept by graphics drivers, where no count has it */
	MEMORY_CGROUP_REST, /* charged to cgroups, and in no count of the host */
	MEMORY_DENTRY_COUNT, /* objects, not pages */
	MEMORY_DENTRY_UNUSED,
	MEMORY_DENTRY_NEGATIVE, /* names that do not exist; since Linux 5.0 */
	/* Slab pages of inodes, and of what comes with cached pages; only if
	 * they were asked for. */
	MEMORY_SLAB_INODES,
	MEMORY_SLAB_CACHE_TREES,
	MEMORY_FIELDS
};

/*
 * No count is higher: more than any machine can have, and 30 of them add up to
 * less than 63 bits in bytes. A file with a higher number is damaged.
 */
#define MEMORY_MOST_PAGES (INT64_C(1) << 42)

/* A struct dentry is 192 bytes on 64 bits, from Linux 5.10 to 7.3. */
#define DENTRY_BYTES 192

/* A line of /proc/meminfo that no kernel of kernel.org has. */
struct memory_stray {
	char name[32];
	int64_t pages;
};

#define MEMORY_STRAYS 4

struct memory_fields {
	int64_t pages[MEMORY_FIELDS];
	bool known[MEMORY_FIELDS];
	/* /proc/meminfo has it, and not /proc/vmstat. */
	bool is_of_meminfo[MEMORY_FIELDS];
	struct memory_stray strays[MEMORY_STRAYS];
	size_t stray_count;
};

static inline bool memory_has(const struct memory_fields *fields,
			      enum memory_field field)
{
	return fields->known[field];
}

/* Zero if it is absent: for callers that have asked, or that only add up. */
static inline int64_t memory_get(const struct memory_fields *fields,
				 enum memory_field field)
{
	return fields->known[field] ? fields->pages[field] : 0;
}

/* Pages of all caches that are dirty or under writeback. */
static inline int64_t memory_unclean(const struct memory_fields *fields)
{
	return memory_get(fields, MEMORY_NR_DIRTY) +
	       memory_get(fields, MEMORY_NR_WRITEBACK);
}

static inline void memory_set(struct memory_fields *fields,
			      enum memory_field field, int64_t pages)
{
	fields->pages[field] = pages;
	fields->known[field] = true;
}

/* The kernel's name for the field, unique together with its file. */
const char *memory_field_name(enum memory_field field);
enum memory_origin memory_field_file(enum memory_field field);

/* The same as memory_field_name(), or that in /proc/meminfo, if it is of that. */
const char *memory_field_name_in(const struct memory_fields *fields,
				 enum memory_field field);
/* The path of the file that has it. */
const char *memory_field_path(enum memory_field field);

/*
 * The field of @file with this name, or MEMORY_FIELDS. What reads the counts of
 * a kernel in another way, such as from a dump, sets fields by these names.
 */
enum memory_field memory_field_find(enum memory_origin file, const char *name,
				    size_t length);

/* Parses a whole file. What is not known or not a number is left out. */
void memory_parse_vmstat(struct memory_fields *fields, const char *text,
			 size_t size);

struct memory_pool;

/*
 * Sets the pool of the default size, as far as /proc/meminfo has it (HugePages_*
 * and Hugepagesize, since Linux 2.6; other sizes are in sysfs alone).
 */
void memory_parse_pool(struct memory_pool *pool, const char *text, size_t size);

/*
 * The same, after /proc/vmstat: a count that only that file should have had is
 * taken from here if it is still absent.
 */
void memory_parse_meminfo(struct memory_fields *fields, const char *text,
			  size_t size, uint64_t page_size);

#endif
