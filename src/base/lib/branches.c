// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/branches.h"
#include "lib/cleanup.h"

struct branches {
	const char *array;
	size_t size;
	const size_t *above;
	int (*compare)(const void *, const void *);
};

/* Compares where they are below, and then what they are. */
static int by_branch(const void *left, const void *right, void *data)
{
	const size_t a = *(const size_t *)left, b = *(const size_t *)right;
	const struct branches *of = data;
	int order;

	if (of->above[a] != of->above[b])
		return of->above[a] < of->above[b] ? -1 : 1;
	order = of->compare(of->array + a * of->size, of->array + b * of->size);
	return order ? order : a < b ? -1 : a > b;
}

/*
 * Puts each of @order, sorted by_branch(), after the one that it is below. In
 * @first and @next, and here, an element is its index plus 1; 0 is none.
 */
static void put_in_order(size_t *order, size_t count, const size_t *above,
			 size_t *first, size_t *next)
{
	size_t at, put = 0;

	for (size_t i = count; i-- > 0;) {
		next[order[i]] = first[above[order[i]]];
		first[above[order[i]]] = order[i] + 1;
	}
	for (at = first[0]; at;) {
		order[put++] = at - 1;
		if (first[at]) {
			at = first[at];
			continue;
		}
		while (at && !next[at - 1])
			at = above[at - 1];
		at = at ? next[at - 1] : 0;
	}
}

int branches_sort(void *array, size_t count, size_t size, const size_t *above,
		  int (*compare)(const void *, const void *), size_t *order)
{
	_cleanup_(freep) char *copy = malloc(count * size + 1);
	_cleanup_(freep) size_t *first = calloc(count + 1, sizeof(*first));
	_cleanup_(freep) size_t *next = calloc(count + 1, sizeof(*next));
	struct branches branches = { copy, size, above, compare };

	if (!copy || !first || !next)
		return -ENOMEM;
	if (count)
		memcpy(copy, array, count * size);
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	/* However deep it is, two are compared in one step. */
	qsort_r(order, count, sizeof(*order), by_branch, &branches);
	put_in_order(order, count, above, first, next);
	for (size_t i = 0; i < count; i++)
		memcpy((char *)array + i * size, copy + order[i] * size, size);
	return 0;
}
