// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "ask/file_text.h"
#include "ask/patience.h"
#include "filesystems/all_mounts.h"
#include "filesystems/fs_target.h"
#include "filesystems/lookup.h"
#include "filesystems/processes.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "names/mountinfo.h"
#include "owners/owner_lists.h"

#define SYSVIPC "/proc/sysvipc/shm"
#define MAX_SYSVIPC (16U << 20)
#define MAX_DEPTH 16
#define ONLY_LIVE "tmpfs: only the running host can be asked"

/*
 * Opens the mount at @index, which is of a filesystem in memory; returns the
 * descriptor, which the caller closes with fs_target_deinit(), or -1.
 */
static int open_mount(struct fs_target *target, const struct all_mounts *mounts,
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
	bool known = open_mount(&target, mounts, index, &status) >= 0;
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

static bool is_tmpfs(const struct mounted *mounted)
{
	return (strcmp(mounted->type, "tmpfs") == 0 ||
		strcmp(mounted->type, "devtmpfs") == 0 ||
		strcmp(mounted->type, "rootfs") == 0) &&
	       mounted->mountpoints.count;
}

int owners_of_tmpfs(struct memory_owners *owners, const struct sysroot *root)
{
	struct memory_owner_list *list =
		owner_list(owners, MEMORY_HEAD_SHARED, MEMORY_OWNER_TMPFS);
	_cleanup_(all_mounts_deinit) struct all_mounts mounts = { 0 };
	int ret = 0;

	if (!list)
		return 0;
	if (!sysroot_is_live(root)) {
		memory_owner_list_fail(list, ONLY_LIVE);
		return 0;
	}
	ret = all_mounts_init(&mounts, root);
	if (mounts.failed)
		memory_owner_list_fail(list, "/proc/PID/mountinfo: %s",
				       file_text_why(-mounts.failed));
	for (size_t i = 0; ret >= 0 && i < mounts.count; i++) {
		if (!is_tmpfs(&mounts.mounts[i]))
			continue;
		ret = measure_tmpfs(list, &mounts, i);
		list->unread += ret == 0;
	}
	return ret < 0 ? ret : memory_owner_list_cut(list, owners->top);
}

/*
 * Adds the files with pages below the directory @at, which is @path. All of it
 * is answered from memory. Returns 0, -ETIMEDOUT if the time is over, or
 * -ENOMEM.
 */
static int add_huge_files(struct memory_owner_list *list,
			  struct patience *patience, int at, const char *path,
			  int depth)
{
	_cleanup_(closep) int fd =
		openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_(closedirp) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const char *name;
	int ret = 0;

	if (!dir) {
		list->unread++;
		return 0;
	}
	steal_fd(&fd);
	while (!ret && sysroot_next_name(dir, &name) > 0) {
		_cleanup_(closep) int below =
			lookup_in_memory(dirfd(dir), name);
		_cleanup_(freep) char *whole = NULL;
		struct stat status;

		ret = patience_walk(patience);
		list->unread += below == -EAGAIN;
		if (ret < 0 || below < 0 || fstat(below, &status) < 0)
			continue;
		if (asprintf(&whole, "%s/%s", path, name) < 0)
			ret = -ENOMEM;
		else if (S_ISDIR(status.st_mode) && depth < MAX_DEPTH)
			ret = add_huge_files(list, patience, below, whole,
					     depth + 1);
		else if (S_ISREG(status.st_mode) && status.st_blocks)
			ret = memory_owner_add(list, steal_ptr(whole),
					       (int64_t)status.st_blocks * 512,
					       0);
	}
	return ret;
}

int owners_of_hugetlbfs(struct memory_owners *owners,
			const struct sysroot *root)
{
	struct memory_owner_list *list = owner_list(
		owners, MEMORY_HEAD_HUGE_PAGES, MEMORY_OWNER_HUGETLBFS);
	_cleanup_(all_mounts_deinit) struct all_mounts mounts = { 0 };
	int ret;

	if (!list)
		return 0;
	/* A captured tree has no such files. */
	list->asked = sysroot_is_live(root);
	ret = list->asked ? all_mounts_init(&mounts, root) : 0;
	for (size_t i = 0; ret >= 0 && i < mounts.count; i++) {
		const struct mounted *mounted = &mounts.mounts[i];
		struct fs_target target;
		struct statfs status;

		if (strcmp(mounted->type, "hugetlbfs") != 0 ||
		    !mounted->mountpoints.count)
			continue;
		if (open_mount(&target, &mounts, i, &status) < 0)
			list->unread++;
		else if (status.f_type == HUGETLBFS_MAGIC)
			ret = add_huge_files(list, root->patience, target.fd,
					     mounted->mountpoints.strings[0],
					     0);
		fs_target_deinit(&target);
	}
	if (ret == -ETIMEDOUT) {
		owners->is_cut_short = true;
		ret = 0;
	}
	return ret < 0 ? ret : memory_owner_list_cut(list, owners->top);
}

/* A memfd that a process has open. */
struct memfd {
	uint64_t ino;
	int64_t bytes;
	unsigned int pid; /* one that has it */
	char name[250]; /* memfd_create(2) takes 249 bytes */
};

struct memfds {
	struct memfd *memfds;
	size_t count, capacity;
	dev_t device; /* of memfds in small pages */
	size_t unread;
};

static void memfds_deinit(struct memfds *memfds)
{
	free(memfds->memfds);
}

/* A memfd in huge pages is in another filesystem, and of another head. */
static int find_device(struct memfds *memfds)
{
	_cleanup_(closep) int fd = memfd_create("bufstat", MFD_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	memfds->device = status.st_dev;
	return 0;
}

/*
 * Only a memfd is looked at any closer than its link, so nothing here asks a
 * server or waits for a disk.
 */
static int add_memfd(struct memfds *memfds, int dir, const char *fd,
		     unsigned int pid)
{
	static const char prefix[] = "/memfd:", suffix[] = " (deleted)";
	struct memfd *memfd;
	struct stat status;
	char link[PATH_MAX];
	ssize_t length = readlinkat(dir, fd, link, sizeof(link) - 1);

	if (length < (ssize_t)strlen(prefix) ||
	    strncmp(link, prefix, strlen(prefix)) != 0 ||
	    fstatat(dir, fd, &status, 0) < 0 ||
	    status.st_dev != memfds->device || !status.st_blocks)
		return 0;
	if (array_make_room(&memfds->memfds, memfds->count, &memfds->capacity,
			    sizeof(*memfds->memfds)) < 0)
		return -ENOMEM;
	link[length] = '\0';
	if (length > (ssize_t)strlen(suffix) &&
	    strcmp(link + length - strlen(suffix), suffix) == 0)
		link[length - (ssize_t)strlen(suffix)] = '\0';
	memfd = &memfds->memfds[memfds->count++];
	*memfd = (struct memfd){
		.ino = status.st_ino,
		.bytes = (int64_t)status.st_blocks * 512,
		.pid = pid,
	};
	snprintf(memfd->name, sizeof(memfd->name), "%.*s",
		 (int)sizeof(memfd->name) - 1, link + strlen(prefix));
	return 0;
}

/* Returns -ETIMEDOUT if the time is over before its end. */
static int add_process(struct memfds *memfds, const struct sysroot *root,
		       const char *name)
{
	_cleanup_(closedirp) DIR *dir = NULL;
	const char *fd;
	char path[64];
	uint64_t pid;
	int ret = 0;

	if (!number_parse(name, UINT_MAX, &pid))
		return 0;
	snprintf(path, sizeof(path), "/proc/%s/fd", name);
	dir = sysroot_opendir(root, path);
	/* One that has ended has none open. */
	if (!dir)
		memfds->unread += errno != ENOENT && errno != ESRCH;
	while (dir && !ret && sysroot_next_name(dir, &fd) > 0) {
		ret = patience_walk(root->patience);
		if (!ret)
			ret = add_memfd(memfds, dirfd(dir), fd,
					(unsigned int)pid);
	}
	return ret;
}

static int by_ino_and_pid(const void *left, const void *right)
{
	const struct memfd *a = left, *b = right;

	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

/* Each once, with the first process that has it. */
static int list_memfds(struct memory_owner_list *list, struct memfds *memfds)
{
	int ret = 0;

	if (memfds->count)
		qsort(memfds->memfds, memfds->count, sizeof(*memfds->memfds),
		      by_ino_and_pid);
	for (size_t i = 0; !ret && i < memfds->count; i++) {
		const struct memfd *memfd = &memfds->memfds[i];

		if (i && memfd[-1].ino == memfd->ino)
			continue;
		ret = memory_owner_add(list, strdup(memfd->name), memfd->bytes,
				       memfd->pid);
	}
	return ret;
}

/* Puts a process's name after those that are left of the list. */
static int name_processes(struct memory_owner_list *list,
			  const struct sysroot *root)
{
	for (size_t i = 0; i < list->count; i++) {
		struct memory_owner *owner = &list->owners[i];
		_cleanup_(freep) char *label = NULL;
		char pid[16], *name;

		snprintf(pid, sizeof(pid), "%u", owner->pid);
		if (process_label(root, pid, &label) < 0 ||
		    asprintf(&name, "%s, of %s", owner->name, label) < 0)
			return -ENOMEM;
		free(owner->name);
		owner->name = name;
	}
	return 0;
}

int owners_of_memfds(struct memory_owners *owners, const struct sysroot *root)
{
	struct memory_owner_list *list =
		owner_list(owners, MEMORY_HEAD_SHARED, MEMORY_OWNER_MEMFD);
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	_cleanup_(memfds_deinit) struct memfds memfds = { 0 };
	int ret;

	if (!list)
		return 0;
	if (!sysroot_is_live(root)) {
		memory_owner_list_fail(list, ONLY_LIVE);
		return 0;
	}
	ret = find_device(&memfds);
	if (!ret)
		ret = sysroot_list(root, "/proc", &names);
	if (ret < 0)
		owner_list_refuse(list, "/proc", ret);
	for (size_t i = 0; !ret && i < names.count; i++) {
		ret = patience_walk(root->patience) ?:
			      add_process(&memfds, root, names.strings[i]);
		if (ret != -ETIMEDOUT)
			continue;
		owners->is_cut_short = true;
		ret = 0;
		break;
	}
	list->unread = memfds.unread;
	if (!ret)
		ret = list_memfds(list, &memfds);
	if (!ret)
		ret = memory_owner_list_cut(list, owners->top);
	if (!ret)
		ret = name_processes(list, root);
	return ret == -ENOMEM ? ret : 0;
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

int owners_of_sysv(struct memory_owners *owners, const struct sysroot *root)
{
	struct memory_owner_list *list =
		owner_list(owners, MEMORY_HEAD_SHARED, MEMORY_OWNER_SYSV);
	_cleanup_(freep) char *text = NULL;
	char *rest;
	int ret;

	if (!list)
		return 0;
	ret = sysroot_read(root, SYSVIPC, MAX_SYSVIPC, &text, NULL);
	/* A kernel without System V IPC has no segments. */
	if (ret < 0 && ret != -ENOENT)
		owner_list_refuse(list, SYSVIPC, ret);
	rest = text;
	for (char *line; !ret && (line = strsep(&rest, "\n"));)
		ret = add_segment(list, line);
	return ret == -ENOMEM ? ret : memory_owner_list_cut(list, owners->top);
}
