// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fake_dump DIRECTORY FILES: writes DIRECTORY/dump, a dump of a kernel with an
 * ext4 of so many files, half of them dirty, and a cgroup for every ten. Each
 * has one page and says that it has one more than the file before, so that none
 * is smaller than what was found already.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_kernel.h"

#define MAGIC_EXT4 0xef53
#define FILES_OF_CGROUP 10

static void add_files(struct fake_kernel *fake, size_t files)
{
	static const struct fake_superblock ext4 = { "ext4", "vda",	 254,
						     0,	     MAGIC_EXT4, 0 };
	uint64_t superblock = fake_add_superblock(fake, &ext4);
	struct fake_cgroup top = fake_add_cgroup(fake, NULL, "", 1), cgroup;
	uint64_t root = fake_add_name(fake, fake_add_inode(fake, superblock, 2),
				      0, "/");
	char name[32];

	for (size_t i = 0; i < files; i++) {
		uint64_t inode = fake_add_inode(fake, superblock, 100 + i);

		snprintf(name, sizeof(name), "f%zu", i);
		if (i % FILES_OF_CGROUP == 0)
			cgroup = fake_add_cgroup(fake, &top, name, 100 + i);
		fake_fill(fake, inode,
			  &(struct fake_pages){ .count = 1,
						.dirty = i % 2,
						.charge = cgroup.memcg });
		fake_put_word(fake,
			      fake_mapping(fake, inode) +
				      fake->fs.offset[FS_MAPPING_PAGES],
			      i + 1);
		fake_add_name(fake, inode, root, name);
	}
}

int main(int argc, char **argv)
{
	struct fake_kernel fake;
	struct tree tree;

	if (argc != 3 || strlen(argv[1]) >= sizeof(tree.path))
		errx(1, "usage: fake_dump DIRECTORY FILES");
	strcpy(tree.path, argv[1]);
	fake_kernel_init(&fake, "btf/debian-6.12");
	fake_add_device(&fake, 254, 0, "vda");
	add_files(&fake, strtoul(argv[2], NULL, 10));
	fake_kernel_write(&fake, &tree, "dump");
	fake_kernel_deinit(&fake);
	return 0;
}
