/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of /proc/meminfo that bufstat uses, each with a presence bit.
 * Kernels add, drop and reorder lines. A field that a kernel does not print, or
 * prints in a form that cannot be read, is absent. Absent is not zero.
 */
#ifndef BUFSTAT_MEMINFO_H
#define BUFSTAT_MEMINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table/column.h"

struct error;
struct fields;
struct json_value;
struct sysroot;

enum meminfo_field {
	MEMINFO_MEM_TOTAL,
	MEMINFO_MEM_FREE,
	MEMINFO_MEM_AVAILABLE, /* since Linux 3.14 */
	MEMINFO_BUFFERS,
	MEMINFO_CACHED,
	MEMINFO_SWAP_CACHED,
	MEMINFO_SHMEM,
	MEMINFO_SRECLAIMABLE,
	MEMINFO_SWAP_TOTAL,
	MEMINFO_SWAP_FREE,
	MEMINFO_LOW_TOTAL, /* CONFIG_HIGHMEM */
	MEMINFO_LOW_FREE,
	MEMINFO_HIGH_TOTAL,
	MEMINFO_HIGH_FREE,
	MEMINFO_COMMIT_LIMIT,
	MEMINFO_COMMITTED_AS,
	MEMINFO_DIRTY,
	MEMINFO_WRITEBACK,
	MEMINFO_MAPPED,
	MEMINFO_FIELDS
};

struct meminfo {
	uint64_t kib[MEMINFO_FIELDS];
	uint64_t present; /* bit per field */
};

static inline bool meminfo_has(const struct meminfo *meminfo,
			       enum meminfo_field field)
{
	return meminfo->present >> field & 1;
}

static inline void meminfo_set(struct meminfo *meminfo,
			       enum meminfo_field field, uint64_t kib)
{
	meminfo->kib[field] = kib;
	meminfo->present |= UINT64_C(1) << field;
}

/* Returns false if the field is absent or exceeds 63 bits in bytes. */
static inline bool meminfo_bytes(const struct meminfo *meminfo,
				 enum meminfo_field field, int64_t *bytes)
{
	if (!meminfo_has(meminfo, field) ||
	    meminfo->kib[field] > INT64_MAX / 1024)
		return false;
	*bytes = (int64_t)meminfo->kib[field] * 1024;
	return true;
}

/*
 * The kernel prints whole pages in KiB. Returns false if the field is absent,
 * is not a whole number of pages, or does not fit a signed count of bytes.
 */
bool meminfo_pages(const struct meminfo *meminfo, enum meminfo_field field,
		   uint64_t page_size, uint64_t *pages);

/* How far Cached or Buffers may move while its parts are measured, in pages. */
int64_t settled_allowance(uint64_t pages);

/* Whether two figures differ by no more than that. */
bool settled_is_near(uint64_t pages, uint64_t others);

/* A line of /proc/meminfo. */
struct meminfo_line {
	const char *name; /* in the text, not NUL-terminated */
	size_t length; /* of the name, bytes */
	uint64_t kib; /* or a plain number, where the line has no unit */
	bool known; /* the number could be read */
};

/*
 * Takes the next line that has a name from *@text, which ends at @end, and
 * moves *@text past it. Returns false if there is none.
 */
bool meminfo_next(const char **text, const char *end,
		  struct meminfo_line *line);

/*
 * Parses all @size bytes of @text, whatever they contain. A number past 64 bits
 * or an unknown unit leaves the line's field absent.
 */
void meminfo_parse(struct meminfo *meminfo, const char *text, size_t size);

/*
 * Reads and parses /proc/meminfo. For a capture with a reading, takes the
 * fields from there (saved.h). Returns 0 or a negative errno.
 */
int meminfo_read(struct meminfo *meminfo, const struct sysroot *root,
		 struct error *err);

/* A field in bytes, as a column or a document has it. */
struct column_value meminfo_value(const void *meminfo, size_t field);

/* What a saved reading has of them (saved.h): KiB, null if they are absent. */
extern const struct fields meminfo_fields;

/*
 * Reads the member meminfo_kib of a saved reading. Returns 1, 0 with @meminfo
 * unchanged if the fields were not measured, or a negative errno, -EBADMSG if
 * they are damaged.
 */
int meminfo_read_saved(struct json_value object, struct meminfo *meminfo);

#endif
