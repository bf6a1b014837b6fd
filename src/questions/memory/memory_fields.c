// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/number.h"
#include "measure/meminfo.h"
#include "memory/memory_fields.h"
#include "memory/memory_reading.h"

#define MAX_NAME 64
#define ARCSTATS "/proc/spl/kstat/zfs/arcstats"

static const struct field_info {
	const char *name;
	enum memory_origin file;
	const char *path; /* for MEMORY_ELSEWHERE */
} infos[MEMORY_FIELDS] = {
	[MEMORY_TOTAL] = { "MemTotal", MEMORY_MEMINFO, NULL },
	[MEMORY_AVAILABLE] = { "MemAvailable", MEMORY_MEMINFO, NULL },
	[MEMORY_BUFFERS] = { "Buffers", MEMORY_MEMINFO, NULL },
	[MEMORY_CACHED] = { "Cached", MEMORY_MEMINFO, NULL },
	[MEMORY_SWAP_CACHED] = { "SwapCached", MEMORY_MEMINFO, NULL },
	[MEMORY_SWAP_TOTAL] = { "SwapTotal", MEMORY_MEMINFO, NULL },
	[MEMORY_SWAP_FREE] = { "SwapFree", MEMORY_MEMINFO, NULL },
	[MEMORY_KERNEL_STACK] = { "KernelStack", MEMORY_MEMINFO, NULL },
	[MEMORY_VMALLOC_USED] = { "VmallocUsed", MEMORY_MEMINFO, NULL },
	[MEMORY_VMALLOC_CHUNK] = { "VmallocChunk", MEMORY_MEMINFO, NULL },
	[MEMORY_PERCPU] = { "Percpu", MEMORY_MEMINFO, NULL },
	[MEMORY_HARDWARE_CORRUPTED] = { "HardwareCorrupted", MEMORY_MEMINFO,
					NULL },
	[MEMORY_ANON_HUGE] = { "AnonHugePages", MEMORY_MEMINFO, NULL },
	[MEMORY_SHMEM_HUGE] = { "ShmemHugePages", MEMORY_MEMINFO, NULL },
	[MEMORY_FILE_HUGE] = { "FileHugePages", MEMORY_MEMINFO, NULL },
	[MEMORY_HUGETLB] = { "Hugetlb", MEMORY_MEMINFO, NULL },
	[MEMORY_BALLOON] = { "Balloon", MEMORY_MEMINFO, NULL },
	[MEMORY_ZSWAP] = { "Zswap", MEMORY_MEMINFO, NULL },
	[MEMORY_ZSWAPPED] = { "Zswapped", MEMORY_MEMINFO, NULL },
	[MEMORY_UNACCEPTED] = { "Unaccepted", MEMORY_MEMINFO, NULL },
	[MEMORY_CMA_TOTAL] = { "CmaTotal", MEMORY_MEMINFO, NULL },
	[MEMORY_CMA_FREE] = { "CmaFree", MEMORY_MEMINFO, NULL },
	[MEMORY_NR_FREE] = { "nr_free_pages", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_FILE] = { "nr_file_pages", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_ANON] = { "nr_anon_pages", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_SHMEM] = { "nr_shmem", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_SWAP_CACHED] = { "nr_swapcached", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_ACTIVE_ANON] = { "nr_active_anon", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_INACTIVE_ANON] = { "nr_inactive_anon", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_ACTIVE_FILE] = { "nr_active_file", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_INACTIVE_FILE] = { "nr_inactive_file", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_UNEVICTABLE] = { "nr_unevictable", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_ISOLATED_ANON] = { "nr_isolated_anon", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_ISOLATED_FILE] = { "nr_isolated_file", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_DIRTY] = { "nr_dirty", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_WRITEBACK] = { "nr_writeback", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_MAPPED] = { "nr_mapped", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_MLOCK] = { "nr_mlock", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_SLAB_RECLAIMABLE] = { "nr_slab_reclaimable", MEMORY_VMSTAT,
					 NULL },
	[MEMORY_NR_SLAB_UNRECLAIMABLE] = { "nr_slab_unreclaimable",
					   MEMORY_VMSTAT, NULL },
	[MEMORY_NR_MISC_RECLAIMABLE] = { "nr_kernel_misc_reclaimable",
					 MEMORY_VMSTAT, NULL },
	[MEMORY_NR_PAGE_TABLE] = { "nr_page_table_pages", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_SECONDARY_PAGE_TABLE] = { "nr_sec_page_table_pages",
					     MEMORY_VMSTAT, NULL },
	[MEMORY_NR_IOMMU] = { "nr_iommu_pages", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_ZSPAGES] = { "nr_zspages", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_BOUNCE] = { "nr_bounce", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_WRITEBACK_TEMP] = { "nr_writeback_temp", MEMORY_VMSTAT,
				       NULL },
	[MEMORY_NR_MEMMAP] = { "nr_memmap_pages", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_GPU_ACTIVE] = { "nr_gpu_active", MEMORY_VMSTAT, NULL },
	[MEMORY_NR_GPU_RECLAIM] = { "nr_gpu_reclaim", MEMORY_VMSTAT, NULL },
	[MEMORY_BALLOON_INFLATE] = { "balloon_inflate", MEMORY_VMSTAT, NULL },
	[MEMORY_BALLOON_DEFLATE] = { "balloon_deflate", MEMORY_VMSTAT, NULL },
	[MEMORY_ZONE_FREE] = { "pages free", MEMORY_ZONEINFO, NULL },
	[MEMORY_ZONE_PER_CPU] = { "count", MEMORY_ZONEINFO, NULL },
	[MEMORY_ZONE_LOW] = { "low", MEMORY_ZONEINFO, NULL },
	[MEMORY_ZONE_MANAGED] = { "managed", MEMORY_ZONEINFO, NULL },
	[MEMORY_ZONE_PRESENT] = { "present", MEMORY_ZONEINFO, NULL },
	[MEMORY_ZONE_SPANNED] = { "spanned", MEMORY_ZONEINFO, NULL },
	[MEMORY_ZONE_RESERVE] = { "protection, high", MEMORY_ZONEINFO, NULL },
	[MEMORY_ZONE_LAG] = { "vm stats threshold", MEMORY_ZONEINFO, NULL },
	[MEMORY_FIRST_CHUNK] = { "first_chunk", MEMORY_ELSEWHERE,
				 "/proc/kallsyms" },
	[MEMORY_ZRAM] = { "mem_used_total", MEMORY_ELSEWHERE,
			  "/sys/block/zram*/mm_stat" },
	[MEMORY_ZRAM_STORED] = { "orig_data_size", MEMORY_ELSEWHERE,
				 "/sys/block/zram*/mm_stat" },
	[MEMORY_ARC_SIZE] = { "size", MEMORY_ELSEWHERE, ARCSTATS },
	[MEMORY_ARC_MIN] = { "c_min", MEMORY_ELSEWHERE, ARCSTATS },
	[MEMORY_DM_BUFIO] = { "current_allocated_bytes", MEMORY_ELSEWHERE,
			      "/sys/module/dm_bufio/parameters" },
	[MEMORY_MIN_FREE] = { "min_free_kbytes", MEMORY_ELSEWHERE,
			      "/proc/sys/vm" },
	[MEMORY_EXTRA_FREE] = { "extra_free_kbytes", MEMORY_ELSEWHERE,
				"/proc/sys/vm" },
	[MEMORY_WATERMARK_SCALE] = { "watermark_scale_factor", MEMORY_ELSEWHERE,
				     "/proc/sys/vm" },
	[MEMORY_LOWMEM_RATIO] = { "lowmem_reserve_ratio", MEMORY_ELSEWHERE,
				  "/proc/sys/vm" },
	[MEMORY_ZFS] = { "scatter_data_size", MEMORY_ELSEWHERE,
			 "/proc/spl/kstat/zfs/abdstats" },
	[MEMORY_TOP_TABLES] = { "top-level page tables", MEMORY_ELSEWHERE,
				"/proc" },
	[MEMORY_DENTRY_COUNT] = { "nr_dentry", MEMORY_ELSEWHERE,
				  "/proc/sys/fs/dentry-state" },
	[MEMORY_DENTRY_UNUSED] = { "nr_unused", MEMORY_ELSEWHERE,
				   "/proc/sys/fs/dentry-state" },
	[MEMORY_DENTRY_NEGATIVE] = { "nr_negative", MEMORY_ELSEWHERE,
				     "/proc/sys/fs/dentry-state" },
	[MEMORY_PACKET_RINGS] = { "packet rings", MEMORY_ELSEWHERE,
				  "/proc/net/packet" },
	[MEMORY_PACKET_SOCKETS] = { "packet sockets", MEMORY_ELSEWHERE,
				    "/proc/net/packet" },
	[MEMORY_SOCKET_BUFFERS] = { "socket buffers", MEMORY_ELSEWHERE,
				    "/proc/net/sockstat" },
	[MEMORY_DMA_POOLS] = { "DMA pools", MEMORY_ELSEWHERE,
			       "/sys/bus/pci/devices/*/pools" },
	[MEMORY_XFS_BUFFERS] = { "xfs_buf", MEMORY_ELSEWHERE,
				 "/sys/kernel/slab/xfs_buf/total_objects" },
	[MEMORY_XFS_MOUNTS] = { "filesystems of XFS", MEMORY_ELSEWHERE,
				"/sys/fs/xfs" },
	[MEMORY_TTM_POOL] = { "total", MEMORY_ELSEWHERE,
			      "/sys/kernel/debug/ttm/page_pool" },
	[MEMORY_CGROUP_REST] = { "kernel of cgroups", MEMORY_ELSEWHERE,
				 "memory.stat" },
	[MEMORY_SLAB_INODES] = { "inode caches", MEMORY_ELSEWHERE,
				 "/proc/slabinfo" },
	[MEMORY_SLAB_CACHE_TREES] = { "buffer_head, radix_tree_node",
				      MEMORY_ELSEWHERE, "/proc/slabinfo" },
};

const char *memory_field_name(enum memory_field field)
{
	return infos[field].name;
}

enum memory_origin memory_field_file(enum memory_field field)
{
	return infos[field].file;
}

const char *memory_field_path(enum memory_field field)
{
	static const char *const paths[] = {
		[MEMORY_MEMINFO] = "/proc/meminfo",
		[MEMORY_VMSTAT] = "/proc/vmstat",
		[MEMORY_ZONEINFO] = "/proc/zoneinfo",
	};

	return infos[field].path ?: paths[infos[field].file];
}

enum memory_field memory_field_find(enum memory_origin file, const char *name,
				    size_t length)
{
	enum memory_field field = 0;

	for (; field < MEMORY_FIELDS; field++) {
		const struct field_info *info = &infos[field];

		if (info->file == file && strlen(info->name) == length &&
		    memcmp(info->name, name, length) == 0)
			break;
	}
	return field;
}

/* Parses "nr_free_pages 12345". */
static void parse_line(struct memory_fields *fields, const char *line,
		       size_t length)
{
	const char *space = memchr(line, ' ', length);
	enum memory_field field;
	char text[MAX_NAME];
	uint64_t number;
	size_t rest;

	if (!space)
		return;
	field = memory_field_find(MEMORY_VMSTAT, line, (size_t)(space - line));
	rest = length - (size_t)(space + 1 - line);
	if (field == MEMORY_FIELDS || rest >= sizeof(text))
		return;
	memcpy(text, space + 1, rest);
	text[rest] = '\0';
	if (strlen(text) == rest &&
	    number_parse(text, MEMORY_MOST_PAGES, &number))
		memory_set(fields, field, (int64_t)number);
}

void memory_parse_vmstat(struct memory_fields *fields, const char *text,
			 size_t size)
{
	const char *end = text + size;

	while (text < end) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));

		if (!line_end)
			line_end = end;
		parse_line(fields, text, (size_t)(line_end - text));
		text = line_end + 1;
	}
}

/* What both files have, under another name. */
static const struct same {
	const char *name;
	enum memory_field field;
} sames[] = {
	{ "MemFree", MEMORY_NR_FREE },
	{ "AnonPages", MEMORY_NR_ANON },
	{ "Shmem", MEMORY_NR_SHMEM },
	{ "SwapCached", MEMORY_NR_SWAP_CACHED },
	{ "Active(anon)", MEMORY_NR_ACTIVE_ANON },
	{ "Inactive(anon)", MEMORY_NR_INACTIVE_ANON },
	{ "Active(file)", MEMORY_NR_ACTIVE_FILE },
	{ "Inactive(file)", MEMORY_NR_INACTIVE_FILE },
	{ "Unevictable", MEMORY_NR_UNEVICTABLE },
	{ "Dirty", MEMORY_NR_DIRTY },
	{ "Writeback", MEMORY_NR_WRITEBACK },
	{ "Mapped", MEMORY_NR_MAPPED },
	{ "Mlocked", MEMORY_NR_MLOCK },
	{ "SReclaimable", MEMORY_NR_SLAB_RECLAIMABLE },
	{ "SUnreclaim", MEMORY_NR_SLAB_UNRECLAIMABLE },
	{ "PageTables", MEMORY_NR_PAGE_TABLE },
	{ "SecPageTables", MEMORY_NR_SECONDARY_PAGE_TABLE },
	{ "Bounce", MEMORY_NR_BOUNCE },
	{ "WritebackTmp", MEMORY_NR_WRITEBACK_TEMP },
	{ "GPUActive", MEMORY_NR_GPU_ACTIVE },
	{ "GPUReclaim", MEMORY_NR_GPU_RECLAIM },
};

const char *memory_field_name_in(const struct memory_fields *fields,
				 enum memory_field field)
{
	for (size_t i = 0; i < sizeof(sames) / sizeof(*sames); i++) {
		if (sames[i].field == field && fields->is_of_meminfo[field])
			return sames[i].name;
	}
	return memory_field_name(field);
}

/* What else a kernel of kernel.org has: sums, views, address space. */
static const char usual[] =
	" Active Inactive HighTotal HighFree LowTotal LowFree "
	"SwapTotal KReclaimable Slab NFS_Unstable CommitLimit Committed_AS "
	"VmallocTotal ShmemPmdMapped FilePmdMapped Hugepagesize "
	"HugePages_Total HugePages_Free HugePages_Rsvd HugePages_Surp ";

static void add_stray(struct memory_fields *fields,
		      const struct meminfo_line *line, int64_t pages)
{
	struct memory_stray stray = { .pages = pages };
	char word[sizeof(stray.name) + 2];

	if (!pages || fields->stray_count == MEMORY_STRAYS ||
	    line->length >= sizeof(stray.name))
		return;
	memcpy(stray.name, line->name, line->length);
	snprintf(word, sizeof(word), " %s ", stray.name);
	if (!strstr(usual, word) && strncmp(stray.name, "DirectMap", 9) != 0)
		fields->strays[fields->stray_count++] = stray;
}

static void set_if_absent(struct memory_fields *fields, enum memory_field field,
			  int64_t pages)
{
	if (memory_has(fields, field) && !fields->is_of_meminfo[field])
		return;
	memory_set(fields, field, pages);
	fields->is_of_meminfo[field] = true;
}

/* Whether /proc/vmstat has it under another name. */
static bool take_same(struct memory_fields *fields,
		      const struct meminfo_line *line, int64_t pages)
{
	for (size_t i = 0; i < sizeof(sames) / sizeof(*sames); i++) {
		if (strlen(sames[i].name) == line->length &&
		    memcmp(sames[i].name, line->name, line->length) == 0) {
			set_if_absent(fields, sames[i].field, pages);
			return true;
		}
	}
	return false;
}

/* The number of a line, or 0 if there is none. */
static int64_t number_of(const char *text, size_t size, const char *name)
{
	const char *end = text + size;
	struct meminfo_line line;
	int64_t number = 0;

	while (meminfo_next(&text, end, &line)) {
		if (line.known && line.kib <= MEMORY_MOST_PAGES &&
		    strlen(name) == line.length &&
		    memcmp(name, line.name, line.length) == 0)
			number = (int64_t)line.kib;
	}
	return number;
}

/* Without AnonHugePages: both files differ by less while they are read. */
#define ANON_MOVES_PART 8

/*
 * Applies what has changed its meaning (docs/how-it-works.md has the table).
 * The fields are those of /proc/vmstat where it has them.
 */
static void apply_meanings(struct memory_fields *fields, const char *text,
			   size_t size, int64_t page_kib)
{
	int64_t anon = memory_get(fields, MEMORY_NR_ANON);
	int64_t huge = memory_get(fields, MEMORY_ANON_HUGE);
	int64_t said = number_of(text, size, "AnonPages") / page_kib;
	int64_t recl = number_of(text, size, "KReclaimable") / page_kib;
	int64_t slab = memory_get(fields, MEMORY_NR_SLAB_RECLAIMABLE);
	int64_t all = number_of(text, size, "Slab") / page_kib;

	/* nr_anon_pages without huge pages, which AnonPages has. */
	if (!memory_has(fields, MEMORY_ANON_HUGE) &&
	    said - anon > anon / ANON_MOVES_PART)
		huge = said - anon;
	if (said && llabs(said - anon - huge) < llabs(said - anon))
		memory_set(fields, MEMORY_NR_ANON, anon + huge);
	/* Written and not yet safe: since Linux 5.8 in Writeback. */
	if (memory_has(fields, MEMORY_NR_WRITEBACK))
		fields->pages[MEMORY_NR_WRITEBACK] +=
			number_of(text, size, "NFS_Unstable") / page_kib;
	if (recl >= slab && slab)
		set_if_absent(fields, MEMORY_NR_MISC_RECLAIMABLE, recl - slab);
	/* Before Linux 2.6.19 nobody says what of it can be reclaimed. */
	if (all && !memory_has(fields, MEMORY_NR_SLAB_UNRECLAIMABLE) &&
	    fields->stray_count < MEMORY_STRAYS)
		fields->strays[fields->stray_count++] =
			(struct memory_stray){ "Slab", all };
}

void memory_parse_meminfo(struct memory_fields *fields, const char *text,
			  size_t size, uint64_t page_size)
{
	const uint64_t page_kib = page_size / 1024 ?: 1;
	const char *end = text + size, *rest = text;
	struct meminfo_line line;

	while (meminfo_next(&rest, end, &line)) {
		enum memory_field field = memory_field_find(
			MEMORY_MEMINFO, line.name, line.length);
		int64_t pages;

		if (!line.known || line.kib / page_kib > MEMORY_MOST_PAGES)
			continue;
		/* Only KernelStack and Zswap may end inside a page. */
		pages = (int64_t)(line.kib / page_kib);
		if (field != MEMORY_FIELDS)
			memory_set(fields, field, pages);
		if (!take_same(fields, &line, pages) && field == MEMORY_FIELDS)
			add_stray(fields, &line, pages);
	}
	apply_meanings(fields, text, size, (int64_t)page_kib);
	if (memory_has(fields, MEMORY_CACHED))
		set_if_absent(fields, MEMORY_NR_FILE,
			      memory_get(fields, MEMORY_CACHED) +
				      memory_get(fields, MEMORY_BUFFERS) +
				      memory_get(fields, MEMORY_SWAP_CACHED));
}

void memory_parse_pool(struct memory_pool *pool, const char *text, size_t size)
{
	*pool = (struct memory_pool){
		.size_kib = (uint64_t)number_of(text, size, "Hugepagesize"),
		.total = number_of(text, size, "HugePages_Total"),
		.free = number_of(text, size, "HugePages_Free"),
		.reserved = number_of(text, size, "HugePages_Rsvd"),
		.surplus = number_of(text, size, "HugePages_Surp"),
	};
}
