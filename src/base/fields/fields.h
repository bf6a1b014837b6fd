/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The members of a structure, described once. Its JSON is written by the table
 * and its schema is printed from it. That of a plain structure is also read by
 * it, strictly and within bounds; what is not described there is scratch, or
 * set by whoever reads: what holds among members is for his check.
 */
#ifndef BUFSTAT_FIELDS_H
#define BUFSTAT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/json_in.h"
#include "lib/string_list.h"
#include "table/column.h"

struct json_out;

enum field_kind {
	FIELD_KIND_UNSIGNED, /* 4 or 8 bytes, also an enum that is a number */
	FIELD_KIND_SIGNED, /* the same; a file has none below 0 */
	FIELD_KIND_BOOL,
	FIELD_KIND_NOT, /* a bool that the file has the other way round */
	FIELD_KIND_WORD, /* an enum, by its words */
	FIELD_KIND_STATIC, /* const char *, one of the words */
	FIELD_KIND_STRING, /* char *, owned */
	FIELD_KIND_TEXT, /* char[] */
	FIELD_KIND_STRINGS, /* struct string_list */
	FIELD_KIND_DEVICE, /* major and minor, one after the other: "8:1" */
	FIELD_KIND_COUNTS, /* uint64_t[], each known by a bit of a uint64_t */
	FIELD_KIND_OBJECT, /* a structure with an object of its own */
	FIELD_KIND_LIST, /* structures: an owned pointer, and their number */
	FIELD_KIND_ARRAY, /* structures in a fixed array, and their number */
	/* The others are written and not read. */
	FIELD_KIND_DECIMAL, /* double */
	FIELD_KIND_MOMENT, /* int64_t, ms of CLOCK_REALTIME: in UTC */
	FIELD_KIND_SENTENCE, /* const char * */
	FIELD_KIND_ERROR, /* struct error: its text */
	FIELD_KIND_ERRNO, /* its name; "none" is 0 */
	FIELD_KIND_VALUE, /* of a function, as the value of a column is */
	FIELD_KIND_ROWS, /* struct table_rows, with a choice of columns */
	FIELD_KIND_COLUMNS, /* of this structure, all of them */
	FIELD_KIND_PART, /* a structure whose members stand in this object */
	FIELD_KIND_POINTED, /* the same behind a pointer */
};

/*
 * What a string says, for who must not let it out (capture/redact_json.h). A
 * string of which nothing is said is replaced whole.
 */
enum field_says {
	SAYS_NOTHING,
	SAYS_WORD, /* as on any host: a type, a time, a release, a device */
	SAYS_PLACE, /* where something is mounted */
	SAYS_FILE, /* the path of a file */
	SAYS_CGROUP, /* its path */
	SAYS_SOURCE, /* what is mounted */
	SAYS_VOLUME, /* a name of a device */
	SAYS_PROCESS, /* its name */
	SAYS_USER, /* "name(pid)" */
	SAYS_MESSAGE, /* in which a path may be */
	SAYS_KIND, /* of the owners after it */
	SAYS_OWNER, /* of that kind */
};

/* What says that a value is known. If it is not, it is null. */
enum field_known {
	KNOWN_ALWAYS, /* null is refused */
	KNOWN_BOOL, /* a bool of the structure */
	KNOWN_NOT_MAX, /* SIZE_MAX is null */
	KNOWN_NOT_NEGATIVE, /* -1 is null */
	KNOWN_NOT_ZERO, /* 0, NULL and "" are null */
	KNOWN_WITH, /* a string of the structure, which comes before it */
	KNOWN_WITHOUT, /* the same: null with the string */
};

/* As small as it can be (column.h). */
struct field {
	const char *key; /* NULL: what stands in this object */
	const char *about; /* for the schema, or NULL */
	const char *null; /* the same: when it is null */
	union {
		const char *const *words; /* @size of them; of counts too */
		const struct fields *inner; /* if field_has_inner() */
		const struct column_set *columns;
	};
	union {
		/* Of a value: its function, as that of a column. */
		struct column_value (*value)(const void *record);
		/*
		 * What is_made makes the structure number @which of @inner,
		 * which is empty. False: there is none. An object is null then,
		 * and the members of a part are left out.
		 */
		bool (*make)(const void *record, size_t which, void *made);
		/* Of a list that is a member: which it has; NULL: all. */
		bool (*has)(const void *element);
	};
	struct column_value (*value_of)(const void *record, size_t which);
	uint64_t most; /* of numbers, and of elements */
	/* In the structure, bytes. */
	uint64_t place : 20, known_place : 20, count_place : 20;
	uint16_t size, which;
	enum field_kind kind : 5;
	enum field_known known : 3;
	enum field_says says : 4;
	enum column_kind column : 4; /* of a value */
	/* Files of older versions lack it. It is left as it was then. */
	bool may_lack : 1;
	/* Not written where it is not known or, without a flag, not made. */
	bool is_left_out : 1;
	bool is_count : 1; /* signed, and never negative */
	/* Of counts: what is not known is null. */
	bool has_nulls : 1;
	bool is_signed : 1; /* the same: they are int64_t */
	bool is_made : 1; /* a list, an object or a part that is no member */
};

struct fields {
	const struct field *list;
	size_t count;
	size_t size; /* of the structure, bytes */
	/* In a schema; NULL for one that does not contain itself. */
	const char *name;
};

/* The most bytes of a structure that is made. */
#define FIELDS_MADE 1024

#define FIELDS(type, array)                                                    \
	{                                                                      \
		.list = (array), .count = sizeof(array) / sizeof(*(array)),    \
		.size = sizeof(type)                                           \
	}

/* Numbers and bools. */
#define FIELD(type, member, k, max)                                            \
	.key = (k), .kind = FIELD_KIND_OF_(FIELD_(type, member)),              \
	FIELD_AT_(type, member), .most = (max)
#define FIELD_WORD(type, member, k, list)                                      \
	.key = (k), .kind = FIELD_KIND_WORD, FIELD_AT_(type, member),          \
	.words = (list), .most = sizeof(list) / sizeof(*(list)) - 1
#define FIELD_NOT(type, member, k)                                             \
	.key = (k), .kind = FIELD_KIND_NOT + FIELD_IS_(type, member, bool),    \
	FIELD_AT_(type, member)
/* One of the first @number words of the list. */
#define FIELD_STATIC(type, member, k, list, number)                            \
	.key = (k),                                                            \
	.kind = FIELD_KIND_STATIC + FIELD_IS_(type, member, const char *),     \
	FIELD_AT_(type, member), .words = (list), .most = (number)-1
#define FIELD_STRING(type, member, k, what)                                    \
	.key = (k), .says = (what),                                            \
	.kind = FIELD_KIND_STRING + FIELD_IS_(type, member, char *),           \
	FIELD_AT_(type, member)
#define FIELD_TEXT(type, member, k, what)                                      \
	.key = (k), .says = (what), .kind = FIELD_KIND_TEXT,                   \
	FIELD_AT_(type, member)
#define FIELD_STRINGS(type, member, k, what)                                   \
	.key = (k), .says = (what),                                            \
	.kind = FIELD_KIND_STRINGS +                                           \
		FIELD_IS_(type, member, struct string_list),                   \
	FIELD_AT_(type, member)
/* @first is the member with the major number. */
#define FIELD_DEVICE(type, first, k)                                           \
	.key = (k),                                                            \
	.kind = FIELD_KIND_DEVICE + FIELD_IS_(type, first, unsigned int),      \
	FIELD_AT_(type, first)
/* Without a key: what is not known has none either. */
#define FIELD_COUNTS(type, member, mask, list)                                 \
	.kind = FIELD_KIND_COUNTS, .words = (list),                            \
	.place = offsetof(type, member),                                       \
	.size = sizeof(list) / sizeof(*(list)), .most = UINT64_MAX,            \
	.known_place = offsetof(type, mask) + FIELD_IS_(type, mask, uint64_t)
/* The same for the first @number of them, but what is not known is null. */
#define FIELD_COUNTS_OR_NULL(type, member, mask, list, number, max)            \
	.kind = FIELD_KIND_COUNTS, .words = (list), .has_nulls = true,         \
	.place = offsetof(type, member), .size = (number), .most = (max),      \
	.known_place = offsetof(type, mask) + FIELD_IS_(type, mask, uint64_t)
#define FIELD_OBJECT(type, member, k, fields)                                  \
	.key = (k), .kind = FIELD_KIND_OBJECT, FIELD_AT_(type, member),        \
	.inner = (fields)
/* A key that no table reads: for what a string says. */
#define FIELD_SAYS(k, what) .key = (k), .says = (what)
#define FIELD_INNER(k, fields)                                                 \
	.key = (k), .kind = FIELD_KIND_OBJECT, .inner = (fields)
/* At most @max structures; none is NULL. */
#define FIELD_LIST(type, member, number, k, fields, max)                       \
	.key = (k), .kind = FIELD_KIND_LIST, FIELD_AT_(type, member),          \
	.inner = (fields), .most = (max), FIELD_COUNT_(type, number)
#define FIELD_ARRAY(type, member, number, k, fields)                           \
	.key = (k), .kind = FIELD_KIND_ARRAY, FIELD_AT_(type, member),         \
	.inner = (fields),                                                     \
	.most = sizeof(FIELD_(type, member)) / sizeof(*FIELD_(type, member)),  \
	FIELD_COUNT_(type, number)
/* The others: what is written and not read. */
#define FIELD_DECIMAL(type, member, k)                                         \
	.key = (k),                                                            \
	.kind = FIELD_KIND_DECIMAL + FIELD_IS_(type, member, double),          \
	FIELD_AT_(type, member)
#define FIELD_MOMENT(type, member, k)                                          \
	.key = (k),                                                            \
	.kind = FIELD_KIND_MOMENT + FIELD_IS_(type, member, int64_t),          \
	FIELD_AT_(type, member)
/* NULL is null. */
#define FIELD_SENTENCE(type, member, k)                                        \
	.key = (k),                                                            \
	.kind = FIELD_KIND_SENTENCE + FIELD_IS_(type, member, const char *),   \
	FIELD_AT_(type, member)
/* Null if nothing went wrong. */
#define FIELD_ERROR(type, member, k)                                           \
	.key = (k), .null = "",                                                \
	.kind = FIELD_KIND_ERROR + FIELD_IS_(type, member, struct error),      \
	FIELD_AT_(type, member)
#define FIELD_ERRNO(type, member, k)                                           \
	.key = (k), .kind = FIELD_KIND_ERRNO, FIELD_AT_(type, member)
/* @of: the kind of a column. After it, .value or COLUMN_AT(). */
#define FIELD_VALUE(k, of) .key = (k), .kind = FIELD_KIND_VALUE, .column = (of)
/* @choice is a const struct column_choice *. */
#define FIELD_ROWS(type, rows, choice, k, set)                                 \
	.key = (k), .columns = (set),                                          \
	.kind = FIELD_KIND_ROWS + FIELD_IS_(type, rows, struct table_rows) +   \
		FIELD_IS_(type, choice, const struct column_choice *),         \
	FIELD_AT_(type, rows), .count_place = offsetof(type, choice)
#define FIELD_COLUMNS(set) .kind = FIELD_KIND_COLUMNS, .columns = (set)
#define FIELD_PART(type, member, fields)                                       \
	.kind = FIELD_KIND_PART, FIELD_AT_(type, member), .inner = (fields)
/* Others of the same structure. */
#define FIELD_SAME(fields) .kind = FIELD_KIND_PART, .inner = (fields)
#define FIELD_POINTED(type, member, fields)                                    \
	.kind = FIELD_KIND_POINTED, FIELD_AT_(type, member), .inner = (fields)
#define FIELD_MADE_PART(fields, function)                                      \
	.kind = FIELD_KIND_PART, .inner = (fields), .is_made = true,           \
	.make = (function)
#define FIELD_MADE_OBJECT(k, fields, function)                                 \
	.key = (k), .kind = FIELD_KIND_OBJECT, .inner = (fields),              \
	.is_made = true, .make = (function)
/* With .null, an empty list is null, unless the flag below says it is known. */
#define FIELD_MADE_LIST(k, fields, function)                                   \
	.key = (k), .kind = FIELD_KIND_LIST, .inner = (fields),                \
	.is_made = true, .make = (function)
/* After one of these: null without the flag. */
#define FIELD_KNOWN(type, flag)                                                \
	.known = KNOWN_BOOL + FIELD_IS_(type, flag, bool),                     \
	.known_place = offsetof(type, flag)
/* The same with a string: null where that is NULL, or where it is not. */
#define FIELD_WITH(type, string)                                               \
	.known = KNOWN_WITH + FIELD_IS_TEXT_(type, string),                    \
	.known_place = offsetof(type, string)
#define FIELD_WITHOUT(type, string)                                            \
	.known = KNOWN_WITHOUT + FIELD_IS_TEXT_(type, string),                 \
	.known_place = offsetof(type, string)

/* NOLINTBEGIN(bugprone-macro-parentheses): types and members */
#define FIELD_(type, member) (((type *)NULL)->member)
#define FIELD_AT_(type, member)                                                \
	.place = offsetof(type, member), .size = sizeof(FIELD_(type, member))
#define FIELD_IS_(type, member, wanted)                                        \
	_Generic(FIELD_(type, member), wanted : 0)
#define FIELD_IS_TEXT_(type, member)                                           \
	_Generic(FIELD_(type, member), char * : 0, const char * : 0)
#define FIELD_COUNT_(type, number)                                             \
	.count_place = offsetof(type, number) + FIELD_IS_(type, number, size_t)
#define FIELD_KIND_OF_(value)                                                  \
	_Generic((value), uint64_t                                             \
		 : FIELD_KIND_UNSIGNED, unsigned int                           \
		 : FIELD_KIND_UNSIGNED, int                                    \
		 : FIELD_KIND_SIGNED, int64_t                                  \
		 : FIELD_KIND_SIGNED, bool                                     \
		 : FIELD_KIND_BOOL)

/* NOLINTEND(bugprone-macro-parentheses) */

/* Whether it has structures, of @inner. */
static inline bool field_has_inner(const struct field *field)
{
	switch (field->kind) {
	case FIELD_KIND_OBJECT:
	case FIELD_KIND_LIST:
	case FIELD_KIND_ARRAY:
	case FIELD_KIND_PART:
	case FIELD_KIND_POINTED:
		return true;
	default:
		return false;
	}
}

/* The words that a value may be, or NULL. */
static inline const char *const *field_words(const struct field *field)
{
	return field_has_inner(field) || field->kind == FIELD_KIND_ROWS ||
			       field->kind == FIELD_KIND_COLUMNS ?
		       NULL :
		       field->words;
}

/* Writes the members into the open object. */
void fields_write(struct json_out *json, const struct fields *fields,
		  const void *record);

/*
 * Reads all members of @object into an empty structure. What is missing, null
 * though it has to be known, or beyond a bound is refused. Returns 0, -EBADMSG
 * or -ENOMEM; the caller releases what the structure owns in any case.
 */
int fields_read(struct json_value object, const struct fields *fields,
		void *record);

/* The same from the text of a document, which it takes over. */
int fields_read_text(char *text, const struct fields *fields, void *record);

/* Releases what the members own, and makes the structure empty. */
void fields_release(const struct fields *fields, void *record);

/* Writes a JSON schema, draft 7, of such an object as a document. */
void fields_print_schema(FILE *out, const char *title,
			 const struct fields *fields);

#endif
