/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of a table. One set of columns drives the headings, -o, -x,
 * --help, the JSON keys and the cells.
 */
#ifndef BUFSTAT_COLUMN_H
#define BUFSTAT_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/string_list.h"

struct error;

/* Those up to COLUMN_LIST are texts, and those from COLUMN_COUNT on numbers. */
enum column_kind {
	COLUMN_TEXT,
	COLUMN_PATH, /* text that a narrow terminal cuts before its last name */
	COLUMN_PROSE, /* text that a terminal wraps and never cuts */
	COLUMN_LIST,
	COLUMN_FLAG, /* yes or no; a bool in JSON */
	COLUMN_COUNT, /* a plain number */
	COLUMN_BYTES,
	COLUMN_CHANGE, /* bytes, with their sign */
	COLUMN_PERCENT,
	COLUMN_DURATION, /* nanoseconds */
};

enum column_use {
	COLUMN_USUAL,
	COLUMN_WITH_HISTORY, /* usual if there is an earlier sample */
	COLUMN_ON_REQUEST,
};

/* One cell; the column's kind says which member holds it. */
struct column_value {
	bool known; /* absent is not zero */
	const char *json; /* the text in JSON, or NULL: it is the same */
	union {
		const char *text;
		const struct string_list *list;
		int64_t number; /* a count, bytes, or 0 and 1 for no and yes */
		double percent;
	};
};

/* Absent if @text is NULL. */
static inline struct column_value column_text(const char *text)
{
	return (struct column_value){ .known = text, .text = text };
}

static inline struct column_value column_number(bool known, int64_t number)
{
	return (struct column_value){ .known = known, .number = number };
}

/* @part in percent of @whole, which is not 0 if it is @known. */
static inline struct column_value column_share(bool known, double part,
					       double whole)
{
	return (struct column_value){
		.known = known,
		.percent = known ? 100 * part / whole : 0,
	};
}

/*
 * @cached in percent of @size, both in bytes. @size is rounded up to whole
 * pages, because the last page may reach beyond it. More than 100 means that
 * the size has changed, or that blocks are larger than pages.
 */
static inline struct column_value column_part(int64_t cached, uint64_t size,
					      uint64_t page_size)
{
	uint64_t end = size % page_size ? page_size - size % page_size : 0;

	return column_share(true, (double)cached, (double)size + (double)end);
}

/*
 * value() knows the type of the rows. Where columns differ only in what of the
 * row they show, value_of() takes its place: @which is the place of a member,
 * or the number of a figure. Tables are small, because each page of them that
 * has a pointer is copied at the start.
 */
struct column {
	const char *heading;
	const char *key; /* in JSON, with the unit */
	const char *help;
	enum column_kind kind : 8;
	enum column_use use : 8;
	bool always : 1; /* known; else it may be null */
	bool is_signed : 1; /* a number that may be negative, as changes may */
	bool has_bar : 1;
	uint8_t leave; /* if narrow: 1 is left out first; 0: never */
	uint16_t which;
	const char *const *words; /* all that it may be, up to NULL; or NULL */
	struct column_value (*value)(const void *row);
	struct column_value (*value_of)(const void *row, size_t which);
};

static inline struct column_value column_get(const struct column *column,
					     const void *row)
{
	return column->value ? column->value(row) :
			       column->value_of(row, column->which);
}

/* A value_of() for a member that is a string, or NULL if it is absent. */
static inline struct column_value column_text_at(const void *row, size_t place)
{
	return column_text(*(const char *const *)((const char *)row + place));
}

/* The same for one that is an array of characters, or empty. */
static inline struct column_value column_chars_at(const void *row, size_t place)
{
	const char *text = (const char *)row + place;

	return column_text(*text ? text : NULL);
}

/* And for one that is an int64_t or uint64_t, and always known. */
static inline struct column_value column_number_at(const void *row,
						   size_t place)
{
	return column_number(true,
			     *(const int64_t *)((const char *)row + place));
}

/* In a struct column: @get is a value_of(), for a member of @of. */
#define COLUMN_AT(get, of, member)                                             \
	.value_of = (get), .which = offsetof(of, member)

/* Whether the column's values are numbers. */
static inline bool column_is_number(const struct column *column)
{
	return column->kind >= COLUMN_COUNT;
}

struct column_set {
	const char *command; /* whose --help lists them */
	const struct column *columns; /* in the order of -O */
	size_t count;
};

#define COLUMNS_IN(list) (sizeof(list) / sizeof(*(list)))
/* Does not compile if a choice has no room for all of the array @list. */
#define COLUMN_SET(name, list)                                                 \
	{                                                                      \
		.command = (name), .columns = (list),                          \
		.count = COLUMNS_IN(list) + 0 * COLUMNS_TOO_MANY(list)         \
	}
#define COLUMNS_TOO_MANY(list)                                                 \
	sizeof(char[COLUMN_CHOICE_ROOM + 1 - COLUMNS_IN(list)])

#define TABLE_NO_PARENT SIZE_MAX

/* An array of rows. */
struct table_rows {
	const void *rows;
	size_t count;
	size_t size; /* of one row, in bytes */
	/*
	 * The index of each row's parent, which comes before it, or
	 * TABLE_NO_PARENT. NULL: the rows are not a tree. Only a plain table
	 * shows it, in the column that names the row.
	 */
	const size_t *parents;
};

/* Those of @list, without parents. */
#define TABLE_ROWS(list, rows_in_it)                                           \
	{                                                                      \
		.rows = (list), .count = (rows_in_it), .size = sizeof(*(list)) \
	}

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

/* These replace @choice, which has room for all columns of a set. */
void column_choice_default(struct column_choice *choice,
			   const struct column_set *set);
void column_choice_with_history(struct column_choice *choice,
				const struct column_set *set);
void column_choice_all(struct column_choice *choice,
		       const struct column_set *set);

/*
 * Parses "LIST" or "+LIST": headings in any case, separated by commas. With the
 * plus, they follow the usual columns. Returns 0, or -EINVAL with @err set.
 */
int column_choice_parse(struct column_choice *choice,
			const struct column_set *set, const char *list,
			struct error *err);

/* The column with this heading, in any case; or NULL with @err set. */
const struct column *column_find(const struct column_set *set,
				 const char *heading, size_t length,
				 struct error *err);

/* Prints the columns for --help: a heading and a line for each. */
void column_print_help(const struct column_set *set);

/* How to sort rows. All zero: as they are. */
struct column_order {
	const struct column *column;
	bool descends; /* else unknown values come first */
};

/*
 * Compares two values of a column, as qsort() wants it. Unknown ones are less;
 * numbers within texts are compared by value.
 */
int column_compare_values(const struct column_value *left,
			  const struct column_value *right,
			  enum column_kind kind);

/* Sorts @count rows of @size bytes. */
void column_sort(void *rows, size_t count, size_t size,
		 const struct column_order *order);

/*
 * Moves the rows of which @is_last is true to the end; otherwise they keep
 * their order. Returns how many are before them.
 */
size_t column_sort_last(void *rows, size_t count, size_t size,
			bool (*is_last)(const void *row));

/*
 * Sorts the rows to be shown to the front, and returns how many they are: all
 * if @top is 0, else the @top rows with the largest numbers in the column of
 * @order; the first ones if it has no numbers. Those of which @is_unchanged is
 * true are not shown; NULL: none is. Sets *@others to a word for what is not
 * shown.
 */
size_t column_sort_shown(void *rows, size_t count, size_t size,
			 const struct column_order *order, size_t top,
			 bool (*is_unchanged)(const void *row),
			 const char **others);

#endif
