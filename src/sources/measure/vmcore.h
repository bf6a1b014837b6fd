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
 * The same for a dump that is open. The error does not say that it is about a
 * dump (kernel_dump_result()). Returns @measurement->collected.
 */
int vmcore_read(const struct kernel *kernel, struct measurement *measurement);

/*
 * Fills in what /proc/meminfo would have shown (kernel_meminfo.h). Buffers and
 * Cached are absent if the devices cannot be added up.
 */
void vmcore_meminfo(struct kernel *kernel, struct meminfo *meminfo);

#endif
