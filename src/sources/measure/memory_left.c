// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/lesser.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/meminfo.h"
#include "measure/memory_left.h"
#include "measure/process_cgroup.h"

#define MAX_FILE 65536
#define CHECKING "checking memory"

/* A limit of which less than this part is left is near. */
#define NEAR_PART 10

/*
 * The files of a version of cgroups, where systemd and the distributions mount
 * it. mountinfo would tell of another place, but has a line for each mount, on
 * some hosts thousands, and plain bufstat does not wait for what every healthy
 * host would be asked for each time. explain and cgroups read it.
 */
struct version {
	const char *mount;
	struct {
		const char *file, *used; /* bytes */
	} limits[2];
	/*
	 * Lines of memory.stat, with those below: page cache, and what of it
	 * cannot be let go of at once.
	 */
	const char *cache[2], *held[3];
};

static const struct version version_1 = {
	"/sys/fs/cgroup/memory",
	{ { "memory.limit_in_bytes", "memory.usage_in_bytes" },
	  { "memory.memsw.limit_in_bytes", "memory.memsw.usage_in_bytes" } },
	{ "\ntotal_inactive_file ", "\ntotal_active_file " },
	{ "\ntotal_mapped_file ", "\ntotal_dirty ", "\ntotal_writeback " },
};

static const struct version version_2 = {
	"/sys/fs/cgroup",
	{ { "memory.max", "memory.current" },
	  { "memory.high", "memory.current" } },
	{ "\ninactive_file ", "\nactive_file " },
	{ "\nfile_mapped ", "\nfile_dirty ", "\nfile_writeback " },
};

/* While the cgroups are looked at that this process is in. */
struct looking {
	const struct sysroot *root;
	uint64_t left; /* the least of what is left of a limit */
	bool is_near; /* less than a part of one, without what is held */
};

/* Returns 0 if the file does not say. "max" is no number. */
static uint64_t read_number(const struct sysroot *root, const char *dir,
			    const char *file)
{
	_cleanup_(freep) char *text = NULL;
	uint64_t bytes;

	return sysfs_attribute(root, dir, file, &text) == 0 &&
			       number_parse(text, UINT64_MAX, &bytes) ?
		       bytes :
		       0;
}

/* Returns false, with the sum of the others, if a line is missing. */
static bool sum_lines(const char *text, const char *const *lines, size_t count,
		      uint64_t *sum)
{
	bool has_all = true;

	for (size_t i = 0; i < count; i++) {
		const char *line = strstr(text, lines[i]);
		uint64_t bytes = 0;

		if (line) {
			line += strlen(lines[i]);
			has_all &= number_scan(&line, UINT64_MAX, &bytes);
		}
		has_all &= line != NULL;
		*sum += bytes;
	}
	return has_all;
}

/* Looks at the limit of the cgroup @dir, and no further than it must. */
static void look_at(struct looking *looking, const struct version *version,
		    const char *dir, size_t which)
{
	_cleanup_(freep) char *text = NULL;
	char path[PATH_MAX + sizeof("/memory.stat")];
	uint64_t limit =
		read_number(looking->root, dir, version->limits[which].file);
	uint64_t used, cache = 0, held = 0, near = limit / NEAR_PART;
	bool is_known;

	/* That of version 1 is no limit if it is more than any host has. */
	if (!limit || limit > INT64_MAX / 2)
		return;
	used = read_number(looking->root, dir, version->limits[which].used);
	if (less(limit, used) >= looking->left && less(limit, used) >= near)
		return;
	snprintf(path, sizeof(path), "%s/memory.stat", dir);
	is_known = sysroot_read(looking->root, path, MAX_FILE, &text, NULL) ==
			   0 &&
		   sum_lines(text, version->cache, 2, &cache) &&
		   sum_lines(text, version->held, 3, &held);
	looking->left =
		lesser_unsigned(looking->left, less(limit, less(used, cache)));
	/* It may be near if nobody says how much can be reclaimed. */
	looking->is_near |=
		less(limit, less(used, is_known ? less(cache, held) : 0)) <
		near;
}

/* Looks at the cgroups from @path up to the root. Truncates @path. */
static void look_up(struct looking *looking, const struct version *version,
		    char *path)
{
	char *slash;

	do {
		char dir[PATH_MAX];

		snprintf(dir, sizeof(dir), "%s%s", version->mount, path);
		for (size_t i = 0; i < 2; i++)
			look_at(looking, version, dir, i);
		slash = strrchr(path, '/');
		if (slash)
			*slash = '\0';
	} while (slash);
}

static void look_at_cgroups(struct looking *looking)
{
	_cleanup_(freep) char *path = NULL;
	bool is_v1;

	if (process_cgroup(looking->root, 0, &path, &is_v1) == 0 && path)
		look_up(looking, is_v1 ? &version_1 : &version_2, path);
}

bool memory_limit_is_near(const struct sysroot *root)
{
	struct looking looking = { .root = root };

	look_at_cgroups(&looking);
	return looking.is_near;
}

int memory_left(const struct sysroot *root, uint64_t *bytes, struct error *err)
{
	struct looking looking = { .root = root };
	struct meminfo meminfo;
	int64_t available;
	int ret = meminfo_read(&meminfo, root, err);

	if (ret < 0)
		return ret;
	/* Older kernels have no MemAvailable; MemFree is surely available. */
	if (!meminfo_bytes(&meminfo, MEMINFO_MEM_AVAILABLE, &available) &&
	    !meminfo_bytes(&meminfo, MEMINFO_MEM_FREE, &available))
		return error_doing(err, ENODATA, CHECKING, "/proc/meminfo",
				   "it does not say what is available");
	looking.left = (uint64_t)available;
	look_at_cgroups(&looking);
	*bytes = looking.left;
	return 0;
}

int memory_left_for(const struct sysroot *root, uint64_t bytes,
		    const char *what, struct error *err)
{
	char text[192];
	uint64_t left;

	if (memory_left(root, &left, NULL) < 0 || left >= bytes)
		return 0;
	snprintf(text, sizeof(text),
		 "%s is available, and with less than %s %s",
		 SIZE((int64_t)left), SIZE((int64_t)bytes), what);
	return lack_doing(err, LACK_MEMORY, text, CHECKING, NULL);
}
