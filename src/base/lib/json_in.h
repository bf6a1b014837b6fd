/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A strict JSON reader that survives a lack of memory, which json-c does not. A
 * document owns its values; they are valid until it is closed.
 */
#ifndef BUFSTAT_JSON_IN_H
#define BUFSTAT_JSON_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_in;
struct string_list;

enum json_kind {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING, /* also a key */
	JSON_ARRAY, /* the elements follow */
	JSON_OBJECT, /* keys follow, each with its value after it */
};

struct json_value {
	const struct json_in *document;
	size_t node;
};

/*
 * Parses @text, a string that holds one value and nothing else. The document
 * takes over @text, even after an error. Returns 0, -EBADMSG or -ENOMEM. The
 * caller closes *@document.
 */
int json_in_open(char *text, struct json_in **document);
void json_in_close(struct json_in *document);

struct json_value json_in_root(const struct json_in *document);

/* Whether @object is an object with this member, which may be null. */
bool json_in_has(struct json_value object, const char *key);

/*
 * These look for a member of @object. They return 1 if it is there, 0 with the
 * result unchanged if it is null, and -EBADMSG if it is missing or of another
 * type, or if @object is not an object. Missing is not null. json_in_number()
 * refuses fractions, negative numbers and numbers above @max.
 */
int json_in_object(struct json_value object, const char *key,
		   struct json_value *member);
/* Sets *@first to the first of *@count elements. */
int json_in_array(struct json_value object, const char *key,
		  struct json_value *first, size_t *count);
int json_in_string(struct json_value object, const char *key,
		   const char **string);
int json_in_number(struct json_value object, const char *key, uint64_t max,
		   uint64_t *number);
int json_in_bool(struct json_value object, const char *key, bool *value);

/* Copies the string, which the caller frees. May also return -ENOMEM. */
int json_in_copy(struct json_value object, const char *key, char **string);

/* Adds the strings of an array to @list. May also return -ENOMEM. */
int json_in_strings(struct json_value object, const char *key,
		    struct string_list *list);

/* Returns the element after @element, which must not be the last. */
struct json_value json_in_next(struct json_value element);

/* For who takes all that there is. */

enum json_kind json_in_kind(struct json_value value);
/* Of a string, or of a number, after which the document goes on. */
const char *json_in_text(struct json_value value);
/*
 * Sets @at to the first element of an array, or key of an object, if its
 * document is NULL, else to what follows. Returns false after the last.
 */
bool json_in_each(struct json_value list, struct json_value *at);

#endif
