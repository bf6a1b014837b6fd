/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes JSON to a file as it goes: nothing is allocated, nothing is kept.
 *
 * A member of an object has a key, an element of an array has NULL for one.
 * Nesting and keys are asserted: a wrong one is a mistake in the program. What
 * could not be written shows in ferror().
 *
 * Strings may hold any bytes: what is not UTF-8 becomes U+FFFD, or is kept.
 */
#ifndef BUFSTAT_JSON_OUT_H
#define BUFSTAT_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct error;
struct string_list;

#define JSON_OUT_DEPTH 32

struct json_out {
	FILE *out;
	unsigned int depth; /* of objects and arrays that are open */
	uint32_t arrays; /* bit per level: it is an array */
	uint32_t filled; /* bit per level: it has a member */
	bool done; /* the one value of the document is written */
	/* What is not UTF-8 is kept, for json_in.h: a byte is \udc80 to
	 * \udcff, half a character to others. */
	bool keeps_bytes;
};

/* Begins a document, which is one value, and ends it with a newline. */
void json_out_init(struct json_out *json, FILE *out);
void json_out_finish(struct json_out *json);

void json_out_object(struct json_out *json, const char *key);
void json_out_object_end(struct json_out *json);
void json_out_array(struct json_out *json, const char *key);
void json_out_array_end(struct json_out *json);

/* NULL is written as null. */
void json_out_string(struct json_out *json, const char *key, const char *value);
/* An array of them; NULL is written as null too. */
void json_out_strings(struct json_out *json, const char *key,
		      const struct string_list *list);
/* What it says; null if there is none. */
void json_out_error(struct json_out *json, const char *key,
		    const struct error *err);
void json_out_signed(struct json_out *json, const char *key, int64_t value);
void json_out_unsigned(struct json_out *json, const char *key, uint64_t value);
/* With three decimals, and a point in every locale; null if not finite. */
void json_out_decimal(struct json_out *json, const char *key, double value);
void json_out_bool(struct json_out *json, const char *key, bool value);
void json_out_null(struct json_out *json, const char *key);

#endif
