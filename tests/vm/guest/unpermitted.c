// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unpermitted DIRECTORY: whoever opens anything on the mount waits for this
 * program's permission, which it never gives. Prints "ready".
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/fanotify.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY);

	if (argc != 2)
		errx(1, "usage: unpermitted DIRECTORY");
	if (fd < 0 ||
	    fanotify_mark(fd, FAN_MARK_ADD | FAN_MARK_MOUNT,
			  FAN_OPEN_PERM | FAN_ONDIR, AT_FDCWD, argv[1]) < 0)
		err(1, "%s", argv[1]);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
