/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Read kernel virtual memory", whoever has it: /proc/kcore, an ELF dump, a
 * compressed dump. All that looks into a kernel reads it through one of these.
 *
 * Memory is what the kernel left there: nothing in it is to be trusted.
 */
#ifndef BUFSTAT_KMEM_H
#define BUFSTAT_KMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kmem {
	/*
	 * Reads @size bytes at @address, all or none. Returns 0, -EFAULT where
	 * nothing is mapped, -ENODATA where a dump lacks what is mapped, or
	 * another negative errno.
	 */
	int (*read)(void *memory, uint64_t address, void *buffer, size_t size);
	void *memory; /* the reader's own; the kmem does not own it */
};

static inline int kmem_read(const struct kmem *kmem, uint64_t address,
			    void *buffer, size_t size)
{
	return kmem->read(kmem->memory, address, buffer, size);
}

/* A pointer or an unsigned long of the kernel, which has 64 bits. */
static inline int kmem_read_word(const struct kmem *kmem, uint64_t address,
				 uint64_t *word)
{
	return kmem_read(kmem, address, word, sizeof(*word));
}

/* What to say of a read that failed with @error, a negative errno. */
const char *kmem_strerror(int error);

/*
 * Reads from @address up to @size bytes, or up to the first page that cannot
 * be read. Returns how many there were.
 */
size_t kmem_read_some(const struct kmem *kmem, uint64_t address, void *buffer,
		      size_t size);

/*
 * Reads a string of less than @size bytes. Returns 0, -ENAMETOOLONG without
 * its end, or the errno of reading. @text ends with a NUL in each case.
 */
int kmem_read_string(const struct kmem *kmem, uint64_t address, char *text,
		     size_t size);

/* "Read physical memory": what a dump is indexed by. */
struct physmem {
	/*
	 * Reads @size bytes, all or none. Returns 0, -ENODATA where the dump
	 * has nothing, or another negative errno.
	 */
	int (*read)(void *memory, uint64_t address, void *buffer, size_t size);
	void *memory; /* the reader's own */
};

#endif
