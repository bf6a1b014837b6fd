// SPDX-License-Identifier: GPL-2.0-or-later
#include "blocks/block_kind.h"

static const struct {
	const char *name, *help;
} kinds[BLOCK_KINDS] = {
	[BLOCK_UNKNOWN] = { "unknown", "nothing that is cached tells" },
	[BLOCK_SUPER] = { "superblock and descriptors",
			  "with the blocks reserved for more descriptors" },
	[BLOCK_BITMAP] = { "bitmap", "of blocks and inodes" },
	[BLOCK_INODE_TABLE] = { "inode table", "inodes, in use or not" },
	[BLOCK_JOURNAL] = { "journal", "or log" },
	[BLOCK_OTHER] = { "other metadata",
			  "quota, orphan file, bad blocks, boot block" },
	[BLOCK_DIRECTORY] = { "directory", "names of files" },
	[BLOCK_MAP] = { "extents", "extent and indirect blocks" },
	[BLOCK_XATTR] = { "extended attributes", "outside the inode" },
	[BLOCK_SYMLINK] = { "symlink", "the target of a long one" },
	[BLOCK_DATA] = { "file data", "read through the device, not a file" },
	[BLOCK_IN_USE] = { "in use",
			   "its owner is not cached, or not looked at" },
	[BLOCK_FREE] = { "free", "in no file" },
	[BLOCK_RAW] = { "raw data", "not a filesystem that is known here" },
	[BLOCK_OUTSIDE] = { "outside", "after the end of the filesystem" },
	[BLOCK_UNREAD] = { "not read",
			   "the rest of a page that holds a read block" },
	[BLOCK_UNSEEN] = { "not looked at",
			   "there was no time or room for it" },
	[BLOCK_GONE] = { "unattributed", "came or went while it was read" },
};

static const char *const looks[LOOKS] = {
	[LOOK_NONE] = "other",
	[LOOK_ZEROS] = "zeros",
	[LOOK_DIRECTORY] = "directory",
	[LOOK_MAP] = "extents",
	[LOOK_XATTR] = "extended attributes",
	[LOOK_JOURNAL] = "journal",
};

const char *block_kind_name(enum block_kind kind)
{
	return kinds[kind].name;
}

const char *block_kind_help(enum block_kind kind)
{
	return kinds[kind].help;
}

const char *block_look_name(enum block_look look)
{
	return looks[look];
}
