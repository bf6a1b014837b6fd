/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame around a command: reads its options, among them those that every
 * command has, opens the sysroot, says what was wrong, and runs it. (The
 * summary reads its command line as free does; see free_options.h.)
 */
#ifndef BUFSTAT_COMMAND_LINE_H
#define BUFSTAT_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct option;
struct sysroot;

/* What every command takes. All of it points into argv. */
struct common_options {
	const char *source; /* NULL: the best */
	const char *sysroot; /* NULL: the running host */
	char *const *operands;
	size_t operand_count;
	bool json;
};

/* @options is what the command gave command_line_run(). */
struct command_line {
	const char *name;
	void (*print_help)(void);
	/* The command's own options, as getopt_long() takes them: no colon in
	 * front, and NULL or a zero row at the end. Codes of those without a
	 * letter begin at COMMAND_OPTION. */
	const char *letters;
	const struct option *names;
	/* NULL if there are none; the option's value is optarg. */
	int (*take_option)(void *options, int option, struct error *err);
	/* What shows only when all are read; NULL if nothing does. */
	int (*check)(void *options, struct error *err);
	bool takes_operands;
	/* Returns the exit code and has printed its errors. */
	int (*run)(void *options, const struct sysroot *root);
};

enum { COMMAND_OPTION = 0x200 };

/*
 * Returns the exit code. @common is a part of @options, which the caller has
 * initialised.
 */
int command_line_run(const struct command_line *line, int argc, char **argv,
		     struct common_options *common, void *options);

/* For print_help(): the lines of the common options. */
void command_line_print_common(void);

#endif
