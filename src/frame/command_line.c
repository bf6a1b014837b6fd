// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bufstat/version.h>

#include "frame/command_line.h"
#include "frame/exit_code.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "table/column.h"

const struct option_row json_option[] = {
	{
		.type = OPTION_FLAG,
		.letter = 'J',
		.name = "json",
		.help = "JSON; numbers in the unit of their key",
		.place = OPTION_PLACE(bool, struct common_options, json),
		.flags = OPTION_BEFORE_COMMAND,
	},
	{ 0 },
};

static int take_json_lines(void *place,
			   const struct option_given *given
			   __attribute__((unused)),
			   struct error *err __attribute__((unused)))
{
	struct common_options *common = place;

	common->json = true;
	common->json_lines = true;
	return 0;
}

const struct option_row json_lines_option[] = {
	{
		.type = OPTION_CALL,
		.name = "json-lines",
		.help = "JSON, with each sample on one line",
		.take = take_json_lines,
	},
	{ 0 },
};

/*
 * --sysroot takes a directory and --capture a packed tree. Both set the same
 * member.
 */
const struct option_row tree_options[] = {
	{
		.type = OPTION_TEXT,
		.name = "sysroot",
		.argument = "DIR",
		.help = "read a captured tree, not this host",
		.place = OPTION_PLACE(char *, struct common_options, sysroot),
		.words = WORDS_DIRECTORIES,
		.flags = OPTION_BEFORE_COMMAND,
	},
	{
		.type = OPTION_TEXT,
		.name = "capture",
		.argument = "FILE",
		.help = "read what bufstat capture wrote",
		.place = OPTION_PLACE(char *, struct common_options, sysroot),
		.words = WORDS_FILES,
		.flags = OPTION_BEFORE_COMMAND,
	},
	{ 0 },
};

static int take_timeout(void *patience, const struct option_given *given,
			struct error *err)
{
	return patience_set_seconds(patience, given->value, err);
}

const struct option_row timeout_option[] = {
	ROW_CALL('\0', "timeout", struct common_options, patience, "N",
		 take_timeout,
		 "end after N seconds with what is known by "
		 "then"),
	{ 0 },
};

const struct option_row help_options[] = {
	{
		.type = OPTION_ANSWER,
		.letter = 'h',
		.name = "help",
		.help = "this text",
		.place = OPTION_PLACE(int, struct common_options, answer),
		.code = COMMAND_HELP,
	},
	{
		.type = OPTION_ANSWER,
		.letter = 'V',
		.name = "version",
		.help = "the version",
		.place = OPTION_PLACE(int, struct common_options, answer),
		.code = COMMAND_VERSION,
	},
	{ 0 },
};

static void print_help(const struct command_line *line,
		       const struct option_list *list)
{
	char start[64];

	snprintf(start, sizeof(start), "Usage: bufstat %s", line->name);
	option_list_print_synopsis(stdout, list, 0, start, line->operands);
	printf("\n%s\n", line->about);
	option_list_print(stdout, list);
	if (line->columns)
		column_print_help(line->columns);
	if (line->exit_status)
		printf("\n%s", line->exit_status);
}

static int take_operands(const struct command_line *line, int argc, char **argv,
			 struct common_options *common, struct error *err)
{
	if (optind < argc && !line->operands)
		return error_doing(err, EINVAL, "reading options", argv[optind],
				   "%s takes no arguments", line->name);
	common->operands = argv + optind;
	common->operand_count = (size_t)(argc - optind);
	return 0;
}

/*
 * Takes "--" and what follows it from the end of @argv, because getopt_long()
 * would mix a program's arguments with the operands.
 */
static int take_program(const struct command_line *line, int *argc, char **argv,
			struct common_options *common, struct error *err)
{
	int end = 1;

	if (!line->runs_program)
		return 0;
	while (end < *argc && strcmp(argv[end], "--") != 0)
		end++;
	if (end == *argc)
		return 0;
	if (end + 1 == *argc)
		return error_doing(err, EINVAL, "reading options", "--",
				   "the command to run is missing");
	common->program = argv + end + 1;
	*argc = end;
	return 0;
}

/*
 * Reads the options. Prints the answer to --help or --version. Returns 0, 1
 * after such an answer, or a negative errno.
 */
static int parse(const struct command_line *line, int argc, char **argv,
		 void *options, struct error *err)
{
	struct common_options *common = options;
	struct option_list list;
	char help[64];
	int ret;

	snprintf(help, sizeof(help), "bufstat %s --help", line->name);
	option_list_init(&list, line->rows);
	ret = take_program(line, &argc, argv, common, err);
	if (!ret)
		ret = options_read(&list, options, argc, argv, help, err);
	if (common->answer == COMMAND_HELP)
		print_help(line, &list);
	else if (common->answer == COMMAND_VERSION)
		puts("bufstat " BUFSTAT_VERSION);
	else if (!ret)
		ret = take_operands(line, argc, argv, common, err);
	if (!ret && line->check)
		ret = line->check(options, err);
	return ret;
}

int command_line_run(const struct command_line *line, int argc, char **argv)
{
	_cleanup_(sysroot_deinit) struct sysroot root = { .fd = -1 };
	_cleanup_(freep) void *options = calloc(1, line->options_size);
	struct common_options *common = options;
	struct error err;
	int ret;

	if (!options) {
		error_errno(&err, ENOMEM, "reading options", line->name);
		error_print(&err);
		return EXIT_FAILED;
	}
	if (line->init)
		line->init(options);
	ret = parse(line, argc, argv, options, &err);
	if (!ret && common->vmcore)
		ret = sysroot_init_empty(&root, common->vmcore, &err);
	else if (!ret)
		ret = sysroot_init(&root, common->sysroot, &err);
	if (ret < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	if (common->answer != COMMAND_RUNS)
		return EXIT_OK;
	common->patience.tell = error_tell;
	patience_begin(&common->patience);
	root.patience = &common->patience;
	return line->run(options, &root);
}
