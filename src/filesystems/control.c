// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <bufstat/filesystems.h>

#include "cleanup.h"
#include "control.h"
#include "error.h"
#include "sysroot.h"

#define PATH "/dev/" BUFSTAT_DEVICE

static int explain(const struct sysroot *root, int number, struct error *err)
{
	_cleanup_(closep) int loaded =
		sysroot_open(root, "/sys/module/bufstat", O_PATH);

	if (number == ENOENT && loaded < 0)
		return error_set(err, EOPNOTSUPP,
				 "module: not loaded "
				 "(sudo bufstat module load)");
	if (number == ENOENT)
		return error_set(err, EOPNOTSUPP,
				 "module: loaded, but there is no " PATH
				 " (an older module? an own /dev?)");
	if (number == EACCES || number == EPERM)
		return error_set(err, EOPNOTSUPP,
				 "module: " PATH " is for root (use sudo)");
	return error_errno(err, number, "opening", PATH);
}

int control_open(const struct sysroot *root, struct error *err)
{
	struct bufstat_version version = { 0 };
	_cleanup_(closep) int fd = -1;

	if (!sysroot_is_live(root))
		return error_set(err, EOPNOTSUPP,
				 "module: a captured tree cannot be asked");
	fd = sysroot_open(root, PATH, O_RDWR);
	if (fd < 0)
		return explain(root, -fd, err);
	if (ioctl(fd, BUFSTAT_IOC_VERSION, &version) < 0 ||
	    version.version != BUFSTAT_FILESYSTEMS_VERSION)
		return error_set(err, EOPNOTSUPP,
				 "module: " PATH
				 " is of another version than this program: "
				 "install the two together");
	return steal_fd(&fd);
}
