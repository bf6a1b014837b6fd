/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts which process brings pages into the cache of which device or
 * filesystem, and which takes them out, from trace_open() until trace_close().
 * Programs in the kernel count (bpf_programs.h), in maps (bpf_maps.h). They go
 * with their descriptors, however the program ends.
 *
 * A page that comes in is counted for the process in whose context the kernel
 * adds it: for reads and read-ahead the reader, for buffered writes the writer.
 * One that goes out is counted for the process that removes it, which says
 * nothing about whose it was. Pages of tmpfs and huge pages are left out.
 */
#ifndef BUFSTAT_TRACE_H
#define BUFSTAT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/fill.h"

struct error;
struct sysroot;
struct trace;

#define TRACE_COMMAND 16 /* bytes, with the NUL: TASK_COMM_LEN */

/* What one process did to one cache. */
struct trace_fill {
	unsigned int major; /* of the device, or of the filesystem */
	unsigned int minor;
	bool is_bdev; /* the cache of a block device, not of a filesystem */
	uint32_t process; /* id outside of all containers */
	uint64_t in[FILL_HOWS]; /* pages */
	uint64_t out; /* pages */
	uint64_t dropped; /* pages of these, by posix_fadvise() */
	uint64_t cgroup; /* id in version 2, or 0: not known */
	/*
	 * Of a thread of the kernel: the cgroup that the last page was charged
	 * to, in the hierarchy of the memory controller; or 0.
	 */
	uint64_t on_behalf_of;
	uint64_t events; /* that were counted, about; 0: not known */
	char command[TRACE_COMMAND]; /* "": not known */
	/*
	 * How often it called posix_fadvise() with POSIX_FADV_DONTNEED, and
	 * after how many of these calls the file had pages and was dirty or
	 * being written in part, or mapped.
	 */
	uint32_t asked;
	uint32_t dirty;
	uint32_t mapped;
	uint32_t generation; /* differs in a row that was forgotten and began
				again */
	/*
	 * Pages: with a probability of 95 % what came in and went out is no
	 * further from the truth. 0: all was counted.
	 */
	uint64_t in_error;
	uint64_t out_error;
};

/*
 * What reclaim took of the page cache that is charged to a cgroup. Ids are of
 * the hierarchy of the memory controller.
 */
struct trace_eviction {
	uint64_t cgroup;
	uint64_t by; /* cgroup of who reclaimed; 0: a thread of the kernel */
	enum fill_need need;
	uint64_t pages;
};

/* How far the counts can be trusted. */
struct trace_quality {
	/* Events that were not counted: the totals are a lower bound. */
	uint64_t lost_events;
	bool knows_how; /* else all pages came in by FILL_OTHER */
};

struct trace_totals {
	struct trace_fill *fills; /* sorted by trace_fill_compare() */
	size_t count;
	size_t room;
	/* Sorted by cgroup, then by who reclaimed, then by need. */
	struct trace_eviction *evictions;
	size_t eviction_count;
	bool knows_evictions; /* else there are none */
	uint64_t unknown_needs; /* reclaims for a cgroup that count as for the
				   host, because too many went on at a time */
	bool knows_asked; /* else no process asked to drop pages */
	bool foreign_pids; /* in this PID namespace they mean nothing */
	/* As in struct trace_quality. */
	uint64_t lost_events;
	bool knows_how;
};

/* Order by the device, the kind of cache, and the process. */
int trace_fill_compare(const void *left, const void *right);

/* Pages that came in. */
uint64_t trace_fill_in(const struct trace_fill *fill);

/*
 * Adds the pages of @from to @to, which is of no process in particular then,
 * unless both are of the same.
 */
void trace_fill_add(struct trace_fill *to, const struct trace_fill *from);

/* What counts, as answers and messages call it. */
#define TRACE_ENGINE "bpf"

/*
 * Begins to count. What reclaim takes is counted only if @evictions. Returns 0;
 * -EOPNOTSUPP with the reason and the remedy if this host or this process
 * cannot; or another negative errno. The caller closes *@trace, which is NULL
 * after an error.
 */
int trace_open(struct trace **trace, const struct sysroot *root, bool evictions,
	       struct error *err);
void trace_close(struct trace *trace);

/* Says why the programs were refused with @error. Returns -EOPNOTSUPP. */
int trace_refused(int error, struct error *err);

/*
 * Reads what was counted since trace_open(). Returns 0 or a negative errno; the
 * caller deinits @totals in either case.
 */
int trace_read(const struct trace *trace, struct trace_totals *totals,
	       struct error *err);
void trace_totals_deinit(struct trace_totals *totals);

/* Takes a row; the caller's pointer is valid during the call. 0 goes on. */
typedef int trace_fill_fn(void *data, const struct trace_fill *fill);

/* A trace_fill_fn that adds @fill to @data, a struct trace_totals. */
int trace_totals_add(void *data, const struct trace_fill *fill);

/*
 * For a trace that goes on for weeks. trace_each() calls @take for each row, in
 * any order, until it does not return 0, and sets @quality. It allocates
 * nothing. trace_forget() makes room: it forgets what was counted for a
 * process, and with it what that counts between the last trace_each() and this
 * call, so it is for those that do nothing any more. trace_pause() ends the
 * counting, and most of its costs, or lets it go on; what was counted stays.
 * Returns 0, what @take returned, or a negative errno.
 */
int trace_each(const struct trace *trace, trace_fill_fn *take, void *data,
	       struct trace_quality *quality);
void trace_forget(const struct trace *trace, const struct trace_fill *fill);
int trace_pause(const struct trace *trace, bool pauses);

/*
 * Sets @since to what came in and went out between @before and @now, both of
 * the same trace. Rows of processes that did nothing are left out. Returns 0 or
 * -ENOMEM; the caller deinits @since in either case.
 */
int trace_totals_since(struct trace_totals *since,
		       const struct trace_totals *now,
		       const struct trace_totals *before);

#endif
