// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "who/who_fold.h"
#include "who/who_rows.h"

static int compare_ids(uint64_t left, uint64_t right)
{
	return (left > right) - (left < right);
}

/* Order by what rows have in common that become one. */
static int compare_kinds(const void *left, const void *right)
{
	const struct who_row *a = left;
	const struct who_row *b = right;
	int order;

	if (a->cache != b->cache)
		return a->cache < b->cache ? -1 : 1;
	if (!a->fill || !b->fill)
		return !a->fill - !b->fill;
	order = strcmp(a->fill->command, b->fill->command);
	if (!order)
		order = compare_ids(a->fill->cgroup, b->fill->cgroup);
	return order ? order :
		       compare_ids(a->fill->on_behalf_of,
				   b->fill->on_behalf_of);
}

/* A process without a name is like no other. */
static bool are_alike(const struct who_row *a, const struct who_row *b)
{
	return a->fill && b->fill && *a->fill->command &&
	       compare_kinds(a, b) == 0;
}

/* Makes the first of @count rows their sum. */
static void fold(struct who_row *rows, size_t count, struct trace_fill *sum)
{
	*sum = *rows[0].fill;
	for (size_t i = 1; i < count; i++)
		trace_fill_add(sum, rows[i].fill);
	rows[0].fill = sum;
	rows[0].processes = count;
	who_row_describe(&rows[0]);
}

int who_rows_fold(struct who_rows *rows, size_t most)
{
	struct rows *list = &rows->head.rows;
	size_t kept = 0, alike;

	if (list->count < 2)
		return 0;
	rows->folded = calloc(list->count / 2, sizeof(*rows->folded));
	if (!rows->folded)
		return -ENOMEM;
	qsort(list->rows, list->count, list->size, compare_kinds);
	for (size_t i = 0, sums = 0; i < list->count; i += alike) {
		struct who_row *first = who_row_at(rows, i);

		for (alike = 1;
		     i + alike < list->count && are_alike(first, &first[alike]);
		     alike++)
			;
		if (alike > most && alike > 1) {
			fold(first, alike, &rows->folded[sums++]);
			*who_row_at(rows, kept++) = *first;
			continue;
		}
		memmove(who_row_at(rows, kept), first, alike * sizeof(*first));
		kept += alike;
	}
	list->count = kept;
	who_rows_sort(rows);
	return 0;
}

bool who_rows_are_folded(const struct who_rows *rows)
{
	for (size_t i = 0; i < rows->head.rows.count; i++)
		if (who_row_at(rows, i)->processes > 1)
			return true;
	return false;
}
