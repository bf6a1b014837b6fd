// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <stdbool.h>

#include "kernel/kernel.h"
#include "kernel/object.h"
#include "kernel/ring.h"
#include "kernel/symbols.h"
#include "kernel/vmcoreinfo.h"
#include "lib/error.h"
#include "memory/kernel_memory.h"
#include "memory/memory_details.h"
#include "memory/memory_reading.h"

/* Bytes. A pcpu_chunk takes some 300, a task_struct some 14,000. */
#define MAX_STRUCT (64U << 10)
#define MAX_CHUNK (16U << 20)
/* No kernel has more processors, in more groups (NR_CPUS, x86). */
#define MAX_UNITS 8192
/* A page of 16 GiB, on another processor than x86, has order 22. */
#define MAX_ORDER 30
/* PID_MAX_LIMIT on 64 bits. */
#define MAX_PROCESSES (4U << 20)
#define RESYNCS 64

enum {
	SYMBOL_VMALLOC,
	SYMBOL_POISONED,
	SYMBOL_MEMMAP,
	SYMBOL_UNITS,
	SYMBOL_POPULATED,
	SYMBOL_FIRST_CHUNK,
	SYMBOL_BASE,
	SYMBOL_POOL_COUNT,
	SYMBOL_POOLS,
	SYMBOL_TASK,
	SYMBOLS
};

static const char *const names[SYMBOLS] = {
	/* A node's counter since Linux 6.19. */
	[SYMBOL_VMALLOC] = "nr_vmalloc_pages",
	[SYMBOL_POISONED] = "num_poisoned_pages",
	/* Since Linux 6.11. */
	[SYMBOL_MEMMAP] = "nr_memmap_pages",
	[SYMBOL_UNITS] = "pcpu_nr_units",
	[SYMBOL_POPULATED] = "pcpu_nr_populated",
	[SYMBOL_FIRST_CHUNK] = "pcpu_first_chunk",
	[SYMBOL_BASE] = "pcpu_base_addr",
	[SYMBOL_POOL_COUNT] = "hugetlb_max_hstate",
	[SYMBOL_POOLS] = "hstates",
	[SYMBOL_TASK] = "init_task",
};

struct details {
	struct memory_reading *reading;
	struct kernel *kernel;
	struct kallsyms_symbol symbols[SYMBOLS];
};

static bool read_value(const struct details *details, int which, void *value,
		       size_t size)
{
	uint64_t address = details->symbols[which].address;

	return address &&
	       kmem_read(details->kernel->kmem, address, value, size) == 0;
}

static bool set_pages(const struct details *details, enum memory_field field,
		      uint64_t pages)
{
	if (pages > (uint64_t)MEMORY_MOST_PAGES)
		return false;
	memory_set(&details->reading->fields, field, (int64_t)pages);
	return true;
}

/* A variable that is a count of pages, unless a counter has the field. */
static void take_variable(const struct details *details,
			  enum memory_field field, int which)
{
	uint64_t pages;

	if (!memory_has(&details->reading->fields, field) &&
	    read_value(details, which, &pages, sizeof(pages)))
		set_pages(details, field, pages);
}

/*
 * The end of the first chunk, in pages from its start. It has, one after the
 * other, the kernel's own variables, those of modules, and the first
 * allocations; the chunk that the variable leads to is the last part
 * (pcpu_setup_first_chunk() in mm/percpu.c, the same from 4.14 to 7.3).
 */
static bool first_chunk_pages(const struct details *details, uint64_t *pages)
{
	static const char *const members[] = { "base_addr", "nr_pages",
					       "end_offset" };
	const struct kernel *kernel = details->kernel;
	struct btf_struct type = { .name = "pcpu_chunk" };
	uint64_t first, base, start, page_size = kernel->page_size;
	uint32_t offset[3], size, count, unused;

	btf_find_structs(&kernel->btf, &type, 1);
	for (size_t i = 0; i < 3; i++) {
		if (!type.id ||
		    btf_find_member(&kernel->btf, &type, members[i], &offset[i],
				    &size) < 0 ||
		    size < sizeof(uint32_t) || offset[i] > MAX_STRUCT)
			return false;
	}
	if (!read_value(details, SYMBOL_FIRST_CHUNK, &first, sizeof(first)) ||
	    !read_value(details, SYMBOL_BASE, &base, sizeof(base)) ||
	    kmem_read_word(kernel->kmem, first + offset[0], &start) < 0 ||
	    kmem_read(kernel->kmem, first + offset[1], &count, sizeof(count)) <
		    0 ||
	    kmem_read(kernel->kmem, first + offset[2], &unused,
		      sizeof(unused)) < 0 ||
	    start - base > MAX_CHUNK || count > MAX_CHUNK / page_size ||
	    unused > count * page_size)
		return false;
	*pages = (start - base + count * page_size - unused) / page_size;
	return true;
}

/* As pcpu_nr_pages(); neither figure is worth anything without the other. */
static void take_per_cpu(const struct details *details)
{
	uint64_t populated, first;
	uint32_t units;

	if (!read_value(details, SYMBOL_UNITS, &units, sizeof(units)) ||
	    !read_value(details, SYMBOL_POPULATED, &populated,
			sizeof(populated)) ||
	    !units || units > MAX_UNITS || populated > UINT32_MAX ||
	    !first_chunk_pages(details, &first) || first > populated)
		return;
	if (set_pages(details, MEMORY_PERCPU, populated * units))
		set_pages(details, MEMORY_FIRST_CHUNK, first * units);
}

/* The members of struct hstate, in huge pages. */
enum { POOL_ORDER, POOL_TOTAL, POOL_FREE, POOL_RESERVED, POOL_SURPLUS, PARTS };

static bool find_pool_members(const struct details *details,
			      uint32_t offset[PARTS], uint32_t *pool_size)
{
	static const char *const members[PARTS] = {
		[POOL_ORDER] = "order",
		[POOL_TOTAL] = "nr_huge_pages",
		[POOL_FREE] = "free_huge_pages",
		[POOL_RESERVED] = "resv_huge_pages",
		[POOL_SURPLUS] = "surplus_huge_pages",
	};
	const struct btf *btf = &details->kernel->btf;
	struct btf_struct type = { .name = "hstate" };
	uint32_t size;

	btf_find_structs(btf, &type, 1);
	for (size_t i = 0; i < PARTS; i++) {
		if (!type.id ||
		    btf_find_member(btf, &type, members[i], &offset[i], &size) <
			    0 ||
		    size < (i == POOL_ORDER ? sizeof(uint32_t) :
					      sizeof(uint64_t)) ||
		    offset[i] > MAX_STRUCT)
			return false;
	}
	*pool_size = type.size;
	return type.size && type.size <= MAX_STRUCT;
}

/* Returns false if no pool can be like that. */
static bool read_pool(const struct details *details, uint64_t address,
		      const uint32_t offset[PARTS], struct memory_pool *pool)
{
	const struct kmem *kmem = details->kernel->kmem;
	uint64_t counts[PARTS];
	uint32_t order;

	if (kmem_read(kmem, address + offset[POOL_ORDER], &order,
		      sizeof(order)) < 0 ||
	    !order || order > MAX_ORDER)
		return false;
	for (size_t i = POOL_TOTAL; i < PARTS; i++) {
		if (kmem_read_word(kmem, address + offset[i], &counts[i]) < 0 ||
		    counts[i] > (uint64_t)MEMORY_MOST_PAGES)
			return false;
	}
	*pool = (struct memory_pool){
		.size_kib = (details->kernel->page_size / 1024) << order,
		.total = (int64_t)counts[POOL_TOTAL],
		.free = (int64_t)counts[POOL_FREE],
		.reserved = (int64_t)counts[POOL_RESERVED],
		.surplus = (int64_t)counts[POOL_SURPLUS],
	};
	return memory_pool_is_sound(pool, details->kernel->page_size);
}

/* Without CONFIG_HUGETLB_PAGE, not even the type is there. */
static bool has_pools(const struct btf *btf)
{
	struct btf_struct type = { .name = "hstate" };

	btf_find_structs(btf, &type, 1);
	return type.id;
}

/* All pools or none: their sum is a head. */
static void take_pools(const struct details *details)
{
	struct memory_reading *reading = details->reading;
	uint32_t offset[PARTS], size, count;
	int64_t pages = 0;

	if (!has_pools(&details->kernel->btf)) {
		set_pages(details, MEMORY_HUGETLB, 0);
		return;
	}
	if (!details->symbols[SYMBOL_POOLS].address ||
	    !read_value(details, SYMBOL_POOL_COUNT, &count, sizeof(count)) ||
	    count > MEMORY_POOLS_ROOM ||
	    !find_pool_members(details, offset, &size))
		return;
	for (uint32_t i = 0; i < count; i++) {
		struct memory_pool *pool = &reading->pools[i];

		if (!read_pool(details,
			       details->symbols[SYMBOL_POOLS].address +
				       (uint64_t)i * size,
			       offset, pool))
			return;
		pages += pool->total *
			 (int64_t)(pool->size_kib * 1024 / reading->page_size);
	}
	reading->pool_count = count;
	set_pages(details, MEMORY_HUGETLB, (uint64_t)pages);
}

/* What is read of each process, and how many have memory of their own. */
struct processes {
	uint32_t mm; /* from the object's start, bytes */
	uint64_t count;
};

static const char *check_process(void *data __attribute__((unused)),
				 const unsigned char *object
				 __attribute__((unused)),
				 uint64_t address __attribute__((unused)))
{
	return NULL;
}

static int visit_process(void *data, const unsigned char *object,
			 uint64_t address __attribute__((unused)),
			 struct error *err __attribute__((unused)))
{
	struct processes *processes = data;

	processes->count += word_at(object, processes->mm) != 0;
	return 0;
}

/*
 * Counts the processes that have memory of their own, as kernel threads do not.
 * Only the part of a task_struct from the list's node to mm is read.
 */
static bool count_processes(const struct details *details, uint64_t *count)
{
	const struct btf *btf = &details->kernel->btf;
	struct btf_struct type = { .name = "task_struct" };
	uint64_t head = details->symbols[SYMBOL_TASK].address;
	uint32_t tasks, mm, size;
	struct processes processes = { 0 };
	struct ring ring = {
		.what = "processes",
		.most = MAX_PROCESSES,
		.resyncs = RESYNCS,
		.check = check_process,
		.visit = visit_process,
		.data = &processes,
	};
	struct error unused;

	btf_find_structs(btf, &type, 1);
	if (!head || !type.id ||
	    btf_find_member(btf, &type, "tasks", &tasks, &size) < 0 ||
	    btf_find_member(btf, &type, "mm", &mm, &size) < 0 || mm < tasks ||
	    mm > MAX_STRUCT)
		return false;
	processes.mm = mm - tasks;
	ring.head = head + tasks;
	ring.size = processes.mm + sizeof(uint64_t);
	if (ring_walk(&ring, details->kernel->kmem, &unused) < 0)
		return false;
	*count = processes.count;
	return true;
}

/* Known for x86 only, as on a running kernel. */
static void take_top_tables(const struct details *details)
{
	const char *text = details->kernel->vmcoreinfo;
	uint64_t five_levels = 0, count;

	vmcoreinfo_number(text, "pgtable_l5_enabled", &five_levels);
	if (details->kernel->machine != EM_X86_64 ||
	    !count_processes(details, &count))
		return;
	memory_set(&details->reading->fields, MEMORY_TOP_TABLES,
		   (int64_t)count *
			   memory_uncounted_tables(&details->reading->fields,
						   five_levels == 1));
}

void memory_read_kernel_details(struct memory_reading *reading,
				struct kernel *kernel)
{
	struct details details = { .reading = reading, .kernel = kernel };

	for (size_t i = 0; i < SYMBOLS; i++)
		details.symbols[i].name = names[i];
	kernel_symbols_find(kernel, details.symbols, SYMBOLS);
	take_variable(&details, MEMORY_VMALLOC_USED, SYMBOL_VMALLOC);
	take_variable(&details, MEMORY_HARDWARE_CORRUPTED, SYMBOL_POISONED);
	take_variable(&details, MEMORY_NR_MEMMAP, SYMBOL_MEMMAP);
	take_per_cpu(&details);
	take_pools(&details);
	take_top_tables(&details);
}
