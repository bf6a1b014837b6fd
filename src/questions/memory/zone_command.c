// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory/zone_rows.h"
#include "question/question_command.h"

static const struct option_row option_rows[] = {
	ROW_GROUP(struct question_options, table.style.unit, size_options),
	ROW_GROUP(struct question_options, table, table_options),
	ROW_GROUP(struct question_options, repeat.interval, interval_options),
	ROW_GROUP(struct question_options, common, json_option),
	ROW_GROUP(struct question_options, common, json_lines_option),
	ROW_REFUSED('\0', "source", "NAME", "the kernel itself counts these"),
	ROW_GROUP(struct question_options, common, tree_options),
	ROW_GROUP(struct question_options, common, help_options),
	{ 0 },
};

static const struct question_command asks = {
	.question = &zone_question,
};

const struct command_line command_zones = {
	.name = "zones",
	.brief = "what is free in each NUMA node and zone",
	.rows = option_rows,
	.about = "What is free in each NUMA node and zone, and how far that is "
		 "from the\n"
		 "watermarks at which the kernel reclaims.\n",
	.columns = &zone_columns,
	.table_at = offsetof(struct question_options, table),
	.asks = &asks,
	.document = &zone_document,
	.exit_status =
		"Exit status: 0 all read, 1 failure, 2 not known in this "
		"captured tree,\n3 counts that contradict each other.\n",
	.options_size = sizeof(struct question_options),
};
