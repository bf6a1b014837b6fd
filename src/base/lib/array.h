/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_ARRAY_H
#define BUFSTAT_ARRAY_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Makes room for one more element after the @count of an array that grows. It
 * has room for *@capacity elements of @size bytes; an empty one is NULL with
 * room for none. @array is the address of the pointer to it, which changes when
 * the array moves. Returns 0, or -ENOMEM with the array as it was. The caller
 * frees the array.
 */
static inline int array_make_room_of(void *array, size_t count,
				     size_t *capacity, size_t size)
{
	size_t wanted = *capacity * 2 + 32;
	void *old, *moved;

	if (count < *capacity)
		return 0;
	/* The pointer has the element's type: it is not a void pointer here. */
	memcpy(&old, array, sizeof(old));
	moved = reallocarray(old, wanted, size);
	if (!moved)
		return -ENOMEM;
	memcpy(array, &moved, sizeof(moved));
	*capacity = wanted;
	return 0;
}

/* The same for the size of an element of *@array. */
#define array_make_room(array, count, capacity)                                \
	array_make_room_of(array, count, capacity, sizeof(**(array)))

#endif
