// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reports PATH: opens it, and prints what fsync(2) and syncfs(2) report of
 * writes that failed before: "EIO EIO", "none none".
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd;

	if (argc != 2)
		errx(1, "usage: reports PATH");
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", argv[1]);
	printf("%s ", fsync(fd) < 0 ? strerrorname_np(errno) : "none");
	printf("%s\n", syncfs(fd) < 0 ? strerrorname_np(errno) : "none");
	return 0;
}
