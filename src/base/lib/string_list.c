// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/string_list.h"

int string_list_add(struct string_list *list, const char *string)
{
	return string_list_add_bytes(list, string, strlen(string));
}

int string_list_add_bytes(struct string_list *list, const char *string,
			  size_t length)
{
	size_t capacity = list->count ? list->count * 2 : 1;
	char **moved;

	/* The array is full when count is 0 or a power of two. */
	if (!(list->count & (list->count - 1))) {
		moved = reallocarray(list->strings, capacity,
				     sizeof(*list->strings));
		if (!moved)
			return -ENOMEM;
		list->strings = moved;
	}
	list->strings[list->count] = strndup(string, length);
	if (!list->strings[list->count])
		return -ENOMEM;
	list->count++;
	return 0;
}

bool string_list_has(const struct string_list *list, const char *string)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->strings[i], string) == 0)
			return true;
	}
	return false;
}

int string_list_add_once(struct string_list *list, const char *string)
{
	return string_list_has(list, string) ? 0 :
					       string_list_add(list, string);
}

static int compare(const void *left, const void *right)
{
	return strverscmp(*(char *const *)left, *(char *const *)right);
}

void string_list_sort(struct string_list *list)
{
	if (list->count)
		qsort(list->strings, list->count, sizeof(*list->strings),
		      compare);
}

char *string_list_join(const struct string_list *list, const char *separator)
{
	size_t size = 1;
	char *joined, *end;

	for (size_t i = 0; i < list->count; i++)
		size += strlen(list->strings[i]) + strlen(separator);
	joined = end = malloc(size);
	if (!joined)
		return NULL;
	*end = '\0';
	for (size_t i = 0; i < list->count; i++) {
		if (i)
			end = stpcpy(end, separator);
		end = stpcpy(end, list->strings[i]);
	}
	return joined;
}

void string_list_deinit(struct string_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->strings[i]);
	free(list->strings);
	*list = (struct string_list){ 0 };
}
