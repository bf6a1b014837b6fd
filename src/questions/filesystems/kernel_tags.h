/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts the dirty and writeback pages of files in a kernel's memory. */
#ifndef BUFSTAT_KERNEL_TAGS_H
#define BUFSTAT_KERNEL_TAGS_H

#include <stddef.h>

#include "kernel/bdev_walk.h"
#include "kernel/page_tags.h"

struct kernel;

/* What the counting needs. All zero: nothing was counted yet. */
struct kernel_tags {
	struct bdev_list devices;
	struct page_tags_layout layout;
	struct page_tags tags;
};

/*
 * Sets the dirty and writeback pages of @count trees, as
 * page_tags_count_trees() does. All calls with one @tags are about one kernel
 * and share its limit of nodes. The caller deinits @tags.
 */
void kernel_tags_count(struct kernel_tags *tags, const struct kernel *kernel,
		       struct page_tree *trees, size_t count);
void kernel_tags_deinit(struct kernel_tags *tags);

#endif
