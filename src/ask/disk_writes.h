/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A slow disk is not a sick one. */
#ifndef BUFSTAT_DISK_WRITES_H
#define BUFSTAT_DISK_WRITES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct disk_writes {
	dev_t device;
	uint64_t sectors; /* written, when it was last looked at */
};

/*
 * Has the device of @data, a struct disk_writes, written anything since the
 * last call? False also of what is no block device here. Never waits. It is
 * struct ask's moves().
 */
bool disk_writes(void *data);

#endif
