/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_VMCORE_H
#define BUFSTAT_VMCORE_H

struct measurement;

/*
 * Measures the kernel in the dump at @path, as measure() does the running one.
 * @measurement->collected tells whether that was possible. The snapshot has all
 * devices, by the names that kernel had for them.
 *
 * A dump has no /proc/meminfo. Its Buffers would be the sum over these same
 * devices, so that is the only field filled in.
 */
void vmcore_measure(const char *path, struct measurement *measurement);

#endif
