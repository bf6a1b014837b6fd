/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks up symbols in the kernel's own symbol table, in its memory
 * (scripts/kallsyms.c). The table has each name as a sequence of tokens, and
 * each address as an offset of 32 bits.
 */
#ifndef BUFSTAT_KALLSYMS_H
#define BUFSTAT_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct kmem;

/* The addresses of the table's parts, and the number of symbols. */
struct kallsyms {
	uint64_t names;
	uint64_t token_table;
	uint64_t token_index;
	uint64_t offsets;
	uint64_t relative_base; /* its value, or 0 without one (Linux 7.2) */
	uint32_t count;
};

struct kallsyms_symbol {
	const char *name;
	uint64_t address; /* 0: not found */
};

/*
 * Finds the parts from VMCOREINFO in @text. If it does not have them, searches
 * the kernel's image, which begins at @stext, the address of _stext. Returns
 * what the two functions below return.
 */
int kallsyms_find(const char *text, const struct kmem *kmem, uint64_t stext,
		  struct kallsyms *kallsyms);

/*
 * Finds the parts from VMCOREINFO in @text, which has them since Linux 6.0.
 * Returns 0, -ENOENT if it does not have them, or the errno of reading.
 */
int kallsyms_from_vmcoreinfo(const char *text, const struct kmem *kmem,
			     struct kallsyms *kallsyms);

/*
 * Searches @size bytes from @stext on, for a kernel whose VMCOREINFO does not
 * have the parts. Expects them in their order up to Linux 5.19. Returns 0,
 * -ENOENT or -ENOMEM.
 */
int kallsyms_search(const struct kmem *kmem, uint64_t stext, uint64_t size,
		    struct kallsyms *kallsyms);

/*
 * Looks up @symbols. Kernels differ in what the offsets are relative to. The
 * address of _stext, @stext, tells what it is, and proves that the tables are
 * the right ones. Returns 0, -EBADMSG with what is wrong with the tables,
 * -ENOMEM, or the errno of reading.
 */
int kallsyms_lookup(const struct kallsyms *kallsyms, const struct kmem *kmem,
		    uint64_t stext, struct kallsyms_symbol *symbols,
		    size_t count, struct error *err);

/*
 * /proc/kallsyms has the same symbols as text. It is slower, because the kernel
 * writes it 4 KiB at a time and the wanted lines may come last. It is for
 * kernels that do not say where the tables are.
 */

/*
 * Looks up @symbols in @fd, and stops once it has found the first of them, so
 * put the best first. Ignores the symbols of modules. Returns 0, -EPERM if the
 * addresses are hidden (sysctl kernel.kptr_restrict), -EBADMSG for an endless
 * line, or the errno of reading.
 */
int kallsyms_text_lookup(int fd, struct kallsyms_symbol *symbols, size_t count,
			 struct error *err);

#endif
