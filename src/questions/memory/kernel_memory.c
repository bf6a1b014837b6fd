// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "kernel/kernel.h"
#include "kernel/vm_counters.h"
#include "lib/error.h"
#include "measure/meminfo.h"
#include "measure/vmcore.h"
#include "memory/kernel_memory.h"
#include "memory/memory_reading.h"

/* What kernel_meminfo.h works out, so that all commands say the same. */
static const struct {
	enum memory_field field;
	enum meminfo_field from;
} from_meminfo[] = {
	{ MEMORY_AVAILABLE, MEMINFO_MEM_AVAILABLE },
	{ MEMORY_BUFFERS, MEMINFO_BUFFERS },
	{ MEMORY_CACHED, MEMINFO_CACHED },
	{ MEMORY_SWAP_CACHED, MEMINFO_SWAP_CACHED },
	{ MEMORY_NR_SWAP_CACHED, MEMINFO_SWAP_CACHED },
	{ MEMORY_SWAP_FREE, MEMINFO_SWAP_FREE },
};

/*
 * The counters by their names in the kernel's enums and structs. Several of one
 * field are added up: those that a zone counted and now a node does, and the
 * two parts of a watermark.
 */
static const struct {
	enum memory_field field;
	enum vm_counter_kind kind;
	const char *name;
} counted[] = {
	{ MEMORY_NR_FREE, VM_ZONE, "NR_FREE_PAGES" },
	{ MEMORY_NR_FILE, VM_NODE, "NR_FILE_PAGES" },
	{ MEMORY_NR_ANON, VM_NODE, "NR_ANON_MAPPED" },
	{ MEMORY_NR_SHMEM, VM_NODE, "NR_SHMEM" },
	{ MEMORY_NR_SWAP_CACHED, VM_NODE, "NR_SWAPCACHE" },
	{ MEMORY_NR_ACTIVE_ANON, VM_NODE, "NR_ACTIVE_ANON" },
	{ MEMORY_NR_INACTIVE_ANON, VM_NODE, "NR_INACTIVE_ANON" },
	{ MEMORY_NR_ACTIVE_FILE, VM_NODE, "NR_ACTIVE_FILE" },
	{ MEMORY_NR_INACTIVE_FILE, VM_NODE, "NR_INACTIVE_FILE" },
	{ MEMORY_NR_UNEVICTABLE, VM_NODE, "NR_UNEVICTABLE" },
	{ MEMORY_NR_ISOLATED_ANON, VM_NODE, "NR_ISOLATED_ANON" },
	{ MEMORY_NR_ISOLATED_FILE, VM_NODE, "NR_ISOLATED_FILE" },
	{ MEMORY_NR_DIRTY, VM_NODE, "NR_FILE_DIRTY" },
	{ MEMORY_NR_WRITEBACK, VM_NODE, "NR_WRITEBACK" },
	{ MEMORY_NR_MAPPED, VM_NODE, "NR_FILE_MAPPED" },
	{ MEMORY_NR_MLOCK, VM_ZONE, "NR_MLOCK" },
	{ MEMORY_NR_SLAB_RECLAIMABLE, VM_NODE, "NR_SLAB_RECLAIMABLE_B" },
	{ MEMORY_NR_SLAB_UNRECLAIMABLE, VM_NODE, "NR_SLAB_UNRECLAIMABLE_B" },
	{ MEMORY_NR_MISC_RECLAIMABLE, VM_NODE, "NR_KERNEL_MISC_RECLAIMABLE" },
	{ MEMORY_NR_PAGE_TABLE, VM_ZONE, "NR_PAGETABLE" },
	/* Since Linux 5.11. */
	{ MEMORY_NR_PAGE_TABLE, VM_NODE, "NR_PAGETABLE" },
	{ MEMORY_NR_SECONDARY_PAGE_TABLE, VM_NODE, "NR_SECONDARY_PAGETABLE" },
	{ MEMORY_NR_IOMMU, VM_NODE, "NR_IOMMU_PAGES" },
	{ MEMORY_NR_ZSPAGES, VM_ZONE, "NR_ZSPAGES" },
	{ MEMORY_NR_BOUNCE, VM_ZONE, "NR_BOUNCE" },
	{ MEMORY_NR_WRITEBACK_TEMP, VM_NODE, "NR_WRITEBACK_TEMP" },
	{ MEMORY_NR_GPU_ACTIVE, VM_NODE, "NR_GPU_ACTIVE" },
	{ MEMORY_NR_GPU_RECLAIM, VM_NODE, "NR_GPU_RECLAIM" },
	{ MEMORY_BALLOON, VM_NODE, "NR_BALLOON_PAGES" },
	/* A variable of its own up to Linux 6.18. */
	{ MEMORY_VMALLOC_USED, VM_NODE, "NR_VMALLOC" },
	{ MEMORY_ANON_HUGE, VM_NODE, "NR_ANON_THPS" },
	{ MEMORY_SHMEM_HUGE, VM_NODE, "NR_SHMEM_THPS" },
	{ MEMORY_FILE_HUGE, VM_NODE, "NR_FILE_THPS" },
	{ MEMORY_KERNEL_STACK, VM_NODE, "NR_KERNEL_STACK_KB" },
	{ MEMORY_ZONE_FREE, VM_ZONE, "NR_FREE_PAGES" },
	{ MEMORY_ZONE_PER_CPU, VM_LISTS, "count" },
	{ MEMORY_ZONE_LOW, VM_WATERMARK, "WMARK_LOW" },
	{ MEMORY_ZONE_LOW, VM_ZONE_MEMBER, "watermark_boost" },
	{ MEMORY_ZONE_MANAGED, VM_ZONE_MEMBER, "managed_pages" },
	{ MEMORY_ZONE_PRESENT, VM_ZONE_MEMBER, "present_pages" },
	{ MEMORY_ZONE_SPANNED, VM_ZONE_MEMBER, "spanned_pages" },
	{ MEMORY_ZONE_RESERVE, VM_NODE_MEMBER, "totalreserve_pages" },
};

#define COUNTERS (sizeof(counted) / sizeof(*counted))

/* A sum that cannot be is no sum. */
static void add(struct memory_fields *fields, enum memory_field field,
		int64_t pages)
{
	int64_t sum = memory_get(fields, field) + pages;

	memory_set(fields, field, sum);
	if (sum < 0 || sum > MEMORY_MOST_PAGES)
		fields->known[field] = false;
}

static void take_counters(struct memory_reading *reading,
			  const struct vm_counter *counters)
{
	struct memory_fields *fields = &reading->fields;
	int64_t page_kib = (int64_t)reading->page_size / 1024;
	bool in_pages = false;

	for (size_t i = 0; i < COUNTERS; i++) {
		if (counters[i].known)
			add(fields, counted[i].field, counters[i].count);
		in_pages |= counters[i].known &&
			    counted[i].field == MEMORY_NR_SWAP_CACHED;
	}
	fields->pages[MEMORY_KERNEL_STACK] /= page_kib;
	/*
	 * Before Linux 5.12 these count huge pages, not pages. No kernel tells,
	 * but the counter of the swap cache came in the same release.
	 */
	if (!in_pages) {
		fields->known[MEMORY_ANON_HUGE] = false;
		fields->known[MEMORY_SHMEM_HUGE] = false;
		fields->known[MEMORY_FILE_HUGE] = false;
	}
}

static int read_counters(struct memory_reading *reading, struct kernel *kernel,
			 struct error *err)
{
	struct vm_counter counters[COUNTERS];
	struct vm_counters places;
	int ret;

	for (size_t i = 0; i < COUNTERS; i++)
		counters[i] = (struct vm_counter){ .kind = counted[i].kind,
						   .name = counted[i].name };
	vm_counters_find(&places, kernel, counters, COUNTERS);
	ret = vm_counters_read(&places, err);
	if (ret < 0)
		return ret;
	reading->processors = places.cpus;
	take_counters(reading, counters);
	return 0;
}

static void read_meminfo(struct memory_reading *reading, struct kernel *kernel)
{
	struct meminfo meminfo = { 0 };
	uint64_t pages;

	vmcore_meminfo(kernel, &meminfo);
	for (size_t i = 0; i < sizeof(from_meminfo) / sizeof(*from_meminfo);
	     i++) {
		if (meminfo_pages(&meminfo, from_meminfo[i].from,
				  reading->page_size, &pages) &&
		    pages <= MEMORY_MOST_PAGES)
			memory_set(&reading->fields, from_meminfo[i].field,
				   (int64_t)pages);
	}
}

int memory_read_kernel(struct memory_reading *reading, struct kernel *kernel,
		       struct error *err)
{
	struct memory_fields *fields = &reading->fields;
	int ret;

	*reading = (struct memory_reading){
		.page_size = kernel->page_size,
		.is_dump = true,
		.samples = 1,
		.settled = true,
	};
	ret = read_counters(reading, kernel, err);
	if (ret < 0)
		return ret;
	/* MemTotal is what the zones manage (adjust_managed_page_count()). */
	if (!memory_has(fields, MEMORY_ZONE_MANAGED))
		return error_set(err, ERROR_UNUSABLE,
				 "this kernel does not say how much memory "
				 "there is");
	memory_set(fields, MEMORY_TOTAL,
		   memory_get(fields, MEMORY_ZONE_MANAGED));
	memory_set(fields, MEMORY_ZONE_LAG, 0);
	read_meminfo(reading, kernel);
	memory_read_kernel_details(reading, kernel);
	return 0;
}

int memory_read_dump(struct memory_reading *reading, const struct sysroot *root,
		     const char *path, char **release, struct error *err)
{
	struct kernel kernel;
	int ret = kernel_open(&kernel, root, path, err);

	*reading = (struct memory_reading){ 0 };
	*release = NULL;
	if (!ret)
		ret = memory_read_kernel(reading, &kernel, err);
	if (!ret && vmcore_release(&kernel, release) < 0)
		ret = error_errno(err, ENOMEM, NULL, NULL);
	return kernel_close(&kernel, ret, err);
}
