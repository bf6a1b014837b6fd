/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the virtual memory of a dumped kernel of x86-64 or arm64. It walks the
 * page tables in physical memory (Documentation/arch/x86/x86_64/mm.rst,
 * Documentation/arch/arm64/memory.rst).
 */
#ifndef BUFSTAT_PAGETABLE_H
#define BUFSTAT_PAGETABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/kmem.h"

struct error;

struct pagetable;

/* How a processor writes its page tables. */
struct pagetable_format {
	/*
	 * Reads an entry at @level, which is 1 if the entry is a page's. Sets
	 * *@place to the physical address that it leads to, and *@is_page if
	 * that is memory and not the next table. Returns false if nothing is
	 * mapped there.
	 */
	bool (*read_entry)(const struct pagetable *table, unsigned int level,
			   uint64_t entry, uint64_t *place, bool *is_page);
	/* Whether @address can be one of the kernel's or, on x86-64, any. */
	bool (*is_canonical)(const struct pagetable *table, uint64_t address);
};

struct pagetable {
	struct physmem physical;
	const struct pagetable_format *format;
	unsigned int machine; /* EM_X86_64 or EM_AARCH64 */
	uint64_t root; /* physical address of the highest table */
	uint64_t mask; /* the bits of an entry that are an address */
	unsigned int page_shift; /* bits of an address within a page */
	unsigned int table_shift; /* bits that a table's index has */
	unsigned int root_shift; /* bits that the highest table's index has */
	unsigned int address_bits; /* the others are all equal */
	unsigned int levels;
	/* The last page that was found. */
	uint64_t page; /* its virtual address */
	uint64_t place; /* its physical address */
	uint64_t size; /* bytes; 0: none */
};

/*
 * Finds the page tables by swapper_pg_dir in VMCOREINFO, which also tells the
 * processor: phys_base is x86-64's, kimage_voffset arm64's (4.12). Returns
 * 0, or -EOPNOTSUPP if VMCOREINFO does not say where they are.
 */
int pagetable_init(struct pagetable *table, const struct physmem *physical,
		   const char *vmcoreinfo, struct error *err);

/* A kmem->read; @memory is a struct pagetable. */
int pagetable_read(void *memory, uint64_t address, void *buffer, size_t size);

#endif
