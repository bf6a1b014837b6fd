// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kernel/bdev_root.h"
#include "kernel/bdev_walk.h"
#include "kernel/exports.h"
#include "kernel/kmem.h"
#include "kernel/object.h"
#include "kernel/pointer_loads.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"

/* Bytes. The function is shorter; candidates from after its end just fail. */
#define FUNCTION_SIZE 256
#define CANDIDATES 16

void bdev_symbols_init(struct kallsyms_symbol symbols[BDEV_SYMBOLS])
{
	symbols[BDEV_SYMBOL_SUPERBLOCK] =
		(struct kallsyms_symbol){ "blockdev_superblock", 0 };
	symbols[BDEV_SYMBOL_FUNCTION] =
		(struct kallsyms_symbol){ "nr_blockdev_pages", 0 };
}

/* Keeps @symbol if it leads to the superblock. */
static int try_symbol(struct bdev_root *root, const struct kmem *kmem,
		      uint64_t symbol)
{
	uint64_t superblock;
	int ret =
		bdev_superblock_find(kmem, &root->layout, symbol, &superblock);

	if (!ret)
		root->symbol = symbol;
	return ret;
}

static bool try_function(struct bdev_root *root, const struct kmem *kmem,
			 unsigned int machine, uint64_t address)
{
	unsigned char text[FUNCTION_SIZE];
	uint64_t candidates[CANDIDATES];
	size_t size = kmem_read_some(kmem, address, text, sizeof(text));
	size_t count = pointer_loads_find(machine, text, size, address,
					  candidates, CANDIDATES);

	for (size_t i = 0; i < count; i++) {
		if (try_symbol(root, kmem, candidates[i]) == 0)
			return true;
	}
	return false;
}

int bdev_root_find_symbol(struct bdev_root *root, const struct kmem *kmem,
			  unsigned int machine,
			  const struct kallsyms_symbol symbols[BDEV_SYMBOLS],
			  struct error *err)
{
	uint64_t superblock = symbols[BDEV_SYMBOL_SUPERBLOCK].address;
	uint64_t function = symbols[BDEV_SYMBOL_FUNCTION].address;
	int ret = superblock ? try_symbol(root, kmem, superblock) : -ENOENT;

	if (!ret)
		return 0;
	if (function && try_function(root, kmem, machine, function))
		return 0;
	if (ret == -ENODATA)
		return error_doing(err, ENODATA, "reading kernel memory", NULL,
				   "%s", kmem_strerror(ret));
	return lack_error(err, superblock ? LACK_WAY_TO_DEVICES : LACK_SYMBOL,
			  NULL);
}

/* Whether @object, read from @address, is the bdev_inode of a device. */
static bool is_device(const struct bdev_layout *layout,
		      const unsigned char *object, uint64_t address,
		      uint64_t superblock)
{
	const uint32_t *offset = layout->offset;
	const unsigned char *inode = object + offset[BDEV_INODE];
	uint32_t number = half_at(inode, offset[BDEV_INODE_RDEV]);
	uint64_t mapping = word_at(inode, offset[BDEV_INODE_MAPPING]) -
			   address + offset[BDEV_MAPPING_HOST];

	if (word_at(inode, offset[BDEV_INODE_SB]) != superblock)
		return false;
	if (mapping > layout->bdev_inode_size - sizeof(uint64_t) ||
	    word_at(object, mapping) != address + offset[BDEV_INODE])
		return false;
	/* No device has number 0, so two zeros prove nothing. */
	return number &&
	       number == half_at(object, offset[BDEV_BDEV] + offset[BDEV_DEV]);
}

/* A device that is going away fails the check, but not so many at once. */
#define TRIES 8

/*
 * Whether one of the first devices is where the layout says. True if there are
 * no devices, because then nothing can be wrong with them.
 */
static bool leads_to_device(const struct bdev_layout *layout,
			    const struct kmem *kmem, uint64_t superblock)
{
	_cleanup_(freep) unsigned char *object =
		malloc(layout->bdev_inode_size);
	uint64_t links = (uint64_t)layout->offset[BDEV_INODE] +
			 layout->offset[BDEV_INODE_LIST];
	uint64_t head = superblock + layout->offset[BDEV_SB_INODES], node;

	if (!object || kmem_read_word(kmem, head, &node) < 0)
		return false;
	if (node == head)
		return true;
	for (int i = 0; node != head && i < TRIES; i++) {
		if (kmem_read(kmem, node - links, object,
			      layout->bdev_inode_size) < 0)
			return false;
		if (is_device(layout, object, node - links, superblock))
			return true;
		node = word_at(object, links);
	}
	return false;
}

int bdev_root_find_quickly(struct bdev_root *root, const struct kmem *kmem,
			   struct exports *exports, const struct btf *btf,
			   uint64_t *superblock)
{
	struct error unused;
	int ret;

	if (!exports_find(exports, "blockdev_superblock", &root->symbol))
		return -ENOENT;
	ret = bdev_layout_derive(&root->layout, btf, &unused);
	if (!ret)
		ret = bdev_superblock_find(kmem, &root->layout, root->symbol,
					   superblock);
	if (!ret && !leads_to_device(&root->layout, kmem, *superblock))
		ret = -ENOENT;
	return ret;
}
