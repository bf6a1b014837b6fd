// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroups/cgroup_rows.h"
#include "question/question_command.h"

static const struct option_row option_rows[] = {
	ROW_FLAG('\0', "list", struct question_options, is_list,
		 "a list of paths in place of a tree"),
	ROW_CALL('\0', "top", struct question_options, table.top, "N",
		 table_take_rows, "a list of the N largest"),
	ROW_MOVED('l', "lohi", "list", "list"),
	ROW_GROUP(struct question_options, table.style.unit, size_options),
	ROW_GROUP(struct question_options, table, table_options),
	ROW_GROUP(struct question_options, repeat.interval, interval_options),
	ROW_GROUP(struct question_options, common, json_option),
	ROW_GROUP(struct question_options, common, json_lines_option),
	ROW_REFUSED('\0', "source", "NAME", "the kernel itself counts these"),
	ROW_GROUP(struct question_options, common, tree_options),
	ROW_GROUP(struct question_options, common, timeout_option),
	ROW_GROUP(struct question_options, common, help_options),
	{ 0 },
};

static const struct question_command asks = {
	.question = &cgroup_question,
	.selects = SELECTS_CGROUPS,
};

const struct command_line command_cgroups = {
	.name = "cgroups",
	.brief = "every cgroup, and which limit is next",
	.rows = option_rows,
	.operands = "[CGROUP...]",
	.words = WORDS_DIRECTORIES,
	.about = "What is charged to each cgroup, or to those given and all "
		 "below them, what of\n"
		 "it can be reclaimed, and how much is left until a limit is "
		 "reached. Includes\n"
		 "what is below. The line above the table says which limit is "
		 "next.\n",
	.columns = &cgroup_columns,
	.table_at = offsetof(struct question_options, table),
	.asks = &asks,
	.document = &cgroup_document,
	.exit_status =
		"Exit status: 0 all read, 1 failure, 2 no cgroups with the "
		"memory controller,\n"
		"3 read in part.\n",
	.options_size = sizeof(struct question_options),
};
