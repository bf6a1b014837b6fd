/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds what the kernel exports to its modules (include/linux/export.h). The
 * tables of these addresses and names are in the kernel's read-only data, and
 * are a hundredth of the size of kallsyms. Since Linux 5.4 an entry has three
 * offsets of 32 bits: to the value, the name and the namespace. Each is
 * relative to its own address. There are two tables, one after the other; Linux
 * 7.3 has only one. The names come after the tables, and BTF after the names.
 *
 * The kernel does not say where the tables are, so these functions look for
 * entries at regular distances. No result is certain: the caller must check
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
	uint64_t address; /* where @data begins, a bit before the tables */
	unsigned char *data; /* read so far, from @address on */
	size_t size; /* bytes read so far */
};

/*
 * Looks for the tables: first after kallsyms, if @vmcoreinfo says where that
 * is, then from the kernel's start on. @kmem must outlive @exports. Returns 0,
 * -ENOENT or -ENOMEM. The caller deinits @exports in any case.
 */
int exports_init(struct exports *exports, const struct kmem *kmem,
		 const char *vmcoreinfo);
void exports_deinit(struct exports *exports);

/* Sets *@value to the address exported as @name. False if it is not found. */
bool exports_find(struct exports *exports, const char *name, uint64_t *value);

/* Finds BTF by its header and sets *@address. False if it is not found. */
bool exports_find_btf(struct exports *exports, uint64_t *address);

#endif
