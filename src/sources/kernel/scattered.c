// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kmem.h"
#include "kernel/scattered.h"

/* Objects are read together if no more bytes than these are between. */
#define GAP 4096U

static uint64_t address_of(const void *element)
{
	uint64_t address;

	memcpy(&address, element, sizeof(address));
	return address;
}

static int by_address(const void *left, const void *right)
{
	uint64_t a = address_of(left), b = address_of(right);

	return (a > b) - (a < b);
}

static void *element_at(const struct scattered *scattered, size_t index)
{
	return (char *)scattered->array + index * scattered->size;
}

/* How many elements from @first on are read together. */
static size_t run_length(const struct scattered *scattered, size_t first)
{
	uint64_t start = address_of(element_at(scattered, first)), last = start;
	size_t length = 1;

	for (; first + length < scattered->count; length++) {
		uint64_t next =
			address_of(element_at(scattered, first + length));

		if (next - last > scattered->object_size + GAP ||
		    next - start > SCATTERED_MOST - scattered->object_size)
			break;
		last = next;
	}
	return length;
}

/* Some of the memory between may not be there: then reads one by one. */
static int read_each(const struct kmem *kmem, const struct scattered *scattered,
		     size_t first, size_t count, unsigned char *buffer)
{
	int ret = 0;

	for (size_t i = first; !ret && i < first + count; i++) {
		void *element = element_at(scattered, i);

		ret = kmem_read(kmem, address_of(element), buffer,
				scattered->object_size);
		if (!ret)
			ret = scattered->take(scattered->data, element, buffer);
		else if (ret == -EFAULT || ret == -ENODATA)
			ret = scattered->take(scattered->data, element, NULL);
	}
	return ret;
}

static int read_run(const struct kmem *kmem, const struct scattered *scattered,
		    size_t first, size_t count, unsigned char *buffer)
{
	uint64_t start = address_of(element_at(scattered, first));
	uint64_t last = address_of(element_at(scattered, first + count - 1));
	int ret = kmem_read(kmem, start, buffer,
			    (size_t)(last - start) + scattered->object_size);

	if (ret == -EFAULT || ret == -ENODATA)
		return read_each(kmem, scattered, first, count, buffer);
	for (size_t i = first; !ret && i < first + count; i++) {
		void *element = element_at(scattered, i);

		ret = scattered->take(scattered->data, element,
				      buffer + (address_of(element) - start));
	}
	return ret;
}

int scattered_read(const struct kmem *kmem, const struct scattered *scattered)
{
	unsigned char buffer[SCATTERED_MOST];
	size_t done = 0;
	int ret = 0;

	if (scattered->count)
		qsort(scattered->array, scattered->count, scattered->size,
		      by_address);
	while (!ret && done < scattered->count) {
		size_t length = run_length(scattered, done);

		ret = read_run(kmem, scattered, done, length, buffer);
		done += length;
	}
	return ret;
}
