// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command_line.h"
#include "cli/interval.h"
#include "cli/table_options.h"
#include "commands/command.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "memory/memory_heads.h"
#include "memory/memory_json.h"
#include "memory/memory_owners.h"
#include "memory/memory_reading.h"
#include "memory/memory_rows.h"
#include "sample/heads_question.h"
#include "sample/memory_baseline.h"
#include "sample/memory_document.h"
#include "sample/reading.h"
#include "table/table.h"

struct options {
	struct common_options common;
	struct table_options table;
	struct repeat_options repeat;
	bool all;
	bool pss;
	bool has_owners;
	struct memory_owners_asked owners;
	enum memory_view view;
};

static int take_view(void *place, const struct option_given *given,
		     struct error *err)
{
	enum memory_view *view = place;

	if (*view != MEMORY_VIEW_HEADS &&
	    *view != (enum memory_view)given->row->code)
		return error_option(err, NULL,
				    "use one of --available, --give-back and "
				    "--prove");
	*view = (enum memory_view)given->row->code;
	return 0;
}

static int take_owners(void *place, const struct option_given *given,
		       struct error *err)
{
	struct memory_owners_asked *asked = place;

	return memory_owners_parse(asked, given->value, err);
}

#define ROW_VIEW(n, c, h)                                                      \
	ROW_CALL('\0', n, struct options, view, NULL, take_view, h, .code = (c))

static const struct option_row option_rows[] = {
	ROW_FLAG('a', "all", struct options, all,
		 "also show heads without pages"),
	ROW_CALL('\0', "owners", struct options, owners, "LIST", take_owners,
		 "the largest owners of these heads, of slab, or of all",
		 .word = memory_owners_word),
	ROW_MOVED('w', "wide", "owners", "owners"),
	ROW_CALL('\0', "top", struct options, table.top, "N", table_take_rows,
		 "so many owners in each list (5)"),
	ROW_FLAG('\0', "pss", struct options, pss,
		 "rank programs by their part of shared pages (Pss)"),
	ROW_VIEW("available", MEMORY_VIEW_AVAILABLE,
		 "how available comes about, and used"),
	ROW_VIEW("give-back", MEMORY_VIEW_GIVE_BACK,
		 "what each action would free, and its cost"),
	ROW_VIEW("prove", MEMORY_VIEW_CENSUS,
		 "count every page frame, by what it is; needs root"),
	ROW_GROUP(struct options, table.style.unit, size_options),
	ROW_GROUP(struct options, table, table_options),
	ROW_GROUP(struct options, repeat, repeat_options),
	ROW_TEXT('\0', "vmcore", struct options, common.vmcore, "FILE",
		 WORDS_FILES, "the memory of the kernel in a dump"),
	ROW_GROUP(struct options, common, json_option),
	ROW_GROUP(struct options, common, past_options),
	ROW_GROUP(struct options, common, json_lines_option),
	ROW_REFUSED('\0', "source", "NAME",
		    "all of memory is counted by the kernel itself"),
	ROW_GROUP(struct options, common, tree_options),
	ROW_GROUP(struct options, common, timeout_option),
	ROW_GROUP(struct options, common, help_options),
	{ 0 },
};

static int check_source(const struct options *options, struct error *err)
{
	static const char *const views[] = {
		[MEMORY_VIEW_GIVE_BACK] = "--give-back",
		[MEMORY_VIEW_CENSUS] = "--prove",
	};

	if (!options->common.vmcore)
		return repeat_check(&options->repeat, &options->common, err);
	if (options->view == MEMORY_VIEW_GIVE_BACK ||
	    options->view == MEMORY_VIEW_CENSUS)
		return error_option(err, views[options->view],
				    "only for a kernel that is running");
	if (options->repeat.since || options->repeat.save)
		return error_option(err, "--vmcore",
				    "not with --since or --save");
	return repeat_check(&options->repeat, &options->common, err);
}

static int check_owners(struct options *options, struct error *err)
{
	for (size_t i = 0; i <= MEMORY_HEADS; i++)
		options->has_owners |= options->owners.heads[i];
	if (options->has_owners && options->view != MEMORY_VIEW_HEADS)
		return error_option(err, "--owners",
				    "only the heads have owners: not with "
				    "--available, --give-back or --prove");
	if (options->has_owners && options->common.vmcore)
		return error_option(err, "--owners",
				    "only for a kernel that is running");
	if (!options->has_owners && (options->table.top || options->pss))
		return error_option(
			err, options->pss ? "--pss" : "--top",
			"it is about owners (use it with --owners)");
	if (options->pss && !options->owners.heads[MEMORY_HEAD_PROGRAMS])
		return error_option(
			err, "--pss",
			"it is about programs (use it with --owners "
			"programs)");
	return 0;
}

static int check(void *data, struct error *err)
{
	struct options *options = data;
	int ret = check_owners(options, err);

	return ret < 0 ? ret : check_source(options, err);
}

/* The data of take_sample(). */
struct sampling {
	const struct options *options;
	const struct sysroot *root;
	struct memory_history *history; /* NULL: there is no other sample */
	struct told told;
};

static bool has_history(const struct sampling *sampling)
{
	const struct memory_history *history = sampling->history;

	return history && (history->last.page_size || history->first.page_size);
}

static int print_table(const struct memory_rows *rows,
		       const struct sampling *sampling)
{
	const struct table_options *table = &sampling->options->table;
	const struct table_style style = table_options_style(table);
	const struct table_rows shown = memory_rows_of_table(rows);
	struct column_choice columns = table->columns;

	if (!table->columns_chosen)
		memory_columns_of_view(&columns, sampling->options->view,
				       has_history(sampling));
	return table_print(stdout, &shown, &columns, &style);
}

static int print_answer(const struct heads_answer *heads,
			const struct sampling *sampling, struct error *err)
{
	const struct options *options = sampling->options;
	const struct memory_rows_of of = {
		.reading = &heads->reading,
		.heads = &heads->heads,
		.history = has_history(sampling) ? sampling->history : NULL,
		.census = &heads->census,
		.owners = options->has_owners ? &heads->owners : NULL,
		.all = options->all,
		.order = options->table.order,
	};
	_cleanup_(memory_rows_deinit) struct memory_rows rows = { 0 };
	struct memory_answer answer = { .of = &of, .view = options->view };
	const struct document document = {
		.head = { .source = heads->head.source,
			  .is_whole = heads->head.is_whole },
		.root = sampling->root,
		.kernel = heads->release,
		.answer = &answer,
	};
	int ret = memory_rows_init(&rows, &of, options->view);

	answer.rows = rows;
	if (!ret && options->common.json)
		document_print(stdout, options->common.json_lines,
			       &memory_document, &document);
	else if (!ret)
		ret = print_table(&rows, sampling);
	if (ret < 0)
		return table_error(err, ret, "the table");
	memory_baseline_write(heads, sampling->root);
	return options->repeat.save ?
		       document_save(options->repeat.save, &memory_document,
				     &document, reading_write_answer, heads,
				     err) :
		       0;
}

static void keep_heads(struct memory_history *history,
		       const struct memory_heads *heads)
{
	history->last = *heads;
	if (!history->first.page_size)
		history->first = *heads;
}

static int take_sample(void *data)
{
	struct sampling *sampling = data;
	const struct options *options = sampling->options;
	const struct memory_asked asked = {
		.slab = options->view == MEMORY_VIEW_GIVE_BACK,
		.census = options->view == MEMORY_VIEW_CENSUS,
		.owners = options->has_owners ? &options->owners : NULL,
		.most_owners = options->table.top,
		.pss = options->pss,
	};
	const struct asking asking = {
		.root = sampling->root,
		.vmcore = options->common.vmcore,
		.memory = &asked,
	};
	const struct heads_answer *heads;
	int ret, code = EXIT_OK;
	struct error err;
	void *answer;

	told_next(&sampling->told);
	ret = question_ask(&heads_question, &answer, &asking, &err);
	heads = answer;
	interval_hold_interrupt();
	if (!ret)
		ret = print_answer(heads, sampling, &err);
	if (!ret && sampling->history)
		keep_heads(sampling->history, &heads->heads);
	if (!ret) {
		heads_question.missing(heads, told_print, &sampling->told);
		code = heads->head.is_whole ? EXIT_OK : EXIT_PARTIAL;
	}
	question_release(&heads_question, answer);
	return ret < 0 ? exit_printing(&err) : code;
}

static int run(void *data, const struct sysroot *root)
{
	const struct options *options = data;
	const char *since = options->repeat.since;
	bool has_others = since || options->repeat.interval.repeats;
	_cleanup_(freep) struct memory_history *history =
		has_others ? calloc(1, sizeof(*history)) : NULL;
	struct sampling sampling = { .options = options,
				     .root = root,
				     .history = history };
	struct error err;
	int code, ret = 0;

	if (has_others && !history)
		ret = error_errno(&err, ENOMEM, "measuring", "memory");
	else if (since)
		ret = memory_document_read(&history->first, since, root, &err);
	if (ret < 0)
		return exit_printing(&err);
	code = interval_run(&options->repeat.interval, sampling.root->patience,
			    !options->common.json, take_sample, &sampling);
	told_deinit(&sampling.told);
	return code;
}

const struct command_line command_memory = {
	.name = "memory",
	.brief = "all of memory: every page of MemTotal has an owner",
	.rows = option_rows,
	.about =
		"All of memory in heads that have no page in common. With what "
		"is unaccounted\n"
		"they add up to MemTotal. Indented rows are some of a head's "
		"pages and are not\n"
		"added up.\n",
	.columns = &memory_columns,
	.table_at = offsetof(struct options, table),
	.document = &memory_document,
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 /proc cannot be "
		"used, 3 measured in\n"
		"part or unsettled.\n",
	.reads_recording = RECORDED_MEMORY,
	.options_size = sizeof(struct options),
	.check = check,
	.run = run,
};
