/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel exports to its modules (include/linux/export.h): a table of
 * addresses and names, a hundredth of the size of kallsyms, in the kernel's
 * read-only data. Since Linux 5.4 an entry is three offsets of 32 bits, each
 * relative to its own place: to the value, the name and the namespace; in two
 * tables one after the other, in one on Linux 7.3. The names come after the
 * tables, and after them BTF.
 *
 * Nobody says where the tables are. Entries are looked for at a place every so
 * many bytes, and nothing here is certain: what is found is to be checked by
 * where it leads.
 */
#ifndef BUFSTAT_EXPORTS_H
#define BUFSTAT_EXPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kmem;

struct exports {
	const struct kmem *kmem;
	uint64_t address; /* a bit before the tables */
	unsigned char *data; /* what has been read from there on */
	size_t size; /* of that, bytes */
};

/*
 * Looks for the tables: after kallsyms, if @vmcoreinfo says where that is, or
 * from the kernel's start on. Returns 0, -ENOENT or -ENOMEM; deinit in either
 * case.
 */
int exports_init(struct exports *exports, const struct kmem *kmem,
		 const char *vmcoreinfo);
void exports_deinit(struct exports *exports);

/* The address of what is exported as @name. False if it is not found. */
bool exports_find(struct exports *exports, const char *name, uint64_t *value);

/* The address of BTF, by its header. False if it is not found. */
bool exports_find_btf(struct exports *exports, uint64_t *address);

#endif
