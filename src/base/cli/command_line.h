/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a command: reads its options, including those that every command has,
 * prints its help, opens the sysroot and prints errors. (The summary reads its
 * command line as free does; see free_options.h.)
 */
#ifndef BUFSTAT_COMMAND_LINE_H
#define BUFSTAT_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/moment.h"
#include "cli/option.h"
#include "worker/patience.h"

struct column_set;
struct error;
struct fields;
struct past;
struct question_command;
struct recording_place;
struct sysroot;

enum command_answer {
	COMMAND_RUNS,
	COMMAND_HELP,
	COMMAND_VERSION,
};

/* Options that every command takes. All strings are in argv. */
struct common_options {
	const char *source; /* NULL: the best one */
	const char *sysroot; /* NULL: the running host */
	/*
	 * The dump to read instead of a host, or NULL. Nothing on this host is
	 * about the kernel in a dump, so the command runs with an empty sysroot.
	 */
	const char *vmcore;
	char *const *operands;
	size_t operand_count;
	/* All that was given after the command's name, in the order of getopt. */
	char *const *words;
	size_t word_count;
	/* What follows "--", if the command runs a program; NULL-terminated. */
	char **program;
	int oom_score; /* that the program has; see lib/oom_score.h */
	bool json; /* also set by --json-lines */
	bool json_lines; /* each document on a line of its own */
	int answer; /* enum command_answer */
	struct patience patience; /* --timeout; the sysroot points to it */
	struct moment at; /* --at; none: the running host */
	const char *recording; /* --dir; NULL: the usual one */
	const struct past *past; /* what --at found; NULL: the running host */
	const struct recording_place *place; /* where it found it */
};

/* Option rows for struct common_options, which commands share. */
extern const struct option_row json_option[]; /* -J */
extern const struct option_row json_lines_option[]; /* for those with -s */
extern const struct option_row tree_options[]; /* --sysroot, --capture */
extern const struct option_row past_options[]; /* --at, --dir */
extern const struct option_row timeout_option[];
extern const struct option_row help_options[]; /* -h, -V */

/* What a command prints with -J and an option, for a schema. */
struct option_document {
	const char *option; /* without its dashes; NULL: there are no more */
	const struct fields *fields;
};

/* A command. Its options structure begins with a struct common_options. */
struct command_line {
	const char *name;
	const char *alias; /* a shorter name, or NULL */
	const char *brief; /* for the list of commands; NULL: hidden */
	const struct option_row *rows;
	/* For --help. The shell also completes columns. */
	const char *operands; /* in the synopsis; NULL: takes none */
	bool runs_program; /* after "--" comes a program with its arguments */
	const char *about; /* lines, each with its newline */
	const char *exit_status; /* lines; NULL: not documented */
	/* Of its table, whose struct table_options is in its options; or NULL. */
	const struct column_set *columns;
	size_t table_at; /* offset of it there */
	/* Of its documents with -J, for a schema; NULL: it has none. */
	const struct fields *document;
	const struct option_document *option_documents; /* or NULL */
	/* The shell completes operands with words. word's list is for the first
	 * operand, or for all if words is WORDS_NONE. */
	enum option_words words;
	option_word_fn *word;
	/*
	 * It takes --at: it answers from a recorded reading as from a captured
	 * one. enum recorded (question.h).
	 */
	int reads_recording;
	bool reads_parts; /* the filesystems and memory of that time too */
	size_t options_size; /* bytes */
	/* Sets defaults; NULL if all zero is the default. */
	void (*init)(void *options);
	/* Checks that need all options; NULL if there are none. */
	int (*check)(void *options, struct error *err);
	/* The question that it asks (question_command.h), or NULL. */
	const struct question_command *asks;
	/*
	 * Prints its errors and returns the exit code. NULL: it does no more
	 * than ask.
	 */
	int (*run)(void *options, const struct sysroot *root);
};

/*
 * Runs a command whose options, which begin with @options, are read. @root is
 * what it is asked about. Prints errors and returns the exit code.
 */
typedef int command_answer_fn(const struct command_line *line,
			      struct common_options *options,
			      struct sysroot *root);

/*
 * sysroot_init() for --sysroot and --capture, which may lead to a server that
 * is silent: then -EBUSY. @tree is NULL for the running host.
 */
int open_host(struct sysroot *root, const char *tree, struct error *err);

/*
 * Reads the options and lets @answer do the rest. Prints errors and returns the
 * exit code. argv[0] is the command's name. A program that it runs has
 * @oom_score.
 */
int command_line_run(const struct command_line *line, command_answer_fn *answer,
		     int oom_score, int argc, char **argv);

#endif
