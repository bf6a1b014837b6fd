// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "kernel/fs_layout.h"
#include "kernel/inodes.h"
#include "kernel/kmem.h"
#include "kernel/object.h"
#include "kernel/ring.h"
#include "lib/cleanup.h"
#include "lib/error.h"

/*
 * While files are created and removed all the time, about one inode in 100
 * needs a resync, which costs a few reads.
 */
#define RESYNCS 4096

/* In i_flags: the pages of a DAX file are the device's, not page cache. */
#define S_DAX (1U << 13)
/* AS_UNEVICTABLE, a bit number in address_space.flags. */
#define UNEVICTABLE_BIT 3

struct walk {
	const struct fs_layout *layout;
	uint64_t superblock;
	inode_visit_fn *visit;
	void *data;
};

/* Filesystems of one type share a slab: another one may reuse an inode. */
static const char *check(void *data, const unsigned char *object,
			 uint64_t address)
{
	const struct walk *walk = data;
	const uint32_t *offset = walk->layout->offset;

	if (word_at(object, offset[FS_INODE_SB]) != walk->superblock)
		return "an inode of another filesystem";
	if (word_at(object, offset[FS_INODE_DATA] + offset[FS_MAPPING_HOST]) !=
	    address)
		return "a mapping of another inode";
	return NULL;
}

static void fill(struct inode *inode, const struct fs_layout *layout,
		 const unsigned char *object, uint64_t address)
{
	const uint32_t *offset = layout->offset;
	uint32_t data = offset[FS_INODE_DATA];

	*inode = (struct inode){
		.address = address,
		.ino = word_at(object, offset[FS_INODE_INO]),
		.pages = word_at(object, data + offset[FS_MAPPING_PAGES]),
		.size_bytes = word_at(object, offset[FS_INODE_SIZE]),
		.mode = short_at(object, offset[FS_INODE_MODE]),
		.links = half_at(object, offset[FS_INODE_LINKS]),
		.is_unevictable =
			word_at(object, data + offset[FS_MAPPING_FLAGS]) >>
				UNEVICTABLE_BIT &
			1,
		.is_mapped =
			word_at(object, data + offset[FS_MAPPING_MAPPED]) != 0,
		.write_error =
			half_at(object, data + offset[FS_MAPPING_WRITE_ERROR]) &
			ERRSEQ_ERRNO,
	};
	if (half_at(object, offset[FS_INODE_FLAGS]) & S_DAX)
		inode->pages = 0;
	inode->tree = (struct page_tree){
		.inode = address,
		.mapping = address + data,
		.pages = inode->pages,
		.head = word_at(object, data + offset[FS_MAPPING_TREE_HEAD]),
		.flags = half_at(object, data + offset[FS_MAPPING_TREE_FLAGS]),
	};
}

static int visit(void *data, const unsigned char *object, uint64_t address,
		 struct error *err)
{
	const struct walk *walk = data;
	const uint32_t *offset = walk->layout->offset;
	struct inode inode;

	/* Most inodes have no pages; this saves 1 part in 50 of a walk. */
	if (word_at(object, offset[FS_INODE_DATA] + offset[FS_MAPPING_PAGES]))
		fill(&inode, walk->layout, object, address);
	else
		inode = (struct inode){ .address = address };
	return walk->visit(walk->data, &inode, err);
}

int inodes_walk(const struct kmem *kmem, const struct fs_layout *layout,
		uint64_t superblock, inode_visit_fn *visit_inode, void *data,
		size_t *lost, struct error *err)
{
	struct walk walk = {
		.layout = layout,
		.superblock = superblock,
		.visit = visit_inode,
		.data = data,
	};
	const struct ring ring = {
		.what = "inodes",
		.head = superblock + layout->offset[FS_SB_INODES],
		.links = layout->offset[FS_INODE_LIST],
		.size = fs_layout_inode_bytes(layout),
		.most = RING_MOST,
		.resyncs = RESYNCS,
		.lost = lost,
		.check = check,
		.visit = visit,
		.data = &walk,
	};

	*lost = 0;
	return ring_walk(&ring, kmem, err);
}

int inode_read(const struct kmem *kmem, const struct fs_layout *layout,
	       uint64_t superblock, uint64_t address, struct inode *inode)
{
	uint32_t size = fs_layout_inode_bytes(layout);
	_cleanup_(freep) unsigned char *object = malloc(size);
	struct walk walk = { .layout = layout, .superblock = superblock };
	int ret;

	if (!object)
		return -ENOMEM;
	ret = kmem_read(kmem, address, object, size);
	if (ret < 0)
		return ret == -EFAULT ? -ESTALE : ret;
	if (check(&walk, object, address))
		return -ESTALE;
	fill(inode, layout, object, address);
	return 0;
}
