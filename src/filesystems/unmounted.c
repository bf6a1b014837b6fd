// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "all_mounts.h"
#include "cleanup.h"
#include "fdinfo.h"
#include "number.h"
#include "string_list.h"
#include "sysroot.h"
#include "unmounted.h"

/* What a link of /proc/PID/fd begins with that needs no second look. */
static const char *const without_cache[] = {
	"socket:",
	"pipe:",
	"mnt:",
	"net:",
	"pidfd:",
	"/dev/",
	"/proc/",
	/* In the kernel's own tmpfs, which is asked as a whole. */
	"/memfd:",
	"/SYSV",
	"/dev/zero",
};

static bool begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Of what has no filesystem only a virtual machine's memory has page cache. */
static bool may_have_cache(const char *link)
{
	for (size_t i = 0; i < sizeof(without_cache) / sizeof(*without_cache);
	     i++) {
		if (begins_with(link, without_cache[i]))
			return false;
	}
	return !begins_with(link, "anon_inode:") || strstr(link, "gmem") ||
	       strstr(link, "guest_memfd");
}

/* Is it of a mount that no process has? @link is what the descriptor links to. */
static bool is_unmounted(const struct sysroot *root,
			 const struct all_mounts *mounts, const char *pid,
			 const char *fd, const char *link)
{
	_cleanup_(freep) char *info = NULL;
	uint64_t id;

	return may_have_cache(link) && fdinfo_read(root, pid, fd, &info) == 0 &&
	       fdinfo_number(info, "mnt_id:", &id) &&
	       !all_mounts_find_id(mounts, id);
}

static int add_process(const struct sysroot *root,
		       const struct all_mounts *mounts, const char *pid,
		       struct string_list *paths)
{
	_cleanup_(closedirp) DIR *dir = NULL;
	char path[2 * NAME_MAX + 16], link[PATH_MAX];
	const char *fd;
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = sysroot_opendir(root, path);
	while (dir && !ret && paths->count < UNMOUNTED_MOST &&
	       sysroot_next_name(dir, &fd) > 0) {
		ssize_t length =
			readlinkat(dirfd(dir), fd, link, sizeof(link) - 1);

		if (length < 0)
			continue;
		link[length] = '\0';
		if (!is_unmounted(root, mounts, pid, fd, link))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/fd/%s", pid, fd);
		ret = string_list_add(paths, path);
	}
	return ret;
}

int unmounted_find(const struct sysroot *root, const struct all_mounts *mounts,
		   struct string_list *paths)
{
	_cleanup_(closedirp) DIR *proc = sysroot_opendir(root, "/proc");
	const char *name;
	uint64_t pid;
	int ret = 0;

	while (proc && !ret && sysroot_next_name(proc, &name) > 0) {
		if (number_parse(name, UINT_MAX, &pid))
			ret = add_process(root, mounts, name, paths);
	}
	return ret;
}
