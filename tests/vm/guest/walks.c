// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * walks PATH COUNT PAGES: walks the inodes of PATH's filesystem through
 * /proc/kcore until COUNT walks were accepted. Prints accepted N refused N
 * lists N inodes N: walks that the checks refused, readings of the list of
 * filesystems that they refused, and the most inodes of a walk. Reads that list
 * anew for every 16th walk. Exit status 1: an accepted walk did not find PAGES
 * pages. It is linked with the tool.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "kernel/fs_layout.h"
#include "kernel/inodes.h"
#include "kernel/kernel.h"
#include "kernel/superblocks.h"
#include "lib/error.h"
#include "lib/sysroot.h"

static struct kernel kernel;
static struct fs_layout layout;
static struct error why;

struct sums {
	unsigned long inodes;
	unsigned long pages;
};

static _Noreturn void die(const char *what)
{
	char text[ERROR_TEXT_SIZE];

	errx(1, "%s: %s", what, error_text(&why, text));
}

static int add(void *data, const struct inode *inode,
	       struct error *unused __attribute__((unused)))
{
	struct sums *sums = data;

	sums->inodes++;
	sums->pages += inode->pages;
	return 0;
}

/* Returns the address of the filesystem of @dev, or 0 if refused. */
static uint64_t find(dev_t dev)
{
	struct superblocks list = { 0 };
	int ret = superblocks_read(&list, kernel.kmem, &layout,
				   kernel.superblock, kernel.root.symbol, &why);
	uint64_t address = 0;

	if (ret < 0 && ret != -EAGAIN)
		die("reading the list");
	for (size_t i = 0; !ret && i < list.count; i++) {
		if (superblock_major(&list.list[i]) == major(dev) &&
		    superblock_minor(&list.list[i]) == minor(dev))
			address = list.list[i].address;
	}
	if (!ret && !address)
		errx(1, "the filesystem is not on the list");
	superblocks_deinit(&list);
	return address;
}

int main(int argc, char **argv)
{
	unsigned long accepted = 0, refused = 0, lists = 0, most = 0;
	uint64_t superblock = 0;
	struct sysroot root;
	struct stat status;

	if (argc != 4 || stat(argv[1], &status) < 0)
		errx(1, "usage: walks PATH COUNT PAGES");
	if (sysroot_init(&root, NULL, &why) < 0 ||
	    kernel_open(&kernel, &root, NULL, &why) < 0 ||
	    fs_layout_init(&layout, &kernel.btf, &why) < 0)
		die("opening the kernel");
	while (accepted < strtoul(argv[2], NULL, 10)) {
		struct sums sums = { 0 };
		size_t lost;
		int ret = -EAGAIN;

		if (!superblock || accepted % 16 == 0)
			superblock = find(status.st_dev);
		if (!superblock)
			lists++;
		else
			ret = inodes_walk(kernel.kmem, &layout, superblock, add,
					  &sums, &lost, &why);
		if (ret < 0 && ret != -EAGAIN)
			die("walking");
		refused += superblock && ret < 0;
		if (ret < 0)
			continue;
		if (sums.pages != strtoul(argv[3], NULL, 10))
			errx(1, "%lu pages of %lu inodes after %lu walks",
			     sums.pages, sums.inodes, accepted);
		accepted++;
		if (sums.inodes > most)
			most = sums.inodes;
	}
	printf("accepted %lu refused %lu lists %lu inodes %lu\n", accepted,
	       refused, lists, most);
	return 0;
}
