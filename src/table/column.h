/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of a table of things. One set of them drives the headings, -o,
 * -x, --help, the keys of the JSON and the cells.
 */
#ifndef BUFSTAT_COLUMN_H
#define BUFSTAT_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/string_list.h"

struct error;

enum column_kind {
	COLUMN_TEXT,
	COLUMN_PATH, /* text that a narrow terminal cuts before its last name */
	COLUMN_PROSE, /* text that a terminal wraps and never cuts */
	COLUMN_LIST,
	COLUMN_COUNT, /* a plain number */
	COLUMN_BYTES,
	COLUMN_CHANGE, /* bytes, with their sign */
	COLUMN_PERCENT,
};

enum column_use {
	COLUMN_USUAL,
	COLUMN_WITH_HISTORY, /* usual where there is something to compare */
	COLUMN_ON_REQUEST,
};

/* One cell; the column's kind says which member holds it. */
struct column_value {
	bool known; /* absent is not zero */
	union {
		const char *text;
		const struct string_list *list;
		int64_t number; /* a count, or bytes */
		double percent;
	};
};

/* Absent if @text is NULL. */
static inline struct column_value column_text(const char *text)
{
	return (struct column_value){ .known = text, .text = text };
}

/*
 * The part of @size bytes that @cached are, in percent. The last page may stand
 * out: above 100 the size was another, or blocks are larger than pages.
 */
static inline struct column_value column_part(int64_t cached, uint64_t size,
					      uint64_t page_size)
{
	uint64_t end = size % page_size ? page_size - size % page_size : 0;
	double whole = (double)size + (double)end;

	return (struct column_value){
		.known = true,
		.percent = 100 * (double)cached / whole,
	};
}

/* Rows are whatever the set of columns is of: value() knows. */
struct column {
	const char *heading;
	const char *key; /* in JSON, with the unit */
	const char *help;
	enum column_kind kind;
	enum column_use use;
	unsigned int leave; /* on a narrow terminal: first 1, then 2, never 0 */
	bool has_bar;
	struct column_value (*value)(const void *row);
};

struct column_set {
	const char *command; /* whose --help lists them */
	const struct column *columns; /* in the order of -O */
	size_t count;
};

/* Rows that lie after each other. */
struct table_rows {
	const void *rows;
	size_t count;
	size_t size; /* bytes, of each */
};

static inline const void *table_row(const struct table_rows *rows, size_t i)
{
	return (const char *)rows->rows + i * rows->size;
}

#define COLUMN_CHOICE_ROOM 32

/* Columns chosen to be shown. */
struct column_choice {
	const struct column *columns[COLUMN_CHOICE_ROOM];
	size_t count;
};

/* These replace @choice. A set has no more columns than there is room for. */
void column_choice_default(struct column_choice *choice,
			   const struct column_set *set);
void column_choice_with_history(struct column_choice *choice,
				const struct column_set *set);
void column_choice_all(struct column_choice *choice,
		       const struct column_set *set);

/*
 * Reads "LIST" or "+LIST", headings with commas between them and compared
 * without case; with the plus they follow the usual ones. Returns 0 or -EINVAL.
 */
int column_choice_parse(struct column_choice *choice,
			const struct column_set *set, const char *list,
			struct error *err);

/* The column with this heading, or NULL and a message. */
const struct column *column_find(const struct column_set *set,
				 const char *heading, size_t length,
				 struct error *err);

/* For --help: a heading, and a line each. */
void column_print_help(const struct column_set *set);

/* Sorts rows ascending by @column; unknown values come first. */
void column_sort(void *rows, size_t count, size_t size,
		 const struct column *column);

#endif
