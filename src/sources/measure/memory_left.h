/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much memory this process may still take before something has to go. */
#ifndef BUFSTAT_MEMORY_LEFT_H
#define BUFSTAT_MEMORY_LEFT_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct sysroot;

/*
 * The least of MemAvailable and of what is left of the limit of each cgroup
 * that this process is in, version 2 or 1, where its page cache counts as left;
 * in bytes. A limit that cannot be read sets none. Returns 0, or a negative
 * errno if /proc/meminfo does not say what is available.
 */
int memory_left(const struct sysroot *root, uint64_t *bytes, struct error *err);

/*
 * Whether less than a tenth of such a limit is left, after clean page cache
 * that no process has mapped. Where none is near, reads no statistics.
 */
bool memory_limit_is_near(const struct sysroot *root);

/*
 * Returns 0 if at least @bytes are left or nobody can tell, else -EOPNOTSUPP
 * with what is left and what @what takes.
 */
int memory_left_for(const struct sysroot *root, uint64_t bytes,
		    const char *what, struct error *err);

#endif
