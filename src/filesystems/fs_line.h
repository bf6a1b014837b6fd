/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_FS_LINE_H
#define BUFSTAT_FS_LINE_H

#include <stdbool.h>
#include <stdio.h>

struct filesystems;

/*
 * Prints in one line which filesystems have most of Cached, what the others
 * have together, and what is on none of them. @bytes: sizes in bytes, not with
 * units.
 */
void fs_line_print(FILE *out, const struct filesystems *filesystems,
		   bool bytes);

#endif
