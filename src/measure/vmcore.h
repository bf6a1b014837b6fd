/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_VMCORE_H
#define BUFSTAT_VMCORE_H

struct error;
struct kernel;
struct measurement;
struct meminfo;
struct patience;

/*
 * Measures the kernel in the dump at @path, as measure() does the running one.
 * @measurement->collected tells whether that was possible. The snapshot has all
 * devices, by the names that kernel had for them.
 *
 * A dump has no /proc/meminfo. Its Buffers would be the sum over these same
 * devices, so that is the only field filled in. @patience is as for
 * kernel_open_dump().
 */
void vmcore_measure(const char *path, struct patience *patience,
		    struct measurement *measurement);

/*
 * The release of a dumped kernel, the caller's to free; NULL if it is not said.
 * Returns 0 or -ENOMEM.
 */
int vmcore_release(const struct kernel *kernel, char **release);

/*
 * Fills in what /proc/meminfo would have shown as Buffers, and, if the kernel
 * counts the swap cache (Linux 5.12), as Cached and SwapCached. Returns 0, or a
 * negative errno as bdev_walk() if the devices cannot be added up.
 */
int vmcore_meminfo(struct kernel *kernel, struct meminfo *meminfo,
		   struct error *err);

#endif
