// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <sys/sysmacros.h>

#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "worker/disk_writes.h"

#define STAT_SIZE 4096

/* Field 7 is the number of sectors written, since Linux 2.6. */
bool disk_writes(void *data)
{
	const struct sysroot host = { .fd = -1, .prefix = "" };
	struct disk_writes *disk = data;
	_cleanup_(freep) char *text = NULL;
	uint64_t sectors;
	char path[64];
	bool moves;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat",
		 major(disk->device), minor(disk->device));
	if (sysroot_read(&host, path, STAT_SIZE, &text, NULL) < 0 ||
	    sscanf(text, "%*s %*s %*s %*s %*s %*s %" SCNu64, &sectors) != 1)
		return false;
	moves = sectors != disk->sectors;
	disk->sectors = sectors;
	return moves;
}
