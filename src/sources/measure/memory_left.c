// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/meminfo.h"
#include "measure/memory_left.h"

#define MAX_FILE 65536
#define CHECKING "checking memory"

/* The files of a version of cgroups. */
struct version {
	const char *mount;
	const char *limit, *used; /* bytes */
	/* Lines of memory.stat that are page cache, with those below. */
	const char *cache[2];
};

static const struct version version_1 = {
	"/sys/fs/cgroup/memory",
	"memory.limit_in_bytes",
	"memory.usage_in_bytes",
	{ "\ntotal_inactive_file ", "\ntotal_active_file " },
};

static const struct version version_2 = {
	"/sys/fs/cgroup",
	"memory.max",
	"memory.current",
	{ "\ninactive_file ", "\nactive_file " },
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

static uint64_t read_cache(const struct sysroot *root, const char *dir,
			   const struct version *version)
{
	_cleanup_(freep) char *text = NULL;
	char path[PATH_MAX + sizeof("/memory.stat")];
	uint64_t sum = 0;

	snprintf(path, sizeof(path), "%s/memory.stat", dir);
	if (sysroot_read(root, path, MAX_FILE, &text, NULL) < 0)
		return 0;
	for (size_t i = 0; i < 2; i++) {
		const char *line = strstr(text, version->cache[i]);
		uint64_t bytes = 0;

		if (line) {
			line += strlen(version->cache[i]);
			number_scan(&line, UINT64_MAX, &bytes);
		}
		sum += bytes;
	}
	return sum;
}

/* What is left of the limit of the cgroup @dir, UINT64_MAX if it has none. */
static uint64_t left_of(const struct sysroot *root, const char *dir,
			const struct version *version)
{
	uint64_t limit = read_number(root, dir, version->limit);
	uint64_t used = read_number(root, dir, version->used);
	uint64_t cache;

	if (!limit)
		return UINT64_MAX;
	cache = used ? read_cache(root, dir, version) : 0;
	used -= cache < used ? cache : used;
	return limit > used ? limit - used : 0;
}

/* Lowers @left to the least that is left from @path up to the root. Truncates
 * @path. */
static void lower_by(const struct sysroot *root, const struct version *version,
		     char *path, uint64_t *left)
{
	char *slash;

	do {
		char dir[PATH_MAX];
		uint64_t here;

		snprintf(dir, sizeof(dir), "%s%s", version->mount, path);
		here = left_of(root, dir, version);
		if (here < *left)
			*left = here;
		slash = strrchr(path, '/');
		if (slash)
			*slash = '\0';
	} while (slash);
}

static void lower_by_cgroups(const struct sysroot *root, uint64_t *left)
{
	_cleanup_(freep) char *text = NULL;
	char *rest = NULL;

	if (sysroot_read(root, "/proc/self/cgroup", MAX_FILE, &text, NULL) < 0)
		return;
	for (char *line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *memory = strstr(line, ":memory:");

		if (strncmp(line, "0::", 3) == 0)
			lower_by(root, &version_2, line + 3, left);
		else if (memory)
			lower_by(root, &version_1, memory + strlen(":memory:"),
				 left);
	}
}

int memory_left(const struct sysroot *root, uint64_t *bytes, struct error *err)
{
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
	*bytes = (uint64_t)available;
	lower_by_cgroups(root, bytes);
	return 0;
}

int memory_left_for(const struct sysroot *root, uint64_t bytes,
		    const char *what, struct error *err)
{
	char left_text[SIZE_TEXT_LENGTH], takes[SIZE_TEXT_LENGTH], text[192];
	uint64_t left;

	if (memory_left(root, &left, NULL) < 0 || left >= bytes)
		return 0;
	snprintf(text, sizeof(text),
		 "%s is available, and with less than %s %s",
		 size_text((int64_t)left, left_text),
		 size_text((int64_t)bytes, takes), what);
	return lack_doing(err, LACK_MEMORY, text, CHECKING, NULL);
}
