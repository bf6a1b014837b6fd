/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --at: a command answers from a recorded reading as from a captured tree. */
#ifndef BUFSTAT_COMMAND_PAST_H
#define BUFSTAT_COMMAND_PAST_H

#include "cli/option.h"

struct command_line;
struct common_options;
struct sysroot;

extern const struct option_row recording_option[]; /* --dir */

/*
 * Finds the readings in the recording of @root and runs the command on each.
 * Prints its errors and returns the exit code of the last reading; more than
 * one is rare.
 */
int run_on_pasts(const struct command_line *line,
		 struct common_options *options, const struct sysroot *root);

#endif
