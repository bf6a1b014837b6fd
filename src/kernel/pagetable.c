// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>

#include "kernel/pagetable.h"
#include "kernel/vmcoreinfo.h"
#include "lib/error.h"

/* Where the kernel's image is mapped: __START_KERNEL_map. */
#define KERNEL_MAP 0xffffffff80000000ULL

#define PRESENT 1U
#define LARGE (1U << 7)
#define ADDRESS_MASK 0x000ffffffffff000ULL

#define PAGE_SHIFT 12
#define LEVEL_SHIFT 9
#define ENTRIES (1U << LEVEL_SHIFT)

int pagetable_init(struct pagetable *table, const struct physmem *physical,
		   const char *vmcoreinfo, struct error *err)
{
	uint64_t directory, phys_base, encryption = 0, five_levels = 0;

	*table = (struct pagetable){ .physical = *physical };
	if (!vmcoreinfo_symbol(vmcoreinfo, "swapper_pg_dir", &directory) ||
	    !vmcoreinfo_number(vmcoreinfo, "phys_base", &phys_base) ||
	    directory < KERNEL_MAP)
		return error_set(
			err, ERROR_UNUSABLE,
			"its VMCOREINFO does not say where the page tables are "
			"as that of x86-64 does, and dumps of other processors "
			"cannot be read");
	vmcoreinfo_number(vmcoreinfo, "sme_mask", &encryption);
	vmcoreinfo_number(vmcoreinfo, "pgtable_l5_enabled", &five_levels);
	table->root = directory - KERNEL_MAP + phys_base;
	table->mask = ADDRESS_MASK & ~encryption;
	table->levels = five_levels == 1 ? 5 : 4;
	return 0;
}

/* Whether the unused upper bits copy the highest used one, as they must. */
static bool is_canonical(const struct pagetable *table, uint64_t address)
{
	unsigned int bits = PAGE_SHIFT + LEVEL_SHIFT * table->levels;
	int64_t high = (int64_t)address >> (bits - 1);

	return high == 0 || high == -1;
}

/* Finds the page of @address and keeps it in @table. */
static int walk(struct pagetable *table, uint64_t address)
{
	uint64_t place = table->root, entry, size;
	int ret;

	table->size = 0;
	if (!is_canonical(table, address))
		return -EFAULT;
	for (unsigned int level = table->levels; level; level--) {
		unsigned int shift = PAGE_SHIFT + LEVEL_SHIFT * (level - 1);
		uint64_t index = address >> shift & (ENTRIES - 1);

		ret = table->physical.read(table->physical.memory,
					   place + index * sizeof(entry),
					   &entry, sizeof(entry));
		if (ret < 0)
			return ret;
		if (!(entry & PRESENT))
			return -EFAULT;
		place = entry & table->mask;
		if (level > 1 && !(entry & LARGE))
			continue;
		if (level > 3)
			return -EFAULT;
		size = 1ULL << shift;
		table->page = address & ~(size - 1);
		table->place = place & ~(size - 1);
		table->size = size;
		return 0;
	}
	return -EFAULT;
}

int pagetable_read(void *memory, uint64_t address, void *buffer, size_t size)
{
	struct pagetable *table = memory;

	while (size) {
		uint64_t within = address - table->page;
		size_t piece;
		int ret = 0;

		if (address < table->page || within >= table->size) {
			ret = walk(table, address);
			within = address - table->page;
		}
		if (ret < 0)
			return ret;
		piece = size < table->size - within ?
				size :
				(size_t)(table->size - within);
		ret = table->physical.read(table->physical.memory,
					   table->place + within, buffer,
					   piece);
		if (ret < 0)
			return ret;
		if (__builtin_add_overflow(address, piece, &address) &&
		    size > piece)
			return -EFAULT;
		buffer = (char *)buffer + piece;
		size -= piece;
	}
	return 0;
}
