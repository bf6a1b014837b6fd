/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each block of a whole ext2, ext3 or ext4 filesystem is, as the iterators
 * of libext2fs and its bitmaps say: what a test compares bufstat blocks with.
 */
#ifndef BUFSTAT_TESTS_EXT_KINDS_H
#define BUFSTAT_TESTS_EXT_KINDS_H

#include <stdlib.h>
#include <sys/stat.h>

#include <ext2fs/ext2fs.h>

struct ext_kinds {
	ext2_filsys fs;
	const char **names; /* of each block's kind, static */
	blk64_t count;
	const char *data; /* of the inode that is being iterated over */
};

static inline void ext_kinds_set(struct ext_kinds *kinds, blk64_t block,
				 const char *name)
{
	if (block < kinds->count)
		kinds->names[block] = name;
}

static int ext_kinds_take(ext2_filsys fs __attribute__((unused)),
			  blk64_t *block, e2_blkcnt_t place,
			  blk64_t reference __attribute__((unused)),
			  int offset __attribute__((unused)), void *data)
{
	struct ext_kinds *kinds = data;

	ext_kinds_set(kinds, *block, place < 0 ? "extents" : kinds->data);
	return 0;
}

static inline const char *ext_kinds_of(struct ext_kinds *kinds, ext2_ino_t ino,
				       const struct ext2_inode *inode)
{
	const struct ext2_super_block *super = kinds->fs->super;

	if (ino == super->s_journal_inum)
		return "journal";
	if (ino == EXT2_BAD_INO || ino == super->s_usr_quota_inum ||
	    ino == super->s_grp_quota_inum || ino == super->s_prj_quota_inum ||
	    (ino == super->s_orphan_file_inum &&
	     ext2fs_has_feature_orphan_file(kinds->fs->super)))
		return "other metadata";
	if (inode->i_flags & EXT4_EA_INODE_FL)
		return "extended attributes";
	return S_ISDIR(inode->i_mode) ? "directory" :
	       S_ISLNK(inode->i_mode) ? "symlink" :
					"file data";
}

static inline void ext_kinds_inodes(struct ext_kinds *kinds)
{
	ext2_inode_scan scan;
	struct ext2_inode inode;
	ext2_ino_t ino;

	if (ext2fs_open_inode_scan(kinds->fs, 0, &scan))
		abort();
	while (!ext2fs_get_next_inode(scan, &ino, &inode) && ino) {
		if (!inode.i_links_count && ino != EXT2_BAD_INO)
			continue;
		if (ext2fs_file_acl_block(kinds->fs, &inode))
			ext_kinds_set(kinds,
				      ext2fs_file_acl_block(kinds->fs, &inode),
				      "extended attributes");
		if (!ext2fs_inode_has_valid_blocks2(kinds->fs, &inode))
			continue;
		kinds->data = ext_kinds_of(kinds, ino, &inode);
		ext2fs_block_iterate3(kinds->fs, ino, BLOCK_FLAG_READ_ONLY,
				      NULL, ext_kinds_take, kinds);
	}
	ext2fs_close_inode_scan(scan);
}

static inline void ext_kinds_layout(struct ext_kinds *kinds)
{
	ext2_filsys fs = kinds->fs;
	ext2fs_block_bitmap supers;

	/* A bit for each block, where others have one for each cluster. */
	if (ext2fs_allocate_subcluster_bitmap(fs, NULL, &supers))
		abort();
	for (dgrp_t group = 0; group < fs->group_desc_count; group++) {
		ext2fs_reserve_super_and_bgd(fs, group, supers);
		ext_kinds_set(kinds, ext2fs_block_bitmap_loc(fs, group),
			      "bitmap");
		ext_kinds_set(kinds, ext2fs_inode_bitmap_loc(fs, group),
			      "bitmap");
		for (unsigned int i = 0; i < fs->inode_blocks_per_group; i++)
			ext_kinds_set(kinds,
				      ext2fs_inode_table_loc(fs, group) + i,
				      "inode table");
	}
	for (blk64_t block = fs->super->s_first_data_block;
	     block < kinds->count; block++) {
		if (ext2fs_test_block_bitmap2(supers, block))
			ext_kinds_set(kinds, block,
				      "superblock and descriptors");
	}
	ext2fs_free_block_bitmap(supers);
	if (ext2fs_has_feature_mmp(fs->super))
		ext_kinds_set(kinds, fs->super->s_mmp_block, "other metadata");
	if (fs->super->s_first_data_block)
		ext_kinds_set(kinds, 0, "other metadata");
	/* With clusters of blocks of 1 KiB, the boot block is in the first. */
	else if (fs->blocksize == 1024)
		ext_kinds_set(kinds, 0, "other metadata");
}

/* Reads the filesystem in @path. Aborts if it cannot be read. */
static inline void ext_kinds_init(struct ext_kinds *kinds, const char *path)
{
	*kinds = (struct ext_kinds){ 0 };
	if (ext2fs_open(path,
			EXT2_FLAG_64BITS | EXT2_FLAG_SKIP_MMP |
				EXT2_FLAG_IGNORE_CSUM_ERRORS,
			0, 0, unix_io_manager, &kinds->fs) ||
	    ext2fs_read_bitmaps(kinds->fs))
		abort();
	kinds->count = ext2fs_blocks_count(kinds->fs->super);
	kinds->names = calloc(kinds->count, sizeof(*kinds->names));
	if (!kinds->names)
		abort();
	for (blk64_t i = 0; i < kinds->count; i++)
		kinds->names[i] =
			i >= kinds->fs->super->s_first_data_block &&
					ext2fs_test_block_bitmap2(
						kinds->fs->block_map, i) ?
				"in use" :
				"free";
	ext_kinds_inodes(kinds);
	ext_kinds_layout(kinds);
}

static inline void ext_kinds_deinit(struct ext_kinds *kinds)
{
	free(kinds->names);
	ext2fs_close(kinds->fs);
}

#endif
