/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the pages that XFS keeps its metadata in, which no device's cache has
 * (fs/xfs/xfs_buf.c). Each allocation group of a filesystem, or each of its
 * devices, has a hash table with its buffers. They are read without a lock.
 */
#ifndef BUFSTAT_XFS_BUFFERS_H
#define BUFSTAT_XFS_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/page_tags.h"

struct btf;
struct error;
struct kernel;

enum xfs_member {
	XFS_SB_MOUNT, /* super_block.s_fs_info */
	XFS_MOUNT_SB, /* xfs_mount.m_super */
	XFS_MOUNT_GROUPS, /* xfs_mount.m_perags, or m_perag_tree */
	XFS_TREE_HEAD, /* xarray.xa_head */
	XFS_GROUP_MOUNT, /* xfs_perag.pag_mount */
	XFS_GROUP_CACHE, /* xfs_perag.pag_bcache, or pag_buf_hash */
	XFS_CACHE_HASH, /* xfs_buf_cache.bc_hash; 0 if there is none */
	XFS_HASH_TABLE, /* rhashtable.tbl */
	XFS_TABLE_SIZE, /* bucket_table.size */
	XFS_TABLE_NEST, /* bucket_table.nest */
	XFS_TABLE_NEXT, /* bucket_table.future_tbl */
	XFS_TABLE_BUCKETS, /* bucket_table.buckets */
	XFS_MOUNT_TARGET, /* xfs_mount.m_ddev_targp */
	XFS_MOUNT_RT_TARGET, /* xfs_mount.m_rtdev_targp */
	XFS_TARGET_HASH, /* xfs_buftarg.bt_hash */
	XFS_BUFFER_LINK, /* xfs_buf.b_rhash_head */
	XFS_BUFFER_MOUNT, /* xfs_buf.b_mount */
	XFS_BUFFER_GROUP, /* xfs_buf.b_pag */
	XFS_BUFFER_FLAGS, /* xfs_buf.b_flags */
	XFS_BUFFER_PAGES, /* xfs_buf.b_page_count */
	XFS_BUFFER_ADDRESS, /* xfs_buf.b_addr */
	XFS_BUFFER_LENGTH, /* xfs_buf.b_length */
	XFS_MEMBERS
};

struct xfs_layout {
	uint32_t offset[XFS_MEMBERS]; /* bytes */
	uint32_t buffer_size; /* of an xfs_buf, as far as it is read */
	/* Each device has a table, and a buffer is one piece (Linux 7.3). */
	bool is_by_target;
	struct page_tags_layout tags;
};

/*
 * Finds the layout in the types of the kernel, and in @types, those of XFS,
 * which has none of its own if it is no module: NULL. Returns 0, -ENOENT if a
 * member is in neither, or why they could not be read. @kernel must outlive
 * @layout.
 */
int xfs_layout_init(struct xfs_layout *layout, const struct btf *kernel,
		    const void *types, size_t size, struct error *err);

struct xfs_buffers {
	uint64_t pages; /* without buffers in slab and vmalloc */
	/*
	 * More than a few could not be read, or a table did not hold still.
	 */
	bool is_part;
};

/*
 * Counts those of the filesystem whose superblock is at @superblock. Returns 0,
 * -ETIMEDOUT if patience_walk() ended it, or another negative errno. What was
 * counted until then is in @buffers.
 */
int xfs_buffers_count(struct xfs_buffers *buffers, const struct kernel *kernel,
		      struct xfs_layout *layout, uint64_t superblock);

#endif
