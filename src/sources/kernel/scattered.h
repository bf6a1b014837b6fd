/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads many small objects of one size, such as struct pages, that are here and
 * there in a kernel's memory. What lies close together is read together, which
 * saves most of the system calls.
 */
#ifndef BUFSTAT_SCATTERED_H
#define BUFSTAT_SCATTERED_H

#include <stddef.h>

struct kmem;

/* Bytes; the largest object, and how much is read together at most. */
#define SCATTERED_MOST 65536U

/*
 * Called for each element, in the order of their addresses. @object is its
 * object, or NULL if nothing is there, or if a dump lacks it. Returns 0, or a
 * negative errno, which ends the reading.
 */
typedef int scattered_take_fn(void *data, void *element,
			      const unsigned char *object);

struct scattered {
	void *array; /* each element begins with a uint64_t, the address */
	size_t count;
	size_t size; /* of an element, bytes */
	size_t object_size; /* bytes, at most SCATTERED_MOST */
	scattered_take_fn *take;
	void *data;
};

/*
 * Sorts the array by address and reads all of it. Returns 0, what
 * @scattered->take returned, -ETIMEDOUT, or another errno of reading.
 */
int scattered_read(const struct kmem *kmem, const struct scattered *scattered);

#endif
