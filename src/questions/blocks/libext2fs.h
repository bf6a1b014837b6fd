/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of libext2fs (1.42 or later) that are called, loaded on demand.
 * Its headers are needed to compile. It opens a filesystem, knows where its
 * parts are, and checks checksums; it never reads a device here (ext_open.h).
 */
#ifndef BUFSTAT_LIBEXT2FS_H
#define BUFSTAT_LIBEXT2FS_H

/* Otherwise the header defines functions that need the library. */
#ifndef NO_INLINE_FUNCS
#define NO_INLINE_FUNCS
#endif
#include <ext2fs/ext2fs.h>

struct error;

struct libext2fs {
	void *handle; /* of the loaded library, or NULL */
	const struct error_table *errors; /* the texts of its error codes */
	errcode_t (*add_errors)(const struct error_table *errors);
	errcode_t (*remove_errors)(const struct error_table *errors);
	const char *(*error_message)(errcode_t code);
	errcode_t (*open)(const char *name, const char *options, int flags,
			  int superblock, unsigned int block_size,
			  io_manager manager, ext2_filsys *fs);
	void (*free)(ext2_filsys fs);
	blk64_t (*blocks_count)(struct ext2_super_block *super);
	errcode_t (*super_and_descriptors)(ext2_filsys fs, dgrp_t group,
					   blk64_t *super, blk64_t *old_table,
					   blk64_t *new_table, blk_t *used);
	blk64_t (*block_bitmap)(ext2_filsys fs, dgrp_t group);
	blk64_t (*inode_bitmap)(ext2_filsys fs, dgrp_t group);
	blk64_t (*inode_table)(ext2_filsys fs, dgrp_t group);
	blk64_t (*descriptor_block)(ext2_filsys fs, blk64_t superblock,
				    dgrp_t which);
	struct ext2_group_desc *(*descriptor)(
		ext2_filsys fs, struct opaque_ext2_group_desc *table,
		dgrp_t group);
	int (*group_flags)(ext2_filsys fs, dgrp_t group, __u16 flag);
	__u32 (*unused_inodes)(ext2_filsys fs, dgrp_t group);
	__u32 (*free_inodes)(ext2_filsys fs, dgrp_t group);
	/* These return whether a checksum is right, or not in use. */
	int (*descriptor_is_right)(ext2_filsys fs, dgrp_t group);
	int (*inode_is_right)(ext2_filsys fs, ext2_ino_t number,
			      struct ext2_inode_large *inode);
	int (*extents_are_right)(ext2_filsys fs, ext2_ino_t number,
				 struct ext3_extent_header *header);
	int (*block_bitmap_is_right)(ext2_filsys fs, dgrp_t group, char *bitmap,
				     int size);
	int (*inode_bitmap_is_right)(ext2_filsys fs, dgrp_t group, char *bitmap,
				     int size);
};

/*
 * Loads the library. Returns 0, or -EOPNOTSUPP with the package to install. The
 * caller deinits @lib in either case.
 */
int libext2fs_init(struct libext2fs *lib, struct error *err);
void libext2fs_deinit(struct libext2fs *lib);

#endif
