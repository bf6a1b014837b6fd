/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds sentences, in memory or on a stream. That memory ran out is told at
 * the end, so that nothing has to be checked in between.
 */
#ifndef BUFSTAT_SENTENCE_H
#define BUFSTAT_SENTENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/string_list.h"

struct sentence {
	FILE *out; /* NULL: there was no memory for it */
	/* It is to be filled into lines (wrap.h): a name is one word. */
	bool is_filled;
	bool failed; /* memory ran out; others may set it */
	char *text;
	size_t size; /* bytes */
	struct string_list pieces; /* what the functions below have returned */
};

/* Begins text in memory; @to must stay where it is until the end. */
void sentence_begin(struct sentence *to);
/* Begins text on @out, which stays open. */
void sentence_begin_on(struct sentence *to, FILE *out);

/*
 * Returns 0, with the text of one in memory in *@text, which the caller frees;
 * or -ENOMEM, with *@text NULL. @text is NULL for one on a stream.
 */
int sentence_end(struct sentence *to, char **text);

/* Adds this text. Sizes and counts have their macros in number.h. */
void say(struct sentence *to, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * What these return is valid until the sentence ends. It is "" if memory ran
 * out.
 */

/* This text. */
const char *piece(struct sentence *to, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A name from outside (a mount point, a process), as by safe_name_put(). */
const char *safe_name(struct sentence *to, const char *name);
/* Other text from outside, as by safe_text_put(). */
const char *safe_text(struct sentence *to, const char *text);
/* A command as a shell takes it, in one word. */
const char *safe_command(struct sentence *to, const char *command);

/*
 * "a, b and c", of which @most are named: "a, b and 3 more". @last stands
 * before the last one, if all are named.
 */
const char *safe_names(struct sentence *to, char *const *names, size_t count,
		       size_t most, const char *last);

/* What stands before number @i of such a list. */
static inline const char *names_between(size_t i, size_t count, size_t most,
					const char *last)
{
	if (!i)
		return "";
	return i + 1 == count && count <= most ? last : ", ";
}

/* Adds to @text, which ends with a NUL, what fits into its @room bytes. */
void add_text(char *text, size_t room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for an array. */
#define ADD_TEXT(array, ...) add_text(array, sizeof(array), __VA_ARGS__)

static inline const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

#endif
