/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_FS_LINE_H
#define BUFSTAT_FS_LINE_H

#include <stdio.h>

#include "lib/number.h"

struct filesystems;

/*
 * Prints one line: the filesystems with most of Cached, the sum of the others,
 * and the unattributed rest. Sizes are in @unit.
 */
void fs_line_print(FILE *out, const struct filesystems *filesystems,
		   struct size_unit unit);

#endif
