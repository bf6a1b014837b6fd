// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/whole.h"

int write_both(int fd, const void *head, size_t head_size, const void *data,
	       size_t size)
{
	/* The casts are safe: it is only written. */
	struct iovec parts[] = { { (void *)head, head_size },
				 { (void *)data, size } };

	while (parts[0].iov_len + parts[1].iov_len) {
		ssize_t length = writev(fd, parts, 2);

		if (length < 0 && errno == EINTR)
			continue;
		if (length <= 0)
			return length ? -errno : -EIO;
		for (int i = 0; i < 2; i++) {
			size_t done = (size_t)length < parts[i].iov_len ?
					      (size_t)length :
					      parts[i].iov_len;

			parts[i].iov_base = (char *)parts[i].iov_base + done;
			parts[i].iov_len -= done;
			length -= (ssize_t)done;
		}
	}
	return 0;
}

int write_whole(int fd, const void *data, size_t size)
{
	return write_both(fd, data, size, "", 0);
}

long pread_whole(int fd, void *data, size_t size, uint64_t offset)
{
	char *at = data;

	while (size) {
		ssize_t length = pread(fd, at, size, (off_t)offset);

		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return -errno;
		if (!length)
			break;
		at += length;
		size -= (size_t)length;
		offset += (uint64_t)length;
	}
	return at - (char *)data;
}

int read_whole(int fd, size_t piece, size_t limit, char **data, size_t *size)
{
	_cleanup_(freep) char *buffer = NULL;
	size_t capacity = 0, used = 0;
	ssize_t got;

	do {
		if (used + 1 >= capacity) {
			size_t larger = capacity ? capacity * 2 : piece;
			char *moved = realloc(buffer, larger);

			if (!moved)
				return -ENOMEM;
			buffer = moved;
			capacity = larger;
		}
		got = read(fd, buffer + used, capacity - used - 1);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0)
			used += (size_t)got;
		if (used > limit)
			return -EFBIG;
	} while (got);

	buffer[used] = '\0';
	*data = steal_ptr(buffer);
	*size = used;
	return 0;
}
