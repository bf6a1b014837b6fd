// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>

#include "lib/lesser.h"
#include "lib/number.h"
#include "memory/contradiction.h"
#include "memory/give_back.h"
#include "memory/memory_heads.h"
#include "memory/memory_reading.h"

/* How far the estimate of a first chunk may be off, bytes a processor. */
#define ESTIMATE_ERROR_BYTES (16L * 4096)

struct making {
	struct memory_heads *heads;
	const struct memory_reading *reading;
	const struct memory_fields *fields;
};

static int64_t at_least_0(int64_t pages)
{
	return pages > 0 ? pages : 0;
}

static struct memory_head *set_head(const struct making *making,
				    enum memory_head_id id, int64_t pages)
{
	struct memory_head *head = &making->heads->heads[id];

	head->known = true;
	head->pages = pages;
	return head;
}

__attribute__((format(printf, 5, 6))) static void
add_part(struct memory_head *head, const char *key, int64_t pages,
	 enum memory_bound bound, const char *format, ...)
{
	struct memory_part *part = &head->parts[head->part_count];
	va_list arguments;

	if (head->part_count == MEMORY_PARTS_ROOM)
		return;
	head->part_count++;
	part->key = key;
	part->pages = pages;
	part->bound = bound;
	va_start(arguments, format);
	vsnprintf(part->label, sizeof(part->label), format, arguments);
	va_end(arguments);
}

/* A part that is a field of its own, if the kernel has it. */
static void add_field(const struct making *making, struct memory_head *head,
		      const char *key, enum memory_field field,
		      const char *label)
{
	if (memory_has(making->fields, field))
		add_part(head, key, memory_get(making->fields, field),
			 MEMORY_EXACT, "%s", label);
}

/*
 * A part whose field the kernel counts for several heads together. It is exact
 * only if it is zero.
 */
static void add_bound(const struct making *making, struct memory_head *head,
		      const char *key, enum memory_field field,
		      const char *label)
{
	int64_t pages = memory_get(making->fields, field);

	if (!memory_has(making->fields, field))
		return;
	add_part(head, key, lesser(pages, at_least_0(head->pages)),
		 pages ? MEMORY_AT_MOST : MEMORY_EXACT, "%s", label);
}

/* Pages that are mapped and in the swap cache: they are in both counts. */
static int64_t counted_twice(const struct making *making)
{
	int64_t overlap, most;

	most = memory_get(making->fields, MEMORY_NR_SWAP_CACHED);
	if (!memory_overlap(making->reading, &overlap))
		return 0;
	return lesser(at_least_0(overlap), most);
}

static void make_programs(const struct making *making)
{
	struct memory_head *head;
	int64_t twice = counted_twice(making);

	if (!memory_has(making->fields, MEMORY_NR_ANON))
		return;
	head = set_head(making, MEMORY_HEAD_PROGRAMS,
			memory_get(making->fields, MEMORY_NR_ANON));
	add_field(making, head, "huge", MEMORY_ANON_HUGE, "huge pages (THP)");
	add_bound(making, head, "mlocked", MEMORY_NR_MLOCK, "locked (mlock)");
	if (twice)
		add_part(head, "in_swap_cache", twice, MEMORY_EXACT,
			 "also in the swap cache");
}

static void make_shared(const struct making *making)
{
	struct memory_head *head;

	if (!memory_has(making->fields, MEMORY_NR_SHMEM))
		return;
	head = set_head(making, MEMORY_HEAD_SHARED,
			memory_get(making->fields, MEMORY_NR_SHMEM));
	add_field(making, head, "huge", MEMORY_SHMEM_HUGE, "huge pages (THP)");
	add_bound(making, head, "mlocked", MEMORY_NR_MLOCK, "locked (mlock)");
	add_bound(making, head, "mapped", MEMORY_NR_MAPPED, "mapped");
	add_bound(making, head, "unevictable", MEMORY_NR_UNEVICTABLE,
		  "pinned or locked (Unevictable)");
}

/*
 * Whether what nr_file_pages has in common with other heads is known. A dump
 * may lack what Buffers are added up from.
 */
static bool knows_caches(const struct making *making)
{
	return memory_has(making->fields, MEMORY_NR_FILE) &&
	       (!making->reading->is_dump ||
		(memory_has(making->fields, MEMORY_BUFFERS) &&
		 memory_has(making->fields, MEMORY_NR_SHMEM) &&
		 memory_has(making->fields, MEMORY_NR_SWAP_CACHED)));
}

static void make_file_cache(const struct making *making)
{
	const struct memory_fields *fields = making->fields;
	struct memory_head *head;
	int64_t unclean;

	if (!knows_caches(making))
		return;
	head = set_head(making, MEMORY_HEAD_FILE_CACHE,
			memory_get(fields, MEMORY_NR_FILE) -
				memory_get(fields, MEMORY_BUFFERS) -
				memory_get(fields, MEMORY_NR_SHMEM) -
				memory_get(fields, MEMORY_NR_SWAP_CACHED));
	unclean = memory_unclean(fields);
	if (memory_has(fields, MEMORY_NR_DIRTY))
		add_part(head, "clean", at_least_0(head->pages - unclean),
			 unclean ? MEMORY_AT_LEAST : MEMORY_EXACT, "clean");
	add_bound(making, head, "dirty", MEMORY_NR_DIRTY, "dirty");
	add_bound(making, head, "writeback", MEMORY_NR_WRITEBACK,
		  "under writeback");
	add_bound(making, head, "mapped", MEMORY_NR_MAPPED, "mapped");
	add_bound(making, head, "mlocked", MEMORY_NR_MLOCK, "locked (mlock)");
	add_field(making, head, "huge", MEMORY_FILE_HUGE, "huge pages (THP)");
	add_bound(making, head, "unevictable", MEMORY_NR_UNEVICTABLE,
		  "pinned or locked (Unevictable)");
}

static void make_block_cache(const struct making *making)
{
	struct memory_head *head;

	if (!memory_has(making->fields, MEMORY_BUFFERS))
		return;
	head = set_head(making, MEMORY_HEAD_BLOCK_CACHE,
			memory_get(making->fields, MEMORY_BUFFERS));
	add_bound(making, head, "dirty", MEMORY_NR_DIRTY, "dirty");
	add_bound(making, head, "writeback", MEMORY_NR_WRITEBACK,
		  "under writeback");
}

static void make_swap_cache(const struct making *making)
{
	int64_t overlap;

	if (memory_has(making->fields, MEMORY_NR_SWAP_CACHED))
		set_head(making, MEMORY_HEAD_SWAP_CACHE,
			 memory_get(making->fields, MEMORY_NR_SWAP_CACHED) -
				 counted_twice(making));
	if (!memory_overlap(making->reading, &overlap))
		return;
	/* Below the bound it may be what processors hold back. */
	set_head(making, MEMORY_HEAD_ORPHANS,
		 -overlap > memory_overlap_bound(making->reading) ? -overlap :
								    0);
}

/* A head that is the sum of its fields, as far as the kernel has them. */
static struct memory_head *make_sum(const struct making *making,
				    enum memory_head_id id)
{
	const struct memory_term *term = memory_head_info(id)->terms;
	int64_t pages = 0;
	bool known = false;

	for (; term->sign; term++) {
		known |= memory_has(making->fields, term->field);
		pages += term->sign * memory_get(making->fields, term->field);
	}
	return known ? set_head(making, id, pages) : NULL;
}

static void make_page_tables(const struct making *making)
{
	struct memory_head *head = make_sum(making, MEMORY_HEAD_PAGE_TABLES);

	if (!head)
		return;
	add_field(making, head, "secondary", MEMORY_NR_SECONDARY_PAGE_TABLE,
		  "secondary (KVM, IOMMU)");
	add_field(making, head, "iommu", MEMORY_NR_IOMMU, "IOMMU");
}

static int64_t vmalloc_listed(const struct memory_reading *reading)
{
	int64_t pages = 0;

	for (size_t i = 0; i < MEMORY_VMALLOC_KINDS; i++)
		pages += reading->vmalloc[i];
	return pages;
}

/*
 * VmallocUsed was the size of address space before Linux 4.4, when VmallocChunk
 * was not 0 yet, and always 0 up to 5.2. Root has the list instead. Returns -1
 * if it is not known.
 */
static int64_t vmalloc_pages(const struct making *making)
{
	if (!memory_get(making->fields, MEMORY_VMALLOC_CHUNK) &&
	    memory_get(making->fields, MEMORY_VMALLOC_USED))
		return memory_get(making->fields, MEMORY_VMALLOC_USED);
	return making->reading->has_vmalloc ? vmalloc_listed(making->reading) :
					      -1;
}

/*
 * Whether kernel stacks are in vmalloc (CONFIG_VMAP_STACK). Root sees it in the
 * list; otherwise they are, unless there are more of them than that.
 */
static bool stacks_are_in_vmalloc(const struct making *making, int64_t vmalloc)
{
	if (making->reading->has_vmalloc)
		return making->reading->vmalloc[MEMORY_VMALLOC_STACKS] > 0;
	return memory_get(making->fields, MEMORY_KERNEL_STACK) <= vmalloc;
}

static void make_vmalloc(const struct making *making)
{
	static const struct {
		const char *key, *label;
	} kinds[MEMORY_VMALLOC_KINDS] = {
		[MEMORY_VMALLOC_STACKS] = { "stacks", "kernel stacks" },
		[MEMORY_VMALLOC_MODULES] = { "modules", "modules and code" },
		[MEMORY_VMALLOC_BPF] = { "bpf", "BPF" },
		[MEMORY_VMALLOC_CHUNKS] = { "per_cpu_lists",
					    "lists of per-CPU memory" },
		[MEMORY_VMALLOC_OTHER] = { "other", "other" },
	};
	const struct memory_reading *reading = making->reading;
	const int64_t pages = vmalloc_pages(making);
	bool has_stacks = stacks_are_in_vmalloc(making, pages);
	struct memory_head *head;

	if (!has_stacks)
		make_sum(making, MEMORY_HEAD_STACKS);
	if (pages < 0)
		return;
	head = set_head(making, MEMORY_HEAD_VMALLOC, pages);
	for (size_t i = 0; reading->has_vmalloc && i < MEMORY_VMALLOC_KINDS;
	     i++)
		add_part(head, kinds[i].key, reading->vmalloc[i], MEMORY_EXACT,
			 "%s", kinds[i].label);
	if (!reading->has_vmalloc && has_stacks)
		add_field(making, head, kinds[0].key, MEMORY_KERNEL_STACK,
			  kinds[0].label);
}

static void make_per_cpu(const struct making *making)
{
	if (memory_has(making->fields, MEMORY_PERCPU))
		set_head(making, MEMORY_HEAD_PER_CPU,
			 at_least_0(memory_get(making->fields, MEMORY_PERCPU) -
				    memory_get(making->fields,
					       MEMORY_FIRST_CHUNK)));
}

static int64_t pool_pages(const struct making *making,
			  const struct memory_pool *pool, int64_t huge)
{
	return huge *
	       (int64_t)(pool->size_kib * 1024 / making->reading->page_size);
}

static void add_pool(const struct making *making, struct memory_head *head,
		     const struct memory_pool *pool)
{
	const char *size = SIZE((int64_t)pool->size_kib * 1024);

	if (!pool->total)
		return;
	add_part(head, "used",
		 pool_pages(making, pool, pool->total - pool->free),
		 MEMORY_EXACT, "%s pages: used", size);
	add_part(head, "reserved", pool_pages(making, pool, pool->reserved),
		 MEMORY_EXACT, "%s pages: reserved", size);
	add_part(head, "free",
		 pool_pages(making, pool, pool->free - pool->reserved),
		 MEMORY_EXACT, "%s pages: free", size);
}

static void make_huge_pages(const struct making *making)
{
	const struct memory_reading *reading = making->reading;
	struct memory_head *head;
	int64_t pages = 0, others;

	for (size_t i = 0; i < reading->pool_count; i++)
		pages += pool_pages(making, &reading->pools[i],
				    reading->pools[i].total);
	others = memory_get(making->fields, MEMORY_HUGETLB) - pages;
	/* The field has all sizes, and is of the same instant as the others. */
	if (memory_has(making->fields, MEMORY_HUGETLB))
		pages = memory_get(making->fields, MEMORY_HUGETLB);
	else if (!reading->pool_count)
		return;
	head = set_head(making, MEMORY_HEAD_HUGE_PAGES, pages);
	for (size_t i = 0; i < reading->pool_count; i++)
		add_pool(making, head, &reading->pools[i]);
	if (pages && !memory_has(making->fields, MEMORY_HUGETLB) &&
	    reading->has_default_pool_only)
		add_part(head, "other_sizes", 0, MEMORY_UNKNOWN,
			 "at least; pages of other sizes");
	else if (others > 0 &&
		 (reading->has_default_pool_only || !reading->pool_count))
		add_part(head, "other_sizes", others, MEMORY_EXACT,
			 "pages of other sizes");
}

/* "zram, holding 3.1G (2.4 to 1)" */
static void add_store(const struct making *making, struct memory_head *head,
		      const char *key, enum memory_field field,
		      enum memory_field stored)
{
	int64_t pages = memory_get(making->fields, field);
	int64_t holds = memory_get(making->fields, stored);

	if (!pages || !holds)
		add_field(making, head, key, field, key);
	else
		add_part(head, key, pages, MEMORY_EXACT,
			 "%s, holding %s (%.1f to 1)", key,
			 SIZE(holds * (int64_t)making->reading->page_size),
			 (double)holds / (double)pages);
}

/*
 * Zswap is the size of zswap's store. Since Linux 6.12 that is in zsmalloc and
 * counted there; in another allocator it is not.
 */
static void make_compressed(const struct making *making)
{
	const struct memory_fields *fields = making->fields;
	int64_t zram = memory_get(fields, MEMORY_ZRAM);
	/* Before Linux 4.8 only zram tells. */
	int64_t zspages = memory_has(fields, MEMORY_NR_ZSPAGES) ?
				  memory_get(fields, MEMORY_NR_ZSPAGES) :
				  zram;
	int64_t outside =
		memory_get(fields, MEMORY_ZSWAP) - at_least_0(zspages - zram);
	struct memory_head *head;

	if (!memory_has(fields, MEMORY_NR_ZSPAGES) && !zram && outside <= 0)
		return;
	/* Both may lag. */
	if (outside <= memory_get(fields, MEMORY_ZONE_LAG))
		outside = 0;
	head = set_head(making, MEMORY_HEAD_COMPRESSED, zspages + outside);
	add_store(making, head, "zram", MEMORY_ZRAM, MEMORY_ZRAM_STORED);
	add_store(making, head, "zswap", MEMORY_ZSWAP, MEMORY_ZSWAPPED);
}

static void make_balloon(const struct making *making)
{
	const struct memory_fields *fields = making->fields;
	int64_t pages = memory_get(fields, MEMORY_BALLOON_INFLATE) -
			memory_get(fields, MEMORY_BALLOON_DEFLATE);

	if (memory_has(fields, MEMORY_BALLOON))
		pages = memory_get(fields, MEMORY_BALLOON);
	else if (!memory_has(fields, MEMORY_BALLOON_INFLATE)) {
		if (making->reading->is_dump ||
		    making->reading->balloon == MEMORY_BALLOON_OUTSIDE ||
		    fields->is_of_meminfo[MEMORY_NR_FREE])
			making->heads->missing_from_total = -1;
		return;
	}
	if (making->reading->balloon == MEMORY_BALLOON_INSIDE)
		set_head(making, MEMORY_HEAD_BALLOON, at_least_0(pages));
	else if (making->reading->is_dump && pages)
		making->heads->missing_from_total = -1;
	else
		making->heads->missing_from_total = at_least_0(pages);
}

static void make_free(const struct making *making)
{
	const struct memory_fields *fields = making->fields;

	struct memory_head *head = make_sum(making, MEMORY_HEAD_FREE);

	make_sum(making, MEMORY_HEAD_FREE_PER_CPU);
	if (!head && memory_has(fields, MEMORY_NR_FREE))
		head = set_head(making, MEMORY_HEAD_FREE,
				memory_get(fields, MEMORY_NR_FREE));
	if (head && memory_get(fields, MEMORY_CMA_FREE))
		add_field(making, head, "cma", MEMORY_CMA_FREE,
			  "CMA, for movable pages alone");
	if (head && memory_get(fields, MEMORY_UNACCEPTED))
		add_field(making, head, "unaccepted", MEMORY_UNACCEPTED,
			  "not yet accepted from the host");
}

/* Dentries of names that do not exist, as many to a page as fit. */
static void add_negative(const struct making *making)
{
	struct memory_head *head =
		&making->heads->heads[MEMORY_HEAD_SLAB_RECLAIMABLE];
	int64_t names = memory_get(making->fields, MEMORY_DENTRY_NEGATIVE);

	if (head->known && names)
		add_part(head, "negative_dentries",
			 names * DENTRY_BYTES /
				 (int64_t)making->reading->page_size,
			 MEMORY_ESTIMATE, "%lld names that do not exist",
			 (long long)names);
}

static void make_simple_heads(const struct making *making)
{
	static const enum memory_head_id simple[] = {
		MEMORY_HEAD_SLAB_RECLAIMABLE,
		MEMORY_HEAD_SLAB_UNRECLAIMABLE,
		MEMORY_HEAD_KERNEL_RECLAIMABLE,
		MEMORY_HEAD_MEMMAP,
		MEMORY_HEAD_GPU,
		MEMORY_HEAD_ZFS,
		MEMORY_HEAD_BOUNCE,
		MEMORY_HEAD_CORRUPTED,
	};

	for (size_t i = 0; i < sizeof(simple) / sizeof(*simple); i++)
		make_sum(making, simple[i]);
	add_negative(making);
}

int64_t memory_heads_sum(const struct memory_heads *heads)
{
	int64_t pages = 0;

	for (size_t i = 0; i < MEMORY_HEADS; i++)
		pages += heads->heads[i].known && i != heads->wrong ?
				 heads->heads[i].pages :
				 0;
	return pages;
}

__attribute__((format(printf, 5, 6))) static void
name_rest(const struct making *making, const char *key, int64_t pages,
	  enum memory_bound bound, const char *format, ...)
{
	struct memory_heads *heads = making->heads;
	struct memory_part *part = &heads->rest_parts[heads->rest_part_count++];
	va_list arguments;

	/* A part of the rest is not more than it. */
	if (bound == MEMORY_AT_MOST && heads->has_rest)
		pages = lesser(pages, at_least_0(heads->rest));
	*part = (struct memory_part){
		.key = key,
		.pages = pages,
		.bound = bound,
	};
	va_start(arguments, format);
	vsnprintf(part->label, sizeof(part->label), format, arguments);
	va_end(arguments);
}

static void name_field(const struct making *making, const char *key,
		       enum memory_field field, enum memory_bound bound,
		       const char *label)
{
	if (memory_has(making->fields, field))
		name_rest(making, key, memory_get(making->fields, field), bound,
			  "%s", label);
}

/* What of the rest has a name. None of it is a count of the kernel. */
static void name_parts_of_rest(const struct making *making)
{
	const struct memory_fields *fields = making->fields;
	int64_t sockets = memory_get(fields, MEMORY_PACKET_SOCKETS);
	int64_t buffers = memory_get(fields, MEMORY_XFS_BUFFERS);

	name_field(making, "top_level_page_tables", MEMORY_TOP_TABLES,
		   MEMORY_ESTIMATE, "top-level page tables");
	name_field(making, "cgroups", MEMORY_CGROUP_REST, MEMORY_ESTIMATE,
		   "charged to cgroups");
	/* Other network namespaces may have more. */
	name_field(making, "packet_rings", MEMORY_PACKET_RINGS, MEMORY_AT_LEAST,
		   "packet rings");
	if (sockets && !memory_has(fields, MEMORY_PACKET_RINGS))
		name_rest(making, "packet_rings", 0, MEMORY_UNKNOWN,
			  "rings of packet sockets: %lld", (long long)sockets);
	/* Some of it may be slab. */
	name_field(making, "socket_buffers", MEMORY_SOCKET_BUFFERS,
		   MEMORY_AT_MOST, "buffers of TCP and UDP sockets");
	/* Devices of other buses may have more. */
	name_field(making, "dma_pools", MEMORY_DMA_POOLS, MEMORY_AT_LEAST,
		   "DMA pools");
	name_field(making, "dm_bufio", MEMORY_DM_BUFIO, MEMORY_AT_MOST,
		   "buffers of device mapper targets");
	name_field(making, "ttm_pool", MEMORY_TTM_POOL, MEMORY_EXACT,
		   "pool of graphics drivers (TTM)");
	if (buffers)
		name_rest(making, "xfs_buffers", 0, MEMORY_UNKNOWN,
			  "XFS metadata, up to %lld buffers",
			  (long long)buffers);
	else if (memory_get(fields, MEMORY_XFS_MOUNTS))
		name_rest(making, "xfs_buffers", 0, MEMORY_UNKNOWN,
			  "XFS metadata");
	making->heads->has_hidden_balloon =
		making->reading->balloon == MEMORY_BALLOON_INSIDE &&
		!making->heads->heads[MEMORY_HEAD_BALLOON].known;
	if (making->heads->has_hidden_balloon)
		name_rest(making, "balloon", 0, MEMORY_UNKNOWN,
			  MEMORY_HIDDEN_BALLOON);
	if (!making->heads->heads[MEMORY_HEAD_ZFS].known)
		name_field(making, "zfs", MEMORY_ARC_SIZE, MEMORY_AT_MOST,
			   "ZFS cache");
	for (size_t i = 0; i < fields->stray_count; i++)
		name_rest(making, "meminfo_line", fields->strays[i].pages,
			  MEMORY_AT_MOST, "%s of /proc/meminfo",
			  fields->strays[i].name);
}

const char *memory_unknown_text(enum memory_unknown why)
{
	static const char *const texts[MEMORY_UNKNOWNS] = {
		[MEMORY_KNOWN] = "",
		[MEMORY_TOTAL_IS_0] = "MemTotal in /proc/meminfo is 0",
		[MEMORY_OTHER_MEMORY] =
			"MemTotal is about other memory than the kernel's "
			"counts, as in a container with a meminfo of its own",
		[MEMORY_LACKS_ZONES] =
			"/proc/zoneinfo has less than /proc/vmstat counts in "
			"all zones, so zones are missing in it",
		[MEMORY_DUMP_LACKS] =
			"a count of programs, devices or files is missing in "
			"the dump",
		[MEMORY_LACKS_FREE] = "there is no usable MemFree",
		[MEMORY_LACKS_PROGRAMS] = "there is no usable AnonPages",
		[MEMORY_LACKS_CACHES] = "there is no usable Cached",
	};

	return texts[why];
}

static enum memory_unknown find_unknown(const struct making *making)
{
	const struct memory_fields *fields = making->fields;

	if (!making->heads->total)
		return MEMORY_TOTAL_IS_0;
	if (!memory_is_whole_host(making->reading))
		return making->reading->lacks_zones ? MEMORY_LACKS_ZONES :
						      MEMORY_OTHER_MEMORY;
	if (memory_has(fields, MEMORY_NR_FREE) && knows_caches(making) &&
	    memory_has(fields, MEMORY_NR_ANON))
		return MEMORY_KNOWN;
	if (making->reading->is_dump)
		return MEMORY_DUMP_LACKS;
	if (!memory_has(fields, MEMORY_NR_FREE))
		return MEMORY_LACKS_FREE;
	return memory_has(fields, MEMORY_NR_ANON) ? MEMORY_LACKS_CACHES :
						    MEMORY_LACKS_PROGRAMS;
}

static void make_rest(const struct making *making)
{
	const struct memory_reading *reading = making->reading;
	struct memory_heads *heads = making->heads;

	heads->why_no_rest = find_unknown(making);
	heads->has_rest = heads->why_no_rest == MEMORY_KNOWN;
	heads->rest = heads->total - memory_heads_sum(heads);
	heads->uncertainty = -1;
	if (!memory_has(making->fields, MEMORY_ZONE_LAG))
		return;
	heads->uncertainty = memory_get(making->fields, MEMORY_ZONE_LAG);
	if (reading->spread_pages > heads->uncertainty)
		heads->uncertainty = reading->spread_pages;
	if (reading->estimated_first_chunk)
		heads->uncertainty += ESTIMATE_ERROR_BYTES /
				      (int64_t)reading->page_size *
				      reading->processors;
}

bool memory_heads_change(const struct memory_heads *before,
			 const struct memory_heads *heads,
			 enum memory_head_id id, int64_t *pages)
{
	if (before->page_size != heads->page_size)
		return false;
	if (id == MEMORY_HEADS) {
		*pages = heads->rest - before->rest;
		return heads->has_rest && before->has_rest;
	}
	*pages = heads->heads[id].pages - before->heads[id].pages;
	return heads->heads[id].known && before->heads[id].known;
}

void memory_heads_init(struct memory_heads *heads,
		       const struct memory_reading *reading)
{
	const struct making making = { heads, reading, &reading->fields };

	*heads = (struct memory_heads){
		.page_size = reading->page_size,
		.total = memory_get(&reading->fields, MEMORY_TOTAL),
		.wrong = MEMORY_HEADS,
	};
	make_programs(&making);
	make_shared(&making);
	make_file_cache(&making);
	make_block_cache(&making);
	make_swap_cache(&making);
	make_simple_heads(&making);
	make_page_tables(&making);
	make_vmalloc(&making);
	make_per_cpu(&making);
	make_huge_pages(&making);
	make_compressed(&making);
	make_balloon(&making);
	make_free(&making);
	make_rest(&making);
	contradiction_find(heads, reading);
	name_parts_of_rest(&making);
	if (heads->wrong != MEMORY_HEADS)
		heads->heads[heads->wrong].known = false;
	give_back_of_heads(heads, reading);
	if (heads->wrong == MEMORY_HEADS)
		return;
	heads->heads[heads->wrong].known = true;
	heads->heads[heads->wrong].reclaimable = -1;
}
