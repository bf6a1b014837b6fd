// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/lesser.h"
#include "lib/number.h"
#include "measure/zoneinfo.h"
#include "memory/available.h"
#include "memory/give_back.h"
#include "memory/memory_heads.h"
#include "memory/memory_reading.h"
#include "memory/memory_rows.h"
#include "memory/reserve.h"

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

void available_find_reserve(struct memory_reading *reading)
{
	struct memory_fields *fields = &reading->fields;
	struct available is;

	memory_available(&is, reading);
	if (memory_has(fields, MEMORY_AVAILABLE) &&
	    available_takes_low(&is, memory_get(fields, MEMORY_AVAILABLE)))
		memory_set(fields, MEMORY_ZONE_RESERVE, is.low);
}

bool available_reserve_is_low(const struct memory_reading *reading)
{
	return memory_get(&reading->fields, MEMORY_ZONE_RESERVE) ==
	       memory_get(&reading->fields, MEMORY_ZONE_LOW);
}

static const char *reserve_field(const struct memory_reading *reading)
{
	return available_reserve_is_low(reading) ?
		       "low" :
		       memory_field_name(MEMORY_ZONE_RESERVE);
}

/* What may move while a few files are read: this part of memory. */
#define MOVING_PART 256

struct term {
	const char *key, *what;
	bool known;
	int64_t pages;
	const char *field, *file, *note;
	unsigned int indent;
};

/* Without /proc/vmstat its counts are taken from /proc/meminfo. */
static void name_in_meminfo(struct memory_row *row)
{
	static const char *const names[][2] = {
		{ "nr_free_pages", "MemFree" },
		{ "nr_active_file, nr_inactive_file",
		  "Active(file), Inactive(file)" },
		{ "nr_slab_reclaimable, nr_kernel_misc_reclaimable",
		  "SReclaimable" },
		{ "nr_mapped", "Mapped" },
		{ "nr_dirty, nr_writeback", "Dirty, Writeback" },
		{ "nr_gpu_reclaim", "GPUReclaim" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(row->field, names[i][0]) != 0)
			continue;
		row->field = names[i][1];
		row->file = "/proc/meminfo";
		return;
	}
}

static int add_terms(struct memory_rows *rows, const struct memory_rows_of *of,
		     const struct term *terms, size_t count)
{
	const struct memory_fields *fields = &of->reading->fields;

	for (size_t i = 0; i < count; i++) {
		const struct term *term = &terms[i];
		struct memory_row *row;

		if (!term->known)
			continue;
		row = memory_rows_add_pages(rows, of, term->key, term->indent,
					    term->what, term->pages);
		if (!row)
			return -ENOMEM;
		row->field = term->field;
		row->file = term->file;
		if (term->field && (fields->is_of_meminfo[MEMORY_NR_FREE] ||
				    fields->is_of_meminfo[MEMORY_NR_MAPPED]))
			name_in_meminfo(row);
		if (term->note)
			snprintf(row->note, sizeof(row->note), "%s",
				 term->note);
	}
	return 0;
}

enum available_difference
available_difference(const struct memory_reading *reading,
		     const struct available *is)
{
	int64_t total = memory_get(&reading->fields, MEMORY_TOTAL);
	int64_t off =
		memory_get(&reading->fields, MEMORY_AVAILABLE) - is->result;

	if (!memory_is_whole_host(reading))
		return AVAILABLE_OF_OTHER_MEMORY;
	off = greater(off, -off);
	if (off - total / MOVING_PART > memory_overlap_bound(reading))
		return AVAILABLE_UNEXPLAINED;
	return off ? AVAILABLE_MOVED : AVAILABLE_SAME;
}

const char *available_difference_text(enum available_difference difference)
{
	static const char *const texts[AVAILABLE_DIFFERENCES] = {
		[AVAILABLE_SAME] = NULL,
		[AVAILABLE_OF_OTHER_MEMORY] =
			"MemAvailable is about other memory than the kernel's "
			"counts",
		[AVAILABLE_MOVED] = "the files are not read in one instant",
		[AVAILABLE_UNEXPLAINED] =
			"more than moves between two reads; why, is not known",
	};

	return texts[difference];
}

static int add_sum(struct memory_rows *rows, const struct memory_rows_of *of)
{
	const struct memory_fields *fields = &of->reading->fields;
	struct available is;
	int64_t said = memory_get(fields, MEMORY_AVAILABLE);

	memory_available(&is, of->reading);
	const struct term terms[] = {
		{ "free", "free", is.known, is.free, "nr_free_pages",
		  "/proc/vmstat", NULL, 0 },
		{ "reserve", "less the reserve", is.known, -is.reserve,
		  reserve_field(of->reading), "/proc/zoneinfo",
		  "free, but kept for the kernel and for lower zones", 2 },
		{ "file", "file pages on the LRU lists", is.known, is.file,
		  "nr_active_file, nr_inactive_file", "/proc/vmstat", NULL, 0 },
		{ "file_kept", "less what is kept", is.known, -is.file_kept,
		  "low", "/proc/zoneinfo",
		  "half of them, at most the low watermarks", 2 },
		{ "reclaimable", "reclaimable slab and kernel memory", is.known,
		  is.reclaimable,
		  "nr_slab_reclaimable, nr_kernel_misc_reclaimable",
		  "/proc/vmstat", NULL, 0 },
		{ "reclaimable_kept", "less what is kept", is.known,
		  -is.reclaimable_kept, "low", "/proc/zoneinfo",
		  "half of it, at most the low watermarks", 2 },
		{ "recomputed", "available, recomputed", is.known, is.result,
		  NULL, NULL, NULL, 0 },
		{ "available", "available, as the kernel says",
		  memory_has(fields, MEMORY_AVAILABLE), said, "MemAvailable",
		  "/proc/meminfo", NULL, 0 },
		{ "difference", "difference",
		  is.known && memory_has(fields, MEMORY_AVAILABLE),
		  said - is.result, NULL, NULL,
		  available_difference_text(
			  available_difference(of->reading, &is)),
		  2 },
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
	struct reserve reserve;
	char cause[256];

	reserve_find(&reserve, reading);
	reserve_text(&reserve, reading, cause, sizeof(cause));
	const struct term terms[] = {
		{ "left_out_per_cpu", "left out: free, on per-CPU lists",
		  memory_has(fields, MEMORY_ZONE_PER_CPU),
		  memory_get(fields, MEMORY_ZONE_PER_CPU), "count",
		  "/proc/zoneinfo", "as free as the rest", 0 },
		{ "left_out_reserve", "left out: the reserve",
		  memory_has(fields, MEMORY_ZONE_RESERVE),
		  memory_get(fields, MEMORY_ZONE_RESERVE),
		  reserve_field(of->reading), "/proc/zoneinfo",
		  *cause ? cause : "free or not, it is always taken off", 0 },
		{ "left_out_zfs", "left out: ZFS's cache, at most",
		  memory_has(fields, MEMORY_ARC_SIZE),
		  give_back_of_zfs(reading), "size - c_min",
		  memory_field_path(MEMORY_ARC_SIZE),
		  "ZFS gives it back when memory is short, or by "
		  "drop_caches=2",
		  0 },
		{ "left_out_gpu", "left out: pools of GPU drivers",
		  memory_get(fields, MEMORY_NR_GPU_RECLAIM) > 0,
		  give_back_of_gpu(of->heads, reading),
		  memory_field_name(MEMORY_NR_GPU_RECLAIM),
		  memory_field_path(MEMORY_NR_GPU_RECLAIM),
		  "the drivers give them back when memory is short, or by "
		  "drop_caches=2",
		  0 },
		{ "counted_mapped", "counted: mapped pages, at most",
		  memory_has(fields, MEMORY_NR_MAPPED),
		  memory_get(fields, MEMORY_NR_MAPPED), "nr_mapped",
		  "/proc/vmstat",
		  "drop_caches leaves them; the kernel can still reclaim "
		  "them, at the price of reading again what programs run",
		  0 },
		{ "counted_dirty", "counted: dirty and under writeback",
		  memory_has(fields, MEMORY_NR_DIRTY),
		  memory_get(fields, MEMORY_NR_DIRTY) +
			  memory_get(fields, MEMORY_NR_WRITEBACK),
		  "nr_dirty, nr_writeback", "/proc/vmstat",
		  "only after they are written", 0 },
		{ "counted_names", "counted: names in use, at least",
		  memory_has(fields, MEMORY_DENTRY_COUNT) && in_use >= 0,
		  in_use * DENTRY_BYTES / (int64_t)reading->page_size,
		  "nr_dentry, nr_unused", "/proc/sys/fs/dentry-state",
		  "reclaimable slab that cannot go, such as all names in "
		  "tmpfs; their inodes come on top",
		  0 },
		{ "counted_orphans", "counted: in no cache, but in use",
		  orphans->known && orphans->pages, orphans->pages, NULL, NULL,
		  "deleted files that are still held, by pipes for example",
		  0 },
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
		  "MemTotal - MemAvailable", "/proc/meminfo", NULL, 0 },
		{ "used_old", "used, as free said before",
		  memory_has(fields, MEMORY_CACHED),
		  total - memory_get(fields, MEMORY_NR_FREE) -
			  memory_get(fields, MEMORY_BUFFERS) -
			  memory_get(fields, MEMORY_CACHED) -
			  memory_get(fields, MEMORY_NR_SLAB_RECLAIMABLE),
		  "MemTotal - MemFree - Buffers - Cached - SReclaimable",
		  "/proc/meminfo", "counts shared memory as cache", 0 },
	};

	return add_terms(rows, of, terms, sizeof(terms) / sizeof(*terms));
}

int available_rows(struct memory_rows *rows, const struct memory_rows_of *of)
{
	int ret = add_sum(rows, of) ?: add_flaws(rows, of);

	return ret ?: add_used(rows, of);
}
