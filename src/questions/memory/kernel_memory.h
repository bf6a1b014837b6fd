/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All of memory, from a kernel's own counters in a dump of it. */
#ifndef BUFSTAT_KERNEL_MEMORY_H
#define BUFSTAT_KERNEL_MEMORY_H

struct error;
struct kernel;
struct memory_reading;

/*
 * Fills @reading from the kernel in the dump at @path, as memory_read() does
 * from the running one. All is of one instant, and has what the processors had
 * not added yet, so nothing is behind (MEMORY_ZONE_LAG is 0). What the dump
 * does not tell is absent: the zones one by one, zram, ZFS, dentries, and who
 * vmalloc() allocated for. Sets *@release to the kernel's release, which the
 * caller frees, or to NULL.
 *
 * Returns 0, -EOPNOTSUPP if the kernel does not say what it counts, or as
 * kernel_open(). The caller deinits @reading in any case.
 */
int memory_read_dump(struct memory_reading *reading, const struct sysroot *root,
		     const char *path, char **release, struct error *err);

/*
 * The same for the @kernel of a dump that is open, without its release. Returns
 * 0, -EOPNOTSUPP or -EBADMSG. The caller deinits @reading in any case.
 */
int memory_read_kernel(struct memory_reading *reading, struct kernel *kernel,
		       struct error *err);

/*
 * Adds what is not in the nodes' and zones' counters: vmalloc, per-CPU memory,
 * pools of huge pages, corrupted pages, memmap, and the page tables of programs
 * that no counter has. What is not found or not possible stays absent.
 * @reading has the counters already.
 */
void memory_read_kernel_details(struct memory_reading *reading,
				struct kernel *kernel);

#endif
