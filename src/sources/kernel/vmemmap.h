/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a kernel has the struct pages of its page frames: an array (vmemmap). */
#ifndef BUFSTAT_VMEMMAP_H
#define BUFSTAT_VMEMMAP_H

#include <stdbool.h>
#include <stdint.h>

struct kernel;

/*
 * Sets *@base to the address of the struct page of frame 0, which need not
 * exist itself. A struct page has @page_struct bytes. The kernel of x86-64 has
 * a variable with it, and /proc/kcore has a segment for the struct pages of
 * each segment of RAM. Returns false if neither says it. The caller must check
 * what it finds there.
 */
bool vmemmap_find(struct kernel *kernel, uint32_t page_struct, uint64_t *base);

#endif
