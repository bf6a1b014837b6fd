// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "cli/command_line.h"
#include "commands/command.h"
#include "lib/error.h"
#include "lib/oom_score.h"
#include "lib/sysroot.h"

/* The names of the listed commands; a hidden command has no brief. */
static const char *command_word(size_t which)
{
	const struct command_line *command;

	for (size_t i = 0; (command = command_at(i)); i++) {
		if (command->brief && !which--)
			return command->name;
	}
	return NULL;
}

static int check(void *data, struct error *err)
{
	const struct common_options *options = data;
	const char *word = options->operand_count ? options->operands[0] : NULL;

	if (options->operand_count > 1)
		return error_set(
			err, EINVAL,
			"reading arguments: %s: help takes one command",
			options->operands[1]);
	if (word && !command_find(word))
		return command_unknown(word, err);
	return 0;
}

static int run(void *data, const struct sysroot *root __attribute__((unused)))
{
	const struct common_options *options = data;
	char name[] = "bufstat", help[] = "--help";
	char *argv[] = { name, help, NULL };

	if (!options->operand_count)
		return cmd_summary(2, argv);
	return command_line_run(command_find(options->operands[0]),
				OOM_SCORE_FIRST, 2, argv);
}

const struct command_line command_help = {
	.name = "help",
	.brief = "show the options of a command",
	.rows = help_options,
	.operands = "[COMMAND]",
	.word = command_word,
	.about = "Prints what COMMAND --help prints, or bufstat --help.\n",
	.options_size = sizeof(struct common_options),
	.check = check,
	.run = run,
};
