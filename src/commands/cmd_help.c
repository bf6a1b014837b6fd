// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/command_line.h"
#include "commands/command.h"
#include "fields/fields.h"
#include "lib/error.h"
#include "lib/oom_score.h"
#include "lib/sysroot.h"

/* The names of the listed commands; a hidden command has no brief. */
static const char *command_word(size_t which)
{
	const struct command_line *command = NULL;

	while ((command = command_next(command))) {
		if (command->brief && !which--)
			return command->name;
	}
	return NULL;
}

struct options {
	struct common_options common;
	bool schema;
};

static const struct option_row option_rows[] = {
	ROW_FLAG('\0', "schema", struct options, schema,
		 "the JSON schema of what COMMAND prints with -J"),
	ROW_GROUP(struct options, common, help_options),
	{ 0 },
};

/* @option may be NULL. NULL if the command prints none. */
static const struct fields *find_document(const struct command_line *command,
					  const char *option)
{
	const struct option_document *other = command->option_documents;

	if (!option)
		return command->document;
	while (other && other->option && strcmp(other->option, option) != 0)
		other++;
	return other ? other->fields : NULL;
}

static int check_schema(char *const *words, size_t count, struct error *err)
{
	if (!count)
		return error_option(err, "--schema", "of which command?");
	if (find_document(command_find(words[0]), words[1]))
		return 0;
	if (words[1])
		return error_option(err, "--schema",
				    "%s prints no other document with --%s",
				    words[0], words[1]);
	return error_option(err, "--schema", "%s prints no document", words[0]);
}

static int check(void *data, struct error *err)
{
	const struct options *all = data;
	const struct common_options *options = &all->common;
	char *const *words = options->operands;
	size_t count = options->operand_count, most = all->schema ? 2 : 1;

	if (count > most)
		return error_set(
			err, EINVAL,
			"reading arguments: %s: help takes one command",
			words[most]);
	if (count && !command_find(words[0]))
		return command_unknown(words[0], err);
	return all->schema ? check_schema(words, count, err) : 0;
}

static int print_schema(const struct command_line *command, const char *option)
{
	char title[64];

	snprintf(title, sizeof(title), "bufstat %s%s%s -J", command->name,
		 option ? " --" : "", option ?: "");
	fields_print_schema(stdout, title, find_document(command, option));
	return EXIT_OK;
}

static int run(void *data, const struct sysroot *root __attribute__((unused)))
{
	const struct options *all = data;
	const struct common_options *options = &all->common;
	char name[] = "bufstat", help[] = "--help";
	char *argv[] = { name, help, NULL };

	if (!options->operand_count)
		return cmd_summary(2, argv);
	if (all->schema)
		return print_schema(command_find(options->operands[0]),
				    options->operands[1]);
	return command_line_run(command_find(options->operands[0]),
				command_answer, OOM_SCORE_FIRST, 2, argv);
}

const struct command_line command_help = {
	.name = "help",
	.brief = "show the options of a command",
	.rows = option_rows,
	.operands = "[COMMAND [OPTION]]",
	.word = command_word,
	.about =
		"Prints what COMMAND --help prints, or bufstat --help. OPTION is "
		"for --schema,\n"
		"where a command prints another document: who now, who at.\n",
	.options_size = sizeof(struct options),
	.check = check,
	.run = run,
};
