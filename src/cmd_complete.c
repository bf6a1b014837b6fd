// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For the shells: what may stand where the cursor is, from the tables that the
 * options are read with. The operands are the words after "bufstat" up to and
 * with the one that is being typed. Each line is a word and, after a tab, what
 *it means; or it tells the shell what to do:
 *
 *	:files :directories	complete names of files itself
 *	:nospace		put no space after the word
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "frame/command_line.h"
#include "free/free_options.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "table/column.h"

/* A word that is being typed. */
struct typed {
	const char *word;
	const char *begun; /* in it: the last of a list, which is compared */
	const struct command_line *command; /* NULL: there is none yet */
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

/* LIST is several columns with commas between them: this is the last one. */
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

/* Names that could not be listed are not offered. */
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
	case WORDS_COLUMN:
		offer_columns(typed);
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
	const struct command_line *command;

	for (size_t i = 0; (command = command_at(i)); i++) {
		if (!command->brief)
			continue;
		offer(typed, "", command->name, command->brief);
		if (command->alias)
			offer(typed, "", command->alias, command->brief);
	}
}

/* A list of words is the first operand's, unless there is nothing else. */
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

/* @argv: what stands before the typed word, with a name first. */
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
	/* The frame leaves what getopt_long() may sort to it and to this. */
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
