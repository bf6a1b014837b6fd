// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cachestat DEVICE...: prints the answer of cachestat(2), of Linux 6.5, for
 * each: MAJOR MINOR CACHED DIRTY WRITEBACK in pages. Exit status 77: this
 * kernel does not have it.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define CACHESTAT 451

struct cachestat_range {
	uint64_t off;
	uint64_t len; /* 0: to the end */
};

struct cachestat {
	uint64_t nr_cache;
	uint64_t nr_dirty;
	uint64_t nr_writeback;
	uint64_t nr_evicted;
	uint64_t nr_recently_evicted;
};

static void print(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct cachestat_range all = { 0, 0 };
	struct cachestat figures;
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		err(1, "%s", path);
	if (syscall(CACHESTAT, fd, &all, &figures, 0) < 0) {
		/* No prefix: tests print this as the reason to skip. */
		if (errno == ENOSYS) {
			fputs("no cachestat(2) in this kernel\n", stderr);
			exit(77);
		}
		err(1, "%s: cachestat", path);
	}
	printf("%u %u %llu %llu %llu\n", major(status.st_rdev),
	       minor(status.st_rdev), (unsigned long long)figures.nr_cache,
	       (unsigned long long)figures.nr_dirty,
	       (unsigned long long)figures.nr_writeback);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		errx(1, "usage: cachestat DEVICE...");
	while (*++argv)
		print(*argv);
	return 0;
}
