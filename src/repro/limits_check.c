// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/meminfo.h"
#include "repro/limits_check.h"

#define MAX_CGROUPS 65536
#define MEMORY_PARTS 4
#define MIB (UINT64_C(1) << 20)
#define LEAST_SIZE (16 * MIB) /* less cannot be told from noise */
#define DISK_PARTS 2

/*
 * Lowers @limit to the smallest limit of the cgroups from @path up to the root,
 * in bytes. "max" is not a number and sets no limit. Truncates @path.
 */
static void limit_by_cgroups(const struct sysroot *root, const char *mount,
			     const char *file, char *path, uint64_t *limit)
{
	char *slash;

	do {
		_cleanup_(freep) char *text = NULL;
		char dir[PATH_MAX];
		uint64_t bytes;

		snprintf(dir, sizeof(dir), "%s%s", mount, path);
		if (sysfs_attribute(root, dir, file, &text) == 0 &&
		    number_parse(text, UINT64_MAX, &bytes) && bytes < *limit)
			*limit = bytes;
		slash = strrchr(path, '/');
		if (slash)
			*slash = '\0';
	} while (slash);
}

/*
 * The memory limit of this process's cgroup, version 2 or 1, in bytes.
 * UINT64_MAX if it cannot be read.
 */
static uint64_t cgroup_limit(const struct sysroot *root)
{
	_cleanup_(freep) char *text = NULL;
	uint64_t limit = UINT64_MAX;
	char *rest = NULL;

	if (sysroot_read(root, "/proc/self/cgroup", MAX_CGROUPS, &text, NULL) <
	    0)
		return limit;
	for (char *line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *memory = strstr(line, ":memory:");

		if (strncmp(line, "0::", 3) == 0)
			limit_by_cgroups(root, "/sys/fs/cgroup", "memory.max",
					 line + 3, &limit);
		else if (memory)
			limit_by_cgroups(root, "/sys/fs/cgroup/memory",
					 "memory.limit_in_bytes",
					 memory + strlen(":memory:"), &limit);
	}
	return limit;
}

/* How many bytes of memory an experiment may fill. */
static int read_allowed(const struct sysroot *root, uint64_t *allowed_bytes,
			struct error *err)
{
	uint64_t limit = cgroup_limit(root);
	struct meminfo meminfo;
	int64_t available;
	int ret = meminfo_read(&meminfo, root, err);

	if (ret < 0)
		return ret;
	/* Older kernels have no MemAvailable; MemFree is surely available. */
	if (!meminfo_bytes(&meminfo, MEMINFO_MEM_AVAILABLE, &available) &&
	    !meminfo_bytes(&meminfo, MEMINFO_MEM_FREE, &available))
		return error_doing(err, ENODATA, "checking memory",
				   "/proc/meminfo",
				   "it does not say what is available");
	if (limit < (uint64_t)available)
		available = (int64_t)limit;
	*allowed_bytes = (uint64_t)available / MEMORY_PARTS;
	return 0;
}

int memory_check(const struct sysroot *root, uint64_t memory_bytes,
		 struct error *err)
{
	char wanted[SIZE_TEXT_LENGTH], quarter[SIZE_TEXT_LENGTH];
	uint64_t allowed_bytes;
	int ret = read_allowed(root, &allowed_bytes, err);

	if (ret < 0 || memory_bytes <= allowed_bytes)
		return ret;
	return error_remedy(
		err,
		error_doing(err, ENOMEM, "checking memory", NULL,
			    "%s of it would be filled; a quarter of what is "
			    "available is %s",
			    size_text((int64_t)memory_bytes, wanted),
			    size_text((int64_t)allowed_bytes, quarter)),
		"use a smaller --size");
}

uint64_t memory_size(const struct sysroot *root, uint64_t usual_bytes,
		     unsigned int times)
{
	uint64_t allowed_bytes;

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
	char wanted[SIZE_TEXT_LENGTH], limit[SIZE_TEXT_LENGTH];
	struct statvfs status;
	uint64_t free_bytes;

	if (statvfs(dir, &status) < 0)
		return error_errno(err, errno, "checking the disk", dir);
	free_bytes = (uint64_t)status.f_bavail * status.f_frsize;
	if (disk_bytes <= free_bytes / DISK_PARTS)
		return 0;
	return error_remedy(
		err,
		error_doing(err, ENOSPC, "checking the disk", dir,
			    "%s would be written; half of what is free is %s",
			    size_text((int64_t)disk_bytes, wanted),
			    size_text((int64_t)(free_bytes / DISK_PARTS),
				      limit)),
		"use a smaller --size or --files, or another place with --dir");
}
