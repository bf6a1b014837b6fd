// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/absolute_path.h"

/*
 * The kernel has the path in memory. After umount -l it has none, and getcwd(3)
 * would then open and read every directory above, on the disk that was sick.
 */
static int working_directory(char here[PATH_MAX])
{
	if (syscall(SYS_getcwd, here, PATH_MAX) < 0)
		return -errno;
	return *here == '/' ? 0 : -ENOENT;
}

int absolute_path(const char *path, char absolute[PATH_MAX])
{
	char here[PATH_MAX] = "";
	int ret = *path == '/' ? 0 : working_directory(here);

	if (ret < 0)
		return ret;
	ret = snprintf(absolute, PATH_MAX, "%s%s%s", here,
		       *path == '/' || strcmp(here, "/") == 0 ? "" : "/", path);
	return ret < PATH_MAX ? 0 : -ENAMETOOLONG;
}
