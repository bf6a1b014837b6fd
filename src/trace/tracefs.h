/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefs, where it is mounted already, and the tracepoints of the page cache.
 * (Unmounting it has crashed Linux 6.12.)
 */
#ifndef BUFSTAT_TRACEFS_H
#define BUFSTAT_TRACEFS_H

#include <stdint.h>

struct error;
struct sysroot;

#define TRACE_ADD "mm_filemap_add_to_page_cache"
#define TRACE_DELETE "mm_filemap_delete_from_page_cache"

/*
 * Opens the directory in which tracefs is mounted. Returns a descriptor,
 * -EOPNOTSUPP with the reason and the remedy, or another negative errno.
 */
int tracefs_open(const struct sysroot *root, struct error *err);

/*
 * Reads the file called @name of the tracepoint @event. The caller frees
 * *@text. Returns 0; -EOPNOTSUPP with the reason and the remedy if tracefs is
 * not mounted or not to be read; or -ENOMEM.
 */
int tracefs_read(const struct sysroot *root, const char *event,
		 const char *name, char **text, struct error *err);

/* Reads the number of the tracepoint. Returns as tracefs_read(). */
int tracefs_id(const struct sysroot *root, const char *event, uint64_t *id,
	       struct error *err);

/*
 * perf_event_open(2) for the tracepoint @id on processor @cpu, for all
 * processes. It is not enabled yet. Returns a descriptor or a negative errno.
 */
int tracefs_open_event(uint64_t id, int cpu);

#endif
