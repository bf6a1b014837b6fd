// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "filesystems/fs_target.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "names/mountinfo.h"
#include "owners/owner_lists.h"
#include "owners/owners.h"

#define SYSVIPC "/proc/sysvipc/shm"
#define MAX_SYSVIPC (16U << 20)

int owner_open_mount(struct fs_target *target, const struct all_mounts *mounts,
		     size_t index, struct statfs *status)
{
	fs_target_init(target, mounts, index, false);
	while (fs_target_next(target)) {
		struct stat where;

		if (fstat(target->fd, &where) == 0 &&
		    fs_target_is(target, major(where.st_dev),
				 minor(where.st_dev)) &&
		    fstatfs(target->fd, status) == 0)
			return target->fd;
	}
	return -1;
}

/*
 * What a tmpfs has in use, from statfs(2), which it answers from memory. It
 * does not count if it was mounted without a limit (size=0). Returns 1, 0 if it
 * cannot be asked, or -ENOMEM.
 */
static int measure_tmpfs(struct memory_owner_list *list,
			 const struct all_mounts *mounts, size_t index)
{
	struct fs_target target;
	struct statfs status;
	bool known = owner_open_mount(&target, mounts, index, &status) >= 0;
	int ret = 0;

	fs_target_deinit(&target);
	if (!known)
		return 0;
	/* The first root is a ramfs if the kernel has no tmpfs for it. */
	if (status.f_type != TMPFS_MAGIC)
		return 1;
	if (!status.f_blocks)
		return 0;
	if (status.f_blocks > status.f_bfree)
		ret = memory_owner_add(
			list,
			strdup(mounts->mounts[index].mountpoints.strings[0]),
			(int64_t)(status.f_blocks - status.f_bfree) *
				(int64_t)status.f_bsize,
			0);
	return ret < 0 ? ret : 1;
}

bool owner_is_tmpfs(const struct mounted *mounted)
{
	return strcmp(mounted->type, "tmpfs") == 0;
}

static bool is_tmpfs(const struct mounted *mounted)
{
	return (owner_is_tmpfs(mounted) ||
		strcmp(mounted->type, "devtmpfs") == 0 ||
		strcmp(mounted->type, "rootfs") == 0) &&
	       mounted->mountpoints.count;
}

int owners_of_tmpfs(struct memory_owners *owners, struct owner_host *host)
{
	struct memory_owner_list *list =
		owner_list(owners, MEMORY_HEAD_SHARED, MEMORY_OWNER_TMPFS);
	const struct all_mounts *mounts;
	int ret = 1;

	if (!list)
		return 0;
	if (!sysroot_is_live(host->root)) {
		memory_owner_list_fail(list, OWNERS_ONLY_LIVE);
		return 0;
	}
	mounts = owner_mounts(host, list);
	if (!mounts)
		return -ENOMEM;
	for (size_t i = 0; ret >= 0 && i < mounts->count; i++) {
		if (!is_tmpfs(&mounts->mounts[i]))
			continue;
		ret = measure_tmpfs(list, mounts, i);
		list->unread += ret == 0;
	}
	return ret < 0 ? ret : memory_owner_list_cut(list, owners->top);
}

/* It does not count inodes either if it was mounted without a limit. */
int owners_most_inodes(const struct sysroot *root, char **place,
		       uint64_t *inodes)
{
	_cleanup_(all_mounts_deinit) struct all_mounts mounts = { 0 };
	int ret = all_mounts_init(&mounts, root);

	*place = NULL;
	*inodes = 0;
	for (size_t i = 0; !ret && i < mounts.count; i++) {
		const struct mounted *mounted = &mounts.mounts[i];
		struct fs_target target;
		struct statfs status;

		if (!owner_is_tmpfs(mounted) || !mounted->mountpoints.count)
			continue;
		if (owner_open_mount(&target, &mounts, i, &status) >= 0 &&
		    status.f_type == TMPFS_MAGIC &&
		    status.f_files > status.f_ffree &&
		    status.f_files - status.f_ffree > *inodes) {
			*inodes = status.f_files - status.f_ffree;
			free(*place);
			*place = strdup(mounted->mountpoints.strings[0]);
			ret = *place ? 0 : -ENOMEM;
		}
		fs_target_deinit(&target);
	}
	return ret;
}

/*
 * "key shmid perms size cpid lpid nattch uid gid cuid cgid atime dtime ctime
 * rss swap"; rss and swap in bytes (ipc/shm.c).
 */
static int add_segment(struct memory_owner_list *list, const char *line)
{
	int64_t key, rss;
	unsigned int id, attached;
	char *name;

	if (sscanf(line,
		   "%" SCNd64 " %u %*o %*u %*u %*u %u %*u %*u %*u %*u %*u %*u "
		   "%*u %" SCNd64,
		   &key, &id, &attached, &rss) != 4 ||
	    rss <= 0)
		return 0;
	if (asprintf(&name, "shmid %u, key 0x%08" PRIx32 "%s", id,
		     (uint32_t)key, attached ? "" : ", attached by nobody") < 0)
		return -ENOMEM;
	return memory_owner_add(list, name, rss, 0);
}

int owners_of_sysv(struct memory_owners *owners, struct owner_host *host)
{
	struct memory_owner_list *list =
		owner_list(owners, MEMORY_HEAD_SHARED, MEMORY_OWNER_SYSV);
	_cleanup_(freep) char *text = NULL;
	char *rest;
	int ret;

	if (!list)
		return 0;
	ret = sysroot_read(host->root, SYSVIPC, MAX_SYSVIPC, &text, NULL);
	/* A kernel without System V IPC has no segments. */
	if (ret < 0 && ret != -ENOENT)
		owner_list_refuse(list, SYSVIPC, ret);
	rest = text;
	for (char *line; !ret && (line = strsep(&rest, "\n"));)
		ret = add_segment(list, line);
	return ret == -ENOMEM ? ret : memory_owner_list_cut(list, owners->top);
}
