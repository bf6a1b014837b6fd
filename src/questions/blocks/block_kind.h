/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a cached block of a device is. */
#ifndef BUFSTAT_BLOCK_KIND_H
#define BUFSTAT_BLOCK_KIND_H

enum block_kind {
	BLOCK_UNKNOWN, /* nothing cached tells */
	/* What the layout of the filesystem alone tells. */
	BLOCK_SUPER,
	BLOCK_BITMAP,
	BLOCK_INODE_TABLE,
	BLOCK_JOURNAL,
	BLOCK_OTHER, /* quota, orphan file, bad blocks, MMP, boot block */
	/* What an inode has. */
	BLOCK_DIRECTORY,
	BLOCK_MAP, /* extent or indirect block */
	BLOCK_XATTR,
	BLOCK_SYMLINK,
	BLOCK_DATA,
	/* What a bitmap tells of a block that no cached inode has. */
	BLOCK_IN_USE,
	BLOCK_FREE,
	BLOCK_RAW, /* of a filesystem that is not taken apart further */
	BLOCK_OUTSIDE, /* after the end of the filesystem */
	BLOCK_UNREAD, /* in a cached page, but never read from the disk */
	BLOCK_UNSEEN, /* there was no time to look at it */
	BLOCK_GONE, /* came or went while it was read */
	BLOCK_KINDS
};

/* The names, such as "inode table", which JSON has too; and NULL. */
extern const char *const block_kinds[BLOCK_KINDS + 1];

/* What it means, in a line. */
const char *block_kind_help(enum block_kind kind);

/* What a block looks like whose owner is not known. This is only a guess. */
enum block_look {
	LOOK_NONE, /* like nothing in particular */
	LOOK_ZEROS,
	LOOK_DIRECTORY,
	LOOK_MAP,
	LOOK_XATTR,
	LOOK_JOURNAL,
	LOOKS
};

const char *block_look_name(enum block_look look);

#endif
