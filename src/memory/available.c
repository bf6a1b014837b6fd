// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "measure/zoneinfo.h"
#include "memory/available.h"
#include "memory/memory_heads.h"
#include "memory/memory_reading.h"
#include "memory/memory_rows.h"

/* A struct dentry, as in give_back.c. */
#define DENTRY_BYTES 192

void memory_available(struct available *available,
		      const struct memory_reading *reading)
{
	static const enum memory_field needed[] = {
		MEMORY_NR_FREE,		 MEMORY_ZONE_RESERVE,
		MEMORY_ZONE_LOW,	 MEMORY_NR_ACTIVE_FILE,
		MEMORY_NR_INACTIVE_FILE, MEMORY_NR_SLAB_RECLAIMABLE,
	};
	const struct memory_fields *fields = &reading->fields;

	*available = (struct available){ 0 };
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		if (!memory_has(fields, needed[i]))
			return;
	}
	*available = (struct available){
		.free = memory_get(fields, MEMORY_NR_FREE),
		.reserve = memory_get(fields, MEMORY_ZONE_RESERVE),
		.file = memory_get(fields, MEMORY_NR_ACTIVE_FILE) +
			memory_get(fields, MEMORY_NR_INACTIVE_FILE),
		.reclaimable = memory_get(fields, MEMORY_NR_SLAB_RECLAIMABLE) +
			       memory_get(fields, MEMORY_NR_MISC_RECLAIMABLE),
	};
	available_compute(available, memory_get(fields, MEMORY_ZONE_LOW));
}

struct term {
	const char *key, *what;
	bool known;
	int64_t pages;
	const char *field, *file, *note;
};

static int add_terms(struct memory_rows *rows, const struct memory_rows_of *of,
		     const struct term *terms, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct term *term = &terms[i];
		struct memory_row *row;

		if (!term->known)
			continue;
		row = memory_rows_add_pages(rows, of, term->key, term->what,
					    term->pages);
		if (!row)
			return -ENOMEM;
		row->field = term->field;
		row->file = term->file;
		if (term->note)
			snprintf(row->note, sizeof(row->note), "%s",
				 term->note);
	}
	return 0;
}

static int add_sum(struct memory_rows *rows, const struct memory_rows_of *of)
{
	const struct memory_fields *fields = &of->reading->fields;
	struct available is;
	int64_t said = memory_get(fields, MEMORY_AVAILABLE);

	memory_available(&is, of->reading);
	const struct term terms[] = {
		{ "free", "free", is.known, is.free, "nr_free_pages",
		  "/proc/vmstat", NULL },
		{ "reserve", "  less the reserve", is.known, -is.reserve,
		  "protection, high", "/proc/zoneinfo",
		  "free, but kept for the kernel and for lower zones" },
		{ "file", "file pages on the LRU lists", is.known, is.file,
		  "nr_active_file, nr_inactive_file", "/proc/vmstat", NULL },
		{ "file_kept", "  less what is kept", is.known, -is.file_kept,
		  "low", "/proc/zoneinfo",
		  "half of them, at most the low watermarks" },
		{ "reclaimable", "reclaimable slab and kernel memory", is.known,
		  is.reclaimable,
		  "nr_slab_reclaimable, nr_kernel_misc_reclaimable",
		  "/proc/vmstat", NULL },
		{ "reclaimable_kept", "  less what is kept", is.known,
		  -is.reclaimable_kept, "low", "/proc/zoneinfo",
		  "half of it, at most the low watermarks" },
		{ "recomputed", "available, recomputed", is.known, is.result,
		  NULL, NULL, NULL },
		{ "available", "available, as the kernel says",
		  memory_has(fields, MEMORY_AVAILABLE), said, "MemAvailable",
		  "/proc/meminfo", NULL },
		{ "difference", "  difference",
		  is.known && memory_has(fields, MEMORY_AVAILABLE),
		  said - is.result, NULL, NULL,
		  "the files are not read in one instant" },
	};

	return add_terms(rows, of, terms, sizeof(terms) / sizeof(*terms));
}

/* What MemAvailable is said to be, and is not. */
static int add_flaws(struct memory_rows *rows, const struct memory_rows_of *of)
{
	const struct memory_reading *reading = of->reading;
	const struct memory_fields *fields = &reading->fields;
	const struct memory_head *orphans =
		&of->heads->heads[MEMORY_HEAD_ORPHANS];
	int64_t in_use = memory_get(fields, MEMORY_DENTRY_COUNT) -
			 memory_get(fields, MEMORY_DENTRY_UNUSED);
	const struct term terms[] = {
		{ "left_out_per_cpu", "left out: free, on per-CPU lists",
		  memory_has(fields, MEMORY_ZONE_PER_CPU),
		  memory_get(fields, MEMORY_ZONE_PER_CPU), "count",
		  "/proc/zoneinfo", "as free as the rest" },
		{ "left_out_reserve", "left out: the reserve",
		  memory_has(fields, MEMORY_ZONE_RESERVE),
		  memory_get(fields, MEMORY_ZONE_RESERVE), "protection, high",
		  "/proc/zoneinfo", "free or not, it is always taken off" },
		{ "counted_mapped", "counted: mapped pages, at most",
		  memory_has(fields, MEMORY_NR_MAPPED),
		  memory_get(fields, MEMORY_NR_MAPPED), "nr_mapped",
		  "/proc/vmstat",
		  "drop_caches leaves them; the kernel can still reclaim "
		  "them, at the price of reading again what programs run" },
		{ "counted_dirty", "counted: dirty and under writeback",
		  memory_has(fields, MEMORY_NR_DIRTY),
		  memory_get(fields, MEMORY_NR_DIRTY) +
			  memory_get(fields, MEMORY_NR_WRITEBACK),
		  "nr_dirty, nr_writeback", "/proc/vmstat",
		  "only after they are written" },
		{ "counted_names", "counted: names in use, at least",
		  memory_has(fields, MEMORY_DENTRY_COUNT) && in_use >= 0,
		  in_use * DENTRY_BYTES / (int64_t)reading->page_size,
		  "nr_dentry, nr_unused", "/proc/sys/fs/dentry-state",
		  "reclaimable slab that cannot go, such as all names in "
		  "tmpfs; their inodes come on top" },
		{ "counted_orphans", "counted: in no cache, but in use",
		  orphans->known && orphans->pages, orphans->pages, NULL, NULL,
		  "deleted files that are still held, by pipes for example" },
	};

	return add_terms(rows, of, terms, sizeof(terms) / sizeof(*terms));
}

static int add_used(struct memory_rows *rows, const struct memory_rows_of *of)
{
	const struct memory_fields *fields = &of->reading->fields;
	int64_t total = of->heads->total;
	const struct term terms[] = {
		{ "used_new", "used, as free says since procps-ng 4.0.1",
		  memory_has(fields, MEMORY_AVAILABLE),
		  total - memory_get(fields, MEMORY_AVAILABLE),
		  "MemTotal - MemAvailable", "/proc/meminfo", NULL },
		{ "used_old", "used, as free said before",
		  memory_has(fields, MEMORY_CACHED),
		  total - memory_get(fields, MEMORY_NR_FREE) -
			  memory_get(fields, MEMORY_BUFFERS) -
			  memory_get(fields, MEMORY_CACHED) -
			  memory_get(fields, MEMORY_NR_SLAB_RECLAIMABLE),
		  "MemTotal - MemFree - Buffers - Cached - SReclaimable",
		  "/proc/meminfo", "counts shared memory as cache" },
	};

	return add_terms(rows, of, terms, sizeof(terms) / sizeof(*terms));
}

int available_rows(struct memory_rows *rows, const struct memory_rows_of *of)
{
	int ret = add_sum(rows, of);

	if (!ret)
		ret = add_flaws(rows, of);
	return ret ?: add_used(rows, of);
}
