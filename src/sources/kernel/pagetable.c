// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <errno.h>

#include "kernel/pagetable.h"
#include "kernel/vmcoreinfo.h"
#include "lib/error.h"

#define ENTRY_SHIFT 3

/* No kernel maps itself with more than 1 GiB in an entry. */
#define LARGEST_SHIFT 30

static uint64_t low_bits(unsigned int count)
{
	return (1ULL << count) - 1;
}

/* Bits of an address below the index into a table at @level. */
static unsigned int shift_of(const struct pagetable *table, unsigned int level)
{
	return table->page_shift + table->table_shift * (level - 1);
}

#define X86_PRESENT 1U
#define X86_LARGE (1U << 7)
#define X86_ADDRESS 0x000ffffffffff000ULL

/* Where the kernel's image is mapped: __START_KERNEL_map. */
#define X86_KERNEL_MAP 0xffffffff80000000ULL

static bool read_x86(const struct pagetable *table, unsigned int level,
		     uint64_t entry, uint64_t *place, bool *is_page)
{
	*place = entry & table->mask;
	*is_page = level == 1 || entry & X86_LARGE;
	return entry & X86_PRESENT;
}

/* Whether the unused upper bits copy the highest used one, as they must. */
static bool is_canonical_x86(const struct pagetable *table, uint64_t address)
{
	int64_t high = (int64_t)address >> (table->address_bits - 1);

	return high == 0 || high == -1;
}

static const struct pagetable_format x86_format = { read_x86,
						    is_canonical_x86 };

static int init_x86(struct pagetable *table, const char *vmcoreinfo)
{
	uint64_t directory, phys_base, encryption = 0, five_levels = 0;

	if (!vmcoreinfo_symbol(vmcoreinfo, "swapper_pg_dir", &directory) ||
	    !vmcoreinfo_number(vmcoreinfo, "phys_base", &phys_base) ||
	    directory < X86_KERNEL_MAP)
		return -ENOENT;
	vmcoreinfo_number(vmcoreinfo, "sme_mask", &encryption);
	vmcoreinfo_number(vmcoreinfo, "pgtable_l5_enabled", &five_levels);
	table->format = &x86_format;
	table->machine = EM_X86_64;
	table->root = directory - X86_KERNEL_MAP + phys_base;
	table->mask = X86_ADDRESS & ~encryption;
	table->page_shift = 12;
	table->table_shift = table->root_shift = 9;
	table->levels = five_levels == 1 ? 5 : 4;
	table->address_bits = 12 + 9 * table->levels;
	return 0;
}

#define ARM_VALID 1U
#define ARM_TABLE 2U /* or a page, in the last table; else a block */

/*
 * Arm's manual, D8.3: bits 47 and below of an address are in place. With 64 KiB
 * pages bits 51 to 48 are in 15 to 12, which are zero without FEAT_LPA. With
 * smaller pages and FEAT_LPA2 bits 51 and 50 are in 9 and 8; Linux uses that
 * only for addresses of 52 bits.
 */
static bool read_arm(const struct pagetable *table, unsigned int level,
		     uint64_t entry, uint64_t *place, bool *is_page)
{
	*place = entry & table->mask;
	if (table->page_shift == 16)
		*place |= (entry & 0xf000) << 36;
	else if (table->address_bits > 48)
		*place |= (entry & 0x300) << 42;
	*is_page = level == 1 || !(entry & ARM_TABLE);
	return entry & ARM_VALID && (level > 1 || entry & ARM_TABLE);
}

/* These tables have only the kernel's half of all addresses. */
static bool is_canonical_arm(const struct pagetable *table, uint64_t address)
{
	return (int64_t)address >> table->address_bits == -1;
}

static const struct pagetable_format arm_format = { read_arm,
						    is_canonical_arm };

/* Sets *@shift if the kernel's pages are as large as arm64's can be. */
static bool arm_page_shift(const char *vmcoreinfo, unsigned int *shift)
{
	uint64_t bytes;

	if (!vmcoreinfo_page_size(vmcoreinfo, &bytes))
		return false;
	*shift = (unsigned int)__builtin_ctzll(bytes);
	return *shift == 12 || *shift == 14 || *shift == 16;
}

/*
 * A kernel built for addresses of VA_BITS may use fewer, as TCR_EL1_T1SZ says
 * (Linux 5.9), if the processor has no more. With 4 and 16 KiB pages its tables
 * then have fewer levels. With 64 KiB the highest table is as long as for
 * VA_BITS.
 */
static int init_arm(struct pagetable *table, const char *vmcoreinfo)
{
	uint64_t directory, offset, built_bits, unused_bits;
	unsigned int bits, above;

	if (!vmcoreinfo_symbol(vmcoreinfo, "swapper_pg_dir", &directory) ||
	    !vmcoreinfo_number(vmcoreinfo, "kimage_voffset", &offset) ||
	    !vmcoreinfo_number(vmcoreinfo, "VA_BITS", &built_bits) ||
	    built_bits < 36 || built_bits > 52 ||
	    !arm_page_shift(vmcoreinfo, &table->page_shift))
		return -ENOENT;
	bits = (unsigned int)built_bits;
	if (vmcoreinfo_number(vmcoreinfo, "TCR_EL1_T1SZ", &unused_bits)) {
		if (unused_bits < 64 - built_bits || unused_bits > 64 - 36)
			return -ENOENT;
		bits = 64 - (unsigned int)unused_bits;
	}
	table->format = &arm_format;
	table->machine = EM_AARCH64;
	table->root = directory - offset;
	table->table_shift = table->page_shift - ENTRY_SHIFT;
	table->levels = (bits - table->page_shift + table->table_shift - 1) /
			table->table_shift;
	above = (unsigned int)built_bits - shift_of(table, table->levels);
	table->root_shift = above < table->table_shift ? above :
							 table->table_shift;
	table->address_bits = bits;
	table->mask = low_bits(bits > 48 && table->page_shift < 16 ? 50 : 48) &
		      ~low_bits(table->page_shift);
	return 0;
}

int pagetable_init(struct pagetable *table, const struct physmem *physical,
		   const char *vmcoreinfo, struct error *err)
{
	*table = (struct pagetable){ .physical = *physical };
	if (init_x86(table, vmcoreinfo) == 0 ||
	    init_arm(table, vmcoreinfo) == 0)
		return 0;
	return error_set(
		err, ERROR_UNUSABLE,
		"its VMCOREINFO does not say where the page tables are as that "
		"of x86-64 or arm64 does, and dumps of other processors cannot "
		"be read");
}

/* Finds the page of @address and keeps it in @table. */
static int walk(struct pagetable *table, uint64_t address)
{
	uint64_t place = table->root, entry;
	bool is_page;
	int ret;

	table->size = 0;
	if (!table->format->is_canonical(table, address))
		return -EFAULT;
	for (unsigned int level = table->levels; level; level--) {
		unsigned int shift = shift_of(table, level);
		unsigned int bits = level == table->levels ? table->root_shift :
							     table->table_shift;
		uint64_t index = address >> shift & low_bits(bits);

		ret = table->physical.read(table->physical.memory,
					   place + index * sizeof(entry),
					   &entry, sizeof(entry));
		if (ret < 0)
			return ret;
		if (!table->format->read_entry(table, level, entry, &place,
					       &is_page))
			return -EFAULT;
		if (!is_page)
			continue;
		if (shift > LARGEST_SHIFT)
			return -EFAULT;
		table->page = address & ~low_bits(shift);
		table->place = place & ~low_bits(shift);
		table->size = 1ULL << shift;
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
