// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "error.h"
#include "lab_files.h"
#include "lab_owner.h"

const char *const lab_files[LAB_DEVICES] = { "disk", "witness" };

static int remove_one(int lab, const char *name, int flags)
{
	return unlinkat(lab, name, flags) < 0 && errno != ENOENT ? -errno : 0;
}

int lab_files_remove(int lab, const char *path, struct error *err)
{
	int ret = remove_one(lab, LAB_MOUNT_POINT, AT_REMOVEDIR);

	for (unsigned int i = 0; !ret && i < LAB_DEVICES; i++)
		ret = remove_one(lab, lab_files[i], 0);
	/* Last: without it the lab would have no owner. */
	if (!ret)
		ret = remove_one(lab, LAB_OWNER_FILE, 0);
	if (!ret && rmdir(path) < 0 && errno != ENOENT)
		ret = -errno;
	return ret < 0 ? error_errno(err, -ret, "removing", path) : 0;
}
