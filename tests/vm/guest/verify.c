// SPDX-License-Identifier: GPL-2.0-or-later
/* verify [FILE...]: checks that each is a complete and valid module file. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>

#include "common/devices_file.h"

int main(int argc, char **argv)
{
	if (argc < 2)
		errx(1, "usage: verify FILE...");

	while (*++argv) {
		struct devices_file file;
		const char *wrong;
		int fd = open(*argv, O_RDONLY | O_CLOEXEC);
		int ret = fd < 0 ? -errno : devices_file_read(fd, 4096, &file);

		if (ret < 0) {
			errno = -ret;
			err(1, "%s", *argv);
		}
		wrong = devices_file_check(&file);
		if (wrong)
			errx(1, "%s: %s", *argv, wrong);
		devices_file_free(&file);
	}
	return 0;
}
