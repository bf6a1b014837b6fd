/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the variables that a function of the kernel reads, in its machine code.
 * With CONFIG_KALLSYMS_ALL=n the symbol table has only functions, and so no
 * blockdev_superblock. But nr_blockdev_pages(), which /proc/meminfo calls for
 * Buffers, begins by loading it.
 */
#ifndef BUFSTAT_POINTER_LOADS_H
#define BUFSTAT_POINTER_LOADS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Finds the addresses from which code loads 64 bits: "mov disp32(%rip), %r64"
 * of x86-64; "adrp", perhaps "add", and "ldr" of arm64. @text has the first
 * @size bytes of a function for @machine (EM_X86_64, ...), which is at
 * @address. This does not decode every instruction, so some results may be
 * false, and the caller must check each. Returns how many @addresses it set, at
 * most @room, in the order of the text and each once; 0 for other machines.
 */
size_t pointer_loads_find(unsigned int machine, const unsigned char *text,
			  size_t size, uint64_t address, uint64_t *addresses,
			  size_t room);

#endif
