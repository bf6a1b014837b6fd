// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes any memory for the list of filesystems, their inodes and their names.
 * Every walk must end and visit nothing twice, and every name must be a string.
 */
#include <string.h>

#include "fake_fs.h"
#include "fuzz.h"
#include "kernel/inode_name.h"
#include "kernel/inodes.h"
#include "kernel/kmem.h"
#include "kernel/superblocks.h"
#include "lib/error.h"

#define BASE 0xffff888000100000ULL
/* The node before the first superblock is the head, wherever it is. */
#define IMAGE BASE

/* Far more inodes than an input can have. */
#define MOST 65536

struct visits {
	const struct kmem *kmem;
	uint64_t superblock;
	size_t count;
	uint64_t inodes[MOST];
};

static int visit(void *data, const struct inode *inode,
		 struct error *err __attribute__((unused)))
{
	struct visits *visits = data;

	fuzz_require(visits->count < MOST);
	visits->inodes[visits->count++] = inode->address;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void walk(struct visits *visits)
{
	struct inode_name name;
	struct error err;
	size_t lost;

	visits->count = 0;
	if (inodes_walk(visits->kmem, &fake_layout, visits->superblock, visit,
			visits, &lost, &err) < 0)
		return;
	if (visits->count)
		qsort(visits->inodes, visits->count, sizeof(*visits->inodes),
		      compare);
	for (size_t i = 0; i < visits->count; i++) {
		struct inode inode;

		fuzz_require(!i || visits->inodes[i - 1] != visits->inodes[i]);
		fuzz_require(inode_read(visits->kmem, &fake_layout,
					visits->superblock, visits->inodes[i],
					&inode) == 0);
		inode_name_read(visits->kmem, &fake_layout, inode.address,
				inode.links, &name);
		fuzz_require(memchr(name.text, '\0', sizeof(name.text)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory memory = { BASE, (unsigned char *)data, size };
	struct kmem kmem = memory_kmem(&memory);
	struct superblocks superblocks = { 0 };
	static struct visits visits;
	struct error err;

	visits.kmem = &kmem;
	if (superblocks_read(&superblocks, &kmem, &fake_layout, BASE, IMAGE,
			     &err) == 0) {
		for (size_t i = 0; i < superblocks.count && i < 16; i++) {
			visits.superblock = superblocks.list[i].address;
			walk(&visits);
		}
	}
	superblocks_deinit(&superblocks);
	return 0;
}
