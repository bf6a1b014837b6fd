// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "kernel/bdev_walk.h"
#include "kernel/kernel.h"
#include "kernel/page_tags.h"
#include "kernel/vmcoreinfo.h"
#include "lib/error.h"
#include "measure/kernel_meminfo.h"
#include "measure/meminfo.h"
#include "measure/snapshot.h"
#include "measure/vmcore.h"

int vmcore_release(const struct kernel *kernel, char **release)
{
	char text[128];

	*release = NULL;
	if (kernel->is_live ||
	    !vmcoreinfo_string(kernel->vmcoreinfo, "OSRELEASE", text,
			       sizeof(text)))
		return 0;
	*release = strdup(text);
	return *release ? 0 : -ENOMEM;
}

static int fill_snapshot(struct snapshot *snapshot, const struct kernel *kernel,
			 const struct bdev_list *list)
{
	snapshot->source = "vmcore";
	snapshot->page_size = kernel->page_size;
	if (vmcore_release(kernel, &snapshot->kernel) < 0)
		return -ENOMEM;
	snapshot->lists_all_pages = true;
	return bdev_snapshot_fill_named(snapshot, list, kernel->kmem,
					&kernel->root.layout);
}

int vmcore_read(const struct kernel *kernel, struct snapshot *snapshot,
		struct meminfo *meminfo, struct error *err)
{
	struct bdev_list list = { 0 };
	struct page_tags_layout tags;
	int ret = bdev_walk(kernel->kmem, &kernel->root.layout,
			    kernel->superblock, &list, err);

	if (!ret) {
		page_tags_layout_init(&tags, &kernel->btf);
		page_tags_count(kernel->kmem, &kernel->root.layout, &tags,
				&list);
		ret = fill_snapshot(snapshot, kernel, &list);
		if (ret < 0)
			error_errno(err, -ret, NULL, NULL);
	}
	if (!ret)
		meminfo_set(meminfo, MEMINFO_BUFFERS,
			    list.pages * (snapshot->page_size / 1024));
	bdev_list_deinit(&list);
	return ret;
}

void vmcore_meminfo(struct kernel *kernel, struct meminfo *meminfo)
{
	struct bdev_list list = { 0 };
	struct error unused;
	int ret = bdev_walk(kernel->kmem, &kernel->root.layout,
			    kernel->superblock, &list, &unused);

	kernel_meminfo_read(meminfo, kernel, ret < 0 ? NULL : &list.pages);
	bdev_list_deinit(&list);
}
