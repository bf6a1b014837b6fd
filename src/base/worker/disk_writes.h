/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells a slow disk from a sick one: the slow one still writes. */
#ifndef BUFSTAT_DISK_WRITES_H
#define BUFSTAT_DISK_WRITES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct disk_writes {
	dev_t device;
	uint64_t sectors; /* written at the last call */
};

/*
 * Whether the device of @data, a struct disk_writes, has written anything since
 * the last call. False for anything but a block device of this host. Never
 * blocks. Fits moves() of struct ask.
 */
bool disk_writes(void *data);

#endif
