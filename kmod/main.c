// SPDX-License-Identifier: GPL-2.0-only
/*
 * bufstat: which block devices the page cache behind "Buffers" belongs to, and
 * which filesystems and files the rest of it.
 *
 * The module only reads: it registers no hook and starts no thread, and between
 * two opens of its files it does nothing at all.
 */
#include <linux/module.h>

#include <bufstat/version.h>

#include "bufstat.h"

static int __init bufstat_init(void)
{
	int ret = bufstat_debugfs_init();

	if (ret)
		return ret;
	ret = bufstat_control_init();
	if (ret)
		bufstat_debugfs_exit();
	return ret;
}

static void __exit bufstat_exit(void)
{
	bufstat_control_exit();
	bufstat_debugfs_exit();
}

module_init(bufstat_init);
module_exit(bufstat_exit);

MODULE_DESCRIPTION("Page cache, by block device, filesystem and file");
MODULE_AUTHOR("The bufstat authors");
MODULE_VERSION(BUFSTAT_VERSION);
MODULE_LICENSE("GPL v2");
