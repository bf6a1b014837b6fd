/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_RAMDISK_H
#define BUFSTAT_RAMDISK_H

#include <stdbool.h>
#include <sys/types.h>

struct sysroot;

/*
 * Is the device a ramdisk (brd), a zram device or a partition of one? Its data
 * is nowhere but in memory. Told by the driver's name in /proc/devices, by the
 * number that brd has on every host, and by the kernel's name of the device:
 * any of them is enough, a captured tree may lack the others.
 */
bool is_ramdisk(const struct sysroot *root, dev_t device);

#endif
