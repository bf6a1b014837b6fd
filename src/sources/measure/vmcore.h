/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_VMCORE_H
#define BUFSTAT_VMCORE_H

struct kernel;
struct measurement;
struct meminfo;

/*
 * The release of a dumped kernel, the caller's to free; NULL of the running one
 * and if it is not said. Returns 0 or -ENOMEM.
 */
int vmcore_release(const struct kernel *kernel, char **release);

/*
 * Measures the kernel in a dump, as measure() does the running one. The
 * snapshot has all devices, by the names that kernel had for them. The error
 * does not say that it is about a dump (kernel_close()). Returns
 * @measurement->collected.
 *
 * A dump has no /proc/meminfo. Its Buffers would be the sum over these same
 * devices, so that is the only field filled in.
 */
int vmcore_read(const struct kernel *kernel, struct measurement *measurement);

/*
 * Fills in what /proc/meminfo would have shown (kernel_meminfo.h). Buffers and
 * Cached are absent if the devices cannot be added up.
 */
void vmcore_meminfo(struct kernel *kernel, struct meminfo *meminfo);

#endif
