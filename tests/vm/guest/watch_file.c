// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * watch_file FILE [LEAST]: reads and checks the module's file over and over,
 * until SIGTERM and at least LEAST times. Then prints
 *	valid N absent N refused N short N
 * absent: the file did not exist. refused: the module was already being
 * unloaded (ENXIO). short: memory was short (ENOMEM). Anything else ends it
 * with status 1 and the text it read.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/devices_file.h"

static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
	(void)signal;
	stop = 1;
}

static void read_once(const char *path, int fd)
{
	struct devices_file file;
	const char *wrong;
	int ret = devices_file_read(fd, 4096, &file);

	if (ret < 0) {
		errno = -ret;
		err(1, "reading %s", path);
	}
	wrong = devices_file_check(&file);
	if (wrong)
		errx(1, "%s: %s:\n%s", path, wrong, file.text);
	devices_file_free(&file);
}

int main(int argc, char **argv)
{
	unsigned long valid = 0, absent = 0, refused = 0, lacking = 0;
	unsigned long least = 0;

	if (argc == 3)
		least = strtoul(argv[2], NULL, 10);
	else if (argc != 2)
		errx(1, "usage: watch_file FILE [LEAST]");
	signal(SIGTERM, on_signal);
	/* Otherwise it would starve the processes that it watches. */
	if (nice(10) < 0)
		err(1, "nice");

	while (!stop || valid < least) {
		int fd = open(argv[1], O_RDONLY | O_CLOEXEC);

		if (fd >= 0) {
			read_once(argv[1], fd);
			close(fd);
			valid++;
		} else if (errno == ENOENT) {
			absent++;
		} else if (errno == ENXIO) {
			refused++;
		} else if (errno == ENOMEM) {
			lacking++;
		} else if (errno != EINTR) {
			err(1, "opening %s", argv[1]);
		}
	}
	printf("valid %lu absent %lu refused %lu short %lu\n", valid, absent,
	       refused, lacking);
	return 0;
}
