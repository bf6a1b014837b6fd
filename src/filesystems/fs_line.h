/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_FS_LINE_H
#define BUFSTAT_FS_LINE_H

#include <stdbool.h>
#include <stdio.h>

struct filesystems;

/*
 * Prints one line: the filesystems with most of Cached, the sum of the others,
 * and the unattributed rest. With @bytes, sizes are in bytes, without units.
 */
void fs_line_print(FILE *out, const struct filesystems *filesystems,
		   bool bytes);

#endif
