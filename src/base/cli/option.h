/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command's options as one table. A row defines what getopt_long() takes, the
 * line of --help, what the shell completes and the words of the synopsis, which
 * a test compares with the manual's. Rows that several commands share are in
 * arrays of their own, which an OPTION_GROUP row includes.
 */
#ifndef BUFSTAT_OPTION_H
#define BUFSTAT_OPTION_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct error;
struct option_row;

enum option_type {
	OPTION_END, /* after the last row */
	OPTION_GROUP, /* includes the rows of an array */
	OPTION_FLAG, /* sets a bool */
	OPTION_BITS, /* adds the row's code to an unsigned int */
	OPTION_TEXT, /* sets a const char *, which points into argv */
	OPTION_CALL, /* the row's function reads the value */
	OPTION_ANSWER, /* sets an int to the row's code; ends the reading */
	OPTION_REFUSED, /* the command cannot do that; help says why not */
};

enum option_flag {
	OPTION_HIDDEN = 1 << 0, /* taken, but not in --help nor completed */
	OPTION_BEFORE_COMMAND = 1 << 1, /* as in bufstat -J devices */
};

/* How the shell completes a value or an operand. */
enum option_words {
	WORDS_NONE,
	WORDS_FILES,
	WORDS_DIRECTORIES,
	WORDS_DEVICES,
	WORDS_DEVICES_AND_FILES,
	WORDS_COLUMN,
	WORDS_COLUMN_LIST,
};

/* The word at index @which of a list; NULL after the last one. */
typedef const char *option_word_fn(size_t which);

/* An option on the command line. */
struct option_given {
	const struct option_row *row;
	const char *value; /* in argv; NULL if the option takes none */
};

/* Reads a value into @place. Returns 0, or -EINVAL or -ERANGE with @err set. */
typedef int option_take_fn(void *place, const struct option_given *given,
			   struct error *err);

struct option_row {
	enum option_type type : 8;
	char letter; /* '\0': none */
	enum option_words words : 8;
	uint16_t place; /* of the value: offset in the options, in bytes */
	uint16_t flags; /* enum option_flag */
	int code; /* for OPTION_BITS, OPTION_ANSWER and take() */
	const char *name;
	const char *argument; /* what --help calls the value; NULL: takes none */
	const char *help; /* wrapped into lines; the reason of OPTION_REFUSED */
	union {
		option_take_fn *take; /* OPTION_CALL */
		const struct option_row *group; /* OPTION_GROUP */
	};
	option_word_fn *word; /* the words themselves, or NULL */
};

/* The offset of a member. Does not compile if its type is not @as. */
#define OPTION_PLACE(as, of, member)                                           \
	(offsetof(of, member) +                                                \
	 0 * sizeof((const as *)0 == &((const of *)0)->member))

/* Other members of the row may follow. */
#define ROW_FLAG(l, n, of, member, h, ...)                                     \
	{                                                                      \
		.type = OPTION_FLAG, .letter = (l), .name = (n), .help = (h),  \
		.place = OPTION_PLACE(bool, of, member), __VA_ARGS__           \
	}
#define ROW_TEXT(l, n, of, member, a, w, h, ...)                               \
	{                                                                      \
		.type = OPTION_TEXT, .letter = (l), .name = (n),               \
		.argument = (a), .words = (w), .help = (h),                    \
		.place = OPTION_PLACE(char *, of, member), __VA_ARGS__         \
	}
#define ROW_CALL(l, n, of, member, a, t, h, ...)                               \
	{                                                                      \
		.type = OPTION_CALL, .letter = (l), .name = (n),               \
		.place = offsetof(of, member), .argument = (a), .take = (t),   \
		.help = (h), __VA_ARGS__                                       \
	}
/* The function gets the whole structure. */
#define ROW_WHOLE(l, n, a, t, h, ...)                                          \
	{                                                                      \
		.type = OPTION_CALL, .letter = (l), .name = (n),               \
		.argument = (a), .take = (t), .help = (h), __VA_ARGS__         \
	}
#define ROW_ANSWER(l, n, of, member, c, h, ...)                                \
	{                                                                      \
		.type = OPTION_ANSWER, .letter = (l), .name = (n),             \
		.place = OPTION_PLACE(int, of, member), .code = (c),           \
		.help = (h), __VA_ARGS__                                       \
	}
#define ROW_REFUSED(l, n, a, h)                                                \
	{                                                                      \
		.type = OPTION_REFUSED, .letter = (l), .name = (n),            \
		.argument = (a), .help = (h)                                   \
	}
/* For a letter or name that was something else in this command. */
#define ROW_MOVED(l, n, was, now)                                              \
	ROW_REFUSED(l, n, NULL,                                                \
		    "not here, where it was --" was ": write --" now)
/* The places of @g are offsets from the member. */
#define ROW_GROUP(of, member, g)                                               \
	{                                                                      \
		.type = OPTION_GROUP, .place = offsetof(of, member),           \
		.group = (g)                                                   \
	}

#define OPTIONS_ROOM 64

/* A table with its groups resolved, also in the form for getopt_long(). */
struct option_list {
	struct option_slot {
		const struct option_row *row;
		size_t place; /* the value's offset in the whole options */
	} slots[OPTIONS_ROOM];
	size_t count;
	char letters[2 * OPTIONS_ROOM + 3];
	struct option names[OPTIONS_ROOM + 1];
};

/*
 * Resolves @rows, which must outlive the list. That the table is sound, a unit
 * test has checked: tests/unit/option_check.h says what has to be so.
 */
void option_list_init(struct option_list *list, const struct option_row *rows);

enum option_reading {
	OPTIONS_ANYWHERE, /* before and after operands; nothing is printed */
	OPTIONS_FIRST, /* up to the first operand; nothing is printed */
	OPTIONS_AS_FREE, /* anywhere; getopt_long() prints what it refuses */
};

/* What option_list_next() returns instead of a slot. */
enum {
	OPTION_NO_MORE = -1, /* the operands begin at optind */
	OPTION_UNKNOWN = -2,
	OPTION_WITHOUT_VALUE = -3, /* not with OPTIONS_AS_FREE */
};

/*
 * Returns the slot of the next option, with its value in optarg, or one of the
 * codes above. Set optind to 0 before the first call.
 */
int option_list_next(const struct option_list *list, int argc, char **argv,
		     enum option_reading reading);

/* The slot of the option that OPTION_WITHOUT_VALUE is about. */
int option_list_incomplete(const struct option_list *list);

/*
 * Stores an option and its value in @options. Returns 0, 1 for an
 * OPTION_ANSWER, which ends the reading, or -EINVAL or -ERANGE with @err set.
 */
int option_list_take(const struct option_list *list, int slot, void *options,
		     const char *value, struct error *err);

/*
 * Reads all options of a command line into @options and leaves optind at the
 * operands. An error names @help, the command to see. Returns as
 * option_list_take() does.
 */
int options_read(const struct option_list *list, void *options, int argc,
		 char **argv, const char *help, struct error *err);

/* The long option that a refused "--word" probably meant, or NULL. */
const char *option_nearest(const struct option_list *list, const char *word);

/* Prints the options for --help, each in one line or more. */
void option_list_print(FILE *out, const struct option_list *list);

/*
 * Prints the synopsis for --help: "@start", the options from slot @first on in
 * brackets, and "@operands" (NULL: none), wrapped into lines.
 */
void option_list_print_synopsis(FILE *out, const struct option_list *list,
				size_t first, const char *start,
				const char *operands);

/* Whether --help names the option. */
bool option_is_shown(const struct option_row *row);

#endif
