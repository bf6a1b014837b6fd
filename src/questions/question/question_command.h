/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a question needs to be a command: its options, and what its operands
 * are. Its struct command_line is in its own room, and has no run(), unless the
 * command does more than ask.
 */
#ifndef BUFSTAT_QUESTION_COMMAND_H
#define BUFSTAT_QUESTION_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/command_line.h"
#include "cli/interval.h"
#include "cli/table_options.h"
#include "question/question.h"

/* What operands are. */
enum selection_kind {
	SELECTS_NOTHING, /* paths, if any, for take() */
	SELECTS_DEVICES,
	SELECTS_FILESYSTEMS,
	SELECTS_CACHES, /* of devices and of filesystems */
	SELECTS_RECORDED, /* the same, by what a recording calls them */
	SELECTS_CGROUPS, /* by a path, with or without that of the mount */
};

/* Options of such a command; those that it does not have are all zero. */
struct question_options {
	struct common_options common;
	struct table_options table;
	struct repeat_options repeat;
	size_t most; /* records; 0: all of them */
	bool all; /* -a */
	bool in_parts;
	bool is_list; /* --list */
	const struct memory_asked *memory; /* as in struct asking */
};

struct question_command {
	const struct question *question;
	enum selection_kind selects;
	const struct fields *document; /* NULL: that of the command */
	/*
	 * Prints the answer, in place of its rows alone, where it is not JSON.
	 * Returns as table_print(). NULL: it has no more than these.
	 */
	int (*print)(const void *answer, const struct column_choice *columns,
		     const struct table_style *style);
	/*
	 * Does what is left once an answer was printed: tells people more, or
	 * keeps something of it. NULL: nothing is left.
	 */
	void (*finish)(const void *answer,
		       const struct question_options *options,
		       const struct sysroot *root, error_tell_fn *tell,
		       void *data);
};

#endif
