/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefs, where it is mounted already, here or for the first process.
 * (Unmounting it has crashed Linux 6.12.)
 */
#ifndef BUFSTAT_TRACEFS_H
#define BUFSTAT_TRACEFS_H

#include <stdint.h>

struct error;
struct sysroot;

/*
 * Opens the directory in which tracefs is mounted. Returns a descriptor,
 * -EOPNOTSUPP with the reason and the remedy, or another negative errno.
 */
int tracefs_open(const struct sysroot *root, struct error *err);

/*
 * Reads the number of the tracepoint at which a page comes into the page cache.
 * Returns 0 or a negative errno.
 */
int tracefs_add_id(const struct sysroot *root, uint64_t *id);

/*
 * perf_event_open(2) for the tracepoint @id on processor @cpu, for all
 * processes. It is not enabled yet. Returns a descriptor or a negative errno.
 */
int tracefs_open_event(uint64_t id, int cpu);

#endif
