/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Some megabytes of data of which only a few parts are needed. Only what is
 * asked for is read, in pieces of 4 KiB. It stays where it is until the deinit.
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
	unsigned char *data; /* @size bytes, some of which have been read */
	unsigned char *present; /* for each piece: was it read? NULL: all */
	size_t size;
	size_t ready; /* bytes read from the start, without a gap */
	int failed; /* the first negative errno of @read, or 0 */
};

/*
 * Returns @size bytes of zeros, or NULL; lazy_bytes_release() frees them. Only
 * pages that are touched take memory. malloc(3) may give huge pages, and
 * filling one with zeros costs more than all that is read here.
 */
void *lazy_bytes_reserve(size_t size);
void lazy_bytes_release(void *memory, size_t size);

/* @read gets @from, which must outlive @bytes. Returns 0 or -ENOMEM. */
int lazy_bytes_init(struct lazy_bytes *bytes, lazy_bytes_read read, void *from,
		    size_t size);

/* For @data that is all there. The caller owns it; it must outlive @bytes. */
void lazy_bytes_init_whole(struct lazy_bytes *bytes, const void *data,
			   size_t size);
void lazy_bytes_deinit(struct lazy_bytes *bytes);

/* The slow path of lazy_bytes_at(), for bytes that may not be read yet. */
const unsigned char *lazy_bytes_fetch(struct lazy_bytes *bytes, uint64_t offset,
				      uint64_t size);

/*
 * Returns the @size bytes at @offset. Returns NULL if they are out of range or,
 * with @bytes->failed set, if reading failed.
 */
static inline const unsigned char *lazy_bytes_at(struct lazy_bytes *bytes,
						 uint64_t offset, uint64_t size)
{
	if (offset <= bytes->ready && size <= bytes->ready - offset)
		return bytes->data + offset;
	return lazy_bytes_fetch(bytes, offset, size);
}

#endif
