/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF core file that holds a kernel's memory: /proc/kcore, or a dump from
 * kdump or QEMU. These functions find out where in the file the memory is.
 */
#ifndef BUFSTAT_ELF_CORE_H
#define BUFSTAT_ELF_CORE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/* e_ident[EI_DATA] of this machine's kernels. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ELF_OWN_BYTE_ORDER ELFDATA2LSB
#else
#define ELF_OWN_BYTE_ORDER ELFDATA2MSB
#endif

struct elf_segment {
	uint64_t address; /* virtual; QEMU writes 0 */
	uint64_t physical;
	uint64_t offset; /* in the file */
	uint64_t size; /* bytes in the file */
};

struct elf_core {
	int fd; /* not owned */
	unsigned int machine; /* EM_X86_64, ... */
	struct elf_segment *segments;
	size_t count;
	size_t last; /* the segment found last, which is tried first */
	char *vmcoreinfo; /* NUL-terminated, or NULL */
};

/*
 * Reads the headers and notes of @fd, which must stay open as long as @core is
 * used. Returns 0, -EBADMSG if it is not such a file, or another negative
 * errno. The caller deinits @core in any case.
 */
int elf_core_init(struct elf_core *core, int fd, struct error *err);
void elf_core_deinit(struct elf_core *core);

/*
 * Sets *@offset to where in the file the @size bytes at @address are. The
 * address is physical or virtual. Returns false if no segment holds all of the
 * bytes.
 */
bool elf_core_find(struct elf_core *core, bool physical, uint64_t address,
		   size_t size, uint64_t *offset);

/*
 * Reads all @size bytes, as pread(2) does. Returns 0, -EFAULT past the end of
 * the file, or another negative errno.
 */
int elf_core_pread(int fd, void *buffer, size_t size, uint64_t offset);

#endif
