/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_OTHER_FS_H
#define BUFSTAT_OTHER_FS_H

#include <stdint.h>

struct block_cache;

/*
 * Paints what is known of a device with XFS, btrfs or swap: superblocks and the
 * log. The rest, and all of any other device, becomes BLOCK_RAW. Both
 * filesystems have caches of their own for metadata, so what is here was read
 * through the device. Sets *@fstype to its name, or to NULL if it is something
 * else or its superblock is not cached or not sound.
 */
void other_fs_paint(struct block_cache *cache, uint64_t device_bytes,
		    const char **fstype);

#endif
