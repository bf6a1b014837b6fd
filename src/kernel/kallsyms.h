/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own symbol table, in its memory (scripts/kallsyms.c): names as
 * sequences of tokens, and for each an offset of 32 bits.
 */
#ifndef BUFSTAT_KALLSYMS_H
#define BUFSTAT_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct kmem;

/* Where the parts are; how many symbols there are. */
struct kallsyms {
	uint64_t names;
	uint64_t token_table;
	uint64_t token_index;
	uint64_t offsets;
	uint64_t relative_base; /* its value; 0: there is none (Linux 7.2) */
	uint32_t count;
};

struct kallsyms_symbol {
	const char *name;
	uint64_t address; /* 0: there is no such symbol */
};

/*
 * From VMCOREINFO, and where that does not say, by a search of the kernel's
 * image, which begins with _stext, at @stext. Returns as the two below do.
 */
int kallsyms_find(const char *text, const struct kmem *kmem, uint64_t stext,
		  struct kallsyms *kallsyms);

/*
 * From what VMCOREINFO says (Linux 6.0). Returns 0, -ENOENT where it does not,
 * or the errno of reading.
 */
int kallsyms_from_vmcoreinfo(const char *text, const struct kmem *kmem,
			     struct kallsyms *kallsyms);

/*
 * Searches a kernel that does not say for its tables, in @size bytes from
 * @stext on. For the order in which they lie up to Linux 5.19. Returns 0,
 * -ENOENT or -ENOMEM.
 */
int kallsyms_search(const struct kmem *kmem, uint64_t stext, uint64_t size,
		    struct kallsyms *kallsyms);

/*
 * Looks @symbols up. What the offsets are relative to has changed; @stext, the
 * address of _stext, tells which it is, and that the tables are what they are
 * taken for. Returns 0, -EBADMSG with what is wrong with them, or the errno of
 * reading.
 */
int kallsyms_lookup(const struct kallsyms *kallsyms, const struct kmem *kmem,
		    uint64_t stext, struct kallsyms_symbol *symbols,
		    size_t count, struct error *err);

/*
 * /proc/kallsyms: the same symbols as text. Slower, because the kernel writes
 * it 4 KiB at a time and the wanted lines may come last; for kernels that do
 * not say where the tables are.
 */

/*
 * Looks @symbols up, until the first of them is found; put the best first.
 * Symbols of modules are not taken. Returns 0, -EPERM if the addresses are
 * hidden (sysctl kernel.kptr_restrict), or the errno of reading.
 */
int kallsyms_text_lookup(int fd, struct kallsyms_symbol *symbols, size_t count,
			 struct error *err);

#endif
