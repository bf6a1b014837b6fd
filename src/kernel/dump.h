/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of a kernel in a dump: ELF, as kdump and QEMU write it, or any
 * format that libkdumpfile reads, which is loaded only then.
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
	const char *vmcoreinfo;
	struct pagetable table;
	struct kmem kmem; /* reads this dump, which must stay where it is */
};

/*
 * Opens the dump at @path. Returns 0, -EOPNOTSUPP for one that cannot be read
 * here (another processor, no VMCOREINFO, no library), -EBADMSG for one that is
 * damaged, or another negative errno; the caller closes @dump in either case.
 */
int dump_open(struct dump *dump, const char *path, struct error *err);
void dump_close(struct dump *dump);

#endif
