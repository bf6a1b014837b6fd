// SPDX-License-Identifier: GPL-2.0-or-later
/* btrfs_device add|remove MOUNTPOINT DEVICE: a device more or less of a btrfs. */
#include <err.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

int main(int argc, char **argv)
{
	struct btrfs_ioctl_vol_args args = { 0 };
	int fd;

	if (argc != 4)
		errx(2, "usage: btrfs_device add|remove MOUNTPOINT DEVICE");
	fd = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", argv[2]);
	snprintf(args.name, sizeof(args.name), "%s", argv[3]);
	if (ioctl(fd,
		  strcmp(argv[1], "add") == 0 ? BTRFS_IOC_ADD_DEV :
						BTRFS_IOC_RM_DEV,
		  &args) < 0)
		err(1, "%s %s", argv[1], argv[3]);
	return 0;
}
