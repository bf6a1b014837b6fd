// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "filesystems/fdinfo.h"
#include "lib/number.h"
#include "lib/sysroot.h"

/* Bytes. The fdinfo of an epoll descriptor has a line for each watched file. */
#define MAX_INFO 4096

int fdinfo_read(const struct sysroot *root, const char *pid, const char *fd,
		char **info)
{
	char path[2 * NAME_MAX + 16];

	snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", pid, fd);
	return sysroot_read(root, path, MAX_INFO, info, NULL);
}
