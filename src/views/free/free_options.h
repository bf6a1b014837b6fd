/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * free's options, as of procps-ng 4.0.6, and those that bufstat adds. free's
 * options mean what they mean to free, quirks included.
 */
#ifndef BUFSTAT_FREE_OPTIONS_H
#define BUFSTAT_FREE_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/command_line.h"
#include "cli/interval.h"
#include "lib/number.h"

struct error;

/*
 * From FREE_UNIT_KILO on: powers of 1024, or of 1000 with FREE_SI. The values
 * are those of size_unit.power.
 */
enum free_unit {
	FREE_UNIT_DEFAULT, /* kibibytes, or kilobytes with FREE_SI */
	FREE_UNIT_BYTES,
	FREE_UNIT_KILO,
	FREE_UNIT_MEGA,
	FREE_UNIT_GIGA,
	FREE_UNIT_TERA,
	FREE_UNIT_PETA,
};

enum free_flag {
	FREE_SI = 1 << 0,
	FREE_HUMAN = 1 << 1,
	FREE_WIDE = 1 << 2,
	FREE_LOHI = 1 << 3,
	FREE_LINE = 1 << 4,
	FREE_TOTAL = 1 << 5,
	FREE_COMMITTED = 1 << 6,
	FREE_ONLY = 1 << 7, /* free's table without the breakdown */
	FREE_FILESYSTEMS = 1 << 8, /* and the filesystems of Cached */
	FREE_ALL = 1 << 9, /* every row of the breakdown */
};

enum free_action {
	FREE_PRINT,
	FREE_HELP,
	FREE_VERSION,
	FREE_USAGE, /* not an option: usage on stderr, failure */
};

struct free_options {
	struct common_options common;
	int action; /* enum free_action */
	enum free_unit unit;
	unsigned int flags; /* enum free_flag */
	struct repeat_options repeat;
	size_t rows; /* most rows of the breakdown; 0: what fits the terminal */
	const char *refused; /* FREE_USAGE: the refused long option, or NULL */
	const char *operand; /* FREE_USAGE: the first operand, or NULL */
};

/* Option rows for struct free_options: free's own, then bufstat's. */
extern const struct option_row free_options[];

/*
 * Reads the command line. @as_free: take free's options only, so that every
 * abbreviation and every error is free's too.
 *
 * Returns 0, or -EINVAL or -ERANGE with @err set. Where free shows its usage,
 * @options->action is FREE_USAGE. If that is for an option, getopt_long() has
 * already said which one.
 */
int free_options_parse(struct free_options *options, int argc, char **argv,
		       bool as_free, struct error *err);

/*
 * The unit for what bufstat prints after free's table: the one that was asked
 * for, else that which keeps each size short.
 */
static inline struct size_unit
free_options_unit(const struct free_options *options)
{
	return (struct size_unit){
		.power = options->unit,
		.si = options->flags & FREE_SI,
		.human = options->flags & FREE_HUMAN,
	};
}

/* The number of lines of free's table. */
static inline size_t free_options_lines(const struct free_options *options)
{
	return 3 + 2 * !!(options->flags & FREE_LOHI) +
	       !!(options->flags & FREE_TOTAL) +
	       !!(options->flags & FREE_COMMITTED);
}

/* The long option that a refused one probably meant, or NULL. */
const char *free_option_nearest(const char *refused);

/* Print how @program is used, and its options, for --help. */
void free_options_print_usage(FILE *out, const char *program, bool as_free);
void free_options_print(FILE *out, bool as_free);

#endif
