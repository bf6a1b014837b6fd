/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds what a walk of a kernel's devices needs: a layout and a symbol. */
#ifndef BUFSTAT_BDEV_ROOT_H
#define BUFSTAT_BDEV_ROOT_H

#include <stdint.h>

#include "kernel/bdev_layout.h"
#include "kernel/kallsyms.h"

struct btf;
struct error;
struct exports;
struct kmem;

struct bdev_root {
	struct bdev_layout layout;
	uint64_t symbol; /* address of the pointer blockdev_superblock */
};

enum bdev_symbol {
	BDEV_SYMBOL_SUPERBLOCK,
	BDEV_SYMBOL_FUNCTION, /* a function that loads it */
	BDEV_SYMBOLS
};

/* Sets the symbols' names, and no addresses. */
void bdev_symbols_init(struct kallsyms_symbol symbols[BDEV_SYMBOLS]);

/*
 * Sets @root->symbol from the first of @symbols whose address leads to the
 * superblock of all block devices. Needs @root->layout, and the kernel's
 * @machine (EM_X86_64, ...). Returns 0; -EOPNOTSUPP; or -ENODATA if a dump
 * lacks a page that is needed.
 */
int bdev_root_find_symbol(struct bdev_root *root, const struct kmem *kmem,
			  unsigned int machine,
			  const struct kallsyms_symbol symbols[BDEV_SYMBOLS],
			  struct error *err);

/*
 * Fills in @root and *@superblock with a hundredth of the reading: it uses the
 * kernel's exports and a derived layout of bdev_inode. It accepts them only if
 * they lead to a device that passes every check, or to an empty list. Returns 0
 * or a negative errno. That is not an error to report: the caller then uses
 * bdev_layout_init() and bdev_root_find_symbol().
 */
int bdev_root_find_quickly(struct bdev_root *root, const struct kmem *kmem,
			   struct exports *exports, const struct btf *btf,
			   uint64_t *superblock);

#endif
