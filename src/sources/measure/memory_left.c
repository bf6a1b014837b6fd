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

#define MAX_FILE 65536
#define CHECKING "checking memory"

/* A limit of which less than this part is left is near. */
#define NEAR_PART 10

/* The files of a version of cgroups. */
struct version {
	const char *mount;
	const char *limits[2], *used; /* bytes */
	/*
	 * Lines of memory.stat, with those below: page cache, and what of it
	 * cannot be let go of at once.
	 */
	const char *cache[2], *held[3];
};

static const struct version version_1 = {
	"/sys/fs/cgroup/memory",
	{ "memory.limit_in_bytes" },
	"memory.usage_in_bytes",
	{ "\ntotal_inactive_file ", "\ntotal_active_file " },
	{ "\ntotal_mapped_file ", "\ntotal_dirty ", "\ntotal_writeback " },
};

static const struct version version_2 = {
	"/sys/fs/cgroup",
	{ "memory.max", "memory.high" },
	"memory.current",
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

static uint64_t sum_lines(const char *text, const char *const *lines,
			  size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		const char *line = strstr(text, lines[i]);
		uint64_t bytes = 0;

		if (line) {
			line += strlen(lines[i]);
			number_scan(&line, UINT64_MAX, &bytes);
		}
		sum += bytes;
	}
	return sum;
}

/* Looks at the limit of the cgroup @dir, and no further than it must. */
static void look_at(struct looking *looking, const struct version *version,
		    const char *dir, const char *file)
{
	_cleanup_(freep) char *text = NULL;
	char path[PATH_MAX + sizeof("/memory.stat")];
	uint64_t limit = read_number(looking->root, dir, file);
	uint64_t used, cache, held, near = limit / NEAR_PART;

	/* That of version 1 is no limit if it is more than any host has. */
	if (!limit || limit > INT64_MAX / 2)
		return;
	used = read_number(looking->root, dir, version->used);
	if (less(limit, used) >= looking->left && less(limit, used) >= near)
		return;
	snprintf(path, sizeof(path), "%s/memory.stat", dir);
	if (sysroot_read(looking->root, path, MAX_FILE, &text, NULL) < 0)
		text = NULL;
	cache = text ? sum_lines(text, version->cache, 2) : 0;
	held = text ? sum_lines(text, version->held, 3) : 0;
	looking->left =
		lesser_unsigned(looking->left, less(limit, less(used, cache)));
	looking->is_near |= less(limit, less(used, less(cache, held))) < near;
}

/* Looks at the cgroups from @path up to the root. Truncates @path. */
static void look_up(struct looking *looking, const struct version *version,
		    char *path)
{
	char *slash;

	do {
		char dir[PATH_MAX];

		snprintf(dir, sizeof(dir), "%s%s", version->mount, path);
		for (size_t i = 0; i < 2 && version->limits[i]; i++)
			look_at(looking, version, dir, version->limits[i]);
		slash = strrchr(path, '/');
		if (slash)
			*slash = '\0';
	} while (slash);
}

static void look_at_cgroups(struct looking *looking)
{
	_cleanup_(freep) char *text = NULL;
	char *rest = NULL;

	if (sysroot_read(looking->root, "/proc/self/cgroup", MAX_FILE, &text,
			 NULL) < 0)
		return;
	for (char *line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *memory = strstr(line, ":memory:");

		if (strncmp(line, "0::", 3) == 0)
			look_up(looking, &version_2, line + 3);
		else if (memory)
			look_up(looking, &version_1,
				memory + strlen(":memory:"));
	}
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
