// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "filesystems/all_mounts.h"
#include "filesystems/fdinfo.h"
#include "filesystems/unmounted.h"
#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "worker/patience.h"

/* Links that begin like this have no page cache of their own; skip them. */
static const char *const without_cache[] = {
	"socket:",
	"pipe:",
	"mnt:",
	"net:",
	"pidfd:",
	"/dev/",
	"/proc/",
	/* These are in the kernel's own tmpfs, which is measured as a whole. */
	"/memfd:",
	"/SYSV",
	"/dev/zero",
};

static bool begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

/*
 * Among anonymous inodes, only guest_memfd (a virtual machine's memory) has
 * page cache.
 */
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

/*
 * All files of one such kind share one mount, so mnt_id cannot tell them apart.
 */
static bool is_one_file(const char *link)
{
	return begins_with(link, "anon_inode:") || strstr(link, "secretmem");
}

struct finding {
	const struct sysroot *root;
	struct all_mounts *mounts;
	struct string_list *paths;
	uint64_t ids[UNMOUNTED_MOST]; /* mounts that already have a path */
	size_t id_count;
};

static bool is_new(struct finding *finding, uint64_t id)
{
	for (size_t i = 0; i < finding->id_count; i++) {
		if (finding->ids[i] == id)
			return false;
	}
	if (finding->id_count < UNMOUNTED_MOST)
		finding->ids[finding->id_count++] = id;
	return true;
}

/*
 * Whether the descriptor's mount is in no process's mountinfo, and no path into
 * it was found yet. Files that share a mount (is_one_file()) always count as
 * new. @link is the target of the descriptor's link.
 */
static bool is_unmounted(struct finding *finding, const char *pid,
			 const char *fd, const char *link)
{
	_cleanup_(freep) char *info = NULL;
	uint64_t id;
	int ret;

	if (!may_have_cache(link))
		return false;
	ret = fdinfo_read(finding->root, pid, fd, &info);
	all_mounts_note(finding->mounts, ret);
	return !ret && number_of_line(info, "mnt_id:", UINT64_MAX, &id) &&
	       !all_mounts_find_id(finding->mounts, id) &&
	       (is_one_file(link) || is_new(finding, id));
}

/*
 * A target too long for the buffer is returned as empty; the caller then asks
 * fdinfo.
 */
static bool read_link(struct finding *finding, DIR *dir, const char *fd,
		      char link[PATH_MAX])
{
	ssize_t length = readlinkat(dirfd(dir), fd, link, PATH_MAX - 1);

	if (length < 0 && errno != ENAMETOOLONG) {
		all_mounts_note(finding->mounts, -errno);
		return false;
	}
	link[length < 0 ? 0 : length] = '\0';
	return true;
}

static int add_process(struct finding *finding, const char *pid)
{
	_cleanup_(closedirp) DIR *dir = NULL;
	char path[2 * NAME_MAX + 16], link[PATH_MAX];
	const char *fd;
	int ret = 0, more = 0;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = sysroot_opendir(finding->root, path);
	if (!dir)
		all_mounts_note(finding->mounts, -errno);
	while (dir && !ret && finding->paths->count < UNMOUNTED_MOST &&
	       (more = sysroot_next_name(dir, &fd)) > 0) {
		if (patience_walk(finding->root->patience) < 0) {
			all_mounts_note(finding->mounts, -ETIME);
			break;
		}
		if (!read_link(finding, dir, fd, link) ||
		    !is_unmounted(finding, pid, fd, link))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/fd/%s", pid, fd);
		ret = string_list_add(finding->paths, path);
	}
	all_mounts_note(finding->mounts, more);
	return ret;
}

int unmounted_find(const struct sysroot *root, struct all_mounts *mounts,
		   struct string_list *paths)
{
	_cleanup_(closedirp) DIR *proc = sysroot_opendir(root, "/proc");
	struct finding finding = {
		.root = root,
		.mounts = mounts,
		.paths = paths,
	};
	const char *name;
	uint64_t pid;
	int ret = 0, more = proc ? 0 : -errno;

	while (proc && !ret && (more = sysroot_next_name(proc, &name)) > 0) {
		if (number_parse(name, UINT_MAX, &pid))
			ret = add_process(&finding, name);
	}
	all_mounts_note(mounts, more);
	return ret;
}
