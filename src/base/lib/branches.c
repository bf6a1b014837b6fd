// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "lib/branches.h"

/* Compares what the two are, or are below, where their branches part. */
static int by_branch(const void *left, const void *right, void *data)
{
	const size_t first = *(const size_t *)left;
	const size_t second = *(const size_t *)right;
	const struct branches *branches = data;
	const size_t *above = branches->above;
	size_t a = first, b = second;

	while (above[a] != above[b]) {
		if (above[a] > above[b])
			a = above[a] - 1;
		else
			b = above[b] - 1;
	}
	if (a == b)
		return first < second ? -1 : first > second;
	return branches->compare(a, b, branches->data);
}

void branches_sort(const struct branches *branches, size_t *order, size_t count)
{
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), by_branch, (void *)branches);
}
