/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame around a command: reads its options, among them those that every
 * command has, prints its help, opens the sysroot, says what was wrong, and runs
 * it. (The summary reads its command line as free does; see free_options.h.)
 */
#ifndef BUFSTAT_COMMAND_LINE_H
#define BUFSTAT_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "ask/patience.h"
#include "frame/option.h"

struct column_set;
struct error;
struct sysroot;

enum command_answer {
	COMMAND_RUNS,
	COMMAND_HELP,
	COMMAND_VERSION,
};

/* What every command takes. All of it points into argv. */
struct common_options {
	const char *source; /* NULL: the best */
	const char *sysroot; /* NULL: the running host */
	char *const *operands;
	size_t operand_count;
	bool json;
	int answer; /* enum command_answer */
	struct patience patience; /* --timeout; the sysroot's */
};

/* Rows that commands share, of struct common_options. */
extern const struct option_row json_option[]; /* -J */
extern const struct option_row tree_options[]; /* --sysroot, --capture */
extern const struct option_row timeout_option[];
extern const struct option_row help_options[]; /* -h, -V */

/* The options are a structure that begins with a struct common_options. */
struct command_line {
	const char *name;
	const char *alias; /* a shorter name, or NULL */
	const char *brief; /* for the list of commands; NULL: not in it */
	const struct option_row *rows;
	/* For --help, but for the last also for the shell to complete. */
	const char *operands; /* as the synopsis has them; NULL: takes none */
	const char *about; /* lines, the last with its newline */
	const char *exit_status; /* lines; NULL: it is not said */
	const struct column_set *columns; /* of its table; NULL: it has none */
	/* Operands are completed with words; the first, or all where there are
	 * no others, with those of a list. */
	enum option_words words;
	option_word_fn *word;
	size_t options_size; /* bytes */
	/* Puts in what is usual, where that is not all zero; NULL if it is. */
	void (*init)(void *options);
	/* What shows only when all are read; NULL if nothing does. */
	int (*check)(void *options, struct error *err);
	/* Returns the exit code and has printed its errors. */
	int (*run)(void *options, const struct sysroot *root);
};

/* Returns the exit code and has printed its errors; argv[0] is the name. */
int command_line_run(const struct command_line *line, int argc, char **argv);

#endif
