// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uncached DIRECTORY COUNT: COUNT processes each have a new file open, with a
 * page that is dirty. Prints "ready" and waits until it is killed; then they
 * all close their files. The kernel does not keep the inodes (I_DONTCACHE),
 * because the files are to be DAX from the next time on: each is written first,
 * and while the disk is suspended it stays on the list, but nobody can take a
 * reference to it. Exit status 77: this kernel cannot change that.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Exits with 1, or 77. */
static void make(const char *directory, int which)
{
	struct fsxattr attributes;
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%d", directory, which);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, "x", 1) != 1 ||
	    ioctl(fd, FS_IOC_FSGETXATTR, &attributes) < 0)
		exit(1);
	attributes.fsx_xflags |= FS_XFLAG_DAX;
	if (ioctl(fd, FS_IOC_FSSETXATTR, &attributes) < 0)
		exit(77);
}

int main(int argc, char **argv)
{
	int count = argc == 3 ? atoi(argv[2]) : 0, ready[2];
	char byte;

	if (!count || pipe(ready) < 0)
		return 2;
	for (int i = 0; i < count; i++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		make(argv[1], i);
		if (write(ready[1], "x", 1) == 1)
			pause();
		return 1;
	}
	close(ready[1]);
	for (int i = 0; i < count; i++) {
		if (read(ready[0], &byte, 1) != 1)
			return 77;
	}
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
