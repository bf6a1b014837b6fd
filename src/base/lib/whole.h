/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads and writes that go on until all is done, whatever interrupts them. */
#ifndef BUFSTAT_WHOLE_H
#define BUFSTAT_WHOLE_H

#include <stddef.h>
#include <stdint.h>

/* Writes @size bytes. Returns 0 or a negative errno; -EIO: it takes no more. */
int write_whole(int fd, const void *data, size_t size);

/*
 * The same for @head_size bytes and then @size bytes. In one system call, so
 * that a reader who waits wakes up once, unless the descriptor takes less.
 */
int write_both(int fd, const void *head, size_t head_size, const void *data,
	       size_t size);

/*
 * Reads @size bytes from @offset on, or less at the end of the file. Returns
 * how many, or a negative errno.
 */
long pread_whole(int fd, void *data, size_t size, uint64_t offset);

/*
 * Reads what is left, at most @limit bytes, with room for @piece bytes at first.
 * Returns 0, or a negative errno: -EFBIG if there is more. The caller
 * frees *@data, which has a NUL after *@size bytes.
 */
int read_whole(int fd, size_t piece, size_t limit, char **data, size_t *size);

#endif
