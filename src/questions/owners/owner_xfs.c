// SPDX-License-Identifier: GPL-2.0-or-later
/* XFS has its metadata in buffers of its own, whose pages nothing counts. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "filesystems/kernel_filesystems.h"
#include "kernel/kernel.h"
#include "kernel/xfs_buffers.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "memory/memory_details.h"
#include "owners/owner_lists.h"
#include "worker/file_text.h"
#include "worker/patience.h"

#define XFS_TYPES "/sys/kernel/btf/xfs"
#define XFS_TYPES_MOST (16U << 20)

/* Returns 0, or a negative errno: then the list says why there is none. */
static int xfs_find_layout(struct xfs_layout *layout,
			   const struct kernel *kernel,
			   const struct sysroot *root,
			   struct memory_owner_list *list)
{
	_cleanup_(freep) char *types = NULL;
	size_t size = 0;
	int ret = sysroot_read(root, XFS_TYPES, XFS_TYPES_MOST, &types, &size);
	struct error err;

	/* No module has them if XFS is built in. */
	if (!ret || ret == -ENOENT) {
		ret = xfs_layout_init(layout, &kernel->btf, types, size, &err);
		list->uncounted = ret == -ENOENT;
	}
	if (ret < 0 && !list->uncounted)
		owner_list_refuse(list, XFS_TYPES, ret);
	return ret;
}

static int
xfs_measure(struct memory_owners *owners, struct memory_owner_list *list,
	    const struct all_mounts *mounts, const struct kernel *kernel,
	    const struct superblock *superblock, struct xfs_layout *layout)
{
	const struct mounted *mounted =
		all_mounts_find(mounts, superblock_major(superblock),
				superblock_minor(superblock));
	struct xfs_buffers buffers;
	int ret = xfs_buffers_count(&buffers, kernel, layout,
				    superblock->address);

	if (ret == -ETIMEDOUT)
		owners->is_cut_short = true;
	else if (ret < 0 || buffers.is_part)
		list->unread++;
	/* There are more than were counted, and nobody knows how many. */
	if (ret < 0 || buffers.is_part || !buffers.pages)
		return 0;
	return memory_owner_add(list,
				strdup(mounted && mounted->mountpoints.count ?
					       mounted->mountpoints.strings[0] :
					       superblock->id),
				(int64_t)buffers.pages * owners->page_size, 0);
}

static int xfs_read_kernel(struct memory_owners *owners,
			   struct memory_owner_list *list,
			   const struct all_mounts *mounts,
			   struct kernel *kernel, const struct sysroot *root)
{
	_cleanup_(kernel_filesystems_deinit) struct kernel_filesystems found = {
		0
	};
	struct xfs_layout layout;
	char text[ERROR_TEXT_SIZE];
	struct error err;
	int ret = kernel_open(kernel, root, NULL, &err);

	if (!ret) {
		ret = xfs_find_layout(&layout, kernel, root, list);
		if (ret < 0)
			return ret;
		ret = kernel_filesystems_init(&found, kernel, &err);
	}
	if (ret < 0)
		memory_owner_list_fail(list, "%s", error_text(&err, text));
	for (size_t i = 0; !ret && i < found.superblocks.count; i++) {
		const struct superblock *superblock =
			&found.superblocks.list[i];

		if (strcmp(superblock->type, "xfs") == 0)
			ret = xfs_measure(owners, list, mounts, kernel,
					  superblock, &layout);
	}
	return ret;
}

int owners_of_xfs(struct memory_owners *owners, struct owner_host *host)
{
	struct memory_owner_list *list =
		owner_list(owners, MEMORY_HEADS, MEMORY_OWNER_XFS);
	struct sysroot hurried = *host->root;
	struct patience walk = { 0 };
	const struct all_mounts *mounts;
	struct kernel kernel;
	int64_t filesystems;
	int ret;

	if (!list)
		return 0;
	list->asked = sysroot_is_live(host->root);
	if (!list->asked)
		return 0;
	ret = memory_read_xfs_mounts(host->root, &filesystems);
	/* Without /sys, the kernel's memory tells. */
	list->asked = filesystems || !sysroot_exists(host->root, "/sys/fs");
	if (ret < 0 || !list->asked)
		return only_enomem(ret);
	mounts = owner_mounts(host, NULL);
	if (!mounts)
		return -ENOMEM;
	owner_hurry(&hurried, &walk);
	ret = xfs_read_kernel(owners, list, mounts, &kernel, &hurried);
	kernel_close(&kernel, 0, NULL);
	return ret == -ENOMEM ? ret : memory_owner_list_cut(list, owners->top);
}
