// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bufstat/version.h>

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "cli/moment.h"
#include "cli/table_options.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "table/column.h"
#include "worker/reach.h"

const struct option_row json_option[] = {
	ROW_FLAG('J', "json", struct common_options, json,
		 "JSON; numbers in the unit of their key",
		 .flags = OPTION_BEFORE_COMMAND),
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
	ROW_WHOLE('\0', "json-lines", NULL, take_json_lines,
		  "JSON, with each sample on one line"),
	{ 0 },
};

/*
 * --sysroot takes a directory and --capture a packed tree. Both set the same
 * member.
 */
const struct option_row tree_options[] = {
	ROW_TEXT('\0', "sysroot", struct common_options, sysroot, "DIR",
		 WORDS_DIRECTORIES, "read a captured tree, not this host",
		 .flags = OPTION_BEFORE_COMMAND),
	ROW_TEXT('\0', "capture", struct common_options, sysroot, "FILE",
		 WORDS_FILES, "read what bufstat capture wrote",
		 .flags = OPTION_BEFORE_COMMAND),
	{ 0 },
};

const struct option_row past_options[] = {
	ROW_CALL('\0', "at", struct common_options, at, "TIME", moment_take,
		 "the answer as it was then, if bufstat record ran"),
	ROW_TEXT('\0', "dir", struct common_options, recording, "DIR",
		 WORDS_DIRECTORIES, "the directory of the recording for --at"),
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
	ROW_ANSWER('h', "help", struct common_options, answer, COMMAND_HELP,
		   "this text"),
	ROW_ANSWER('V', "version", struct common_options, answer,
		   COMMAND_VERSION, "the version"),
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
	printf("\nManual: bufstat-%s(8)\n", line->name);
}

static int take_operands(const struct command_line *line, int argc, char **argv,
			 struct common_options *common, struct error *err)
{
	if (optind < argc && !line->operands)
		return error_option(err, argv[optind], "%s takes no arguments",
				    line->name);
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
		return error_option(err, "--", "the command to run is missing");
	common->program = argv + end + 1;
	*argc = end;
	return 0;
}

static struct table_options *table_of(const struct command_line *line,
				      void *options)
{
	return (void *)((char *)options + line->table_at);
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
	/* The user is told about --timeout. */
	for (size_t i = 0; i < list.count; i++) {
		if (list.slots[i].row == timeout_option)
			common->patience.tell = error_tell_in_signal;
	}
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
	if (!ret && line->columns)
		ret = table_options_check(table_of(line, options), common->json,
					  err);
	return ret;
}

/* A recorded reading is one of its own host and source. */
static int check_past(const struct common_options *common, struct error *err)
{
	const char *other = common->vmcore ? "--vmcore" :
			    common->source ? "--source" :
					     NULL;

	if (common->at.count && other)
		return error_option(err, "--at", "cannot be used with %s",
				    other);
	if (common->recording && !common->at.count)
		return error_option(err, "--dir", "only with --at");
	return 0;
}

int open_host(struct sysroot *root, const char *tree, struct error *err)
{
	int ret = tree ? reach("reading a captured host", tree, err) : 0;

	return ret < 0 ? ret : sysroot_init(root, tree, err);
}

int command_line_run(const struct command_line *line, command_answer_fn *answer,
		     int oom_score, int argc, char **argv)
{
	_cleanup_(sysroot_deinit) struct sysroot root = { .fd = -1 };
	_cleanup_(freep) void *options = calloc(1, line->options_size);
	struct common_options *common = options;
	struct error err;
	int ret;

	if (!options) {
		error_errno(&err, ENOMEM, "reading options", line->name);
		return exit_printing(&err);
	}
	if (line->columns)
		table_options_init(table_of(line, options), line->columns);
	if (line->init)
		line->init(options);
	common->oom_score = oom_score;
	common->words = argv + 1;
	common->word_count = (size_t)argc - 1;
	ret = parse(line, argc, argv, options, &err);
	if (!ret && common->answer == COMMAND_RUNS && line->reads_recording)
		ret = check_past(common, &err);
	if (!ret && common->vmcore)
		ret = sysroot_init_empty(&root, common->vmcore, &err);
	else if (!ret)
		ret = open_host(&root, common->sysroot, &err);
	if (ret < 0)
		return exit_printing(&err);
	if (common->answer != COMMAND_RUNS)
		return EXIT_OK;
	return answer(line, common, &root);
}
