/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_VMCORE_H
#define BUFSTAT_VMCORE_H

struct error;
struct kernel;
struct meminfo;
struct snapshot;

/*
 * The release of a dumped kernel, the caller's to free; NULL of the running one
 * and if it is not said. Returns 0 or -ENOMEM.
 */
int vmcore_release(const struct kernel *kernel, char **release);

/*
 * Fills an empty @snapshot from the kernel in a dump: all devices, by the names
 * that it had for them. Returns 0 or a negative errno. The error does not say
 * that it is about a dump (kernel_close()).
 *
 * A dump has no /proc/meminfo. Its Buffers would be the sum over these same
 * devices, so that is the only field filled in.
 */
int vmcore_read(const struct kernel *kernel, struct snapshot *snapshot,
		struct meminfo *meminfo, struct error *err);

/*
 * Fills in what /proc/meminfo would have shown (kernel_meminfo.h). Buffers and
 * Cached are absent if the devices cannot be added up.
 */
void vmcore_meminfo(struct kernel *kernel, struct meminfo *meminfo);

#endif
