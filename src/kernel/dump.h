/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a kernel's memory from a dump. It may be ELF, as kdump and QEMU write
 * it, or any other format that libkdumpfile reads. The library is loaded only
 * for the others.
 */
#ifndef BUFSTAT_DUMP_H
#define BUFSTAT_DUMP_H

#include "kernel/elf_core.h"
#include "kernel/kdumpfile.h"
#include "kernel/kmem.h"
#include "kernel/pagetable.h"

struct error;

struct dump {
	int fd;
	struct elf_core core; /* of an ELF dump */
	struct kdumpfile compressed; /* of any other */
	struct physmem physical; /* reads one of the two */
	const char *vmcoreinfo; /* owned by core or compressed */
	struct pagetable table;
	struct kmem kmem; /* reads this struct, which must not move */
};

/*
 * Opens the dump at @path. Returns 0, -EOPNOTSUPP if it cannot be read here
 * (another processor, flattened, no VMCOREINFO, no library), -EBADMSG if it is
 * damaged, or another negative errno. The caller closes @dump in any case.
 */
int dump_open(struct dump *dump, const char *path, struct error *err);
void dump_close(struct dump *dump);

#endif
