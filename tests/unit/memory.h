/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A piece of kernel memory made by a test or a fuzzer. */
#ifndef BUFSTAT_TESTS_MEMORY_H
#define BUFSTAT_TESTS_MEMORY_H

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "kernel/kmem.h"

struct memory {
	uint64_t base;
	unsigned char *data;
	size_t size;
};

/* For kmem->read and physmem->read. Pads the last page with zeros. */
static inline int memory_read(void *data, uint64_t address, void *buffer,
			      size_t size)
{
	const struct memory *memory = data;
	uint64_t within = address - memory->base;
	uint64_t pages = (memory->size + 4095) / 4096 * 4096;
	size_t there = 0;

	if (address < memory->base || within > pages || size > pages - within)
		return -EFAULT;
	if (within < memory->size)
		there = (size_t)(memory->size - within);
	if (there > size)
		there = size;
	memcpy(buffer, memory->data + within, there);
	memset((char *)buffer + there, 0, size - there);
	return 0;
}

static inline struct kmem memory_kmem(struct memory *memory)
{
	return (struct kmem){ memory_read, memory };
}

static inline void memory_put(struct memory *memory, uint64_t address,
			      const void *data, size_t size)
{
	memcpy(memory->data + (address - memory->base), data, size);
}

static inline void memory_put_word(struct memory *memory, uint64_t address,
				   uint64_t word)
{
	memory_put(memory, address, &word, sizeof(word));
}

static inline void memory_put_half(struct memory *memory, uint64_t address,
				   uint32_t half)
{
	memory_put(memory, address, &half, sizeof(half));
}

#endif
