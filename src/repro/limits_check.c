// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "cleanup.h"
#include "error.h"
#include "limits_check.h"
#include "meminfo.h"
#include "number.h"
#include "size_text.h"
#include "sysfs.h"
#include "sysroot.h"

#define MAX_CGROUPS 65536
#define MEMORY_PARTS 4
#define DISK_PARTS 2

/* The least that a cgroup from @path up to the root may use; "max" is none. */
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
 * What this process may use by its cgroup, version 2 or 1. Where it cannot be
 * read there is no limit that is known.
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

int memory_check(const struct sysroot *root, uint64_t memory_bytes,
		 struct error *err)
{
	uint64_t limit = cgroup_limit(root);
	char wanted[SIZE_TEXT_LENGTH], quarter[SIZE_TEXT_LENGTH];
	struct meminfo meminfo;
	int64_t available;
	int ret = meminfo_read(&meminfo, root, err);

	if (ret < 0)
		return ret;
	/* Older kernels do not say what is available; free memory surely is. */
	if (!meminfo_bytes(&meminfo, MEMINFO_MEM_AVAILABLE, &available) &&
	    !meminfo_bytes(&meminfo, MEMINFO_MEM_FREE, &available))
		return error_set(err, ENODATA,
				 "checking memory: /proc/meminfo: it does not "
				 "say what is available");
	if (limit < (uint64_t)available)
		available = (int64_t)limit;
	if (memory_bytes <= (uint64_t)available / MEMORY_PARTS)
		return 0;
	return error_set(
		err, ENOMEM,
		"checking memory: %s of it would be filled; a quarter of what "
		"is available is %s (use a smaller --size)",
		size_text((int64_t)memory_bytes, wanted),
		size_text(available / MEMORY_PARTS, quarter));
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
	return error_set(err, ENOSPC,
			 "checking the disk: %s: %s would be written; half of "
			 "what is free is %s (use a smaller --size or --files, "
			 "or another place with --dir)",
			 dir, size_text((int64_t)disk_bytes, wanted),
			 size_text((int64_t)(free_bytes / DISK_PARTS), limit));
}
