/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Read physical memory": what a dump is indexed by. */
#ifndef BUFSTAT_PHYSMEM_H
#define BUFSTAT_PHYSMEM_H

#include <stddef.h>
#include <stdint.h>

struct physmem {
	/*
	 * Reads @size bytes, all or none. Returns 0, -ENODATA where the dump
	 * has nothing, or another negative errno.
	 */
	int (*read)(void *memory, uint64_t address, void *buffer, size_t size);
	void *memory; /* the reader's own */
};

#endif
