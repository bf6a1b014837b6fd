/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known of a kernel before its devices can be walked. */
#ifndef BUFSTAT_BDEV_ROOT_H
#define BUFSTAT_BDEV_ROOT_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/bdev_layout.h"
#include "kernel/kallsyms.h"

struct btf;
struct error;
struct exports;
struct kmem;

struct bdev_root {
	struct bdev_layout layout;
	uint64_t symbol; /* where the pointer blockdev_superblock is */
};

enum bdev_symbol {
	BDEV_SYMBOL_SUPERBLOCK,
	BDEV_SYMBOL_FUNCTION, /* that loads it */
	BDEV_SYMBOLS
};

/* The two with their names, and without addresses. */
void bdev_symbols_init(struct kallsyms_symbol symbols[BDEV_SYMBOLS]);

/*
 * Sets @root->symbol, from whichever of @symbols has an address that leads to
 * the superblock of all block devices. Returns 0, or -EOPNOTSUPP.
 */
int bdev_root_find_symbol(struct bdev_root *root, const struct kmem *kmem,
			  unsigned int machine,
			  const struct kallsyms_symbol symbols[BDEV_SYMBOLS],
			  struct error *err);

/*
 * Finds all of @root, and the superblock, with a hundredth of the reading:
 * by what the kernel exports, and with a layout of bdev_inode that is derived.
 * It counts only if it leads to a device that is what it should be. Returns 0,
 * or a negative errno, nothing to complain about: then everything is to be
 * found as above.
 */
int bdev_root_find_quickly(struct bdev_root *root, const struct kmem *kmem,
			   struct exports *exports, const struct btf *btf,
			   uint64_t *superblock);

/*
 * blockdev_superblock where the symbol table has functions only
 * (CONFIG_KALLSYMS_ALL=n): nr_blockdev_pages(), which is what /proc/meminfo
 * calls for Buffers, begins by loading it.
 */

/*
 * The addresses that the first @size bytes of a function load a pointer from,
 * x86-64: "mov disp32(%rip), %r64". Bytes are tried at every place, so there
 * may be some that are not really loaded from: each is to be checked. Returns
 * how many there are, at most @room, in the order of the text, each once.
 */
size_t sb_symbol_candidates(const unsigned char *text, size_t size,
			    uint64_t address, uint64_t *candidates,
			    size_t room);

#endif
