/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_VMCORE_H
#define BUFSTAT_VMCORE_H

struct measurement;

/*
 * Measures the kernel in the dump at @path, as measure() does the running one:
 * @measurement->collected tells whether that was possible. All devices are in
 * the snapshot, by the names that kernel had for them.
 *
 * There is no /proc/meminfo in a dump. What it would have shown as Buffers is
 * the sum over these same devices, and that is the only figure filled in.
 */
void vmcore_measure(const char *path, struct measurement *measurement);

#endif
