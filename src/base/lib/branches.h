/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_BRANCHES_H
#define BUFSTAT_BRANCHES_H

#include <stddef.h>

/*
 * Things by index, each of which may be below one with a smaller index. Where
 * two are below the same one, or below none, @compare sorts them.
 */
struct branches {
	const size_t *above; /* that index + 1; 0: below none */
	int (*compare)(size_t left, size_t right, const void *data);
	const void *data;
};

/*
 * Sets @order to the @count indexes, sorted: each stands before those below it,
 * and they before the next.
 */
void branches_sort(const struct branches *branches, size_t *order,
		   size_t count);

#endif
