// SPDX-License-Identifier: GPL-2.0-or-later
#include <bufstat/filesystems.h>

#include "filesystems/file_columns.h"
#include "filesystems/fs_target.h"
#include "lib/error.h"
#include "lib/number.h"
#include "question/question_command.h"

#define DEFAULT_LIMIT 20

static int take_limit(void *place, const struct option_given *given,
		      struct error *err)
{
	uint64_t limit;

	if (!number_parse(given->value, BUFSTAT_FILES_MAX, &limit) || !limit)
		return error_option(err, "--top",
				    "%s: not a number of files from 1 to %d",
				    given->value, BUFSTAT_FILES_MAX);
	*(size_t *)place = (size_t)limit;
	return 0;
}

static const struct option_row option_rows[] = {
	ROW_CALL('\0', "top", struct question_options, most, "N", take_limit,
		 "list N files (20)"),
	ROW_GROUP(struct question_options, table.style.unit, size_options),
	ROW_GROUP(struct question_options, table, table_options),
	ROW_GROUP(struct question_options, repeat.interval, interval_options),
	ROW_TEXT('\0', "vmcore", struct question_options, common.vmcore, "FILE",
		 WORDS_FILES, "the files of the kernel in a dump"),
	ROW_GROUP(struct question_options, common, json_lines_option),
	ROW_GROUP(struct question_options, common, tree_options),
	ROW_GROUP(struct question_options, common, ask_options),
	{ 0 },
};

static void init(void *data)
{
	struct question_options *options = data;

	options->most = DEFAULT_LIMIT;
}

static int check(void *data, struct error *err)
{
	const struct question_options *options = data;

	if (options->common.vmcore &&
	    (options->common.source || options->common.operand_count))
		return error_option(
			err, "--vmcore",
			"a dump has one source and no paths: not with --source "
			"or PATH");
	return repeat_check(&options->repeat, &options->common, err);
}

static const struct question_command asks = {
	.question = &file_question,
};

const struct command_line command_files = {
	.name = "files",
	.brief = "the files with the most pages",
	.rows = option_rows,
	.operands = "[PATH...]",
	.words = WORDS_FILES,
	.about = "The files with the most pages in the page cache, on the host "
		 "or below the given\n"
		 "directories; or the given files. Needs the module or "
		 "/proc/kcore.\n",
	.columns = &file_columns,
	.table_at = offsetof(struct question_options, table),
	.asks = &asks,
	.document = &file_document,
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 no usable source,\n"
		"3 measured in part (a filesystem did not answer).\n",
	.options_size = sizeof(struct question_options),
	.init = init,
	.check = check,
};
