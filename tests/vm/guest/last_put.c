// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * last_put MOUNTPOINT FILE COMMAND: thaws the filesystem, makes the first page
 * of the file dirty, runs the command, which stops the disk, starts the
 * write-out of the page and removes the file. So whoever drops the last
 * reference to its inode waits for the disk.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int at, fd;

	if (argc != 4)
		errx(1, "usage: last_put MOUNTPOINT FILE COMMAND");
	at = open(argv[1], O_RDONLY);
	if (at < 0 || ioctl(at, FITHAW, 0) < 0)
		err(1, "%s", argv[1]);
	close(at);
	fd = open(argv[2], O_RDWR);
	if (fd < 0 || pwrite(fd, "x", 1, 0) != 1)
		err(1, "%s", argv[2]);
	if (system(argv[3]) != 0)
		errx(1, "%s", argv[3]);
	if (sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE) < 0 ||
	    unlink(argv[2]) < 0)
		err(1, "%s", argv[2]);
}
