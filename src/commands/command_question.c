// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands/command.h"
#include "commands/command_question.h"
#include "filesystems/selection.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "lib/terminal.h"
#include "measure/provenance.h"
#include "question/question_command.h"
#include "sample/baseline_file.h"
#include "sample/reading.h"
#include "table/table.h"

/* A command at work. */
struct asked {
	const struct command_line *line;
	const struct question *question;
	const struct question_options *options;
	const struct sysroot *root;
	struct selection *selection; /* NULL: operands are none */
	struct history history;
	void *last; /* the answer before, where it is compared */
	struct told told;
};

static bool has_earlier(const struct asked *asked)
{
	return asked->last || history_is_there(&asked->history);
}

static struct column_choice asked_columns(const struct asked *asked,
					  const void *answer)
{
	const struct table_options *table = &asked->options->table;
	struct column_choice columns = table->columns;

	if (table->columns_chosen)
		return columns;
	if (has_earlier(asked))
		column_choice_with_history(&columns, asked->question->columns);
	if (answer && asked->question->set_columns)
		asked->question->set_columns(&columns, answer);
	return columns;
}

/* For people, and not sorted: only then something is below something. */
static bool wants_tree(const struct asked *asked)
{
	const struct question_options *options = asked->options;
	const enum table_format format = options->table.style.format;

	if (!asked->question->is_tree)
		return format == TABLE_TREE;
	return format == TABLE_PLAIN && !options->common.json &&
	       !options->is_list && !options->table.top &&
	       !options->table.order.column;
}

static int take_answer(struct asked *asked, void **answer, struct error *err)
{
	const struct question_options *options = asked->options;
	const struct common_options *common = &options->common;
	const struct column_choice columns = asked_columns(asked, NULL);
	const struct asking asking = {
		.root = asked->root,
		.source = common->source,
		.vmcore = common->vmcore,
		.selection = asked->selection,
		.paths = common->operands,
		.path_count = common->operand_count,
		.most = options->most,
		.all = options->all,
		.in_parts = options->in_parts,
		.is_tree = wants_tree(asked),
		.is_json = common->json,
		.order = options->table.order,
		.columns = &columns,
		.history = &asked->history,
		.last = asked->last,
		.memory = options->memory,
	};

	return question_ask(asked->question, answer, &asking, err);
}

/* A tree in a list has no order by size, which --top needs. */
static struct column_order asked_order(const struct asked *asked)
{
	const struct table_options *table = &asked->options->table;
	const struct question *question = asked->question;
	const struct column_set *set = question->columns;

	if (table->order.column || !table->top || !question->is_tree)
		return table->order;
	for (size_t i = 0; i < set->count; i++) {
		if (strcmp(set->columns[i].key, question->figure) == 0)
			return (struct column_order){ &set->columns[i], true };
	}
	return table->order;
}

static int arrange_rows(const struct asked *asked, struct answer *answer)
{
	const struct question_options *options = asked->options;
	const struct column_order order = asked_order(asked);
	/* What is saved has all rows. */
	const bool only_changed = table_options_only_changed(
		&options->table, &options->common,
		options->all || options->repeat.save);

	if (answer->rows.parents || asked->question->is_fixed)
		return 0;
	return rows_arrange(&answer->rows, asked->question->row, &order,
			    options->table.top, only_changed);
}

/* Scripts get rows alone. */
static int print_sentence(const struct asked *asked,
			  const struct answer *answer)
{
	const struct question_options *options = asked->options;
	const struct table_style style = table_options_style(&options->table);

	if (!asked->question->sentence || options->common.json ||
	    style.format != TABLE_PLAIN || style.no_headings ||
	    !answer->rows.count)
		return 0;
	return asked->question->sentence(stdout, answer, style.unit,
					 terminal_width(stdout));
}

static int save_answer(const struct asked *asked,
		       const struct document *document, struct error *err)
{
	struct document saved = *document;
	struct column_choice columns;

	column_choice_all(&columns, asked->question->columns);
	saved.columns = &columns;
	saved.rows = rows_of_records(document->answer);
	return document_save(asked->options->repeat.save,
			     document->fields ?: asked->line->document, &saved,
			     reading_write_answer, document->answer, err);
}

static int print_answer(const struct asked *asked, const struct answer *answer,
			struct error *err)
{
	const struct question_options *options = asked->options;
	const struct column_choice columns = asked_columns(asked, answer);
	const struct question_command *asks = asked->line->asks;
	const struct table_style style = table_options_style(&options->table);
	const bool is_json = options->common.json;
	struct document document = {
		.head = { .source = answer->source,
			  .is_whole = answer->is_whole },
		.answer = answer,
		.rows = is_json ? rows_of_records(&answer->rows) :
				  rows_of_table(&answer->rows),
		.columns = &columns,
		.fields = asks->document,
	};
	int ret;

	/* As of now: whoever reads the output may take long. */
	if (is_json || options->repeat.save)
		document.head.provenance =
			provenance_of(asked->root, answer->kernel);
	if (asked->question->samples && options->repeat.interval.repeats &&
	    !is_json)
		table_options_print_clock(&options->table);
	ret = print_sentence(asked, answer);
	if (!ret)
		ret = asks->print && !is_json ?
			      asks->print(answer, &columns, &style) :
			      command_print_rows(asked->line, options,
						 &document);
	ret = table_error(err, ret, asked->question->things);
	return ret || !options->repeat.save ?
		       ret :
		       save_answer(asked, &document, err);
}

static bool is_in_vain(const struct asked *asked)
{
	return asked->selection && selection_is_vain(asked->selection);
}

/*
 * Prints an answer and what is missing. Where nothing was selected, there is
 * none, but a document with samples has more than these.
 */
static int show_answer(struct asked *asked, struct answer *answer,
		       struct error *err)
{
	const struct question *question = asked->question;
	int ret = arrange_rows(asked, answer);

	if (ret < 0)
		return error_errno(err, -ret, "printing", question->things);
	if (!question->samples && asked->selection)
		command_print_vain(asked->selection);
	if (!question->samples && is_in_vain(asked))
		return 0;
	ret = print_answer(asked, answer, err);
	if (ret < 0)
		return ret;
	if (question->missing)
		question->missing(answer, told_print, &asked->told);
	if (asked->line->asks->finish)
		asked->line->asks->finish(answer, asked->options, asked->root,
					  told_print, &asked->told);
	if (question->samples && asked->selection)
		command_print_vain(asked->selection);
	return 0;
}

/* Keeps of @answer what the next one is compared with. */
static int keep_answer(struct asked *asked, void *answer)
{
	const struct question *question = asked->question;
	int ret = 0;

	if (question->samples)
		ret = history_take(&asked->history, question->samples(answer));
	question_release(question, asked->last);
	asked->last = question->compares_last ? answer : NULL;
	if (!question->compares_last)
		question_release(question, answer);
	return ret;
}

static int ask_once(void *data)
{
	struct asked *asked = data;
	struct error err;
	const struct answer *head;
	void *answer;
	int ret, code;

	told_next(&asked->told);
	ret = take_answer(asked, &answer, &err);
	interval_hold_interrupt();
	if (ret < 0)
		return exit_printing(&err);
	head = answer;
	code = head->is_whole ? EXIT_OK : head->code ?: EXIT_PARTIAL;
	ret = show_answer(asked, answer, &err);
	if (keep_answer(asked, answer) < 0 && !ret)
		ret = error_errno(&err, ENOMEM, "keeping", "the sample");
	if (ret < 0)
		return exit_printing(&err);
	/* It is not asked again. */
	if (is_in_vain(asked))
		return EXIT_FAILED;
	if (!code && asked->history.first.unsettled)
		code = EXIT_PARTIAL;
	return code;
}

/* Reads what --since compares with. */
static int read_since(struct asked *asked, struct error *err)
{
	const struct question *question = asked->question;
	const char *since = asked->options->repeat.since;
	int ret;

	if (question->read_saved) {
		asked->last = question_begin(question);
		return asked->last ?
			       baseline_read_saved(question->read_saved,
						   asked->last, question->name,
						   since, asked->root, err) :
			       error_errno(err, ENOMEM, "comparing", since);
	}
	ret = baseline_read(&asked->history.first, since, question->name,
			    asked->root, err);
	if (!ret && !baseline_is_proven(&asked->history.first, since, err))
		error_print(err);
	return ret;
}

static int ask_repeatedly(void *data, struct selection *selection,
			  const struct sysroot *root)
{
	struct asked *asked = data;
	const struct question_options *options = asked->options;
	struct error err;
	int code;

	asked->selection = selection;
	asked->root = root;
	code = options->repeat.since ? read_since(asked, &err) : 0;
	if (code < 0)
		code = exit_printing(&err);
	else
		code = interval_run(&options->repeat.interval, root->patience,
				    !options->common.json, ask_once, asked);
	question_release(asked->question, asked->last);
	history_deinit(&asked->history);
	told_deinit(&asked->told);
	return code;
}

int command_ask(const struct command_line *line, const void *options,
		const struct sysroot *root)
{
	const enum selection_kind selects = line->asks->selects;
	struct asked asked = {
		.line = line,
		.question = line->asks->question,
		.options = options,
	};

	if (selects == SELECTS_NOTHING)
		return ask_repeatedly(&asked, NULL, root);
	return command_run_selected(selects, root, options, ask_repeatedly,
				    &asked);
}
