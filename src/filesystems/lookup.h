/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks paths up without waiting: a server that does not answer, or a disk,
 * may keep whoever looks a path up waiting for ever. openat2(RESOLVE_CACHED),
 * Linux 5.12, finds what is in the dcache and says EAGAIN instead of waiting,
 * but it says so of healthy places, too: of everything below /sys, say. So a
 * path is looked up from one mount point to the next, and within a filesystem
 * that is in memory only, where nothing can be waited for, plainly.
 */
#ifndef BUFSTAT_LOOKUP_H
#define BUFSTAT_LOOKUP_H

struct all_mounts;

/*
 * Opens with O_PATH what is mounted at @path, a mount point of @mounts. Returns
 * a descriptor, or a negative errno: -EAGAIN if that might wait.
 */
int lookup_mountpoint(const struct all_mounts *mounts, const char *path);

/* The same for any path of this process; symbolic links are followed. */
int lookup_path(const char *path);

#endif
