/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes JSON to a file as it goes. It allocates and keeps nothing.
 *
 * A member of an object has a key; an element of an array has NULL for one.
 * Nesting and keys are asserted, because a wrong one is a bug in the program. A
 * write error shows in ferror().
 *
 * Strings may hold any bytes. What is not UTF-8 becomes U+FFFD, or is kept.
 */
#ifndef BUFSTAT_JSON_OUT_H
#define BUFSTAT_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct error;
struct string_list;

/* A tree of calls has two levels for each call (src/questions/calls). */
#define JSON_OUT_DEPTH 288

struct json_out {
	FILE *out;
	unsigned int depth; /* number of open objects and arrays */
	struct json_level {
		bool is_array;
		bool has_member;
	} levels[JSON_OUT_DEPTH]; /* the open ones */
	bool done; /* the document has its one value */
	/*
	 * Keep bytes that are not UTF-8, for json_in.h: each becomes \udc80 to
	 * \udcff, which is a lone surrogate to other readers.
	 */
	bool keeps_bytes;
	bool compact; /* all on one line, without spaces */
};

/* Begin a document, which is one value, and end it with a newline. */
void json_out_init(struct json_out *json, FILE *out);
void json_out_finish(struct json_out *json);

void json_out_object(struct json_out *json, const char *key);
void json_out_object_end(struct json_out *json);
void json_out_array(struct json_out *json, const char *key);
void json_out_array_end(struct json_out *json);

/* Writes null if @value is NULL. */
void json_out_string(struct json_out *json, const char *key, const char *value);
/* Writes "MAJOR:MINOR". */
void json_out_device(struct json_out *json, const char *key, unsigned int major,
		     unsigned int minor);
/* Writes an array of the strings, or null if @list is NULL. */
void json_out_strings(struct json_out *json, const char *key,
		      const struct string_list *list);
/* Writes the text of the error, or null if nothing went wrong. */
void json_out_error(struct json_out *json, const char *key,
		    const struct error *err);
void json_out_signed(struct json_out *json, const char *key, int64_t value);
void json_out_unsigned(struct json_out *json, const char *key, uint64_t value);

/* The number that @text begins with, as another document has it. */
void json_out_number(struct json_out *json, const char *key, const char *text);

/* The same if the value is @known, else null. */
void json_out_signed_if(struct json_out *json, const char *key, bool known,
			int64_t value);

/*
 * Writes three decimals, with a point in every locale, or null if @value is not
 * finite or too large.
 */
void json_out_decimal(struct json_out *json, const char *key, double value);
void json_out_bool(struct json_out *json, const char *key, bool value);
void json_out_null(struct json_out *json, const char *key);

#endif
