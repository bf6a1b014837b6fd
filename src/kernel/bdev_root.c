// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <errno.h>

#include "bdev_root.h"
#include "bdev_walk.h"
#include "btf.h"
#include "error.h"
#include "kmem.h"
#include "sb_symbol.h"

/* The function is shorter; what follows it is tried in vain. */
#define FUNCTION_SIZE 256
#define CANDIDATES 16

void bdev_symbols_init(struct kallsyms_symbol symbols[BDEV_SYMBOLS])
{
	symbols[BDEV_SYMBOL_SUPERBLOCK] =
		(struct kallsyms_symbol){ "blockdev_superblock", 0 };
	symbols[BDEV_SYMBOL_FUNCTION] =
		(struct kallsyms_symbol){ "nr_blockdev_pages", 0 };
}

int bdev_root_read_btf(struct bdev_root *root, const void *data, size_t size,
		       struct error *err)
{
	struct error reason;
	struct btf btf;
	int ret = btf_init(&btf, data, size, &reason);

	if (ret < 0)
		return error_set(err, -ret, "reading BTF: %s", reason.text);
	ret = bdev_layout_init(&root->layout, &btf, err);
	btf_deinit(&btf);
	return ret;
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
			 uint64_t address)
{
	unsigned char text[FUNCTION_SIZE];
	uint64_t candidates[CANDIDATES];
	size_t size = kmem_read_some(kmem, address, text, sizeof(text));
	size_t count = sb_symbol_candidates(text, size, address, candidates,
					    CANDIDATES);

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
	if (function && machine == EM_X86_64 &&
	    try_function(root, kmem, function))
		return 0;
	if (ret == -ENODATA)
		return error_set(err, ENODATA, "reading kernel memory: %s",
				 kmem_strerror(ret));
	if (superblock)
		return error_set(err, EOPNOTSUPP,
				 "blockdev_superblock does not lead to the "
				 "block devices of this kernel");
	return error_set(err, EOPNOTSUPP,
			 "this kernel does not say where its block devices "
			 "are (no symbol blockdev_superblock)");
}
