// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cli/command_line.h"
#include "cli/table_options.h"
#include "commands/command.h"
#include "commands/command_past.h"
#include "commands/command_question.h"
#include "free/free_options.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/nearest.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "sample/questions.h"
#include "table/table.h"

/* The commands that do more than ask a question. */
static const struct command_line *const commands[] = {
	&command_capture, &command_complete, &command_drop,    &command_explain,
	&command_export,  &command_help,     &command_history, &command_module,
	&command_path,	  &command_record,   &command_repro,   &command_top,
	&command_who,
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

/* In no order. */
static const struct command_line *command_at(size_t which)
{
	return which < COMMANDS ? commands[which] :
				  questions[which - COMMANDS]->command;
}

const struct command_line *command_next(const struct command_line *last)
{
	const struct command_line *next = NULL;

	for (size_t i = 0; i < COMMANDS + QUESTIONS; i++) {
		const struct command_line *command = command_at(i);

		if (command &&
		    (!last || strcmp(command->name, last->name) > 0) &&
		    (!next || strcmp(command->name, next->name) < 0))
			next = command;
	}
	return next;
}

const struct command_line *command_find(const char *name)
{
	for (size_t i = 0; i < COMMANDS + QUESTIONS; i++) {
		const struct command_line *command = command_at(i);

		if (command &&
		    (strcmp(name, command->name) == 0 ||
		     (command->alias && strcmp(name, command->alias) == 0)))
			return command;
	}
	return NULL;
}

int command_unknown(const char *word, struct error *err)
{
	const struct command_line *command = NULL;
	struct nearest nearest;

	nearest_init(&nearest, word, strlen(word));
	while ((command = command_next(command))) {
		if (!command->brief)
			continue;
		nearest_try(&nearest, command->name);
		if (command->alias)
			nearest_try(&nearest, command->alias);
	}
	return error_set(err, EINVAL, "unknown command: %s%s%s%s", word,
			 nearest.name ? " (did you mean " : "",
			 nearest.name ? nearest.name : "",
			 nearest.name ? "?)" : "");
}

void command_print_list(FILE *out)
{
	const struct command_line *command = NULL;
	int used;

	while ((command = command_next(command))) {
		if (!command->brief)
			continue;
		used = fprintf(out, " %s%s%s", command->name,
			       command->alias ? ", " : "",
			       command->alias ? command->alias : "");
		fprintf(out, "%*s%s\n", used < 23 ? 23 - used : 1, "",
			command->brief);
	}
}

/* Makes the word at @index the first after the program's name. */
static void move_to_front(char **argv, int index)
{
	char *word = argv[index];

	memmove(&argv[2], &argv[1], (size_t)(index - 1) * sizeof(*argv));
	argv[1] = word;
}

/*
 * An option before the command that belongs after it: its index in argv, and
 * whether the next word is its value.
 */
struct misplaced {
	int word; /* 0: there is none */
	bool has_value;
};

/* Reads the options before the first operand; leaves optind at that operand. */
static struct misplaced read_first_options(int argc, char **argv)
{
	struct misplaced misplaced = { 0 };
	struct option_list list;

	option_list_init(&list, free_options);
	optind = 0; /* glibc: start anew */
	for (;;) {
		/* getopt leaves a word only after its last letter. */
		int word = optind ? optind : 1;
		int slot = option_list_next(&list, argc, argv, OPTIONS_FIRST);

		if (slot == OPTION_NO_MORE)
			return misplaced;
		if (misplaced.word ||
		    (slot >= 0 &&
		     list.slots[slot].row->flags & OPTION_BEFORE_COMMAND))
			continue;
		misplaced.word = word;
		misplaced.has_value = optind == word + 2;
	}
}

int command_choose(int argc, char **argv, const struct command_line **command,
		   struct error *err)
{
	const struct misplaced misplaced = read_first_options(argc, argv);
	const char *word = argv[misplaced.word];

	*command = NULL;
	if (optind >= argc ||
	    (optind > 1 && strcmp(argv[optind - 1], "--") == 0))
		return 0;
	*command = command_find(argv[optind]);
	if (*command && misplaced.word)
		return error_option(
			err, word,
			"it goes after the command: bufstat %s %s%s%s",
			argv[optind], word, misplaced.has_value ? " " : "",
			misplaced.has_value ? argv[misplaced.word + 1] : "");
	if (*command)
		move_to_front(argv, optind);
	return 0;
}

int command_answer_now(const struct command_line *line,
		       struct common_options *options, struct sysroot *root)
{
	patience_begin(&options->patience);
	root->patience = &options->patience;
	return line->run ? line->run(options, root) :
			   command_ask(line, options, root);
}

int command_answer(const struct command_line *line,
		   struct common_options *options, struct sysroot *root)
{
	return options->at.count && line->reads_recording ?
		       run_on_pasts(line, options, root) :
		       command_answer_now(line, options, root);
}

int command_print_rows(const struct command_line *line, const void *options,
		       const struct document *document)
{
	const struct common_options *common = options;
	const struct table_options *table =
		(const void *)((const char *)options + line->table_at);
	const struct table_style style = table_options_style(table);
	struct document printed = *document;

	if (!printed.columns)
		printed.columns = &table->columns;
	if (!common->json)
		return table_print(stdout, &printed.rows, printed.columns,
				   &style);
	document_print(stdout, common->json_lines,
		       printed.fields ?: line->document, &printed);
	return 0;
}

void command_print_refused(struct selection *selection)
{
	struct error err;

	while (selection_next_error(selection, &err))
		error_print(&err);
}

void command_print_vain(struct selection *selection)
{
	selection_refuse_vain(selection);
	command_print_refused(selection);
}

int command_run_selected(enum selection_kind kind, const struct sysroot *root,
			 const struct common_options *common,
			 int (*measure)(void *data, struct selection *selection,
					const struct sysroot *root),
			 void *data)
{
	_cleanup_(selection_deinit) struct selection selection = { 0 };
	struct error err;

	if (selection_init(&selection, kind, root, common->operands,
			   common->operand_count, &err) < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	command_print_refused(&selection);
	if (selection_is_vain(&selection))
		return selection.code;
	return selection_code(&selection, measure(data, &selection, root));
}
