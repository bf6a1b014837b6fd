/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_STRING_LIST_H
#define BUFSTAT_STRING_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Strings in the order they were added. An empty list is all zero bytes. */
struct string_list {
	char **strings;
	size_t count;
};

/* Adds a copy of @string. Returns 0, or -ENOMEM with the list unchanged. */
int string_list_add(struct string_list *list, const char *string);

/* The same with @length bytes of it. */
int string_list_add_bytes(struct string_list *list, const char *string,
			  size_t length);

/* Looks through the whole list. */
bool string_list_has(const struct string_list *list, const char *string);

/* Adds it unless it is there. Looks through the whole list. */
int string_list_add_once(struct string_list *list, const char *string);

/* Sorts numbers within the strings by value: vda2 before vda10. */
void string_list_sort(struct string_list *list);

/*
 * Returns the strings with @separator between them, "" for an empty list. The
 * caller frees it; NULL when out of memory.
 */
char *string_list_join(const struct string_list *list, const char *separator);

/* Frees the strings and leaves an empty list. */
void string_list_deinit(struct string_list *list);

/* How many lines strsep(&text, "\n") makes of @text: newlines plus one. */
static inline size_t lines_count(const char *text)
{
	size_t lines = 1;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

#endif
