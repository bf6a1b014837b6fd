// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hold [-r PAGES] DEVICE...: opens the devices, reads exactly the first PAGES
 * pages of each, prints "ready" and keeps them open until it is killed.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static void hold(const char *path, long pages)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	long page_size = sysconf(_SC_PAGESIZE);
	char *page = malloc((size_t)page_size);

	if (fd < 0 || !page)
		err(1, "%s", path);
	/* No readahead. */
	if (posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM))
		errx(1, "%s: posix_fadvise", path);
	while (pages--)
		if (read(fd, page, (size_t)page_size) != page_size)
			err(1, "%s: reading", path);
	free(page);
}

int main(int argc, char **argv)
{
	struct rlimit limit = { 65536, 65536 };
	long pages = 0;
	int option;

	while ((option = getopt(argc, argv, "r:")) != -1) {
		if (option != 'r')
			return 1;
		pages = atol(optarg);
	}
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		err(1, "RLIMIT_NOFILE");
	for (; argv[optind]; optind++)
		hold(argv[optind], pages);

	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
