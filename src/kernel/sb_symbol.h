/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blockdev_superblock where the symbol table has functions only
 * (CONFIG_KALLSYMS_ALL=n): nr_blockdev_pages(), which is what /proc/meminfo
 * calls for Buffers, begins by loading it.
 */
#ifndef BUFSTAT_SB_SYMBOL_H
#define BUFSTAT_SB_SYMBOL_H

#include <stddef.h>
#include <stdint.h>

/*
 * The addresses that the first @size bytes of a function load a pointer from,
 * x86-64: "mov disp32(%rip), %r64". Bytes are tried at every place, so there
 * may be some that are not really loaded from: each is to be checked. Returns
 * how many there are, at most @room, in the order of the text, each once.
 */
size_t sb_symbol_candidates(const unsigned char *text, size_t size,
			    uint64_t address, uint64_t *candidates,
			    size_t room);

#endif
