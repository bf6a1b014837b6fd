// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * settled FILE: prints the module's file, read while "Buffers" of /proc/meminfo
 * did not move. Then Buffers, the header's pages and bufferram_pages, and the
 * sum of the rows must all be equal. Exit status 1: they are not. 2: Buffers
 * did not stop moving.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/devices_file.h"

#define ATTEMPTS 50
#define PAUSE_US 100000

static void take(const char *path, struct devices_file *file)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		err(1, "%s", path);
	ret = devices_file_read(fd, 65536, file);
	if (ret < 0) {
		errno = -ret;
		err(1, "%s", path);
	}
	close(fd);
}

static void compare(const struct devices_file *file, unsigned long kib)
{
	unsigned long pages = kib * 1024 / file->page_size;

	if (file->page_size != (unsigned long)sysconf(_SC_PAGESIZE))
		errx(1, "page_size %lu", file->page_size);
	if (file->pages != pages || file->bufferram_pages != pages)
		errx(1, "Buffers %lu pages, pages %lu, bufferram_pages %lu",
		     pages, file->pages, file->bufferram_pages);
	if (file->file_pages < file->pages)
		errx(1, "file_pages %lu, pages %lu", file->file_pages,
		     file->pages);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		errx(1, "usage: settled FILE");

	for (int i = 0; i < ATTEMPTS; i++) {
		unsigned long before = meminfo_buffers_kib();
		struct devices_file file;
		const char *wrong;

		take(argv[1], &file);
		wrong = devices_file_check(&file);
		if (wrong)
			errx(1, "%s: %s:\n%s", argv[1], wrong, file.text);
		if (meminfo_buffers_kib() == before) {
			fwrite(file.text, 1, file.size, stdout);
			compare(&file, before);
			devices_file_free(&file);
			return 0;
		}
		devices_file_free(&file);
		usleep(PAUSE_US);
	}
	errx(2, "Buffers did not stand still in %d attempts", ATTEMPTS);
}
