// SPDX-License-Identifier: GPL-2.0-or-later
#include "filesystems/kernel_tags.h"
#include "kernel/kernel.h"
#include "lib/error.h"

/*
 * Called when there is something to count. The devices may show where the tags
 * are; without devices, the tags of a file of one page may stay unknown.
 */
static void prepare(struct kernel_tags *tags, const struct kernel *kernel)
{
	struct error unused;

	if (tags->tags.kmem)
		return;
	if (bdev_walk(kernel->kmem, &kernel->root.layout, kernel->superblock,
		      &tags->devices, &unused) < 0)
		tags->devices.count = 0;
	page_tags_layout_init(&tags->layout, &kernel->btf);
	tags->tags = (struct page_tags){
		.kmem = kernel->kmem,
		.layout = &kernel->root.layout,
		.tags = &tags->layout,
		.devices = &tags->devices,
		.nodes = PAGE_TAGS_NODES,
	};
}

void kernel_tags_count(struct kernel_tags *tags, const struct kernel *kernel,
		       struct page_tree *trees, size_t count)
{
	if (!count)
		return;
	prepare(tags, kernel);
	page_tags_count_trees(&tags->tags, trees, count);
}

void kernel_tags_deinit(struct kernel_tags *tags)
{
	bdev_list_deinit(&tags->devices);
	*tags = (struct kernel_tags){ 0 };
}
