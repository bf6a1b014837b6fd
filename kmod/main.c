// SPDX-License-Identifier: GPL-2.0-only
/*
 * bufstat: which block devices have the page cache that "Buffers" counts, and
 * which filesystems and files have the rest.
 *
 * The module only reads. It registers no hook and starts no thread. Between two
 * opens of its files it does nothing, unless it waits for a filesystem to be
 * thawed (late.h).
 */
#include <linux/module.h>

#include <bufstat/version.h>

#include "bufstat.h"
#include "late.h"

/* Nothing may fail once a file can be opened, so debugfs comes last. */
static int __init bufstat_init(void)
{
	int ret = bufstat_late_init();

	if (ret)
		return ret;
	ret = bufstat_control_init();
	if (ret) {
		bufstat_late_exit();
		return ret;
	}
	bufstat_debugfs_init();
	return 0;
}

static void __exit bufstat_exit(void)
{
	bufstat_debugfs_exit();
	bufstat_control_exit();
	bufstat_late_exit();
}

module_init(bufstat_init);
module_exit(bufstat_exit);

MODULE_DESCRIPTION("Page cache, by block device, filesystem and file");
MODULE_AUTHOR("The bufstat authors");
MODULE_VERSION(BUFSTAT_VERSION);
MODULE_LICENSE("GPL v2");
