// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "kernel/bdev_root.h"
#include "kernel/bdev_walk.h"
#include "kernel/btf.h"
#include "kernel/dump.h"
#include "kernel/exports.h"
#include "kernel/page_tags.h"
#include "kernel/vmcoreinfo.h"
#include "lib/error.h"
#include "measure/measure.h"
#include "measure/snapshot.h"
#include "measure/vmcore.h"

#define MAX_BTF (64U << 20)

#define DEFAULT_PAGE_SIZE 4096

/* Looked up together with the symbols that lead to the devices. */
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

/* The types of the dumped kernel, in its memory. */
struct types {
	const struct kmem *kmem;
	uint64_t address;
	struct btf btf;
};

static int read_memory(void *from, uint64_t offset, void *buffer, size_t size)
{
	const struct types *types = from;

	return kmem_read(types->kmem, types->address + offset, buffer, size);
}

/* @size is the most that they may take up, in bytes. */
static int open_types(struct types *types, const struct dump *dump,
		      uint64_t address, uint64_t size, struct error *err)
{
	*types = (struct types){ .kmem = &dump->kmem, .address = address };
	return btf_init_lazily(&types->btf, read_memory, types, size, err);
}

static int read_layout(const struct dump *dump,
		       const struct kallsyms_symbol symbols[SYMBOLS],
		       struct types *types, struct bdev_root *known,
		       struct error *err)
{
	uint64_t start = symbols[SYMBOL_BTF_START].address;
	uint64_t size = symbols[SYMBOL_BTF_STOP].address - start;
	int ret;

	if (!start || !size || size > MAX_BTF)
		return error_remedy(
			err,
			error_set(err, ERROR_UNUSABLE,
				  "this kernel does not describe its types"),
			"one with CONFIG_DEBUG_INFO_BTF=y, Linux 5.4");
	ret = open_types(types, dump, start, size, err);
	if (ret < 0)
		return error_within(err, ret, "reading the kernel's types",
				    NULL);
	return bdev_layout_init(&known->layout, &types->btf, err);
}

/* Goes through all symbols and types until it has found the wanted ones. */
static int find_slowly(const struct dump *dump, struct types *types,
		       struct bdev_root *known, uint64_t *superblock,
		       struct error *err)
{
	struct kallsyms_symbol symbols[SYMBOLS];
	int ret = find_symbols(dump, symbols, err);

	if (!ret)
		ret = read_layout(dump, symbols, types, known, err);
	if (!ret)
		ret = bdev_root_find_symbol(known, &dump->kmem, EM_X86_64,
					    symbols, err);
	if (ret < 0)
		return ret;
	ret = bdev_superblock_find(&dump->kmem, &known->layout, known->symbol,
				   superblock);
	return ret < 0 ? error_doing(err, -ret, "reading kernel memory", NULL,
				     "%s", kmem_strerror(ret)) :
			 0;
}

static int find_quickly(const struct dump *dump, struct types *types,
			struct bdev_root *known, uint64_t *superblock)
{
	struct exports exports;
	struct error unused;
	uint64_t address;
	int ret = exports_init(&exports, &dump->kmem, dump->vmcoreinfo);

	if (!ret && !exports_find_btf(&exports, &address))
		ret = -ENOENT;
	if (!ret)
		ret = open_types(types, dump, address, MAX_BTF, &unused);
	if (!ret)
		ret = bdev_root_find_quickly(known, &dump->kmem, &exports,
					     &types->btf, superblock);
	exports_deinit(&exports);
	return ret;
}

/* Leaves @types open, whatever it returns. */
static int find_out(const struct dump *dump, struct types *types,
		    struct bdev_root *known, uint64_t *superblock,
		    struct error *err)
{
	*types = (struct types){ 0 };
	if (find_quickly(dump, types, known, superblock) == 0)
		return 0;
	btf_deinit(&types->btf);
	return find_slowly(dump, types, known, superblock, err);
}

static int fill_snapshot(struct snapshot *snapshot, const struct dump *dump,
			 const struct bdev_layout *layout,
			 const struct bdev_list *list)
{
	char release[128];

	if (!vmcoreinfo_page_size(dump->vmcoreinfo, &snapshot->page_size))
		snapshot->page_size = DEFAULT_PAGE_SIZE;
	if (vmcoreinfo_string(dump->vmcoreinfo, "OSRELEASE", release,
			      sizeof(release))) {
		snapshot->kernel = strdup(release);
		if (!snapshot->kernel)
			return -ENOMEM;
	}
	snapshot->lists_all_pages = true;
	return bdev_snapshot_fill_named(snapshot, list, &dump->kmem, layout);
}

static int walk(const struct dump *dump, struct measurement *measurement,
		struct error *err)
{
	struct snapshot *snapshot = &measurement->snapshot;
	struct bdev_list list = { 0 };
	struct page_tags_layout tags;
	struct bdev_root known;
	struct types types;
	uint64_t superblock;
	int ret = find_out(dump, &types, &known, &superblock, err);

	if (!ret)
		ret = bdev_walk(&dump->kmem, &known.layout, superblock, &list,
				err);
	if (!ret) {
		page_tags_layout_init(&tags, &types.btf, &list);
		page_tags_count(&dump->kmem, &known.layout, &tags, &list);
		ret = fill_snapshot(snapshot, dump, &known.layout, &list);
		if (ret < 0)
			error_errno(err, -ret, NULL, NULL);
	}
	if (!ret)
		meminfo_set(&measurement->meminfo, MEMINFO_BUFFERS,
			    list.pages * (snapshot->page_size / 1024));
	bdev_list_deinit(&list);
	btf_deinit(&types.btf);
	return ret;
}

void vmcore_measure(const char *path, struct measurement *measurement)
{
	struct error *why = &measurement->why;
	struct dump dump;
	int ret;

	*measurement = (struct measurement){ .snapshot.source = "vmcore" };
	ret = dump_open(&dump, path, why);
	if (!ret) {
		ret = walk(&dump, measurement, why);
		/* What libkdumpfile read before it was lost may be wrong. */
		if (dump.compressed.lost)
			ret = error_set(why, EBADMSG, "%s",
					dump.compressed.lost);
		if (ret < 0)
			error_within(why, ret, "reading a dump", path);
	}
	dump_close(&dump);
	measurement->collected = ret;
}
