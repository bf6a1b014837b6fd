// SPDX-License-Identifier: GPL-2.0-or-later
/* set_capacity DEVICE: sets a loop device to the current size of its file. */
#include <err.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;

	if (fd < 0 || ioctl(fd, LOOP_SET_CAPACITY) < 0)
		err(1, "LOOP_SET_CAPACITY");
	return 0;
}
