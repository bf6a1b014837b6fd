/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the offsets of the struct members that lead from the superblock of all
 * block devices to their page counts. They differ from kernel to kernel.
 */
#ifndef BUFSTAT_BDEV_LAYOUT_H
#define BUFSTAT_BDEV_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

struct btf;
struct error;

/* The members; struct bdev_layout has the offset of each. */
enum bdev_member {
	BDEV_SB_INODES, /* super_block.s_inodes */
	BDEV_SB_TYPE, /* super_block.s_type */
	BDEV_TYPE_NAME, /* file_system_type.name */
	BDEV_INODE_LIST, /* inode.i_sb_list */
	BDEV_INODE_MAPPING, /* inode.i_mapping */
	BDEV_INODE_SB, /* inode.i_sb */
	BDEV_INODE_RDEV, /* inode.i_rdev */
	BDEV_MAPPING_PAGES, /* address_space.nrpages */
	BDEV_MAPPING_HOST, /* address_space.host */
	BDEV_INODE, /* bdev_inode.vfs_inode */
	BDEV_BDEV, /* bdev_inode.bdev */
	BDEV_DEV, /* block_device.bd_dev */
	/* Optional: not every kernel has these. */
	BDEV_OPENERS, /* block_device.bd_openers */
	BDEV_DISK, /* block_device.bd_disk */
	BDEV_PARTNO, /* block_device.bd_partno (up to Linux 6.9) */
	BDEV_FLAGS, /* block_device.__bd_flags: partno in the low byte (6.10) */
	BDEV_DISK_NAME, /* gendisk.disk_name */
	/* A mapping keeps its pages in an XArray since Linux 4.20. */
	BDEV_TREE, /* address_space.i_pages */
	BDEV_TREE_FLAGS, /* xarray.xa_flags */
	BDEV_TREE_HEAD, /* xarray.xa_head */
	BDEV_WRITE_ERROR, /* address_space.wb_err (4.13) */
	BDEV_MEMBERS
};

#define BDEV_ABSENT UINT32_MAX

/* All in bytes. */
struct bdev_layout {
	uint32_t bdev_inode_size;
	uint32_t inode_size;
	uint32_t offset[BDEV_MEMBERS]; /* or BDEV_ABSENT */
};

/*
 * Finds the layout in @btf. Returns 0; -EOPNOTSUPP with the member that is
 * missing or unusable, if the walk does not support this kernel; or the errno
 * of btf_failed().
 */
int bdev_layout_init(struct bdev_layout *layout, const struct btf *btf,
		     struct error *err);

/*
 * The same, but does not look up struct bdev_inode, which comes late in BTF. It
 * assumes a block_device followed by an inode, as in every kernel that was
 * measured. The caller must prove that this kernel has it so, as
 * bdev_root_find_quickly() does.
 */
int bdev_layout_derive(struct bdev_layout *layout, const struct btf *btf,
		       struct error *err);

/*
 * Whether the layout is possible: every member of a bdev_inode is within its
 * size, and no required member is absent.
 */
bool bdev_layout_is_sound(const struct bdev_layout *layout);

#endif
