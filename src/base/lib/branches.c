// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/branches.h"

struct branches {
	const char *array;
	size_t size;
	const size_t *above;
	int (*compare)(const void *, const void *);
};

/* Compares what the two are, or are below, where their branches part. */
static int by_branch(const void *left, const void *right, void *data)
{
	const size_t first = *(const size_t *)left;
	const size_t second = *(const size_t *)right;
	const struct branches *of = data;
	const size_t *above = of->above;
	size_t a = first, b = second;

	while (above[a] != above[b]) {
		if (above[a] > above[b])
			a = above[a] - 1;
		else
			b = above[b] - 1;
	}
	if (a == b)
		return first < second ? -1 : first > second;
	return of->compare(of->array + a * of->size, of->array + b * of->size);
}

int branches_sort(void *array, size_t count, size_t size, const size_t *above,
		  int (*compare)(const void *, const void *), size_t *order)
{
	char *copy = malloc(count * size + 1);
	struct branches branches = { copy, size, above, compare };

	if (!copy)
		return -ENOMEM;
	if (count)
		memcpy(copy, array, count * size);
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), by_branch, &branches);
	for (size_t i = 0; i < count; i++)
		memcpy((char *)array + i * size, copy + order[i] * size, size);
	free(copy);
	return 0;
}
