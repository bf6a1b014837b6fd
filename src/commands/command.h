/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands. */
#ifndef BUFSTAT_COMMAND_H
#define BUFSTAT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "filesystems/selection.h"

struct document;
struct sysroot;

/* Whether the program runs under the name free, which has no commands. */
bool called_free(void);

/* The command with this name or alias, or NULL. */
const struct command_line *command_find(const char *name);

/*
 * Finds the command in @argv and moves it to argv[1], ahead of any options.
 * Only options that plain bufstat and the commands share may stand before it.
 * Returns 0, with *@command NULL if there is no command, or -EINVAL with @err
 * set if an option has to go after the command. @err may be NULL.
 */
int command_choose(int argc, char **argv, const struct command_line **command,
		   struct error *err);

/* The command after @last by name, or the first; NULL: @last is the last. */
const struct command_line *command_next(const struct command_line *last);

/* Sets @err for an unknown command, with the nearest name. Returns -EINVAL. */
int command_unknown(const char *word, struct error *err);

/* Prints the list of commands for --help, a line for each. */
void command_print_list(FILE *out);

/*
 * Prints free's table, then the devices that its buffers belong to. Takes
 * free's options. Prints its own errors and returns the exit code.
 */
int cmd_summary(int argc, char **argv);

/*
 * Prints the document of the command @line or, without -J, its rows as a table:
 * with the columns that its @options choose, if @document has none. Returns 0
 * or as table_print().
 */
int command_print_rows(const struct command_line *line, const void *options,
		       const struct document *document);

/*
 * Runs a command on the host or captured tree @root, or on what --at names in
 * its recording. The second ignores --at.
 */
command_answer_fn command_answer;
command_answer_fn command_answer_now;

/* Prints what is wrong with words, once. */
void command_print_refused(struct selection *selection);

/* The same, also of those that selected nothing. */
void command_print_vain(struct selection *selection);

/*
 * Looks the operands up as selection_init() does and, unless all were in vain,
 * asks @measure, which gets @data and returns an exit code. Prints what is
 * wrong with a word. Returns the exit code of the command.
 */
int command_run_selected(enum selection_kind kind, const struct sysroot *root,
			 const struct common_options *common,
			 int (*measure)(void *data, struct selection *selection,
					const struct sysroot *root),
			 void *data);

/*
 * Their briefs say what they do. Those that only ask a question belong to the
 * question (questions.h).
 */
extern const struct command_line command_capture;
extern const struct command_line command_complete;
extern const struct command_line command_drop;
extern const struct command_line command_explain;
extern const struct command_line command_export;
extern const struct command_line command_help;
extern const struct command_line command_history;
extern const struct command_line command_module;
extern const struct command_line command_path;
extern const struct command_line command_record;
extern const struct command_line command_repro;
extern const struct command_line command_top;
extern const struct command_line command_who;

#endif
