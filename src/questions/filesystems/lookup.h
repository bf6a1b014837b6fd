/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks paths up without waiting. A server or disk that does not answer may
 * block a lookup forever. openat2(RESOLVE_CACHED), Linux 5.12, finds what is in
 * the dcache and fails with EAGAIN instead of blocking. But it also fails for
 * healthy places, such as everything below /sys. So a path is looked up from
 * one mount point to the next. Within a filesystem that is only in memory,
 * where no lookup blocks, a plain open is allowed.
 */
#ifndef BUFSTAT_LOOKUP_H
#define BUFSTAT_LOOKUP_H

struct all_mounts;

/*
 * Opens @path, a mount point in @mounts, with O_PATH. Returns a descriptor or a
 * negative errno, -EAGAIN if the lookup might block.
 */
int lookup_mountpoint(const struct all_mounts *mounts, const char *path);

/*
 * Opens @name in the directory @dir of a filesystem that is only in memory,
 * with O_PATH; a symbolic link is not followed. Returns a descriptor or a
 * negative errno: -EXDEV if something is mounted there, which might not answer,
 * and -EAGAIN before Linux 5.6, where that cannot be told beforehand.
 */
int lookup_in_memory(int dir, const char *name);

/* As lookup_mountpoint() for any path as this process sees it; follows symbolic
 * links. */
int lookup_path(const char *path);

#endif
