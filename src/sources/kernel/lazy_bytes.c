// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "kernel/lazy_bytes.h"

/* Bytes: as many as one read of a file in /sys returns. */
#define PIECE 4096U

void *lazy_bytes_reserve(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	/* This fails on a kernel without huge pages, which does not matter. */
	madvise(memory, size, MADV_NOHUGEPAGE);
	return memory;
}

void lazy_bytes_release(void *memory, size_t size)
{
	if (memory)
		munmap(memory, size);
}

int lazy_bytes_init(struct lazy_bytes *bytes, lazy_bytes_read read, void *from,
		    size_t size)
{
	*bytes =
		(struct lazy_bytes){ .read = read, .from = from, .size = size };
	bytes->data = lazy_bytes_reserve(size);
	bytes->present = calloc(size / PIECE + 1, 1);
	if (bytes->data && bytes->present)
		return 0;
	lazy_bytes_release(bytes->data, size);
	free(bytes->present);
	*bytes = (struct lazy_bytes){ 0 };
	return -ENOMEM;
}

void lazy_bytes_init_whole(struct lazy_bytes *bytes, const void *data,
			   size_t size)
{
	/* The cast is safe: @data is never written to without @read. */
	*bytes = (struct lazy_bytes){ .data = (unsigned char *)data,
				      .size = size,
				      .ready = size };
}

void lazy_bytes_deinit(struct lazy_bytes *bytes)
{
	if (bytes->present) {
		lazy_bytes_release(bytes->data, bytes->size);
		free(bytes->present);
	}
	*bytes = (struct lazy_bytes){ 0 };
}

static bool read_piece(struct lazy_bytes *bytes, size_t piece)
{
	size_t offset = piece * PIECE, left = bytes->size - offset;
	int ret;

	if (bytes->present[piece])
		return true;
	ret = bytes->read(bytes->from, offset, bytes->data + offset,
			  left < PIECE ? left : PIECE);
	if (ret < 0) {
		bytes->failed = ret;
		return false;
	}
	bytes->present[piece] = 1;
	while (bytes->ready < bytes->size &&
	       bytes->present[bytes->ready / PIECE])
		bytes->ready = bytes->size - bytes->ready < PIECE ?
				       bytes->size :
				       bytes->ready + PIECE;
	return true;
}

const unsigned char *lazy_bytes_fetch(struct lazy_bytes *bytes, uint64_t offset,
				      uint64_t size)
{
	if (offset > bytes->size || size > bytes->size - offset ||
	    bytes->failed)
		return NULL;
	for (uint64_t i = offset / PIECE; i * PIECE < offset + size; i++) {
		if (!read_piece(bytes, (size_t)i))
			return NULL;
	}
	return bytes->data + offset;
}
