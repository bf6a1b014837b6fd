/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of bufstat who: for each cache, what each process brought in and
 * took out, and what was not traced: by how much more or less the cache changed
 * than that.
 */
#ifndef BUFSTAT_WHO_ROWS_H
#define BUFSTAT_WHO_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "question/question.h"
#include "table/column.h"
#include "trace/trace.h"

struct caches;
struct caches_before;
struct cgroup_ids;
struct selection;
struct sysroot;

/* The cache of a device or of a filesystem. */
struct who_cache {
	unsigned int major;
	unsigned int minor;
	bool is_bdev; /* a device's own cache: what Buffers counts */
	bool is_left_out; /* its pages are not traced: tmpfs */
	char *name; /* of the device, or a mount point; NULL: not known */
	const char *kname; /* what a recording says the kernel called it */
	char number[24]; /* "major:minor" */
	bool is_advised; /* a process asked to drop pages of it */
	uint64_t traced_pages; /* in and out: the busiest cache comes first */
	int64_t net_pages; /* traced */
	bool has_change; /* else what was not traced is not known */
	int64_t change_pages;
	bool has_resident; /* rows of who_now.h only */
	uint64_t resident_pages;
};

struct who_row {
	const struct who_cache *cache;
	const struct trace_fill *fill; /* NULL: what was not traced */
	bool is_others; /* the sum of the rows that are not shown */
	bool foreign_pid; /* as in struct trace_totals */
	size_t processes; /* that are in the row, or 0: not known */
	const char *cgroup; /* or NULL */
	const char *on_behalf_of; /* a cgroup, or NULL */
	uint64_t page_size; /* bytes */
	bool knows_how; /* as in struct trace_totals */
	char how[128]; /* "read 98%, fault 2%", or "" */
	/* Of who_now.h: pages that the cgroup has now. Nothing was traced. */
	bool is_now;
	bool is_rest; /* what no other row of its cache has; may be negative */
	bool has_resident;
	int64_t resident_pages;
	const char *state; /* "dead", "not charged", "unattributed", or NULL */
};

struct who_rows {
	struct answer head; /* its rows are struct who_row */
	struct who_cache *caches;
	size_t cache_count;
	struct trace_fill *folded; /* of rows of several processes */
};

static inline struct who_row *who_row_at(const struct who_rows *rows, size_t i)
{
	return rows_at(&rows->head.rows, i);
}

/* The names of cgroups in version 2, and in that of the memory controller. */
struct who_cgroups {
	const struct cgroup_ids *unified;
	const struct cgroup_ids *memory;
};

/* The rows are struct who_row. */
extern const struct column_set who_columns;

/* The columns of -J, unless others are chosen. */
extern const char who_json_columns[];

/* Those of a table with rows of several processes. */
extern const char who_folded_columns[];

/*
 * Pages that came in and went out in the row. What was not traced is either, by
 * its sign.
 */
uint64_t who_row_in(const struct who_row *row);
uint64_t who_row_out(const struct who_row *row);

/*
 * Makes rows of @totals, between the instants of @before and @now, for what is
 * in @selection, which may be empty. The busiest cache comes first, and in it
 * the process that brought most pages in. All arguments but @root and @before
 * must outlive @rows. Returns 0 or -ENOMEM; the caller deinits @rows in either
 * case.
 */
int who_rows_init(struct who_rows *rows, const struct trace_totals *totals,
		  const struct caches_before *before, const struct caches *now,
		  const struct who_cgroups *cgroups, const struct sysroot *root,
		  struct selection *selection);
void who_rows_deinit(struct who_rows *rows);

/*
 * The same where the caches are in @rows already (who_caches.h), with what they
 * are called and how they changed.
 */
int who_rows_fill(struct who_rows *rows, const struct trace_totals *totals,
		  uint64_t page_size, const struct who_cgroups *cgroups,
		  struct selection *selection);

/* Sorts the rows: the busiest cache first, in it the busiest process. */
void who_rows_sort(struct who_rows *rows);

/* Says in what way the pages of a row came in, if that is known. */
void who_row_describe(struct who_row *row);

/* For rows_arrange(): the sum of the others is a row in JSON, too. */
extern const struct row_kind who_row_kind;

/* What one of several brought in, for qsort(3): most first. */
struct share {
	const char *name; /* "": not known */
	uint64_t pages;
};

int share_most_first(const void *left, const void *right);

#endif
