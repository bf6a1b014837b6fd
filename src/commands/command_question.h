/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_COMMAND_QUESTION_H
#define BUFSTAT_COMMAND_QUESTION_H

struct command_line;
struct sysroot;

/*
 * Asks the question of a command, once or again and again, and prints the
 * answer and what is missing. @options are struct question_options. Prints its
 * errors and returns the exit code.
 */
int command_ask(const struct command_line *line, const void *options,
		const struct sysroot *root);

#endif
