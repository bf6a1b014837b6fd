// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sys/statvfs.h>

#include "lib/error.h"
#include "lib/number.h"
#include "measure/memory_left.h"
#include "repro/limits_check.h"

#define MEMORY_PARTS 4
#define MIB (UINT64_C(1) << 20)
#define LEAST_SIZE (16 * MIB) /* less cannot be told from noise */
#define DISK_PARTS 2

/* How many bytes of memory an experiment may fill. */
static int read_allowed(const struct sysroot *root, uint64_t *allowed_bytes,
			struct error *err)
{
	int ret = memory_left(root, allowed_bytes, err);

	*allowed_bytes /= MEMORY_PARTS;
	return ret;
}

int memory_check(const struct sysroot *root, uint64_t memory_bytes,
		 struct error *err)
{
	uint64_t allowed_bytes = 0;
	int ret = read_allowed(root, &allowed_bytes, err);

	if (ret < 0 || memory_bytes <= allowed_bytes)
		return ret;
	return error_advise(err, ENOMEM, "checking memory", NULL,
			    "use a smaller --size",
			    "%s of it would be filled; a quarter of what is "
			    "available is %s",
			    SIZE((int64_t)memory_bytes),
			    SIZE((int64_t)allowed_bytes));
}

uint64_t memory_size(const struct sysroot *root, uint64_t usual_bytes,
		     unsigned int times)
{
	uint64_t allowed_bytes = 0;

	/* memory_check() reports the error. */
	if (read_allowed(root, &allowed_bytes, NULL) < 0 ||
	    allowed_bytes / times >= usual_bytes)
		return usual_bytes;
	/* Less may be available when memory_check() runs. */
	allowed_bytes = allowed_bytes / 8 * 7 / times / MIB * MIB;
	return allowed_bytes > LEAST_SIZE ? allowed_bytes : LEAST_SIZE;
}

int disk_check(const char *dir, uint64_t disk_bytes, struct error *err)
{
	struct statvfs status;
	uint64_t free_bytes;

	if (statvfs(dir, &status) < 0)
		return error_errno(err, errno, "checking the disk", dir);
	free_bytes = (uint64_t)status.f_bavail * status.f_frsize;
	if (disk_bytes <= free_bytes / DISK_PARTS)
		return 0;
	return error_advise(
		err, ENOSPC, "checking the disk", dir,
		"use a smaller --size or --files, or another place with --place",
		"%s would be written; half of what is free is %s",
		SIZE((int64_t)disk_bytes),
		SIZE((int64_t)(free_bytes / DISK_PARTS)));
}
