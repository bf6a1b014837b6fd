// SPDX-License-Identifier: GPL-2.0-or-later
#include "blocks/block_kind.h"

const char *const block_kinds[BLOCK_KINDS + 1] = {
	[BLOCK_UNKNOWN] = "unknown",
	[BLOCK_SUPER] = "superblock and descriptors",
	[BLOCK_BITMAP] = "bitmap",
	[BLOCK_INODE_TABLE] = "inode table",
	[BLOCK_JOURNAL] = "journal",
	[BLOCK_OTHER] = "other metadata",
	[BLOCK_DIRECTORY] = "directory",
	[BLOCK_MAP] = "extents",
	[BLOCK_XATTR] = "extended attributes",
	[BLOCK_SYMLINK] = "symlink",
	[BLOCK_DATA] = "file data",
	[BLOCK_IN_USE] = "in use",
	[BLOCK_FREE] = "free",
	[BLOCK_RAW] = "raw data",
	[BLOCK_OUTSIDE] = "outside",
	[BLOCK_UNREAD] = "not read",
	[BLOCK_UNSEEN] = "not looked at",
	[BLOCK_GONE] = "unattributed",
};

static const char *const helps[BLOCK_KINDS] = {
	[BLOCK_UNKNOWN] = "nothing that is cached tells",
	[BLOCK_SUPER] = "with the blocks reserved for more descriptors",
	[BLOCK_BITMAP] = "of blocks and inodes",
	[BLOCK_INODE_TABLE] = "inodes, in use or not",
	[BLOCK_JOURNAL] = "or log",
	[BLOCK_OTHER] = "quota, orphan file, bad blocks, boot block",
	[BLOCK_DIRECTORY] = "names of files",
	[BLOCK_MAP] = "extent and indirect blocks",
	[BLOCK_XATTR] = "outside the inode",
	[BLOCK_SYMLINK] = "the target of a long one",
	[BLOCK_DATA] = "read through the device, not a file",
	[BLOCK_IN_USE] = "its owner is not cached, or not looked at",
	[BLOCK_FREE] = "in no file",
	[BLOCK_RAW] = "not a filesystem that is known here",
	[BLOCK_OUTSIDE] = "after the end of the filesystem",
	[BLOCK_UNREAD] = "the rest of a page that holds a read block",
	[BLOCK_UNSEEN] = "there was no time or room for it",
	[BLOCK_GONE] = "came or went while it was read",
};

static const char *const looks[LOOKS] = {
	[LOOK_NONE] = "other",
	[LOOK_ZEROS] = "zeros",
	[LOOK_DIRECTORY] = "directory",
	[LOOK_MAP] = "extents",
	[LOOK_XATTR] = "extended attributes",
	[LOOK_JOURNAL] = "journal",
};

const char *block_kind_help(enum block_kind kind)
{
	return helps[kind];
}

const char *block_look_name(enum block_look look)
{
	return looks[look];
}
