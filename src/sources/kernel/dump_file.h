/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of a dump. It may be ELF, as kdump and QEMU write it, or any other
 * format that libkdumpfile reads. All of this may wait for the file's disk; see
 * dump.h.
 */
#ifndef BUFSTAT_DUMP_FILE_H
#define BUFSTAT_DUMP_FILE_H

#include "kernel/elf_core.h"
#include "kernel/kdumpfile.h"
#include "kernel/kmem.h"

struct error;

struct dump_file {
	int fd;
	struct elf_core core; /* of an ELF dump */
	struct kdumpfile compressed; /* of any other */
	struct physmem physical; /* reads this struct, which must not move */
	const char *vmcoreinfo; /* owned by core or compressed */
};

/*
 * Opens the dump at @path. Returns 0, -EOPNOTSUPP if it cannot be read here
 * (another processor, flattened, no VMCOREINFO, no library), -EBADMSG if it is
 * damaged, or another negative errno. The caller closes @file in any case.
 */
int dump_file_open(struct dump_file *file, const char *path, struct error *err);
void dump_file_close(struct dump_file *file);

#endif
