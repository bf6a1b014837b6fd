// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Completion for the shells, from the same tables that parse the options. The
 * operands are the words after "bufstat", up to and including the one being
 * typed. A line of output is a word, a tab and what the word means, or an
 * instruction to the shell:
 *
 *	:files :directories	complete names of files yourself
 *	:nospace		put no space after the word
 */
#include <stdio.h>
#include <string.h>

#include "cli/command_line.h"
#include "commands/command.h"
#include "free/free_options.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "table/column.h"

/* A word that is being typed. */
struct typed {
	const char *word;
	/* Points into word, at the part to match: the last item of a list. */
	const char *begun;
	const struct command_line *command; /* NULL: none yet */
	const struct sysroot *root;
};

static void offer(const struct typed *typed, const char *prefix,
		  const char *name, const char *help)
{
	char word[512];

	snprintf(word, sizeof(word), "%s%s", prefix, name);
	if (strncmp(typed->begun, word, strlen(typed->begun)) == 0)
		printf("%.*s%s\t%s\n", (int)(typed->begun - typed->word),
		       typed->word, word, help);
}

static void offer_columns(const struct typed *typed)
{
	const struct column_set *set = typed->command->columns;

	for (size_t i = 0; set && i < set->count; i++)
		offer(typed, "", set->columns[i].heading, set->columns[i].help);
}

/* A sign says in which direction to sort. */
static void offer_sort(struct typed typed)
{
	typed.begun += *typed.word == '-' || *typed.word == '+';
	offer_columns(&typed);
}

/* LIST is columns separated by commas; only the last is being typed. */
static void offer_column_list(struct typed typed)
{
	const char *comma = strrchr(typed.word, ',');

	if (comma)
		typed.begun = comma + 1;
	else if (*typed.word == '+')
		typed.begun = typed.word + 1;
	puts(":nospace");
	offer_columns(&typed);
}

/* If the directory cannot be listed, nothing is offered. */
static void offer_directory(const struct typed *typed, const char *path,
			    const char *prefix)
{
	struct string_list names = { 0 };

	sysroot_list(typed->root, path, &names);
	string_list_sort(&names);
	for (size_t i = 0; i < names.count; i++) {
		char *name = names.strings[i];

		for (char *c = name; (c = strchr(c, '!'));)
			*c = '/';
		if (strcmp(name, "control") != 0)
			offer(typed, prefix, name, "");
	}
	string_list_deinit(&names);
}

static void offer_words(const struct typed *typed, enum option_words words,
			option_word_fn *word)
{
	for (size_t i = 0; word && word(i); i++)
		offer(typed, "", word(i), "");
	switch (words) {
	case WORDS_NONE:
		break;
	case WORDS_FILES:
		puts(":files");
		break;
	case WORDS_DIRECTORIES:
		puts(":directories");
		break;
	case WORDS_DEVICES:
		offer_directory(typed, "/sys/class/block", "");
		offer_directory(typed, "/dev/mapper", "/dev/mapper/");
		break;
	case WORDS_DEVICES_AND_FILES:
		/* First, since bash starts its list with the files. */
		puts(":files");
		offer_words(typed, WORDS_DEVICES, NULL);
		break;
	case WORDS_COLUMN:
		offer_sort(*typed);
		break;
	case WORDS_COLUMN_LIST:
		offer_column_list(*typed);
		break;
	}
}

static void offer_options(const struct typed *typed,
			  const struct option_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct option_row *row = list->slots[i].row;
		char letter[] = { row->letter, '\0' };

		if (!option_is_shown(row))
			continue;
		offer(typed, "--", row->name, row->help);
		if (row->letter)
			offer(typed, "-", letter, row->help);
	}
}

static void offer_commands(const struct typed *typed)
{
	const struct command_line *command = NULL;

	while ((command = command_next(command))) {
		if (!command->brief)
			continue;
		offer(typed, "", command->name, command->brief);
		if (command->alias)
			offer(typed, "", command->alias, command->brief);
	}
}

/*
 * command->word lists the values of the first operand, or of every operand if
 * the command has no other kind.
 */
static void offer_operand(const struct typed *typed, int before)
{
	const struct command_line *command = typed->command;

	if (!command && !before)
		offer_commands(typed);
	else if (command && command->word &&
		 (!before || command->words == WORDS_NONE))
		offer_words(typed, WORDS_NONE, command->word);
	else if (command)
		offer_words(typed, command->words, NULL);
}

/* @argv: the words before the typed one, after a program or command name. */
static void complete(const struct typed *typed, int argc, char **argv)
{
	const struct command_line *command = typed->command;
	struct option_list list;
	int slot;

	option_list_init(&list, command ? command->rows : free_options);
	optind = 0; /* glibc: start anew */
	do
		slot = option_list_next(&list, argc, argv, OPTIONS_ANYWHERE);
	while (slot >= 0 || slot == OPTION_UNKNOWN);

	if (slot == OPTION_WITHOUT_VALUE) {
		const struct option_row *row =
			list.slots[option_list_incomplete(&list)].row;

		offer_words(typed, row->words, row->word);
	} else if (*typed->word == '-' &&
		   (optind == 1 || strcmp(argv[optind - 1], "--") != 0)) {
		offer_options(typed, &list);
	} else {
		offer_operand(typed, argc - optind);
	}
}

static int run(void *data, const struct sysroot *root)
{
	const struct common_options *options = data;
	/* The operands are part of main()'s argv, which getopt_long() may
	 * permute. operands[-1] stands for the program's name. */
	char **argv = (char **)options->operands - 1;
	int argc = (int)options->operand_count;
	struct typed typed = { .root = root };

	if (!argc)
		return EXIT_OK;
	typed.word = argv[argc];
	typed.begun = typed.word;
	if (command_choose(argc, argv, &typed.command, NULL) < 0)
		return EXIT_OK;
	if (typed.command)
		complete(&typed, argc - 1, argv + 1);
	else
		complete(&typed, argc, argv);
	return EXIT_OK;
}

const struct command_line command_complete = {
	.name = "__complete",
	.rows = help_options,
	.operands = "-- WORD...",
	.about = "For the shells: the words that may stand for the last one.\n",
	.options_size = sizeof(struct common_options),
	.run = run,
};
