/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Some megabytes of which a few are needed: what is asked for is read, in
 * pieces of 4 KiB, and stays at its place.
 */
#ifndef BUFSTAT_LAZY_BYTES_H
#define BUFSTAT_LAZY_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Reads all @size bytes at @offset. Returns 0 or a negative errno. */
typedef int (*lazy_bytes_read)(void *from, uint64_t offset, void *buffer,
			       size_t size);

struct lazy_bytes {
	lazy_bytes_read read;
	void *from; /* not owned */
	unsigned char *data; /* @size bytes, of which some have been read */
	unsigned char *present; /* for each piece; NULL: all of them */
	size_t size;
	size_t ready; /* so many bytes from the first on have been read */
	int failed; /* the first negative errno, of reading or of memory */
};

/*
 * @size bytes of memory of which only what is touched is taken, page by page;
 * NULL if there is none. malloc(3) may give huge pages, and to fill one with
 * zeros costs more than all that is read here.
 */
void *lazy_bytes_reserve(size_t size);
void lazy_bytes_release(void *memory, size_t size);

/* Returns 0 or -ENOMEM. */
int lazy_bytes_init(struct lazy_bytes *bytes, lazy_bytes_read read, void *from,
		    size_t size);

/* @data is all there, stays the caller's and must outlive @bytes. */
void lazy_bytes_init_whole(struct lazy_bytes *bytes, const void *data,
			   size_t size);
void lazy_bytes_deinit(struct lazy_bytes *bytes);

/* For what has perhaps not been read yet. */
const unsigned char *lazy_bytes_fetch(struct lazy_bytes *bytes, uint64_t offset,
				      uint64_t size);

/*
 * The @size bytes at @offset, or NULL if they are not within its size or could
 * not be read, which @bytes->failed tells apart.
 */
static inline const unsigned char *lazy_bytes_at(struct lazy_bytes *bytes,
						 uint64_t offset, uint64_t size)
{
	if (offset <= bytes->ready && size <= bytes->ready - offset)
		return bytes->data + offset;
	return lazy_bytes_fetch(bytes, offset, size);
}

#endif
