/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the offsets of the struct members that lead from one superblock to all
 * others, to their inodes, and to the inodes' names. They differ from kernel to
 * kernel.
 */
#ifndef BUFSTAT_FS_LAYOUT_H
#define BUFSTAT_FS_LAYOUT_H

#include <stdint.h>

struct btf;
struct error;

/*
 * The members; struct fs_layout has the offset of each. Unless noted, they are
 * called the same since Linux 5.10.
 */
enum fs_member {
	FS_SB_LIST, /* super_block.s_list */
	FS_SB_DEV, /* super_block.s_dev */
	FS_SB_FLAGS, /* super_block.s_flags */
	FS_SB_MAGIC, /* super_block.s_magic */
	FS_SB_TYPE, /* super_block.s_type */
	FS_SB_INODES, /* super_block.s_inodes */
	FS_SB_ID, /* super_block.s_id */
	FS_TYPE_NAME, /* file_system_type.name */
	FS_INODE_MODE, /* inode.i_mode */
	FS_INODE_FLAGS, /* inode.i_flags */
	FS_INODE_SB, /* inode.i_sb */
	FS_INODE_INO, /* inode.i_ino */
	FS_INODE_LINKS, /* inode.i_nlink */
	FS_INODE_SIZE, /* inode.i_size */
	FS_INODE_LIST, /* inode.i_sb_list */
	FS_INODE_DATA, /* inode.i_data */
	FS_INODE_ALIASES, /* inode.i_dentry */
	FS_MAPPING_HOST, /* address_space.host */
	FS_MAPPING_PAGES, /* address_space.nrpages */
	FS_MAPPING_FLAGS, /* address_space.flags */
	FS_MAPPING_MAPPED, /* address_space.i_mmap.rb_root.rb_node */
	FS_MAPPING_TREE_FLAGS, /* address_space.i_pages.xa_flags */
	FS_MAPPING_WRITE_ERROR, /* address_space.wb_err */
	FS_MAPPING_TREE_HEAD, /* address_space.i_pages.xa_head */
	FS_DENTRY_PARENT, /* dentry.d_parent */
	FS_DENTRY_NAME, /* dentry.d_name.name */
	FS_DENTRY_LENGTH, /* dentry.d_name.len */
	FS_DENTRY_INODE, /* dentry.d_inode */
	FS_DENTRY_HASHED, /* dentry.d_hash.pprev */
	FS_DENTRY_ALIAS, /* dentry.d_u.d_alias, or dentry.d_alias */
	FS_MEMBERS
};

/* All in bytes. */
struct fs_layout {
	uint32_t super_block_size;
	uint32_t inode_size;
	uint32_t dentry_size;
	uint32_t offset[FS_MEMBERS];
};

/*
 * Finds the layout in @btf. Returns 0; -EOPNOTSUPP with the member that is
 * missing or unusable, if the walks do not support this kernel; or the errno of
 * btf_failed().
 */
int fs_layout_init(struct fs_layout *layout, const struct btf *btf,
		   struct error *err);

/*
 * Returns how many bytes of an inode a walk must read: up to the end of the
 * last member that it needs. Reading the rest would cost time for nothing.
 */
uint32_t fs_layout_inode_bytes(const struct fs_layout *layout);

#endif
