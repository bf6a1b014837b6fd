// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <string.h>

#include "fs_metadata.h"

enum fs_metadata fs_metadata(const char *fstype)
{
	static const struct {
		const char *fstype;
		enum fs_metadata metadata;
	} known[] = {
		{ "ext2", FS_METADATA_BUFFERS },
		{ "ext3", FS_METADATA_BUFFERS },
		{ "ext4", FS_METADATA_BUFFERS },
		{ "btrfs", FS_METADATA_CACHE },
		{ "xfs", FS_METADATA_OWN },
	};

	for (size_t i = 0; fstype && i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(known[i].fstype, fstype) == 0)
			return known[i].metadata;
	}
	return FS_METADATA_UNKNOWN;
}
