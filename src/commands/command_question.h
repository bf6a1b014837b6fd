/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands that ask a question, once or again and again, and print it. */
#ifndef BUFSTAT_COMMAND_QUESTION_H
#define BUFSTAT_COMMAND_QUESTION_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/command_line.h"
#include "cli/interval.h"
#include "cli/table_options.h"
#include "commands/command.h"
#include "question/question.h"

/* Options of such a command; those that it does not have are all zero. */
struct question_options {
	struct common_options common;
	struct table_options table;
	struct repeat_options repeat;
	size_t most; /* records; 0: all of them */
	bool all; /* -a */
	bool is_list; /* --list */
};

/* A command that asks a question. */
struct command_question {
	const struct command_line *line;
	const struct question *question;
	/* Operands select of what there is; else they are paths, if any. */
	bool selects;
	enum selection_kind selection;
	/* Tells people more about an answer, on stderr; NULL: there is none. */
	void (*remark)(const void *answer,
		       const struct question_options *options,
		       const struct sysroot *root, struct told *told);
};

/*
 * Asks, and prints the answer and what is missing. Prints its errors and
 * returns the exit code.
 */
int command_ask(const struct command_question *asks, const void *options,
		const struct sysroot *root);

#endif
