/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_BRANCHES_H
#define BUFSTAT_BRANCHES_H

#include <stddef.h>

/*
 * Sorts the @count elements of @array, of @size bytes. Each may be below one
 * with a smaller index, which plus 1 is in @above; 0: below none. Those below
 * the same one, or none, are sorted by @compare, and each stands before those
 * below it. Sets @order to where each was. Returns 0 or -ENOMEM.
 */
int branches_sort(void *array, size_t count, size_t size, const size_t *above,
		  int (*compare)(const void *, const void *), size_t *order);

#endif
