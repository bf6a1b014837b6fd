// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/elf_core.h"
#include "kernel/kernel.h"
#include "kernel/kmem.h"
#include "kernel/symbols.h"
#include "kernel/vmemmap.h"

/* What a segment of /proc/kcore has for a physical address if it has none. */
#define NO_ADDRESS UINT64_MAX
/*
 * A host has a segment per range of RAM, and a few others. With so many the
 * search takes no time that anybody sees.
 */
#define MOST_SEGMENTS 64

static bool find_variable(struct kernel *kernel, uint64_t *base)
{
	struct kallsyms_symbol symbol = { .name = "vmemmap_base" };

	kernel_symbols_find(kernel, &symbol, 1);
	return symbol.address &&
	       kmem_read_word(kernel->kmem, symbol.address, base) == 0 && *base;
}

/* The struct pages of a range of RAM, to the end of a page on both sides. */
struct structs {
	uint64_t begin; /* bytes after that of frame 0 */
	uint64_t size;
};

static bool structs_of(const struct elf_segment *ram,
		       const struct kernel *kernel, uint32_t page_struct,
		       struct structs *structs)
{
	const uint64_t page = kernel->page_size;
	uint64_t begin = ram->physical / page * page_struct;
	uint64_t end = (ram->physical + ram->size) / page * page_struct;

	if (ram->physical == NO_ADDRESS || end <= begin)
		return false;
	structs->begin = begin / page * page;
	structs->size = (end + page - 1) / page * page - structs->begin;
	return true;
}

static bool are_structs(const struct elf_segment *segment,
			const struct structs *structs)
{
	return segment->physical == NO_ADDRESS &&
	       segment->size == structs->size;
}

/* How many segments of RAM have their struct pages where @base puts them. */
static size_t count_fits(const struct kernel *kernel, uint32_t page_struct,
			 uint64_t base)
{
	const struct elf_core *core = &kernel->kcore.core;
	struct structs structs;
	size_t fits = 0;

	for (size_t i = 0; i < core->count; i++) {
		if (!structs_of(&core->segments[i], kernel, page_struct,
				&structs))
			continue;
		for (size_t j = 0; j < core->count; j++)
			fits += are_structs(&core->segments[j], &structs) &&
				core->segments[j].address ==
					base + structs.begin;
	}
	return fits;
}

/* Two ranges of RAM may be of one size, so what most of them say is taken. */
static bool find_segments(const struct kernel *kernel, uint32_t page_struct,
			  uint64_t *base)
{
	const struct elf_core *core = &kernel->kcore.core;
	struct structs structs;
	size_t most = 0;
	bool is_clear = false;

	if (!kernel->is_live || core->count > MOST_SEGMENTS)
		return false;
	for (size_t i = 0; i < core->count; i++) {
		if (!structs_of(&core->segments[i], kernel, page_struct,
				&structs))
			continue;
		for (size_t j = 0; j < core->count; j++) {
			uint64_t at = core->segments[j].address - structs.begin;
			size_t fits;

			if (!are_structs(&core->segments[j], &structs) ||
			    (most && at == *base))
				continue;
			fits = count_fits(kernel, page_struct, at);
			if (fits == most)
				is_clear = false;
			if (fits <= most)
				continue;
			*base = at;
			most = fits;
			is_clear = true;
		}
	}
	return is_clear;
}

bool vmemmap_find(struct kernel *kernel, uint32_t page_struct, uint64_t *base)
{
	return find_variable(kernel, base) ||
	       find_segments(kernel, page_struct, base);
}
