/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dump has no /proc/meminfo. These are its fields, from the counters that the
 * kernel prints there (fs/proc/meminfo.c).
 */
#ifndef BUFSTAT_KERNEL_MEMINFO_H
#define BUFSTAT_KERNEL_MEMINFO_H

#include <stdint.h>

struct kernel;
struct meminfo;

/*
 * Fills in the fields that @kernel's memory tells. *@buffers are the pages of
 * its block devices; NULL: not known, then neither is Cached. A field that it
 * does not tell is absent: Committed_AS, CommitLimit and the zones of 32-bit
 * kernels always, and any whose counter this kernel does not have. Unlike
 * /proc/meminfo, counts what the processors have not added yet, so that Cached
 * is exact.
 */
void kernel_meminfo_read(struct meminfo *meminfo, struct kernel *kernel,
			 const uint64_t *buffers);

#endif
