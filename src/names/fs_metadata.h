/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In which of free's columns a filesystem's metadata is counted. */
#ifndef BUFSTAT_FS_METADATA_H
#define BUFSTAT_FS_METADATA_H

enum fs_metadata {
	FS_METADATA_UNKNOWN,
	FS_METADATA_BUFFERS, /* the device's page cache */
	FS_METADATA_CACHE, /* an internal inode's page cache */
	FS_METADATA_OWN, /* slab and vmalloc: no page cache */
};

/* @fstype as in mountinfo; NULL is unknown. */
enum fs_metadata fs_metadata(const char *fstype);

#endif
