/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where in this kernel's structs the members are that lead from the
 * superblock of all block devices to their page counts.
 */
#ifndef BUFSTAT_BDEV_LAYOUT_H
#define BUFSTAT_BDEV_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

struct btf;
struct error;

/* All in bytes. */
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
	/* Not in every kernel. */
	BDEV_OPENERS, /* block_device.bd_openers */
	BDEV_DISK, /* block_device.bd_disk */
	BDEV_PARTNO, /* block_device.bd_partno (to Linux 6.9) */
	BDEV_FLAGS, /* block_device.__bd_flags: its low byte (6.10) */
	BDEV_DISK_NAME, /* gendisk.disk_name */
	/* The pages of a mapping as an XArray (4.20). */
	BDEV_TREE, /* address_space.i_pages */
	BDEV_TREE_FLAGS, /* xarray.xa_flags */
	BDEV_TREE_HEAD, /* xarray.xa_head */
	BDEV_WRITE_ERROR, /* address_space.wb_err (4.13) */
	BDEV_MEMBERS
};

#define BDEV_ABSENT UINT32_MAX

struct bdev_layout {
	uint32_t bdev_inode_size;
	uint32_t inode_size;
	uint32_t offset[BDEV_MEMBERS]; /* or BDEV_ABSENT */
};

/* A name for messages, "inode.i_sb_list". */
const char *bdev_member_name(enum bdev_member member);

/*
 * Returns 0, or -EOPNOTSUPP with what is missing or not as it must be: a
 * kernel that this walk was not made for.
 */
int bdev_layout_init(struct bdev_layout *layout, const struct btf *btf,
		     struct error *err);

/*
 * The same without struct bdev_inode, which comes late in BTF: it is a
 * block_device and after that an inode, in every kernel that was measured.
 * That it is so in this one is to be proven (bdev_root_find_quickly()).
 */
int bdev_layout_derive(struct bdev_layout *layout, const struct btf *btf,
		       struct error *err);

/*
 * Is it possible? What lies in a bdev_inode lies within its size, and nothing
 * is absent that has to be there.
 */
bool bdev_layout_is_sound(const struct bdev_layout *layout);

#endif
