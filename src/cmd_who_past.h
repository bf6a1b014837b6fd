/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_CMD_WHO_PAST_H
#define BUFSTAT_CMD_WHO_PAST_H

struct common_options;
struct moment;
struct sysroot;
struct table_options;

struct who_past {
	const struct common_options *common; /* with --at */
	const struct table_options *table;
	const struct moment *from;
	const struct moment *to;
	const char *dir; /* of the recording; NULL: the usual one */
};

/*
 * bufstat who of a time that was recorded: a report for --at, and for each
 * moment if that clock time was twice, or one from --from to --to. Prints its
 * errors and returns the exit code.
 */
int who_past_run(const struct who_past *past, const struct sysroot *root);

#endif
