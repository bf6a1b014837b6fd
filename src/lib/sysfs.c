// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "sysfs.h"
#include "sysroot.h"

#define MAX_ATTRIBUTE 65536 /* one page, the largest there are */

int sysfs_attribute(const struct sysroot *root, const char *dir,
		    const char *name, char **value)
{
	char path[PATH_MAX];
	int ret;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= PATH_MAX)
		return -ENAMETOOLONG;
	ret = sysroot_read(root, path, MAX_ATTRIBUTE, value, NULL);
	if (ret < 0)
		return ret;
	(*value)[strcspn(*value, "\n")] = '\0';
	return 0;
}

int sysfs_attribute_if_any(const struct sysroot *root, const char *dir,
			   const char *name, char **value)
{
	int ret = sysfs_attribute(root, dir, name, value);

	return ret == -ENOMEM ? ret : 0;
}

void sysfs_name_restore(char *name)
{
	while ((name = strchr(name, '!')))
		*name = '/';
}
