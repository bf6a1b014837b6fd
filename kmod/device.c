// SPDX-License-Identifier: GPL-2.0-only
/*
 * Figures of one pinned block device that need no list lock.
 */
#include <linux/fs.h>

#include "bufstat.h"
#include "compat.h"

int bufstat_device_inspect(struct bufstat_row *row)
{
	row->openers = compat_openers(I_BDEV(row->inode));
	row->write_error = compat_write_error(row->inode->i_mapping);
	compat_name(row->inode, row->name, sizeof(row->name));
	return bufstat_count_tagged(row->inode->i_mapping, &row->dirty,
				    &row->writeback);
}
