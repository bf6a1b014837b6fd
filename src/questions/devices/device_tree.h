/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts devices below those that they are part of or built on. */
#ifndef BUFSTAT_DEVICE_TREE_H
#define BUFSTAT_DEVICE_TREE_H

#include <stdbool.h>

struct rows;
struct sysroot;

/*
 * Makes @rows, which are all devices in their order, a tree: a partition comes
 * below its disk, and a device below the first one that names it as a holder.
 * Each device is there once, so that the sizes still add up.
 *
 * A row that @is_wanted is kept, and so is all that it is below; with @below,
 * all that is below it in place of that. Returns 0 or -ENOMEM.
 */
int device_rows_make_tree(struct rows *rows, const struct sysroot *root,
			  bool (*is_wanted)(void *data, const void *row),
			  void *data, bool below);

#endif
