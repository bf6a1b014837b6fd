/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads JSON, strictly, and survives a lack of memory, which json-c does not. A
 * value is owned by its document and valid until that is closed.
 */
#ifndef BUFSTAT_JSON_IN_H
#define BUFSTAT_JSON_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_in;
struct string_list;

struct json_value {
	const struct json_in *document;
	size_t node;
};

/*
 * Parses @text, a string of one value and nothing after it, which belongs to
 * the document from now on, also after an error. Returns 0, -EBADMSG or
 * -ENOMEM. The caller closes *@document.
 */
int json_in_open(char *text, struct json_in **document);
void json_in_close(struct json_in *document);

struct json_value json_in_root(const struct json_in *document);

/*
 * These look for a member of @object. They return 1 if it is there, 0 if it is
 * null, with the result unchanged, and -EBADMSG if it is missing or of another
 * type, or if @object is none: missing is not null. json_in_number() takes no
 * fractions, no negative numbers and none above @max.
 */
int json_in_object(struct json_value object, const char *key,
		   struct json_value *member);
/* Its elements are @count, from @first on. */
int json_in_array(struct json_value object, const char *key,
		  struct json_value *first, size_t *count);
int json_in_string(struct json_value object, const char *key,
		   const char **string);
int json_in_number(struct json_value object, const char *key, uint64_t max,
		   uint64_t *number);
int json_in_bool(struct json_value object, const char *key, bool *value);

/* A copy of the string, the caller's to free; also -ENOMEM. */
int json_in_copy(struct json_value object, const char *key, char **string);

/* Adds the strings of an array; also -ENOMEM. */
int json_in_strings(struct json_value object, const char *key,
		    struct string_list *list);

/* The element after @element, which is not the last one. */
struct json_value json_in_next(struct json_value element);

#endif
