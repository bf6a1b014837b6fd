// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/error.h"
#include "lib/nearest.h"
#include "table/column.h"

static void choose_up_to(struct column_choice *choice,
			 const struct column_set *set, enum column_use use)
{
	choice->count = 0;
	for (size_t i = 0; i < set->count; i++) {
		if (set->columns[i].use <= use)
			choice->columns[choice->count++] = &set->columns[i];
	}
}

void column_choice_default(struct column_choice *choice,
			   const struct column_set *set)
{
	choose_up_to(choice, set, COLUMN_USUAL);
}

void column_choice_with_history(struct column_choice *choice,
				const struct column_set *set)
{
	choose_up_to(choice, set, COLUMN_WITH_HISTORY);
}

void column_choice_all(struct column_choice *choice,
		       const struct column_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		choice->columns[i] = &set->columns[i];
	choice->count = set->count;
}

static int unknown_column(const struct column_set *set, const char *heading,
			  size_t length, struct error *err)
{
	struct nearest nearest;

	nearest_init(&nearest, heading, length);
	for (size_t i = 0; i < set->count; i++)
		nearest_try(&nearest, set->columns[i].heading);
	return error_remedy(err,
			    error_object(err,
					 error_doing(err, EINVAL,
						     "choosing columns", NULL,
						     "no such column"),
					 "%.*s", (int)length, heading),
			    "%s%s%sbufstat %s --help lists them",
			    nearest.name ? "did you mean " : "",
			    nearest.name ? nearest.name : "",
			    nearest.name ? "? " : "", set->command);
}

const struct column *column_find(const struct column_set *set,
				 const char *heading, size_t length,
				 struct error *err)
{
	for (size_t i = 0; i < set->count; i++) {
		if (strlen(set->columns[i].heading) == length &&
		    strncasecmp(set->columns[i].heading, heading, length) == 0)
			return &set->columns[i];
	}
	unknown_column(set, heading, length, err);
	return NULL;
}

int column_choice_parse(struct column_choice *choice,
			const struct column_set *set, const char *list_text,
			struct error *err)
{
	size_t room = sizeof(choice->columns) / sizeof(*choice->columns);

	choice->count = 0;
	if (*list_text == '+') {
		column_choice_default(choice, set);
		list_text++;
	}
	for (;;) {
		size_t length = strcspn(list_text, ",");
		const struct column *column =
			column_find(set, list_text, length, err);

		if (!column)
			return -EINVAL;
		if (choice->count == room)
			return error_doing(err, EINVAL, "choosing columns",
					   list_text, "too many");
		choice->columns[choice->count++] = column;
		list_text += length;
		if (!*list_text++)
			return 0;
	}
}

/*
 * Compares numbers in the text by value: 8:2 is before 8:10, and vda2 before
 * vda10.
 */
static int compare_text(const char *left, const char *right)
{
	return strverscmp(left ? left : "", right ? right : "");
}

int column_compare_values(const struct column_value *left,
			  const struct column_value *right,
			  enum column_kind kind)
{
	if (left->known != right->known)
		return left->known ? 1 : -1;
	if (!left->known)
		return 0;
	switch (kind) {
	case COLUMN_TEXT:
	case COLUMN_PATH:
	case COLUMN_PROSE:
		return compare_text(left->text, right->text);
	case COLUMN_LIST:
		return compare_text(
			left->list->count ? left->list->strings[0] : NULL,
			right->list->count ? right->list->strings[0] : NULL);
	case COLUMN_FLAG:
	case COLUMN_COUNT:
	case COLUMN_BYTES:
	case COLUMN_CHANGE:
	case COLUMN_DURATION:
		return (left->number > right->number) -
		       (left->number < right->number);
	case COLUMN_PERCENT:
		return (left->percent > right->percent) -
		       (left->percent < right->percent);
	}
	return 0;
}

static int compare_rows(const void *left, const void *right, void *data)
{
	const struct column_order *order = data;
	const struct column *by = order->column;
	struct column_value a = column_get(by, left);
	struct column_value b = column_get(by, right);
	int compared = column_compare_values(&a, &b, by->kind);

	return order->descends ? -compared : compared;
}

void column_sort(void *rows, size_t count, size_t size,
		 const struct column_order *order)
{
	/* Without rows there may be no array. */
	if (order->column && count)
		qsort_r(rows, count, size, compare_rows, (void *)order);
}

static size_t sort_top(void *rows, size_t count, size_t size,
		       const struct column_order *order, size_t top)
{
	const struct column_order largest_first = { order->column, true };

	if (top && top < count) {
		if (order->column && column_is_number(order->column))
			column_sort(rows, count, size, &largest_first);
		count = top;
	}
	column_sort(rows, count, size, order);
	return count;
}

size_t column_sort_last(void *rows, size_t count, size_t size,
			bool (*is_last)(const void *row))
{
	char *base = rows, *held = malloc(size);
	size_t kept = 0;

	/* Out of memory: all are shown. */
	for (size_t i = 0; held && i < count; i++) {
		char *row = base + i * size;

		if (is_last(row))
			continue;
		memcpy(held, row, size);
		memmove(base + (kept + 1) * size, base + kept * size,
			(i - kept) * size);
		memcpy(base + kept++ * size, held, size);
	}
	if (!held)
		return count;
	free(held);
	return kept;
}

size_t column_sort_shown(void *rows, size_t count, size_t size,
			 const struct column_order *order, size_t top,
			 bool (*is_unchanged)(const void *row),
			 const char **others)
{
	size_t most = is_unchanged ? column_sort_last(rows, count, size,
						      is_unchanged) :
				     count;
	size_t shown = sort_top(rows, most, size, order, top);

	*others = shown == most	     ? "unchanged" :
		  count - shown == 1 ? "other" :
				       "others";
	return shown;
}

static bool has_history(const struct column_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		if (set->columns[i].use == COLUMN_WITH_HISTORY)
			return true;
	}
	return false;
}

void column_print_help(const struct column_set *set)
{
	printf("\n"
	       "Columns (* default%s; scripts should name theirs):\n",
	       has_history(set) ? ", + with -s" : "");
	for (size_t i = 0; i < set->count; i++)
		printf(" %c %-12s %s\n", "*+ "[set->columns[i].use],
		       set -> columns[i].heading, set->columns[i].help);
}
