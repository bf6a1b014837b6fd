/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of a command as one table. A row is what getopt_long() takes, the
 * line of --help, what the shell completes, and the words of the synopsis, which
 * a test compares with the manual's. Rows that several commands share stand in
 * arrays of their own, which a row of a command's table puts in their place.
 */
#ifndef BUFSTAT_OPTION_H
#define BUFSTAT_OPTION_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct error;
struct option_row;

enum option_type {
	OPTION_END, /* after the last row */
	OPTION_GROUP, /* the rows of an array stand here */
	OPTION_FLAG, /* sets a bool */
	OPTION_BITS, /* adds the row's code to an unsigned int */
	OPTION_TEXT, /* a const char *, which then points into argv */
	OPTION_CALL, /* the row's function reads the value */
	OPTION_ANSWER, /* puts the row's code into an int and ends the reading */
	OPTION_REFUSED, /* the command cannot do that; help says why not */
};

enum option_flag {
	OPTION_HIDDEN = 1 << 0, /* taken, but neither in --help nor completed */
	OPTION_BEFORE_COMMAND = 1 << 1, /* bufstat -J devices */
};

/* What the shell completes a value or an operand with. */
enum option_words {
	WORDS_NONE,
	WORDS_FILES,
	WORDS_DIRECTORIES,
	WORDS_DEVICES,
	WORDS_COLUMN,
	WORDS_COLUMN_LIST,
};

/* The words of a list: NULL after the last one. */
typedef const char *option_word_fn(size_t which);

/* An option as it stands on the command line. */
struct option_given {
	const struct option_row *row;
	const char *value; /* in argv; NULL if the option takes none */
};

/* Reads a value into @place. Returns 0, or -EINVAL or -ERANGE with the text. */
typedef int option_take_fn(void *place, const struct option_given *given,
			   struct error *err);

struct option_row {
	enum option_type type;
	char letter; /* '\0': there is none */
	const char *name;
	const char *argument; /* what --help calls the value; NULL: takes none */
	const char *help; /* filled into lines; of OPTION_REFUSED the reason */
	size_t place; /* of the value: bytes from the start of the options */
	int code; /* for OPTION_BITS, OPTION_ANSWER and take() */
	unsigned int flags; /* enum option_flag */
	option_take_fn *take; /* OPTION_CALL */
	enum option_words words;
	option_word_fn *word; /* the words themselves, or NULL */
	const struct option_row *group; /* OPTION_GROUP */
};

/* The place of a member. It does not compile if the member is no @as. */
#define OPTION_PLACE(as, of, member)                                           \
	(offsetof(of, member) +                                                \
	 0 * sizeof((const as *)0 == &((const of *)0)->member))

#define ROW_FLAG(l, n, of, member, h)                                          \
	{                                                                      \
		.type = OPTION_FLAG, .letter = (l), .name = (n), .help = (h),  \
		.place = OPTION_PLACE(bool, of, member)                        \
	}
#define ROW_TEXT(l, n, of, member, a, w, h)                                    \
	{                                                                      \
		.type = OPTION_TEXT, .letter = (l), .name = (n),               \
		.argument = (a), .words = (w), .help = (h),                    \
		.place = OPTION_PLACE(char *, of, member)                      \
	}
#define ROW_CALL(l, n, of, member, a, t, h)                                    \
	{                                                                      \
		.type = OPTION_CALL, .letter = (l), .name = (n),               \
		.place = offsetof(of, member), .argument = (a), .take = (t),   \
		.help = (h)                                                    \
	}
#define ROW_REFUSED(l, n, a, h)                                                \
	{                                                                      \
		.type = OPTION_REFUSED, .letter = (l), .name = (n),            \
		.argument = (a), .help = (h)                                   \
	}
/* The places of @g count from the member. */
#define ROW_GROUP(of, member, g)                                               \
	{                                                                      \
		.type = OPTION_GROUP, .place = offsetof(of, member),           \
		.group = (g)                                                   \
	}

#define OPTIONS_ROOM 64

/* A table with its groups resolved, and the same as getopt_long() wants it. */
struct option_list {
	struct option_slot {
		const struct option_row *row;
		size_t place; /* as the row's, from the start of all options */
	} slots[OPTIONS_ROOM];
	size_t count;
	char letters[2 * OPTIONS_ROOM + 3];
	struct option names[OPTIONS_ROOM + 1];
};

/*
 * Resolves @rows, which must outlive the list. A table that
 * option_list_check() objects to is a bug: the program says so and aborts.
 */
void option_list_init(struct option_list *list, const struct option_row *rows);

/*
 * Is it a table to work with: no letter or name twice, a name for each value
 * and for nothing else, a function where one is called, a help text, no more
 * rows than there is room for? Returns 0, or -EINVAL with the text.
 */
int option_list_check(const struct option_list *list, struct error *err);

/*
 * May all names of @theirs be abbreviated in @list as far as among themselves?
 * Returns 0, or -EINVAL with the text.
 */
int option_list_check_prefixes(const struct option_list *list,
			       const struct option_row *theirs,
			       struct error *err);

enum option_reading {
	OPTIONS_ANYWHERE, /* before and after operands; nothing is printed */
	OPTIONS_FIRST, /* up to the first operand; nothing is printed */
	OPTIONS_AS_FREE, /* anywhere, and getopt_long() says what it refuses */
};

/* What option_list_next() returns in place of the number of a slot. */
enum {
	OPTION_NO_MORE = -1, /* the operands begin at optind */
	OPTION_UNKNOWN = -2,
	OPTION_WITHOUT_VALUE = -3, /* not with OPTIONS_AS_FREE */
};

/*
 * The next option: the number of its slot, its value in optarg. Set optind to 0
 * before the first.
 */
int option_list_next(const struct option_list *list, int argc, char **argv,
		     enum option_reading reading);

/* After OPTION_WITHOUT_VALUE: the number of its slot. */
int option_list_incomplete(const struct option_list *list);

/*
 * Takes an option with its value into @options. Returns 0, 1 for an
 * OPTION_ANSWER, which ends the reading, or -EINVAL or -ERANGE with the text.
 */
int option_list_take(const struct option_list *list, int slot, void *options,
		     const char *value, struct error *err);

/*
 * Reads all options of a command line into @options; the operands are then at
 * optind. An error names @help, the command to see. Returns as
 * option_list_take() does.
 */
int options_read(const struct option_list *list, void *options, int argc,
		 char **argv, const char *help, struct error *err);

/* The long option that was probably meant by a refused "--word", or NULL. */
const char *option_nearest(const struct option_list *list, const char *word);

/* For --help: a line for each option, or more if its text is long. */
void option_list_print(FILE *out, const struct option_list *list);

/*
 * For --help: "@start", the options from @first on, each in brackets, and
 * "@operands" (NULL: none), filled into lines.
 */
void option_list_print_synopsis(FILE *out, const struct option_list *list,
				size_t first, const char *start,
				const char *operands);

/* Is it one that --help names? */
bool option_is_shown(const struct option_row *row);

#endif
