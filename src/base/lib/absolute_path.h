/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Absolute paths: for a worker, which is in no directory, and for what a later
 * run reads, which may be in another.
 */
#ifndef BUFSTAT_ABSOLUTE_PATH_H
#define BUFSTAT_ABSOLUTE_PATH_H

#include <limits.h>

/*
 * Copies @path to @absolute. If it is relative, the path of the working
 * directory comes first. Asks no disk, so it never waits for one. Returns 0 or
 * a negative errno: -ENOENT if the working directory was removed or is
 * unmounted (umount -l), -ENAMETOOLONG.
 */
int absolute_path(const char *path, char absolute[PATH_MAX]);

#endif
