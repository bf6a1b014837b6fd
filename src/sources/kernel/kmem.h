/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Read kernel virtual memory", from /proc/kcore, an ELF dump or a compressed
 * dump. All code that looks into a kernel reads through one of these.
 *
 * Memory holds whatever the kernel left there: trust nothing in it.
 */
#ifndef BUFSTAT_KMEM_H
#define BUFSTAT_KMEM_H

#include <stddef.h>
#include <stdint.h>

struct kmem {
	/*
	 * Reads @size bytes at @address, all or none. Returns 0, -EFAULT if
	 * nothing is mapped there, -ENODATA if a dump lacks a page that is
	 * mapped, -ETIMEDOUT once the user's time is over (patience.h), or
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

/* Reads a pointer or an unsigned long, which have 64 bits. */
static inline int kmem_read_word(const struct kmem *kmem, uint64_t address,
				 uint64_t *word)
{
	return kmem_read(kmem, address, word, sizeof(*word));
}

/* Returns the text for a read that failed with @error, a negative errno. */
const char *kmem_strerror(int error);

/*
 * Reads up to @size bytes at @address, and stops before the first page that
 * cannot be read. Returns how many bytes it read.
 */
size_t kmem_read_some(const struct kmem *kmem, uint64_t address, void *buffer,
		      size_t size);

/*
 * Reads a string into the @size bytes of @text. Returns 0, -ENAMETOOLONG if it
 * was cut to fit, or the errno of reading. @text ends with a NUL in any case.
 */
int kmem_read_string(const struct kmem *kmem, uint64_t address, char *text,
		     size_t size);

/* "Read physical memory": a dump is indexed by physical addresses. */
struct physmem {
	/*
	 * Reads @size bytes, all or none. Returns 0, -ENODATA if the dump lacks
	 * them, or another negative errno.
	 */
	int (*read)(void *memory, uint64_t address, void *buffer, size_t size);
	void *memory; /* the reader's own */
};

#endif
