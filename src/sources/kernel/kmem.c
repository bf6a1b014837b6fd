// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "kernel/kmem.h"
#include "worker/patience.h"

/* Bytes: the smallest page of any kernel. All of a page is there, or none. */
#define PAGE 4096U

static size_t to_page_end(uint64_t address, size_t size)
{
	size_t left = PAGE - (size_t)(address % PAGE);

	return left < size ? left : size;
}

const char *kmem_strerror(int error)
{
	if (error == -ENODATA)
		return "a page that is needed is not in the dump (it is cut "
		       "off, or made by a makedumpfile that does not know "
		       "this kernel)";
	return error == -ETIMEDOUT ? PATIENCE_OVER : strerror(-error);
}

size_t kmem_read_some(const struct kmem *kmem, uint64_t address, void *buffer,
		      size_t size)
{
	size_t done = 0;

	if (kmem_read(kmem, address, buffer, size) == 0)
		return size;
	while (done < size) {
		size_t piece = to_page_end(address + done, size - done);

		if (kmem_read(kmem, address + done, (char *)buffer + done,
			      piece) < 0)
			break;
		done += piece;
	}
	return done;
}

int kmem_read_string(const struct kmem *kmem, uint64_t address, char *text,
		     size_t size)
{
	size_t done = 0;

	*text = '\0';
	while (done < size) {
		size_t piece = to_page_end(address + done, size - done);
		int ret = kmem_read(kmem, address + done, text + done, piece);

		if (ret < 0) {
			text[done] = '\0';
			return ret;
		}
		if (memchr(text + done, '\0', piece))
			return 0;
		done += piece;
	}
	text[size - 1] = '\0';
	return -ENAMETOOLONG;
}
