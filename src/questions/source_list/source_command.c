// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "cli/exit_code.h"
#include "fields/fields.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "question/question_command.h"
#include "source_list/source_rows.h"

/* Beside busy processes, tracing and walks take their time. */
#define USUAL_TIMEOUT 3

struct source_answer {
	struct answer head;
	struct source_rows sources;
};

/* What is answered: EXIT_OK, EXIT_PARTIAL or EXIT_NO_SOURCE. */
static int code_of_sources(const struct source_rows *rows,
			   const struct sysroot *root)
{
	int asked = 0, whole = 0, some = 0;

	for (unsigned int i = 0; i < SOURCE_QUESTIONS; i++) {
		const struct source_row *answer = source_rows_answer(rows, i);

		asked += source_question_is_asked(i, root);
		some += answer != NULL;
		whole += answer && answer->usable != SOURCE_USABLE_IN_PART;
	}
	if (whole == asked)
		return EXIT_OK;
	return some ? EXIT_PARTIAL : EXIT_NO_SOURCE;
}

static int source_answer_take(void *data, const struct asking *asking,
			      struct error *err)
{
	struct source_answer *answer = data;
	struct source_rows *sources = &answer->sources;
	struct rows *rows = &answer->head.rows;
	const struct source_row *devices;
	int ret = source_rows_init(sources, asking->root);

	if (!ret)
		ret = rows_init(rows, sources->count, sizeof(*sources->rows),
				false);
	if (ret < 0)
		return error_errno(err, ENOMEM, "trying", "the sources");
	for (size_t i = 0; i < sources->count; i++)
		*(struct source_row *)rows_add(rows) = sources->rows[i];
	devices = source_rows_answer(sources, SOURCE_QUESTION_DEVICES);
	answer->head.source = devices ? devices->name : NULL;
	answer->head.code = code_of_sources(sources, asking->root);
	answer->head.is_whole = answer->head.code == EXIT_OK;
	return 0;
}

static void source_answer_release(void *data)
{
	struct source_answer *answer = data;

	source_rows_deinit(&answer->sources);
}

const struct question source_question = {
	.name = "sources",
	.command = &command_sources,
	.things = "the sources",
	.columns = &source_columns,
	.size = sizeof(struct source_answer),
	.take = source_answer_take,
	.release = source_answer_release,
};

static const struct option_row option_rows[] = {
	ROW_GROUP(struct question_options, table, table_options),
	ROW_GROUP(struct question_options, common, json_option),
	ROW_REFUSED('\0', "source", "NAME", "this command tries all of them"),
	ROW_GROUP(struct question_options, common, tree_options),
	ROW_GROUP(struct question_options, common, timeout_option),
	ROW_GROUP(struct question_options, common, help_options),
	{ 0 },
};

/* The note repeats other columns for a narrow table, so the JSON leaves it out.
 */
static const char json_columns[] =
	"QUESTION,SOURCE,ANSWERS,COUNT,PAGES,TIME,COST,CANNOT-TELL,REASON,"
	"REMEDY";

static int check(void *data, struct error *err __attribute__((unused)))
{
	struct question_options *options = data;
	struct patience *patience = &options->common.patience;

	if (patience->seconds <= 0)
		patience->seconds = USUAL_TIMEOUT;
	if (options->common.json && !options->table.columns_chosen)
		column_choice_parse(&options->table.columns, &source_columns,
				    json_columns, NULL);
	return 0;
}

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ROWS("sources", &source_columns) },
};

static const struct fields source_document =
	FIELDS(struct document, document_list);

static const struct question_command asks = {
	.question = &source_question,
};

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
	.table_at = offsetof(struct question_options, table),
	.asks = &asks,
	.document = &source_document,
	.exit_status =
		"Exit status: 0 every question has its answer, 1 failure, 2 no "
		"usable source,\n"
		"3 a question has no answer, or only a part of it.\n",
	.options_size = sizeof(struct question_options),
	.check = check,
};
