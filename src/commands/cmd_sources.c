// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "cli/table_options.h"
#include "commands/command.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "source_list/source_rows.h"
#include "table/table.h"
#include "worker/patience.h"

/* Beside busy processes, tracing and walks take their time. */
#define USUAL_TIMEOUT 3

struct options {
	struct common_options common;
	struct table_options table;
};

static const struct option_row option_rows[] = {
	ROW_GROUP(struct options, table, table_options),
	ROW_GROUP(struct options, common, json_option),
	ROW_REFUSED('\0', "source", "NAME", "this command tries all of them"),
	ROW_GROUP(struct options, common, tree_options),
	ROW_GROUP(struct options, common, timeout_option),
	ROW_GROUP(struct options, common, help_options),
	{ 0 },
};

/* The note repeats other columns for a narrow table, so the JSON leaves it out.
 */
static const char json_columns[] =
	"QUESTION,SOURCE,ANSWERS,COUNT,PAGES,TIME,COST,CANNOT-TELL,REASON,"
	"REMEDY";

static int check(void *data, struct error *err __attribute__((unused)))
{
	struct options *options = data;

	if (options->common.json && !options->table.columns_chosen)
		column_choice_parse(&options->table.columns, &source_columns,
				    json_columns, NULL);
	return 0;
}

/* What is answered: EXIT_OK, EXIT_PARTIAL or EXIT_NO_SOURCE. */
static int exit_code(const struct source_rows *rows, const struct sysroot *root)
{
	int asked = 0, whole = 0, some = 0;

	for (unsigned int i = 0; i < QUESTIONS; i++) {
		const struct source_row *answer = source_rows_answer(rows, i);

		asked += source_question_is_asked(i, root);
		some += answer != NULL;
		whole += answer && answer->usable != SOURCE_USABLE_IN_PART;
	}
	if (whole == asked)
		return EXIT_OK;
	return some ? EXIT_PARTIAL : EXIT_NO_SOURCE;
}

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ROWS("sources", &source_columns) },
};

static const struct fields source_document =
	FIELDS(struct document, document_list);

static int print(const struct source_rows *rows, const struct options *options,
		 const struct sysroot *root)
{
	const struct source_row *answer =
		source_rows_answer(rows, QUESTION_DEVICES);
	const struct document document = {
		.head = { .source = answer ? answer->name : NULL,
			  .is_whole = exit_code(rows, root) == EXIT_OK },
		.root = root,
		.rows = TABLE_ROWS(rows->rows, rows->count),
	};

	return command_print_rows(&command_sources, options, &document);
}

static int run(void *data, const struct sysroot *root)
{
	const struct options *options = data;
	struct source_rows rows;
	struct error err;
	int ret, code;

	if (root->patience && root->patience->seconds <= 0)
		root->patience->seconds = USUAL_TIMEOUT;
	ret = source_rows_init(&rows, root);
	code = exit_code(&rows, root);
	if (!ret)
		column_sort(rows.rows, rows.count, sizeof(*rows.rows),
			    &options->table.order);
	if (!ret)
		ret = print(&rows, options, root);
	if (ret < 0) {
		table_error(&err, ret, "the sources");
		code = exit_printing(&err);
	}
	source_rows_deinit(&rows);
	return code;
}

const struct command_line command_sources = {
	.name = "sources",
	.brief = "what can measure this host, and what cannot",
	.rows = option_rows,
	.about =
		"Shows which source answers questions about devices, filesystems "
		"and files on\n"
		"this host, and whether who, blocks and path work. Also shows how "
		"long each\n"
		"takes, what it cannot tell, and what would help.\n"
		"cachestat opens every block device, so it is tried only if no "
		"other source\n"
		"measures all of them. If a walk of all inodes takes long, only "
		"the source that\n"
		"answers does it. --timeout is 3 if it is not given.\n",
	.columns = &source_columns,
	.table_at = offsetof(struct options, table),
	.document = &source_document,
	.exit_status =
		"Exit status: 0 every question has its answer, 1 failure, 2 no "
		"usable source,\n"
		"3 a question has no answer, or only a part of it.\n",
	.options_size = sizeof(struct options),
	.check = check,
	.run = run,
};
