/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the virtual memory of a dumped x86-64 kernel. It walks the page tables
 * in physical memory (Documentation/arch/x86/x86_64/mm.rst).
 */
#ifndef BUFSTAT_PAGETABLE_H
#define BUFSTAT_PAGETABLE_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/kmem.h"

struct error;

struct pagetable {
	struct physmem physical;
	uint64_t root; /* physical address of the highest table */
	uint64_t mask; /* the bits of an entry that are an address */
	unsigned int levels; /* 4 or 5 */
	/* The last page that was found. */
	uint64_t page; /* its virtual address */
	uint64_t place; /* its physical address */
	uint64_t size; /* bytes; 0: none */
};

/*
 * Finds the page tables by swapper_pg_dir in VMCOREINFO. Returns 0, or
 * -EOPNOTSUPP if VMCOREINFO does not say where they are.
 */
int pagetable_init(struct pagetable *table, const struct physmem *physical,
		   const char *vmcoreinfo, struct error *err);

/* A kmem->read; @memory is a struct pagetable. */
int pagetable_read(void *memory, uint64_t address, void *buffer, size_t size);

#endif
