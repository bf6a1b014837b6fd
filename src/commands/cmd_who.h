/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways of bufstat who that trace, or read a recording. Each prints its
 * errors and returns the exit code.
 */
#ifndef BUFSTAT_CMD_WHO_H
#define BUFSTAT_CMD_WHO_H

#include <stdbool.h>

#include "cli/moment.h"
#include "question/question_command.h"
#include "recorded/growth.h"

struct fields;
struct selection;
struct sysroot;

/* What is a row. */
enum who_by { WHO_BY_USUAL, WHO_BY_PROCESS, WHO_BY_COMMAND };

struct who_options {
	struct question_options asked;
	enum who_by by;
	bool now;
	bool verify;
	const char *dir; /* or NULL: the usual one */
	/* Of a recording. */
	struct moment from;
	struct moment to;
};

/*
 * While it is traced, or --verify. @selection may be empty; all that is in it
 * is traced.
 */
int who_traced_run(const struct who_options *options,
		   const struct sysroot *root, struct selection *selection);

/*
 * Of a time that was recorded: a report for --at, and for each moment if that
 * clock time was twice, or one from --from to --to.
 */
int who_past_run(const struct who_options *options, const struct sysroot *root);

/* Its document. */
extern const struct fields who_past_document;

#endif
