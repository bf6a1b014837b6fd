// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filesystems/all_mounts.h"
#include "filesystems/lookup.h"
#include "lib/cleanup.h"
#include "lib/number.h"

/* Since Linux 5.12; older headers lack it. */
#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

/* RESOLVE_CACHED also fails with EAGAIN if a rename or mount runs meanwhile. */
#define ATTEMPTS 3

static int open_with(int dir, const char *path, uint64_t flags,
		     uint64_t resolve)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC | flags,
				.resolve = resolve };
	int fd, attempts = resolve & RESOLVE_CACHED ? ATTEMPTS : 1;

	do
		fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	while (fd < 0 && errno == EAGAIN && --attempts);
	return fd < 0 ? -errno : fd;
}

/* Whether the kernel lacks openat2() or RESOLVE_CACHED. */
static bool is_unknown(int error)
{
	return error == -EINVAL || error == -ENOSYS || error == -EPERM;
}

/*
 * Opens the next mount point on the way, seen from @dir. The path between them
 * is in the filesystem at @from. A mount keeps the path to it in the dcache, so
 * even without RESOLVE_CACHED a local filesystem does not block.
 */
static int open_segment(int dir, const char *path, const struct place *from)
{
	int fd = open_with(dir, path, O_NOFOLLOW,
			   RESOLVE_CACHED | RESOLVE_NO_SYMLINKS);

	if ((fd == -EAGAIN && from && from->is_in_memory) ||
	    (is_unknown(fd) && from && (from->is_in_memory || from->is_local)))
		fd = openat(dir, path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	else if (is_unknown(fd))
		return -EAGAIN;
	else
		return fd;
	return fd < 0 ? -errno : fd;
}

/*
 * The length of a leading "/proc/PID/root"; 0 if the path is in this namespace.
 */
static size_t root_length(const char *path)
{
	static const char proc[] = "/proc/", root[] = "/root";
	const char *rest = path + strlen(proc);
	uint64_t pid;

	if (strncmp(path, proc, strlen(proc)) != 0 ||
	    !number_scan(&rest, INT_MAX, &pid) ||
	    strncmp(rest, root, strlen(root)) != 0)
		return 0;
	rest += strlen(root);
	return *rest == '/' || !*rest ? (size_t)(rest - path) : 0;
}

/*
 * Finds the next mount point, *@at, after the slash at @start. Returns where
 * its path ends; without a mount point, where the whole path ends.
 */
static size_t next_place(const struct all_mounts *mounts, const char *path,
			 size_t start, const struct place **at)
{
	size_t end = start;

	do {
		end += 1 + strcspn(path + end + 1, "/");
		*at = all_mounts_find_place(mounts, path, end);
	} while (path[end] && !*at);
	return end;
}

int lookup_mountpoint(const struct all_mounts *mounts, const char *path)
{
	size_t at = root_length(path);
	char segment[PATH_MAX];
	const struct place *from = all_mounts_find_place(mounts, path, at + 1);
	int fd;

	snprintf(segment, sizeof(segment), "%.*s", at ? (int)at : 1, path);
	fd = open(segment, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (fd >= 0 && path[at] && path[at + 1]) {
		const struct place *to;
		size_t end = next_place(mounts, path, at, &to);
		int dir = fd;

		if (end - at >= sizeof(segment))
			fd = -ENAMETOOLONG;
		else {
			snprintf(segment, sizeof(segment), "%.*s",
				 (int)(end - at - 1), path + at + 1);
			fd = open_segment(dir, segment, from);
		}
		close(dir);
		at = end;
		from = to;
	}
	return fd;
}

int lookup_in_memory(int dir, const char *name)
{
	int fd = open_with(dir, name, O_NOFOLLOW, RESOLVE_NO_XDEV);

	return is_unknown(fd) ? -EAGAIN : fd;
}

int lookup_path(const char *path)
{
	int fd = open_with(AT_FDCWD, path, 0, RESOLVE_CACHED);

	return is_unknown(fd) ? -EAGAIN : fd;
}
