// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "kernel/bdev_walk.h"
#include "kernel/exports.h"
#include "kernel/kernel.h"
#include "kernel/vmcoreinfo.h"
#include "lib/error.h"
#include "lib/sysroot.h"

#define MAX_BTF (64U << 20)

#define DEFAULT_PAGE_SIZE 4096

/* Looked up in addition to the symbols that lead to the devices. */
enum { SYMBOL_BTF_START = BDEV_SYMBOLS, SYMBOL_BTF_STOP, SYMBOLS };

static int find_symbols(const struct dump *dump,
			struct kallsyms_symbol symbols[SYMBOLS],
			struct error *err)
{
	struct kallsyms kallsyms;
	uint64_t stext;
	int ret;

	if (!vmcoreinfo_symbol(dump->vmcoreinfo, "_stext", &stext))
		return error_set(
			err, ERROR_UNUSABLE,
			"its VMCOREINFO does not say where the kernel is");
	ret = kallsyms_find(dump->vmcoreinfo, &dump->kmem, stext, &kallsyms);
	if (ret == -ENOENT)
		return error_set(
			err, ERROR_UNUSABLE,
			"the kernel's symbols are not to be found in it");
	if (ret < 0)
		return error_doing(err, -ret, "reading the kernel's symbols",
				   NULL, "%s", kmem_strerror(ret));
	bdev_symbols_init(symbols);
	symbols[SYMBOL_BTF_START].name = "__start_BTF";
	symbols[SYMBOL_BTF_STOP].name = "__stop_BTF";
	return kallsyms_lookup(&kallsyms, &dump->kmem, stext, symbols, SYMBOLS,
			       err);
}

/* Reads the kernel's types from its memory. */
static int read_memory(void *from, uint64_t offset, void *buffer, size_t size)
{
	const struct kernel *kernel = from;

	return kmem_read(kernel->kmem, kernel->types_address + offset, buffer,
			 size);
}

/* Opens the types at @address, which take at most @size bytes. */
static int open_types(struct kernel *kernel, uint64_t address, uint64_t size,
		      struct error *err)
{
	kernel->types_address = address;
	return btf_init_lazily(&kernel->btf, read_memory, kernel, size, err);
}

static int read_layout(struct kernel *kernel,
		       const struct kallsyms_symbol symbols[SYMBOLS],
		       struct error *err)
{
	uint64_t start = symbols[SYMBOL_BTF_START].address;
	uint64_t size = symbols[SYMBOL_BTF_STOP].address - start;
	int ret;

	if (!start || !size || size > MAX_BTF)
		return error_advise(
			err, ERROR_UNUSABLE, NULL, NULL,
			"one with CONFIG_DEBUG_INFO_BTF=y, Linux 5.4",
			"this kernel does not describe its types");
	ret = open_types(kernel, start, size, err);
	if (ret < 0)
		return error_within(err, ret, "reading the kernel's types",
				    NULL);
	return bdev_layout_init(&kernel->root.layout, &kernel->btf, err);
}

/* Searches the symbols and types from their beginning. */
static int find_slowly(struct kernel *kernel, struct error *err)
{
	struct kallsyms_symbol symbols[SYMBOLS];
	struct bdev_root *root = &kernel->root;
	int ret = find_symbols(&kernel->dump, symbols, err);

	if (!ret)
		ret = read_layout(kernel, symbols, err);
	if (!ret)
		ret = bdev_root_find_symbol(root, kernel->kmem, kernel->machine,
					    symbols, err);
	if (ret < 0)
		return ret;
	ret = bdev_superblock_find(kernel->kmem, &root->layout, root->symbol,
				   &kernel->superblock);
	return ret < 0 ? error_doing(err, -ret, "reading kernel memory", NULL,
				     "%s", kmem_strerror(ret)) :
			 0;
}

static int find_quickly(struct kernel *kernel)
{
	struct exports *exports = &kernel->exports;
	struct error unused;
	uint64_t address;
	int ret = exports_init(exports, kernel->kmem, kernel->vmcoreinfo);

	if (!ret && !exports_find_btf(exports, &address))
		ret = -ENOENT;
	if (!ret)
		ret = open_types(kernel, address, MAX_BTF, &unused);
	return ret   ?:
		       bdev_root_find_quickly(&kernel->root, kernel->kmem,
					      exports, &kernel->btf,
					      &kernel->superblock);
}

int kernel_open_dump(struct kernel *kernel, const struct sysroot *root,
		     const char *path, struct error *err)
{
	int ret;

	*kernel = (struct kernel){
		.patience = root->patience,
		.kmem = &kernel->dump.kmem,
		.types = -1,
	};
	ret = dump_open(&kernel->dump, path, root->patience, err);
	if (ret < 0)
		return ret;
	kernel->path = path;
	kernel->vmcoreinfo = kernel->dump.vmcoreinfo;
	kernel->machine = kernel->dump.table.machine;
	if (!vmcoreinfo_page_size(kernel->vmcoreinfo, &kernel->page_size))
		kernel->page_size = DEFAULT_PAGE_SIZE;
	if (find_quickly(kernel) < 0) {
		btf_deinit(&kernel->btf);
		ret = find_slowly(kernel, err);
	}
	return ret;
}
