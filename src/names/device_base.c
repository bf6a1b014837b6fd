// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "device_base.h"
#include "sysfs.h"
#include "sysroot.h"

static int read_loop(struct device_base *base, const struct sysroot *root,
		     const char *dir)
{
	_cleanup_(freep) char *direct = NULL;
	int ret = sysfs_attribute_if_any(root, dir, "loop/backing_file",
					 &base->loop_file);

	if (!ret && base->loop_file)
		ret = sysfs_attribute_if_any(root, dir, "loop/dio", &direct);
	base->loop_direct = direct && strcmp(direct, "1") == 0;
	return ret;
}

/* A partition is a directory of its disk, and knows its number there. */
static bool is_cut(const struct sysroot *root, const char *path)
{
	_cleanup_(closedirp) DIR *dir = sysroot_opendir(root, path);
	const struct dirent *item;
	char partition[300];

	while (dir && (item = readdir(dir))) {
		snprintf(partition, sizeof(partition), "%s/partition",
			 item->d_name);
		if (item->d_name[0] != '.' &&
		    faccessat(dirfd(dir), partition, F_OK, 0) == 0)
			return true;
	}
	return false;
}

int device_base_init(struct device_base *base, const struct sysroot *root,
		     unsigned int major, unsigned int minor)
{
	char dir[48];

	*base = (struct device_base){ 0 };
	snprintf(dir, sizeof(dir), "/sys/dev/block/%u:%u", major, minor);
	base->has_partitions = is_cut(root, dir);
	return read_loop(base, root, dir);
}

void device_base_deinit(struct device_base *base)
{
	free(base->loop_file);
	*base = (struct device_base){ 0 };
}
