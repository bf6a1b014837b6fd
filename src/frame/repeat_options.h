/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of the commands that sample again and compare with an earlier time. */
#ifndef BUFSTAT_REPEAT_OPTIONS_H
#define BUFSTAT_REPEAT_OPTIONS_H

#include <getopt.h>

#include "command_line.h"
#include "interval.h"

struct error;

/* All zero: one sample, compared with none. */
struct repeat_options {
	struct interval interval;
	const char *since; /* file to compare with, or NULL */
	const char *save; /* file to keep the last sample in, or NULL */
};

/* A command's own options without a letter begin at REPEAT_OPTIONS_END. */
enum {
	OPTION_SINCE = COMMAND_OPTION,
	OPTION_SAVE,
	REPEAT_OPTIONS_END,
};

/* For struct command_line: these letters, and rows of names. */
#define REPEAT_LETTERS "c:s:"
#define REPEAT_NAMES                                                           \
	{ "seconds", required_argument, NULL, 's' },                           \
		{ "count", required_argument, NULL, 'c' },                     \
		{ "since", required_argument, NULL, OPTION_SINCE },            \
	{                                                                      \
		"save", required_argument, NULL, OPTION_SAVE                   \
	}

/* Takes one of these options, or does nothing. Returns 0, -EINVAL or -ERANGE. */
int repeat_options_take(struct repeat_options *options, int option,
			struct error *err);

/* For print_help(): their lines. */
void repeat_options_print_help(void);

#endif
